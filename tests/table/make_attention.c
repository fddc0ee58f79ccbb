/* Attention in the spellings that exporters produce, with random shapes, and what only looks like it. */
#include "table.h"

#include "../../gen/ops/ops.h"

#include <math.h>
#include <string.h>

/* Where q, k and v come from. */
typedef enum Source {
    EACH,  /* [batch, rows, heads * size] each, reshaped and transposed; keys with one Transpose */
    TWICE, /* the same, keys with two Transposes */
    CUT,   /* Slices of one tensor */
    SPLIT, /* Split of one tensor */
    INDEXED,     /* one tensor [batch, rows, 3, heads, size], transposed, then three Gathers */
    BATCH_FIRST, /* [rows, batch, heads * size], and matrices of three dimensions */
    ONE_HEAD,    /* matrices of two dimensions */
    GIVEN,       /* heads as they are */
    SHARED,      /* one head of keys and values for all queries */
    KEPT,        /* the keys' heads are an output of the model as well */
} Source;

/* What is done to the scores, a letter each: m Mul, d Div by a number; b, f, h add a mask per key, per query and key, or per head as
 * well; k, r Where the scores are kept or removed. Before the product: q Mul of the queries, 2 Mul of queries and keys, v Div of the
 * queries. Near misses: n Mul by a tensor, x softmax over the queries, o the scores, p the probabilities are an output, t Tanh. */
static const struct Spelling {
    const char *name;
    Source source;
    const char *scores;
    bool fits;
} spellings[] = {
    {"Mul, keys transposed once", EACH, "m", true},
    {"Div and a mask", TWICE, "db", true},
    {"no scale", EACH, "", true},
    {"both scaled before, a full mask", EACH, "2f", true},
    {"queries scaled, two masks", TWICE, "qbf", true},
    {"queries divided", EACH, "v", true},
    {"Where, kept", EACH, "mk", true},
    {"Where, removed, and a mask", EACH, "drb", true},
    {"three masks", EACH, "mbfh", true},
    {"Slices of one product", CUT, "mb", true},
    {"Split of one product", SPLIT, "m", true},
    {"Gathers of one product", INDEXED, "dh", true},
    {"three dimensions", BATCH_FIRST, "q", true},
    {"one head", ONE_HEAD, "m", true},
    {"heads given", GIVEN, "mf", true},
    {"shared keys", SHARED, "mb", true},
    {"keys kept", KEPT, "m", true},
    {"softmax over the queries", EACH, "mx", false},
    {"a scale that is no constant", EACH, "n", false},
    {"the scores are read outside", EACH, "mo", false},
    {"the probabilities are read outside", EACH, "mp", false},
    {"something else done to the scores", EACH, "mt", false},
};

size_t attention_spellings(void)
{
    return COUNT_OF(spellings);
}

const char *attention_name(size_t k)
{
    return spellings[k].name;
}

bool attention_fits(size_t k)
{
    return spellings[k].fits;
}

typedef struct Heads {
    int64_t batch, heads, rows, keys, size, width;
    ValueId q, k, v;
} Heads;

static ValueId given(Maker *m, int rank, const int64_t *dims)
{
    ValueId v = new_input(m, type_make(DT_F32, rank, dims));
    return op1(m, OP_Tanh, v, NULL); /* made by a step */
}

static ValueId number(Maker *m, double x)
{
    const int64_t one = 1;
    float *data = arena_alloc(m->g->arena, sizeof *data);
    *data = (float)x;
    return graph_add_const(m->g, "number", type_make(DT_F32, 1, &one), data);
}

static ValueId binary(Maker *m, Op o, ValueId a, ValueId b)
{
    return op(m, o, (ValueId[]){a, b}, 2, NULL);
}

/* [batch, rows, heads * size] as heads: rows of each, or with `swapped` columns. */
static ValueId split_heads(Maker *m, ValueId v, int64_t heads, int swapped)
{
    static const int64_t rows[] = {0, 2, 1, 3}, columns[] = {0, 2, 3, 1}, swap[] = {0, 1, 3, 2};
    const TensorType t = *shape_in(m, v);
    const int64_t dims[] = {t.dims[0], t.dims[1], heads, t.dims[2] / heads};
    v = transposed(m, reshaped(m, v, 4, dims), swapped == 1 ? columns : rows);
    return swapped == 2 ? transposed(m, v, swap) : v;
}

static ValueId cut(Maker *m, ValueId v, int part, int64_t width)
{
    const TensorType t = *shape_in(m, v);
    const int64_t starts[] = {0, 0, part * width}, steps[] = {1, 1, 1},
                  sizes[] = {t.dims[0], t.dims[1], width};
    return op1(m, OP_Slice, v,
               (Attr[]){ATTR_IS("starts", starts, 3), ATTR_IS("steps", steps, 3),
                        ATTR_IS("sizes", sizes, 3), ATTR_END});
}

static void parts_of_one(Maker *m, Source source, Heads *h)
{
    const int64_t width = h->heads * h->size, dims[] = {h->batch, h->rows, 3 * width},
                  five[] = {h->batch, h->rows, 3, h->heads, h->size},
                  sizes[] = {width, width, width}, perm[] = {2, 0, 3, 1, 4};
    ValueId all = given(m, 3, dims), part[3];
    if (source == SPLIT) {
        NodeId n = graph_add_node(m->g, OP_Split, "", UINT32_MAX, &all, 1, 3, NULL,
                                  (Attr[]){ATTR_I("axis", 2), ATTR_IS("split", sizes, 3)}, 2);
        memcpy(part, node_at(m->g, n)->out, sizeof part);
    }
    if (source == INDEXED)
        all = transposed(m, reshaped(m, all, 5, five), perm);
    for (int i = 0; i < 3; i++) {
        int64_t *index = arena_alloc(m->g->arena, sizeof *index);
        *index = i;
        ValueId at = graph_add_const(m->g, "index", type_make(DT_I64, 0, NULL), index);
        if (source == INDEXED)
            part[i] =
                op(m, OP_Gather, (ValueId[]){all, at}, 2, (Attr[]){ATTR_I("axis", 0), ATTR_END});
        else
            part[i] =
                split_heads(m, source == CUT ? cut(m, all, i, width) : part[i], h->heads, i == 1);
    }
    static const int64_t swap[] = {0, 1, 3, 2};
    h->q = part[0];
    h->k = source == INDEXED ? transposed(m, part[1], swap) : part[1];
    h->v = part[2];
}

static ValueId batch_heads(Maker *m, const Heads *h, int64_t rows, int64_t size, bool swapped)
{
    static const int64_t first[] = {1, 0, 2}, last[] = {1, 2, 0};
    const int64_t dims[] = {rows, h->batch, h->heads * size},
                  heads[] = {rows, h->batch * h->heads, size};
    return transposed(m, reshaped(m, given(m, 3, dims), 3, heads), swapped ? last : first);
}

static void make_operands(Maker *m, Source source, Heads *h)
{
    const int64_t q[] = {h->batch, h->rows, h->heads * h->size},
                  k[] = {h->batch, h->keys, h->heads * h->size},
                  v[] = {h->batch, h->keys, h->heads * h->width};
    const int64_t shared = source == SHARED ? 1 : h->heads;
    const int64_t heads_q[] = {h->batch, h->heads, h->rows, h->size},
                  heads_k[] = {h->batch, shared, h->size, h->keys},
                  heads_v[] = {h->batch, shared, h->keys, h->width};
    switch (source) {
    case EACH:
    case TWICE:
    case KEPT:
        h->q = split_heads(m, given(m, 3, q), h->heads, 0);
        h->k = split_heads(m, given(m, 3, k), h->heads, source == TWICE ? 2 : 1);
        h->v = split_heads(m, given(m, 3, v), h->heads, 0);
        break;
    case CUT:
    case SPLIT:
    case INDEXED:
        parts_of_one(m, source, h);
        break;
    case BATCH_FIRST:
        h->q = batch_heads(m, h, h->rows, h->size, false);
        h->k = batch_heads(m, h, h->keys, h->size, true);
        h->v = batch_heads(m, h, h->keys, h->width, false);
        break;
    case ONE_HEAD:
        h->q = given(m, 2, heads_q + 2);
        h->k = given(m, 2, heads_k + 2);
        h->v = given(m, 2, heads_v + 2);
        break;
    case GIVEN:
    case SHARED:
        h->q = given(m, 4, heads_q);
        h->k = given(m, 4, heads_k);
        h->v = given(m, 4, heads_v);
        break;
    }
}

static ValueId mask(Maker *m, const Heads *h, char kind)
{
    const int64_t per_key[] = {h->batch, 1, 1, h->keys}, full[] = {h->rows, h->keys},
                  heads[] = {1, h->heads, h->rows, h->keys};
    return kind == 'b'   ? new_input(m, type_make(DT_F32, 4, per_key))
           : kind == 'f' ? constant(m, 2, full, 1, 0.001)
                         : constant(m, 4, heads, 1, 0.001);
}

/* A triangle that keeps at least one key of each query, or removes the others. */
static ValueId chosen(Maker *m, const Heads *h, ValueId scores, bool kept)
{
    const int64_t dims[] = {1, 1, h->rows, h->keys};
    bool *data = arena_alloc(m->g->arena, (size_t)(h->rows * h->keys) * sizeof *data);
    for (int64_t i = 0; i < h->rows; i++)
        for (int64_t j = 0; j < h->keys; j++)
            data[i * h->keys + j] = (j <= i) == kept;
    ValueId c = graph_add_const(m->g, "triangle", type_make(DT_BOOL, 4, dims), data);
    ValueId far = number(m, -1e4);
    return op(m, OP_Where, (ValueId[]){c, kept ? scores : far, kept ? far : scores}, 3, NULL);
}

static ValueId probabilities(Maker *m, const Heads *h, const char *how)
{
    double scale = 1 / sqrt((double)h->size);
    ValueId q = h->q, k = h->k;
    if (strchr(how, 'q') || strchr(how, '2'))
        q = binary(m, OP_Mul, q, number(m, strchr(how, 'q') ? scale : sqrt(scale)));
    if (strchr(how, 'v'))
        q = binary(m, OP_Div, q, number(m, 1 / scale));
    if (strchr(how, '2'))
        k = binary(m, OP_Mul, k, number(m, sqrt(scale)));
    ValueId s = binary(m, OP_MatMul, q, k);
    const int rank = shape_in(m, s)->rank;
    for (const char *c = how; *c; c++)
        switch (*c) {
        case 'm':
            s = binary(m, OP_Mul, s, number(m, scale));
            break;
        case 'd':
            s = binary(m, OP_Div, s, number(m, 1 / scale));
            break;
        case 'n':
            s = binary(m, OP_Mul, s, new_input(m, *shape_in(m, s)));
            break;
        case 't':
            s = op1(m, OP_Tanh, s, NULL);
            break;
        case 'k':
        case 'r':
            s = chosen(m, h, s, *c == 'k');
            break;
        case 'b':
        case 'f':
        case 'h':
            s = binary(m, OP_Add, s, mask(m, h, *c));
            break;
        case 'o':
            graph_add_output(m->g, "scores", s);
            break;
        default:
            break;
        }
    int64_t axis = strchr(how, 'x') ? rank - 2 : rank - 1;
    return op1(m, OP_Softmax, s,
               (Attr[]){ATTR_I("axis", axis), ATTR_I("axis_end", axis + 1), ATTR_END});
}

/* Rows of all heads, as they came. */
static ValueId joined(Maker *m, Source source, const Heads *h, ValueId y)
{
    static const int64_t rows[] = {0, 2, 1, 3}, first[] = {1, 0, 2};
    const int64_t dims[] = {h->batch, h->rows, h->heads * h->width},
                  batch_first[] = {h->rows, h->batch, h->heads * h->width};
    if (source == ONE_HEAD || source == GIVEN)
        return y;
    if (source == BATCH_FIRST)
        return reshaped(m, transposed(m, y, first), 3, batch_first);
    return reshaped(m, transposed(m, y, rows), 3, dims);
}

ValueId make_spelled_attention(Maker *m, size_t k)
{
    const struct Spelling *s = &spellings[k];
    Heads h = {.batch = 1 + below(m, 3), .heads = 1 + below(m, 4)};
    h.rows = 48 + below(m, 30); /* products large enough for oneDNN */
    h.keys = 48 + below(m, 30);
    h.size = 8 + below(m, 12);
    h.width = 8 + below(m, 12);
    if (s->source == ONE_HEAD)
        h.batch = h.heads = 1;
    if (s->source == CUT || s->source == SPLIT || s->source == INDEXED) {
        h.keys = h.rows;
        h.width = h.size;
    }
    make_operands(m, s->source, &h);
    ValueId p = probabilities(m, &h, s->scores);
    if (strchr(s->scores, 'p'))
        graph_add_output(m->g, "probabilities", p);
    if (s->source == KEPT)
        graph_add_output(m->g, "keys", h.k);
    return joined(m, s->source, &h, binary(m, OP_MatMul, p, h.v));
}
