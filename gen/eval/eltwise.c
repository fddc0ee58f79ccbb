/* The elementwise operators: operands are read in chunks in the order of the output, widened, computed and stored,
 * so that the inner loops depend on the op alone or on the element type alone. */
#include "eltwise.h"

#include <math.h>
#include <string.h>

/* Other ops may carry attributes of the same name and another kind (text IR lets them): those are not read. */
static double float_or(const Node *n, const char *name, double missing)
{
    const Attr *a = node_attr(n, name);
    return a && a->kind == ATTR_FLOAT ? a->f : missing;
}

static ParamsF64 float_params(const Node *n)
{
    bool inf = n->op == OP_IsInf;
    return (ParamsF64){
        .alpha = float_or(n, "alpha", 0),
        .beta = float_or(n, "beta", 0),
        .gamma = float_or(n, "gamma", 0),
        .lambd = float_or(n, "lambd", 0),
        .bias = float_or(n, "bias", 0),
        .min = float_or(n, "min", -INFINITY),
        .max = float_or(n, "max", INFINITY),
        .detect_positive = inf && attr_int(n, "detect_positive", 0),
        .detect_negative = inf && attr_int(n, "detect_negative", 0),
    };
}

static bool is_unsigned(DType t)
{
    return dtype_is_unsigned_int(t) || t == DT_BOOL;
}

/* The integer of type t that bounds as v does: `up` rounds a fraction up (a lower bound). */
static int64_t int_bound(DType t, double v, bool up)
{
    int bits = (int)dtype_size(t) * 8 - !is_unsigned(t);
    double low = is_unsigned(t) ? 0 : -ldexp(1, bits), high = ldexp(1, bits);
    v = up ? ceil(v) : floor(v);
    if (v < low)
        v = low;
    if (v >= high)
        return (int64_t)(UINT64_MAX >> (64 - bits));
    return t == DT_U64 ? (int64_t)(uint64_t)v : (int64_t)v;
}

static ParamsI64 int_params(const Node *n, DType t)
{
    ParamsI64 p = {.left = n->op == OP_BitShift && attr_int(n, "left", 0),
                   .c_rem = n->op == OP_Mod && attr_int(n, "fmod", 0)};
    if (n->op == OP_Clip) {
        p.min = int_bound(t, attr_float(n, "min", -INFINITY), true);
        p.max = int_bound(t, attr_float(n, "max", INFINITY), false);
    }
    return p;
}

static size_t chunk_at(size_t at, size_t total)
{
    return total - at < EVAL_CHUNK ? total - at : EVAL_CHUNK;
}

static void eltwise_f64(const Eval *e, Walk *wx, Walk *wy)
{
    double x[EVAL_CHUNK], y[EVAL_CHUNK], r[EVAL_CHUNK];
    ParamsF64 a = float_params(e->node);
    size_t total = eval_count(e->out[0]);
    for (size_t at = 0; at < total; at += EVAL_CHUNK) {
        size_t n = chunk_at(at, total);
        load_f64(e->in[0]->type.dtype, e->in[0]->data, wx, n, x);
        if (wy)
            load_f64(e->in[1]->type.dtype, e->in[1]->data, wy, n, y);
        compute_f64(e->node->op, &a, x, wy ? y : x, r, n);
        store_f64(e->out[0]->type.dtype, e->out[0]->data, at, r, n);
    }
}

static void eltwise_i64(const Eval *e, Walk *wx, Walk *wy)
{
    int64_t x[EVAL_CHUNK], y[EVAL_CHUNK], r[EVAL_CHUNK];
    DType t = e->in[0]->type.dtype, y_type = wy ? e->in[1]->type.dtype : t;
    ParamsI64 a = int_params(e->node, t);
    size_t total = eval_count(e->out[0]);
    for (size_t at = 0; at < total; at += EVAL_CHUNK) {
        size_t n = chunk_at(at, total);
        load_i64(t, e->in[0]->data, wx, n, x);
        if (wy)
            load_i64(y_type, e->in[1]->data, wy, n, y);
        if (!compute_integer(e->node->op, &a, t, y_type, x, wy ? y : x, r, n))
            compute_i64(e->node->op, &a, x, wy ? y : x, r, n);
        store_i64(e->out[0]->type.dtype, e->out[0]->data, at, r, n);
    }
}

/* Pow of an integer to a float: computed as floats, converted as Cast does. */
static void pow_of_integer(const Eval *e, Walk *wx, Walk *wy)
{
    double x[EVAL_CHUNK], y[EVAL_CHUNK];
    int64_t r[EVAL_CHUNK];
    DType t = e->in[0]->type.dtype;
    size_t total = eval_count(e->out[0]);
    for (size_t at = 0; at < total; at += EVAL_CHUNK) {
        size_t n = chunk_at(at, total);
        load_f64(t, e->in[0]->data, wx, n, x);
        load_f64(e->in[1]->type.dtype, e->in[1]->data, wy, n, y);
        for (size_t i = 0; i < n; i++)
            r[i] = f64_to_int(t, pow(x[i], y[i]));
        store_i64(t, e->out[0]->data, at, r, n);
    }
}

bool eval_eltwise(Eval *e)
{
    Walk wx, wy;
    bool binary = op_info(e->node->op)->min_in == 2;
    walk_broadcast(&wx, &e->in[0]->type, &e->out[0]->type);
    if (binary)
        walk_broadcast(&wy, &e->in[1]->type, &e->out[0]->type);
    if (dtype_is_float(e->in[0]->type.dtype))
        eltwise_f64(e, &wx, binary ? &wy : NULL);
    else if (binary && dtype_is_float(e->in[1]->type.dtype))
        pow_of_integer(e, &wx, &wy);
    else
        eltwise_i64(e, &wx, binary ? &wy : NULL);
    return true;
}

/* One chunk of a Cast. Integers become f32 directly: the way through double would round twice. */
static void cast_chunk(const Tensor *src, Walk *w, Tensor *dst, size_t at, size_t n)
{
    double f[EVAL_CHUNK];
    int64_t v[EVAL_CHUNK];
    DType from = src->type.dtype, to = dst->type.dtype;
    if (!dtype_is_float(from)) {
        load_i64(from, src->data, w, n, v);
        if (!dtype_is_float(to)) {
            store_i64(to, dst->data, at, v, n);
            return;
        }
        for (size_t i = 0; i < n; i++)
            f[i] = to == DT_F32 ? (from == DT_U64 ? (float)(uint64_t)v[i] : (float)v[i])
                                : (from == DT_U64 ? (double)(uint64_t)v[i] : (double)v[i]);
        store_f64(to, dst->data, at, f, n);
        return;
    }
    load_f64(from, src->data, w, n, f);
    if (dtype_is_float(to) || to == DT_BOOL) {
        store_f64(to, dst->data, at, f, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        v[i] = f64_to_int(to, f[i]);
    store_i64(to, dst->data, at, v, n);
}

bool eval_cast(Eval *e)
{
    const Tensor *src = e->in[0];
    Tensor *dst = e->out[0];
    if (src->type.dtype == dst->type.dtype) {
        copy_bytes(dst->data, src->data, type_bytes(&dst->type));
        return true;
    }
    Walk w;
    walk_broadcast(&w, &src->type, &dst->type);
    size_t total = eval_count(dst);
    for (size_t at = 0; at < total; at += EVAL_CHUNK)
        cast_chunk(src, &w, dst, at, chunk_at(at, total));
    return true;
}

/* Elements are moved as they are, as unsigned integers of their size. */
bool eval_where(Eval *e)
{
    int64_t condition[EVAL_CHUNK], x[EVAL_CHUNK], y[EVAL_CHUNK];
    Walk w[3];
    Tensor *dst = e->out[0];
    DType raw = raw_type(dst->type.dtype);
    for (int k = 0; k < 3; k++)
        walk_broadcast(&w[k], &e->in[k]->type, &dst->type);
    size_t total = eval_count(dst);
    for (size_t at = 0; at < total; at += EVAL_CHUNK) {
        size_t n = chunk_at(at, total);
        load_i64(DT_BOOL, e->in[0]->data, &w[0], n, condition);
        load_i64(raw, e->in[1]->data, &w[1], n, x);
        load_i64(raw, e->in[2]->data, &w[2], n, y);
        for (size_t i = 0; i < n; i++)
            x[i] = condition[i] ? x[i] : y[i];
        store_i64(raw, dst->data, at, x, n);
    }
    return true;
}

bool eval_sum(Eval *e)
{
    Tensor *dst = e->out[0];
    DType t = dst->type.dtype;
    size_t total = eval_count(dst);
    Walk *w = ARENA_ARRAY(e->scratch, Walk, e->node->n_in);
    for (uint32_t k = 0; k < e->node->n_in; k++)
        walk_broadcast(&w[k], &e->in[k]->type, &dst->type);
    for (size_t at = 0; at < total; at += EVAL_CHUNK) {
        size_t n = chunk_at(at, total);
        double sum[EVAL_CHUNK] = {0}, x[EVAL_CHUNK];
        int64_t int_sum[EVAL_CHUNK] = {0}, int_x[EVAL_CHUNK];
        for (uint32_t k = 0; k < e->node->n_in; k++)
            if (dtype_is_float(t)) {
                load_f64(t, e->in[k]->data, &w[k], n, x);
                compute_f64(OP_Add, &(ParamsF64){0}, sum, x, sum, n);
            } else {
                load_i64(t, e->in[k]->data, &w[k], n, int_x);
                compute_integer(OP_Add, &(ParamsI64){0}, t, t, int_sum, int_x, int_sum, n);
            }
        if (dtype_is_float(t))
            store_f64(t, dst->data, at, sum, n);
        else
            store_i64(t, dst->data, at, int_sum, n);
    }
    return true;
}
