/* TfIdfVectorizer, of strings by their numbers: how often each n-gram of a list occurs. For each length and distance between items all windows are compared with all
 * n-grams of that length, and what is equal is counted. */
#include "ml.h"
#include "table.h"

#include <math.h>

enum { COMPARED_MAX = 1 << 26 }; /* elements of a comparison */

typedef struct Grams {
    OnnxNode *c;
    ValueId x; /* i64[rows, items] */
    int64_t rows, items;
    const int64_t *pool, *counts; /* all n-grams, and where those of each length begin */
    size_t n_pool, n_counts;
} Grams;

/* Where in windows of `size` items, `distance` apart, item `k` is what it is in each of n n-grams: bool[rows, windows, n]. */
static ValueId equal_items(const Grams *g, const int64_t *grams, int64_t n, int64_t size,
                           int64_t distance, int64_t k)
{
    OnnxNode *c = g->c;
    const int64_t windows = g->items - distance * (size - 1);
    int64_t *wanted = ARENA_ARRAY(c->arena, int64_t, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        wanted[i] = grams[i * size + k];
    ValueId item = slice_axis(c, g->x, 1, k * distance, windows);
    return emit(c, OP_Equal, IN(unsqueeze(c, item, 2), const_ints(c, wanted, (size_t)n)), NULL);
}

/* How often each occurs, f32[rows, n]. */
static ValueId count_grams(const Grams *g, const int64_t *grams, int64_t n, int64_t size)
{
    OnnxNode *c = g->c;
    const int64_t furthest = size == 1 ? 0 : get_int(c, "max_skip_count", 0);
    ValueId sum =
        filled(c, type_make(DT_F32, 2, (int64_t[]){g->rows, n}), const_scalar(c, DT_F32, 0));
    for (int64_t distance = 1; distance - 1 <= furthest && ok(c); distance++) {
        if (size > 1 && distance > (g->items - 1) / (size - 1))
            break;
        if (g->items < 1)
            break;
        ValueId found = equal_items(g, grams, n, size, distance, 0);
        for (int64_t k = 1; k < size && ok(c); k++)
            found = emit(c, OP_And, IN(found, equal_items(g, grams, n, size, distance, k)), NULL);
        sum =
            add(c, sum, reduce(c, OP_ReduceSum, cast(c, found, DT_F32), (int64_t[]){1}, 1, false));
    }
    return sum;
}

static bool read_grams(OnnxNode *c, Grams *g)
{
    const TensorType t = *type_in(c, 0);
    g->pool = has_strings(c, 0) ? get_strings(c, "pool_strings", &g->n_pool)
                                : get_ints(c, "pool_int64s", &g->n_pool);
    g->counts = get_ints(c, "ngram_counts", &g->n_counts);
    if (!g->pool || dtype_is_float(t.dtype))
        return refuse_onnx(c, "it has no n-grams of its input's type");
    if (!g->counts || t.rank < 1 || t.rank > 2)
        return refuse_onnx(c, "ngram_counts is missing, or X has the wrong rank");
    for (size_t i = 0; i < g->n_counts; i++)
        if (g->counts[i] < (i ? g->counts[i - 1] : 0) || g->counts[i] > (int64_t)g->n_pool ||
            ((i + 1 < g->n_counts ? g->counts[i + 1] : (int64_t)g->n_pool) - g->counts[i]) %
                (int64_t)(i + 1))
            return refuse_onnx(c, "ngram_counts does not divide the pool into n-grams");
    g->rows = t.rank == 2 ? t.dims[0] : 1;
    g->items = t.dims[t.rank - 1];
    if (g->items > COMPARED_MAX || g->rows > COMPARED_MAX ||
        (double)g->rows * (double)g->items * (double)g->n_pool > COMPARED_MAX)
        return refuse_onnx(c, "%zu items of n-grams are too many for %s", g->n_pool,
                           type_text(c->arena, &t));
    g->x = reshape(c, cast(c, string_numbers_among(c, in_at(c, 0), g->pool, g->n_pool), DT_I64), 2,
                   (int64_t[]){g->rows, g->items});
    return ok(c);
}

/* The counts of all n-grams within the bounds of length, those of others being 0: f32[rows, n-grams]. */
static ValueId all_counts(const Grams *g, size_t *n_grams)
{
    OnnxNode *c = g->c;
    const int64_t least = get_int(c, "min_gram_length", 1), most = get_int(c, "max_gram_length", 1);
    ValueId *parts = ARENA_ARRAY(c->arena, ValueId, g->n_counts + 1);
    size_t n_parts = 0;
    *n_grams = 0;
    for (size_t i = 0; i < g->n_counts && ok(c); i++) {
        const int64_t size = (int64_t)i + 1,
                      end = i + 1 < g->n_counts ? g->counts[i + 1] : (int64_t)g->n_pool,
                      n = (end - g->counts[i]) / size;
        if (n == 0)
            continue;
        *n_grams += (size_t)n;
        parts[n_parts++] = size < least || size > most
                               ? filled(c, type_make(DT_F32, 2, (int64_t[]){g->rows, n}),
                                        const_scalar(c, DT_F32, 0))
                               : count_grams(g, g->pool + g->counts[i], n, size);
    }
    return n_parts ? emit(c, OP_Concat, parts, n_parts, ATTRS(ATTR_I("axis", 1))) : NO_VALUE;
}

/* Each n-gram has its column of the result. */
static ValueId into_columns(const Grams *g, ValueId counts, size_t n_grams, int64_t *width)
{
    OnnxNode *c = g->c;
    size_t n;
    const int64_t *columns = get_ints(c, "ngram_indexes", &n);
    *width = 0;
    for (size_t i = 0; i < n; i++)
        *width = columns[i] >= *width ? columns[i] + 1 : *width;
    for (size_t i = 0; i < n; i++)
        if (columns[i] < 0 || *width > COMPARED_MAX / (g->rows + 1))
            n = 0;
    if (!columns || n == 0 || n != n_grams)
        return refuse_value(c, "ngram_indexes does not belong to the n-grams");
    const int64_t dims[2] = {g->rows, (int64_t)n};
    ValueId zeros =
        filled(c, type_make(DT_F32, 2, (int64_t[]){g->rows, *width}), const_scalar(c, DT_F32, 0));
    return emit(c, OP_ScatterElements,
                IN(zeros, expand(c, const_ints(c, columns, n), 2, dims), counts),
                ATTRS(ATTR_I("axis", 1), ATTR_S("reduction", "add")));
}

bool norm_tf_idf_vectorizer(OnnxNode *c)
{
    Grams g = {.c = c};
    size_t n_grams, n_weights;
    int64_t width;
    const char *mode = get_string(c, "mode", "");
    const double *weights = get_floats(c, "weights", &n_weights);
    const bool tf = !strcmp(mode, "TF"), idf = !strcmp(mode, "IDF");
    if (!tf && !idf && strcmp(mode, "TFIDF"))
        return refuse_onnx(c, "mode '%s' is invalid", mode);
    if (!read_grams(c, &g))
        return false;
    ValueId counts = all_counts(&g, &n_grams);
    ValueId y = into_columns(&g, counts, n_grams, &width);
    if (failed(c))
        return false;
    if (weights && n_weights != (size_t)width)
        return refuse_onnx(c, "there are %zu weights for %lld columns", n_weights,
                           (long long)width);
    if (idf)
        y = cast(c, emit(c, OP_Greater, IN(y, const_scalar(c, DT_F32, 0)), NULL), DT_F32);
    if (!tf && weights)
        y = mul(c, y, const_floats(c, weights, 1, &width));
    return alias(c, 0, type_in(c, 0)->rank == 1 ? reshape(c, y, 1, &width) : y);
}
