/* Operators that are attention as a whole, and rotary embedding, with random shapes, against loops that say what ONNX says; and
 * those of ONNX Runtime's domain that stand around them in exported transformers. */
#include "testing.h"

#include <math.h>

enum { KEYS_MAX = 16 };

typedef struct Random {
    uint64_t state;
} Random;

static int64_t below(Random *r, int64_t n)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)(r->state >> 33) % n;
}

static const char *dims_text(Build *b, int rank, const int64_t *dims)
{
    const char *text = "";
    for (int d = 0; d < rank; d++)
        text = arena_printf(b->arena, "%s%s%lld", text, d ? "," : "", (long long)dims[d]);
    return text;
}

/* A tensor in the model, and its numbers. */
static float *tensor(Build *b, Random *r, const char *name, int rank, const int64_t *dims)
{
    TensorType t = type_make(DT_F32, rank, dims);
    float *v = arena_alloc(b->arena, type_bytes(&t) + 4);
    for (int64_t i = 0; i < type_count(&t); i++)
        v[i] = (float)below(r, 2001) / 1000 - 1;
    build_init(b, name, DT_F32, dims_text(b, rank, dims), v);
    return v;
}
#define DIMS(...)                                                                                  \
    COUNT_OF(((const int64_t[]){__VA_ARGS__})), (const int64_t[])                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void real(Build *b, Onnx__NodeProto *n, const char *name, double v)
{
    Onnx__AttributeProto *a = build_attr(b, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    a->has_f = true;
    a->f = (float)v;
}

typedef struct Shape {
    int64_t batch, heads, kv_heads, rows, keys, past, size,
        width;   /* keys: without those of the past */
    bool joined; /* [batch, rows, heads * size] */
} Shape;

/* Element e of row i of head h, as the operand lies. */
static size_t at(const Shape *s, int64_t heads, int64_t rows, int64_t size, int64_t b, int64_t h,
                 int64_t i, int64_t e)
{
    return (size_t)(s->joined ? ((b * rows + i) * heads + h) * size + e
                              : ((b * heads + h) * rows + i) * size + e);
}

/* What is to be computed, in full: everything broadcast. */
typedef struct Wanted {
    Shape s;
    const float *q, *k, *v, *past_k, *past_v;
    double scale, softcap;
    double bias[2 * 9 * 4 *
                KEYS_MAX]; /* by batch, head, row and key; -INFINITY where nothing is attended to */
    double stage[4][2 * 9 * 4 * KEYS_MAX];
    bool sinks; /* each head has a score that takes its part of the softmax and has no value */
    float sink[9];
} Wanted;

static size_t score_at(const Shape *s, int64_t b, int64_t h, int64_t i, int64_t j)
{
    return (size_t)(((b * s->heads + h) * s->rows + i) * (s->past + s->keys) + j);
}

/* Keys and values of the past lie as heads. */
static double element(const Shape *s, const float *past, const float *now, int64_t size, int64_t b,
                      int64_t h, int64_t j, int64_t e)
{
    return (double)(j < s->past ? past[((b * s->kv_heads + h) * s->past + j) * size + e]
                                : now[at(s, s->kv_heads, s->keys, size, b, h, j - s->past, e)]);
}

static void attend_row(Wanted *w, int64_t b, int64_t h, int64_t i, double *y)
{
    const Shape *s = &w->s;
    const int64_t all = s->past + s->keys, kv = h / (s->heads / s->kv_heads);
    double sum = w->sinks ? exp((double)w->sink[h]) : 0;
    for (int64_t j = 0; j < all; j++) {
        size_t n = score_at(s, b, h, i, j);
        double x = 0;
        for (int64_t e = 0; e < s->size; e++)
            x += (double)w->q[at(s, s->heads, s->rows, s->size, b, h, i, e)] *
                 element(s, w->past_k, w->k, s->size, b, kv, j, e);
        x *= w->scale;
        w->stage[0][n] = x;
        x = w->softcap > 0 ? w->softcap * tanh(x / w->softcap) : x;
        w->stage[1][n] = x;
        w->stage[2][n] = x + w->bias[n];
        sum += w->stage[3][n] = exp(w->stage[2][n]);
    }
    for (int64_t e = 0; e < s->width; e++)
        y[at(s, s->heads, s->rows, s->width, b, h, i, e)] = 0;
    for (int64_t j = 0; j < all; j++) {
        size_t n = score_at(s, b, h, i, j);
        w->stage[3][n] = sum > 0 ? w->stage[3][n] / sum : 0; /* nothing is kept */
        for (int64_t e = 0; e < s->width; e++)
            y[at(s, s->heads, s->rows, s->width, b, h, i, e)] +=
                w->stage[3][n] * element(s, w->past_v, w->v, s->width, b, kv, j, e);
    }
}

static void attend_all(Wanted *w, double *y)
{
    for (int64_t b = 0; b < w->s.batch; b++)
        for (int64_t h = 0; h < w->s.heads; h++)
            for (int64_t i = 0; i < w->s.rows; i++)
                attend_row(w, b, h, i, y);
}

static Shape random_shape(Random *r)
{
    Shape s = {.batch = 1 + below(r, 2), .kv_heads = 1 + below(r, 3), .joined = below(r, 2)};
    s.heads = s.kv_heads * (1 + below(r, 3));
    s.rows = 1 + below(r, 3);
    s.keys = 1 + below(r, 6);
    s.past = below(r, 2) ? 1 + below(r, 4) : 0;
    s.size = 1 + below(r, 4);
    s.width = 1 + below(r, 4);
    return s;
}

static float *operand(Build *b, Random *r, const Shape *s, const char *name, int64_t heads,
                      int64_t rows, int64_t size)
{
    return s->joined ? tensor(b, r, name, DIMS(s->batch, rows, heads * size))
                     : tensor(b, r, name, DIMS(s->batch, heads, rows, size));
}

static void operands(Build *b, Random *r, Wanted *w)
{
    const Shape *s = &w->s;
    w->q = operand(b, r, s, "q", s->heads, s->rows, s->size);
    w->k = operand(b, r, s, "k", s->kv_heads, s->keys, s->size);
    w->v = operand(b, r, s, "v", s->kv_heads, s->keys, s->width);
    if (s->past) {
        w->past_k = tensor(b, r, "past_k", DIMS(s->batch, s->kv_heads, s->past, s->size));
        w->past_v = tensor(b, r, "past_v", DIMS(s->batch, s->kv_heads, s->past, s->width));
    }
}

/* A mask named m of random kind, of which some rows keep nothing. Returns whether there is one. */
static bool random_mask(Build *b, Random *r, Wanted *w)
{
    const Shape *s = &w->s;
    const int64_t all = s->past + s->keys, kind = below(r, 4),
                  width = all > 1 && below(r, 3) == 0 ? all - 1 : all,
                  dims[] = {below(r, 2) ? s->batch : 1, below(r, 2) ? s->heads : 1, s->rows, width};
    const int rank = 2 + (int)below(r, 3);
    const int64_t *d = dims + 4 - rank;
    const int64_t n0 = rank > 3 ? dims[0] : 1, n1 = rank > 2 ? dims[1] : 1;
    float *v = kind ? tensor(b, r, kind < 3 ? "as_floats" : "m", rank, d) : NULL;
    bool *kept = arena_alloc(b->arena, (size_t)(n0 * n1 * s->rows * width) + 1);
    for (int64_t i = 0, closed = 0; kind && i < n0 * n1 * s->rows * width; i++) {
        closed = i % width ? closed : below(r, 4) == 0;
        kept[i] = !closed && (i % width == 0 || v[i] > 0);
        if (closed && kind == 2)
            v[i] = -INFINITY;
    }
    if (kind == 1 || kind == 2)
        build_init(b, "m", kind == 1 ? DT_BOOL : DT_F32, dims_text(b, rank, d),
                   kind == 1 ? (const void *)kept : v);
    for (int64_t k = 0; kind && k < s->batch * s->heads * s->rows * all; k++) {
        int64_t j = k % all, i = k / all % s->rows, h = k / all / s->rows % s->heads,
                bt = k / all / s->rows / s->heads;
        int64_t m = (((n0 > 1 ? bt : 0) * n1 + (n1 > 1 ? h : 0)) * s->rows + i) * width + j;
        w->bias[k] += j >= width              ? -INFINITY
                      : kind == 1 && !kept[m] ? -INFINITY
                      : kind == 1             ? 0
                                              : (double)v[m];
    }
    return kind != 0;
}

/* Keys behind the row's own are out of reach; `before`: where row 0 stands among the keys. */
static void forbid_later(Wanted *w, const int64_t *before)
{
    const Shape *s = &w->s;
    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t h = 0; h < s->heads; h++)
            for (int64_t i = 0; i < s->rows; i++)
                for (int64_t j = 0; j < s->past + s->keys; j++)
                    if (j > i + before[b])
                        w->bias[score_at(s, b, h, i, j)] = -INFINITY;
}

static void try_onnx(Fixture *f, uint64_t seed)
{
    Random r = {seed * 7919 + 3};
    Wanted *w = ARENA_NEW(f->arena, Wanted);
    Build *b = build_new(f->arena, seed % 2 ? 23 : 24);
    w->s = random_shape(&r);
    operands(b, &r, w);
    const Shape *s = &w->s;
    const bool mask = random_mask(b, &r, w), causal = below(&r, 2),
               lengths = !s->past && seed % 2 == 0 && below(&r, 2);
    int64_t before[2] = {s->past, s->past};
    if (lengths) {
        int64_t *n = ARENA_ARRAY(f->arena, int64_t, 2);
        for (int64_t i = 0; i < s->batch; i++) {
            n[i] = 1 + below(&r, s->keys);
            before[i] = n[i] - (causal ? s->rows : 1);
        }
        build_init(b, "n", DT_I64, s->batch == 2 ? "2" : "1", n);
        for (int64_t i = 0; i < s->batch * s->heads * s->rows * s->keys; i++)
            if (i % s->keys >= n[i / (s->heads * s->rows * s->keys)])
                w->bias[i] = -INFINITY;
    }
    const int64_t mode = below(&r, 4);
    Onnx__NodeProto *n =
        build_node(b, "Attention",
                   arena_printf(f->arena, "q k v %s %s %s", mask ? "m" : "-",
                                s->past ? "past_k past_v" : "- -", lengths ? "n" : ""),
                   "y pk pv qk");
    w->scale = 1 / sqrt((double)s->size);
    w->softcap = below(&r, 2) ? 0.5 : 0;
    if (below(&r, 2))
        real(b, n, "scale", w->scale = 0.7);
    if (w->softcap > 0)
        real(b, n, "softcap", w->softcap);
    if (s->joined) {
        build_attr_int(b, n, "q_num_heads", s->heads);
        build_attr_int(b, n, "kv_num_heads", s->kv_heads);
    }
    build_attr_int(b, n, "is_causal", causal);
    build_attr_int(b, n, "qk_matmul_output_mode", mode);
    if (causal)
        forbid_later(w, before);
    double *y = ARENA_ARRAY(f->arena, double, (size_t)(s->batch * s->heads * s->rows * s->width));
    attend_all(w, y);
    if (below(&r, 2) && mode != 2) {
        build_output(b, "qk", 0, NULL);
        expect_values(f, import_built(f, b, NULL), w->stage[mode],
                      (size_t)(s->batch * s->heads * s->rows * (s->past + s->keys)));
        return;
    }
    build_output(b, "y", 0, NULL);
    build_output(b, "pk", 0, NULL);
    build_output(b, "pv", 0, NULL);
    expect_values(f, import_built(f, b, NULL), y,
                  (size_t)(s->batch * s->heads * s->rows * s->width));
}

static void onnx_attention(void **state)
{
    for (uint64_t seed = 0; seed < 300; seed++)
        try_onnx(*state, seed);
}

static void onnx_refusals(void **state)
{
    static const struct {
        const char *inputs, *attr;
        int64_t value;
        const char *message;
    } bad[] = {
        {"q k v", "is_causal", 0, "attribute q_num_heads is missing"},
        {"q k v", "q_num_heads", 5, "does not divide into 5 heads"},
        {"h h h - h", "is_causal", 0, "come together"},
        {"h h h", "qk_matmul_output_mode", 4, "qk_matmul_output_mode 4 is invalid"},
        {"h h o", "is_causal", 0, "do not belong together"},
        {"h h h m", "is_causal", 0, "does not belong to 3 keys"},
        {"q q", "is_causal", 0, "input 2 is missing"},
        {"h h h - - - n", "is_causal", 0, "lengths of"},
        {"h h h", "softmax_precision", 7, "no type of floats"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Fixture *f = *state;
        Random r = {i};
        Build *b = build_new(f->arena, 24);
        tensor(b, &r, "q", DIMS(1, 3, 4));
        tensor(b, &r, "k", DIMS(1, 3, 4));
        tensor(b, &r, "v", DIMS(1, 3, 4));
        tensor(b, &r, "h", DIMS(1, 2, 3, 4));
        tensor(b, &r, "o", DIMS(1, 2, 4, 4));
        tensor(b, &r, "m", DIMS(3, 4));
        tensor(b, &r, "n", DIMS(1, 1));
        build_attr_int(b, build_node(b, "Attention", bad[i].inputs, "y"), bad[i].attr,
                       bad[i].value);
        build_output(b, "y", 0, NULL);
        expect_refused(f, b, NULL, bad[i].message);
    }
}

static void try_microsoft(Fixture *f, uint64_t seed)
{
    Random r = {seed * 104729 + 5};
    Wanted *w = ARENA_NEW(f->arena, Wanted);
    Build *b = build_new(f->arena, 17);
    w->s = random_shape(&r);
    Shape *s = &w->s;
    s->kv_heads = s->heads;
    s->joined = true;
    operands(b, &r, w);
    const int64_t all = s->past + s->keys, lengths[] = {1 + below(&r, all), all};
    const bool by_length = below(&r, 2), causal = s->rows <= all && below(&r, 2),
               by_ends = by_length && below(&r, 2);
    const int64_t begins[] = {by_ends ? below(&r, lengths[0]) : 0, by_ends ? all - 1 : 0};
    float *more = tensor(b, &r, "more", DIMS(1, s->heads, s->rows, all));
    const int32_t end[] = {(int32_t)lengths[0], (int32_t)lengths[1]},
                  begin[] = {(int32_t)begins[0], (int32_t)begins[1]}, n1[] = {end[0], begin[0]},
                  n2[] = {end[0], end[1], begin[0], begin[1]};
    const int64_t numbers = s->batch * (by_ends ? 2 : 1);
    build_init(b, "n", DT_I32, dims_text(b, 1, &numbers), s->batch == 2 ? n2 : n1);
    for (int64_t i = 0; i < s->batch * s->heads * s->rows * all; i++) {
        const int64_t sequence = i / (s->heads * s->rows * all);
        const bool out = i % all >= lengths[sequence] || i % all < begins[sequence];
        w->bias[i] = (double)more[i % (s->heads * s->rows * all)] + (by_length && out ? -100.0 : 0);
    }
    Onnx__NodeProto *n =
        build_node(b, "com.microsoft:MultiHeadAttention",
                   arena_printf(f->arena, "q k v - %s more %s", by_length ? "n" : "-",
                                s->past ? "past_k past_v" : ""),
                   "y");
    build_attr_int(b, n, "num_heads", s->heads);
    build_attr_int(b, n, "unidirectional", causal);
    real(b, n, "mask_filter_value", -100);
    w->scale = 1 / sqrt((double)s->size);
    if (causal)
        forbid_later(w, (const int64_t[]){all - s->rows, all - s->rows});
    double *y = ARENA_ARRAY(f->arena, double, (size_t)(s->batch * s->heads * s->rows * s->width));
    attend_all(w, y);
    build_output(b, "y", 0, NULL);
    expect_values(f, import_built(f, b, NULL), y,
                  (size_t)(s->batch * s->heads * s->rows * s->width));
}

static void multi_head_attention(void **state)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        try_microsoft(*state, seed);
}

/* Rows of the caches behind the first `filled` hold nothing; no row sees further back than the window goes, itself counted; 0: as far as there is. */
static void forbid_far(Wanted *w, const int64_t *filled, int64_t window)
{
    const Shape *s = &w->s;
    const int64_t all = s->past + s->rows;
    for (int64_t n = 0; n < s->batch * s->heads * s->rows * all; n++) {
        const int64_t j = n % all, place = filled[n / (s->heads * s->rows * all)],
                      row = place + n / all % s->rows, key = j < s->past ? j : place + j - s->past;
        if ((j < s->past && j >= place) || (window && row - key >= window))
            w->bias[n] = -INFINITY;
    }
}

/* A prompt, or more rows behind what the caches hold; with a window, sinks or a smooth softmax. */
static void try_grouped(Fixture *f, uint64_t seed)
{
    Random r = {seed * 6700417 + 1};
    Wanted *w = ARENA_NEW(f->arena, Wanted);
    Build *b = build_new(f->arena, 17);
    w->s = random_shape(&r);
    Shape *s = &w->s;
    s->joined = true;
    s->keys = s->rows;
    s->width = s->size;
    operands(b, &r, w);
    const int64_t all = s->past + s->rows;
    const bool part = below(&r, 2);
    const int64_t filled[] = {part ? below(&r, s->past + 1) : s->past,
                              part ? below(&r, s->past + 1) : s->past};
    const int32_t last[] = {(int32_t)(filled[0] + s->rows) - 1, (int32_t)(filled[1] + s->rows) - 1};
    build_init(b, "last", DT_I32, s->batch == 2 ? "2" : "1", last);
    build_init(b, "total", DT_I32, "1", (const int32_t[]){(int32_t)all});
    const bool smooth = below(&r, 3) == 0;
    const float *sink = tensor(b, &r, "sink", DIMS(s->heads));
    w->sinks = smooth || below(&r, 2);
    for (int64_t h = 0; h < s->heads && !smooth; h++)
        w->sink[h] = sink[h];
    const int64_t window = below(&r, 2) ? 1 + below(&r, all + 1) : 0;
    Onnx__NodeProto *n = build_node(b, "com.microsoft:GroupQueryAttention",
                                    arena_printf(f->arena, "q k v %s last total - - - - %s",
                                                 s->past ? "past_k past_v" : "- -",
                                                 w->sinks && !smooth ? "sink" : ""),
                                    "y");
    build_attr_int(b, n, "smooth_softmax", smooth);
    build_attr_int(b, n, "local_window_size", window ? window : -1);
    build_attr_int(b, n, "num_heads", s->heads);
    build_attr_int(b, n, "kv_num_heads", s->kv_heads);
    w->scale = 1 / sqrt((double)s->size);
    w->softcap = below(&r, 2) ? 0.5 : 0;
    real(b, n, "softcap", w->softcap);
    forbid_later(w, (const int64_t[]){s->past, s->past});
    forbid_far(w, filled, window);
    const size_t count = (size_t)(s->batch * s->heads * s->rows * s->width);
    double *y = ARENA_ARRAY(f->arena, double, count);
    attend_all(w, y);
    build_output(b, "y", 0, NULL);
    expect_values(f, import_built(f, b, NULL), y, count);
}

/* One row behind one of three that are filled, or a prompt: what goes out is as long as the caches, or as the total length. */
static void grouped_caches(void **state)
{
    static const struct {
        int32_t last, total;
        const char *rows;
        double present[4];
    } cases[] = {{1, 3, "1", {5, 9}}, {1, 4, "1", {5, 9}},  {3, 4, "1", {5, 6, 7, 9}},
                 {0, 1, "1", {9}},    {1, 2, "2", {9, 10}}, {2, 3, "2", {5, 9, 10}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Fixture *f = *state;
        Build *b = build_new(f->arena, 17);
        const char *dims = arena_printf(f->arena, "1,%s,1", cases[i].rows);
        const int64_t keys = cases[i].total > 3 ? cases[i].total : 3;
        build_init(b, "q", DT_F32, dims, (const float[]){1, 1});
        build_init(b, "k", DT_F32, dims, (const float[]){9, 10});
        build_init(b, "past", DT_F32, "1,1,3,1", (const float[]){5, 6, 7});
        build_init(b, "last", DT_I32, "1", &cases[i].last);
        build_init(b, "total", DT_I32, "", &cases[i].total);
        Onnx__NodeProto *n = build_node(b, "com.microsoft:GroupQueryAttention",
                                        "q k k past past last total", "y present");
        build_attr_int(b, n, "num_heads", 1);
        build_attr_int(b, n, "kv_num_heads", 1);
        build_output(b, "present", 0, NULL);
        expect_values(f, import_built(f, b, NULL), cases[i].present, (size_t)keys);
        *(int32_t *)(uintptr_t)b->graph->initializer[4]->raw_data.data = 6;
        expect_refused(f, b, NULL, "its lengths and caches do not belong together");
    }
}

static void grouped_queries(void **state)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        try_grouped(*state, seed);
}

/* The first position is rotated by nothing: what is attended to from there is its own value. */
static void grouped_and_rotated(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 17);
    build_init(b, "qkv", DT_F32, "1,2,6", (const float[]){1, 0, 1, 0, 3, 4, 1, 0, 1, 0, 5, 6});
    build_init(b, "last", DT_I32, "1", (const int32_t[]){1});
    build_init(b, "cos", DT_F32, "2,1", (const float[]){1, 0});
    build_init(b, "sin", DT_F32, "2,1", (const float[]){0, 1});
    Onnx__NodeProto *n =
        build_node(b, "com.microsoft:GroupQueryAttention", "qkv - - - - last last cos sin", "y");
    build_attr_int(b, n, "num_heads", 1);
    build_attr_int(b, n, "kv_num_heads", 1);
    build_attr_int(b, n, "do_rotary", 1);
    build_output(b, "y", 0, NULL);
    /* the second: its key and query are rotated by a quarter, so the first's score is 0 and its own 1 / sqrt(2) */
    const double own = exp(sqrt(0.5)) / (1 + exp(sqrt(0.5)));
    expect_values(f, import_built(f, b, NULL), (const double[]){3, 4, 3 + 2 * own, 4 + 2 * own}, 4);
}

/* --- rotary embedding ----------------------------------------------------------------------------------------------- */

static void try_rotary(Fixture *f, uint64_t seed, bool microsoft)
{
    Random r = {seed * 15485863 + 11};
    Build *b = build_new(f->arena, 23);
    Shape s = {.batch = 1 + below(&r, 2), .heads = 1 + below(&r, 3), .joined = below(&r, 2)};
    s.rows = 1 + below(&r, 4);
    s.size = 2 * (1 + below(&r, 3));
    const bool partly = s.size > 2 && below(&r, 2), interleaved = below(&r, 2),
               by_position = microsoft || below(&r, 2);
    const int64_t rotated = partly ? s.size - 2 : s.size, half = rotated / 2;
    const float *x = operand(b, &r, &s, "x", s.heads, s.rows, s.size), *cache[2];
    for (int i = 0; i < 2; i++)
        cache[i] = by_position ? tensor(b, &r, i ? "sin" : "cos", DIMS(5, half))
                               : tensor(b, &r, i ? "sin" : "cos", DIMS(s.batch, s.rows, half));
    int64_t *place = ARENA_ARRAY(f->arena, int64_t, 8);
    for (int i = 0; i < 8; i++)
        place[i] = below(&r, 5);
    build_init(b, "p", DT_I64, arena_printf(f->arena, "%d,%d", (int)s.batch, (int)s.rows), place);
    Onnx__NodeProto *n =
        microsoft
            ? build_node(b, "com.microsoft:RotaryEmbedding", "x p cos sin", "y")
            : build_node(b, "RotaryEmbedding", by_position ? "x cos sin p" : "x cos sin", "y");
    build_attr_int(b, n, "interleaved", interleaved);
    if (s.joined)
        build_attr_int(b, n, "num_heads", s.heads);
    if (partly)
        build_attr_int(b, n, "rotary_embedding_dim", rotated);
    double *y = ARENA_ARRAY(f->arena, double, (size_t)(s.batch * s.heads * s.rows * s.size));
    for (int64_t k = 0; k < s.batch * s.heads * s.rows * s.size; k++) {
        int64_t e = k % s.size, i = k / s.size % s.rows, h = k / s.size / s.rows % s.heads,
                bt = k / s.size / s.rows / s.heads;
        int64_t pair = interleaved ? e / 2 : e % half, row = bt * s.rows + i;
        bool second = interleaved ? e % 2 : e >= half;
        size_t c = (size_t)((by_position ? place[row] : row) * half + (e < rotated ? pair : 0));
        double x1 = (double)x[at(&s, s.heads, s.rows, s.size, bt, h, i,
                                 e < rotated ? (interleaved ? 2 * pair : pair) : e)],
               x2 = (double)x[at(&s, s.heads, s.rows, s.size, bt, h, i,
                                 e < rotated ? (interleaved ? 2 * pair + 1 : pair + half) : e)];
        double co = (double)cache[0][c], si = (double)cache[1][c];
        y[at(&s, s.heads, s.rows, s.size, bt, h, i, e)] = e >= rotated ? x1
                                                          : second     ? si * x1 + co * x2
                                                                       : co * x1 - si * x2;
    }
    build_output(b, "y", 0, NULL);
    expect_values(f, import_built(f, b, NULL), y, (size_t)(s.batch * s.heads * s.rows * s.size));
}

static void rotary_embedding(void **state)
{
    for (uint64_t seed = 0; seed < 100; seed++)
        try_rotary(*state, seed, seed % 3 == 0);
}

/* --- what stands around them ---------------------------------------------------------------------------------------- */

static void gelus(void **state)
{
    static const struct {
        const char *op, *inputs;
        double value; /* of 1 + 1, or of 2 */
    } rows[] = {{"com.microsoft:BiasGelu", "x one", 1.9544997},
                {"com.microsoft:FastGelu", "x one", 1.9545977},
                {"com.microsoft:FastGelu", "two", 1.9545977},
                {"com.microsoft:Gelu", "two", 1.9544997},
                {"com.microsoft:QuickGelu", "two", 1.9356591}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Fixture *f = *state;
        Build *b = build_new(f->arena, 17);
        build_input(b, "x", DT_F32, "1");
        build_init(b, "one", DT_F32, "1", (const float[]){1});
        build_init(b, "two", DT_F32, "1", (const float[]){2});
        build_node(b, rows[i].op, rows[i].inputs, "y");
        build_output(b, "y", 0, NULL);
        expect_values(f, import_built(f, b, NULL), &rows[i].value, 1);
    }
}

/* Rows 0 and 1 of each table, added up to 0, 4 and 2, 2. */
static void embed_layer_norm(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 17);
    build_init(b, "ids", DT_I32, "1,2", (const int32_t[]){1, 0});
    build_init(b, "words", DT_F32, "2,2", (const float[]){2, 1, 0, 3});
    build_init(b, "places", DT_F32, "3,2", (const float[]){0, 0, 0, 0, 9, 9});
    build_init(b, "kinds", DT_F32, "1,2", (const float[]){0, 1});
    build_init(b, "kind", DT_I32, "1,2", (const int32_t[]){0, 0});
    build_init(b, "scale", DT_F32, "2", (const float[]){1, 2});
    build_init(b, "shift", DT_F32, "2", (const float[]){0, 1});
    Onnx__NodeProto *n = build_node(b, "com.microsoft:EmbedLayerNormalization",
                                    "ids kind words places kinds scale shift", "y");
    build_output(b, "y", 0, NULL);
    Graph *g = import_built(f, b, NULL);
    expect_values(f, g, (const double[]){-1, 3, 0, 1}, 4);
    assert_string_equal(last_op(g), "LayerNormalization");
    n->input[1] = n->input[4] = (char *)(uintptr_t) "";
    expect_values(f, import_built(f, b, NULL), (const double[]){-1, 3, 1, -1}, 4);
    n->input[2] = n->input[1];
    expect_refused(f, b, NULL, "input 2 is missing");
}

/* The past of two heads, and what becomes of it. */
static void self_attention_with_past(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 17);
    build_init(b, "x", DT_F32, "1,1,2", (const float[]){1, 2});
    build_init(b, "w", DT_F32, "2,6", (const float[]){0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1});
    build_init(b, "b", DT_F32, "6", (const float[]){0, 0, 0, 0, 0, 0});
    build_init(b, "past", DT_F32, "2,1,2,1,1", (const float[]){7, 8, 3, 4});
    Onnx__NodeProto *n = build_node(b, "com.microsoft:Attention", "x w b - past", "y present");
    build_attr_int(b, n, "num_heads", 2);
    build_output(b, "y", 0, NULL);
    /* queries are 0: the mean of what was and what is */
    expect_values(f, import_built(f, b, NULL), (const double[]){2, 3}, 2);
    b->graph->output[0]->name = "present";
    expect_values(f, import_built(f, b, NULL), (const double[]){7, 1, 8, 2, 3, 1, 4, 2}, 8);
}

/* A mask's number that no f16 holds: what is not masked stays as it is. */
static void mask_of_another_type(void **state)
{
    Fixture *f = *state;
    Build *b = build_new(f->arena, 17);
    build_init(b, "x", DT_F16, "1,1,2", (const uint16_t[]){0x3c00, 0x4000});
    build_init(b, "w", DT_F16, "2,6",
               (const uint16_t[]){0, 0, 0, 0, 0x3c00, 0, 0, 0, 0, 0, 0, 0x3c00});
    build_init(b, "b", DT_F16, "6", (const uint16_t[]){0, 0, 0, 0, 0, 0});
    build_init(b, "mask", DT_I32, "1,1", (const int32_t[]){1});
    Onnx__NodeProto *n = build_node(b, "com.microsoft:Attention", "x w b mask", "y");
    build_attr_int(b, n, "num_heads", 1);
    real(b, n, "mask_filter_value", -0x1.fffffep127);
    build_output(b, "y", 0, NULL);
    expect_values(f, import_built(f, b, NULL), (const double[]){1, 2}, 2);
}

/* Operands of all ranks and sizes in every place: a refusal or a graph, nothing else. */
static void odd_operands(void **state)
{
    static const char *const ops[] = {"Attention",
                                      "RotaryEmbedding",
                                      "com.microsoft:Attention",
                                      "com.microsoft:MultiHeadAttention",
                                      "com.microsoft:GroupQueryAttention",
                                      "com.microsoft:RotaryEmbedding",
                                      "com.microsoft:SkipLayerNormalization",
                                      "com.microsoft:EmbedLayerNormalization"};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "i", "-", "-"};
    static const char *const numbers[] = {"num_heads", "q_num_heads",       "kv_num_heads",
                                          "is_causal", "unidirectional",    "interleaved",
                                          "do_rotary", "softmax_precision", "rotary_embedding_dim"};
    uint32_t taken = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        Fixture *f = *state;
        Random r = {seed * 31 + 7};
        Build *b = build_new(f->arena, 24);
        for (int i = 0; i < 7; i++) {
            int64_t dims[5];
            for (int d = 0; d < 5; d++)
                dims[d] = below(&r, 12) ? 2 : below(&r, 5);
            tensor(b, &r, names[i], (int)(below(&r, 3) ? 3 + below(&r, 2) : below(&r, 6)), dims);
        }
        build_init(b, "i", DT_I32, "2", (const int32_t[]){1, -3});
        const char *in = "";
        for (int64_t n = 1 + below(&r, 9); n > 0; n--)
            in = arena_printf(f->arena, "%s%s%s", in, *in ? " " : "",
                              names[below(&r, 4) ? below(&r, 7) : below(&r, 10)]);
        Onnx__NodeProto *n =
            build_node(b, ops[below(&r, COUNT_OF(ops))], in, below(&r, 2) ? "y" : "y p q s");
        for (size_t i = 0; i < COUNT_OF(numbers); i++)
            if (below(&r, i < 3 ? 2 : 5) == 0)
                build_attr_int(b, n, numbers[i], below(&r, 3) - (below(&r, 19) == 0));
        build_output(b, "y", 0, NULL);
        Graph *g = import_built(f, b, NULL);
        assert_true(g || f->diag.message);
        taken += g != NULL;
    }
    assert_true(taken > 0);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(onnx_attention),
        TEST(onnx_refusals),
        TEST(multi_head_attention),
        TEST(rotary_embedding),
        TEST(gelus),
        TEST(embed_layer_norm),
        TEST(self_attention_with_past),
        TEST(mask_of_another_type),
        TEST(odd_operands),
        TEST(grouped_queries),
        TEST(grouped_caches),
        TEST(grouped_and_rotated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
