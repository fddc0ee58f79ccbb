/* Operators that make constants, and those whose output shape depends on contents, which must be known. */
#include "table.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAKE_MAX = 1 << 24, /* elements of a constant made here */
};

static bool finish_const(OnnxNode *c, uint32_t k, TensorType type, const void *data)
{
    return !wants(c, k) || alias(c, k, graph_add_const(c->g, c->p->output[k], type, data));
}

static bool constant_number(OnnxNode *c)
{
    size_t n;
    const double *f = get_floats(c, "value_floats", &n);
    if (f || has_attr(c, "value_float")) {
        double one = get_float(c, "value_float", 0);
        size_t count = f ? n : 1;
        float *data = ARENA_ARRAY(c->arena, float, count + 1);
        for (size_t i = 0; i < count; i++)
            data[i] = (float)(f ? f[i] : one);
        return ok(c) &&
               finish_const(c, 0, type_make(DT_F32, f != NULL, (int64_t[]){(int64_t)n}), data);
    }
    const int64_t *ints = get_ints(c, "value_ints", &n);
    if (ints || has_attr(c, "value_int")) {
        int64_t one = get_int(c, "value_int", 0);
        const int64_t *data = arena_copy(c->arena, ints ? ints : &one, (ints ? n : 1) * sizeof one);
        return ok(c) &&
               finish_const(c, 0, type_make(DT_I64, ints != NULL, (int64_t[]){(int64_t)n}), data);
    }
    return ok(c) && refuse_onnx(c, "has no value, or a string, which is not supported");
}

static const char *where_of(OnnxNode *c)
{
    return arena_printf(c->arena, "node %u '%s' (%s)", c->index, c->p->name, c->p->op_type);
}

bool norm_constant(OnnxNode *c)
{
    const Onnx__AttributeProto *value = onnx_attr(c, "value");
    const Onnx__AttributeProto *sparse = onnx_attr(c, "sparse_value");
    Tensor t;
    if (c->n_out != 1)
        return refuse_onnx(c, "has %u outputs", c->n_out);
    if (value && value->t) {
        if (!onnx_tensor(c->im, value->t, where_of(c), &t) || !finish_const(c, 0, t.type, t.data))
            return false;
        if (wants(c, 0))
            onnx_narrow_note(c->im, c->out[0].value, value->t->data_type);
        return true;
    }
    if (sparse && sparse->sparse_tensor)
        return onnx_sparse_tensor(c->im, sparse->sparse_tensor, where_of(c), &t) &&
               finish_const(c, 0, t.type, t.data);
    return constant_number(c);
}

bool norm_constant_of_shape(OnnxNode *c)
{
    size_t n;
    const Onnx__AttributeProto *value = onnx_attr(c, "value");
    static const float zero = 0;
    Tensor t = {.type = type_make(DT_F32, 0, NULL), .data = (void *)(uintptr_t)&zero};
    if (!need_inputs(c, 1, 1))
        return false;
    const int64_t *dims = known_ints(c, 0, "shape", &n);
    if (!dims || n > MAX_RANK)
        return ok(c) && refuse_onnx(c, "rank %zu is more than %d", n, MAX_RANK);
    if (value && value->t && !onnx_tensor(c->im, value->t, where_of(c), &t))
        return false;
    if (type_count(&t.type) != 1)
        return refuse_onnx(c, "value must hold one element");
    TensorType type = type_make(t.type.dtype, (int)n, dims);
    if (!type_valid(&type))
        return refuse_onnx(c, "its shape is invalid or too large");
    ValueId scalar = emit_const(c, type_make(t.type.dtype, 0, NULL),
                                arena_copy(c->arena, t.data, dtype_size(t.type.dtype)));
    if (n == 0)
        return alias(c, 0, scalar);
    return finish(c, 0, OP_Expand, IN(scalar), ATTRS(ATTR_IS("shape", dims, n)));
}

bool norm_eye_like(OnnxNode *c)
{
    DType dtype;
    if (!need_inputs(c, 1, 1))
        return false;
    TensorType t = *type_in(c, 0);
    int64_t k = get_int(c, "k", 0);
    if (!onnx_dtype(c->im, get_int(c, "dtype", t.dtype), where_of(c), &dtype))
        return false;
    t.dtype = dtype;
    if (t.rank != 2 || type_count(&t) > MAKE_MAX)
        return refuse_onnx(c, t.rank == 2 ? "is too large" : "its input must have rank 2");
    if (!onnx_claim(c->im, type_bytes(&t)))
        return false;
    char *data = arena_alloc(c->arena, type_bytes(&t) + 1);
    for (int64_t i = 0; i < t.dims[0]; i++)
        if (k > -t.dims[0] && k < t.dims[1] && i + k >= 0 && i + k < t.dims[1])
            elem_set_f64(dtype, data, (size_t)(i * t.dims[1] + i + k), 1);
    return ok(c) && finish_const(c, 0, t, data);
}

static bool integer_range(OnnxNode *c, DType dtype)
{
    int64_t start, limit, delta;
    if (!known_int(c, 0, "start", &start) || !known_int(c, 1, "limit", &limit) ||
        !known_int(c, 2, "delta", &delta))
        return false;
    int64_t span, n = 0;
    if (delta == 0 || __builtin_sub_overflow(limit, start, &span))
        return refuse_onnx(c, delta ? "is too large" : "delta must not be 0");
    if ((span > 0) == (delta > 0) && span != 0)
        n = span / delta + (span % delta != 0);
    if (n > MAKE_MAX)
        return refuse_onnx(c, "%lld elements are too many", (long long)n);
    if (!onnx_claim(c->im, (size_t)n * dtype_size(dtype)))
        return false;
    void *data = arena_alloc(c->arena, (size_t)n * dtype_size(dtype) + 1);
    for (int64_t i = 0; i < n; i++)
        elem_set_i64(dtype, data, (size_t)i, start + i * delta);
    return finish_const(c, 0, type_make(dtype, 1, &n), data);
}

bool norm_range(OnnxNode *c)
{
    double start, limit, delta;
    if (!need_inputs(c, 3, 3))
        return false;
    DType dtype = type_in(c, 0)->dtype;
    if (type_in(c, 1)->dtype != dtype || type_in(c, 2)->dtype != dtype)
        return refuse_onnx(c, "start, limit and delta differ in type");
    if (!dtype_is_float(dtype))
        return integer_range(c, dtype);
    if (!known_float(c, 0, "start", &start) || !known_float(c, 1, "limit", &limit) ||
        !known_float(c, 2, "delta", &delta))
        return false;
    double count = ceil((limit - start) / delta);
    if (!(fabs(count) <= MAKE_MAX))
        return refuse_onnx(c, "start, limit and delta make no sensible range");
    int64_t n = count > 0 ? (int64_t)count : 0;
    if (!onnx_claim(c->im, (size_t)n * dtype_size(dtype)))
        return false;
    void *data = arena_alloc(c->arena, (size_t)n * dtype_size(dtype) + 1);
    for (int64_t i = 0; i < n; i++)
        elem_set_f64(dtype, data, (size_t)i, start + (double)i * delta);
    return finish_const(c, 0, type_make(dtype, 1, &n), data);
}

static bool need_contents(OnnxNode *c, uint32_t k, const char *what)
{
    if (!known(c, k))
        return refuse_onnx(c,
                           "the shape of its output depends on the contents of input %u (%s), "
                           "which is not known at compile time",
                           k, what);
    return type_count(type_in(c, k)) <= MAKE_MAX || refuse_onnx(c, "is too large");
}

static const void *data_at(OnnxNode *c, uint32_t k)
{
    return value_at(c->g, in_at(c, k))->data;
}

bool norm_non_zero(OnnxNode *c)
{
    if (!need_inputs(c, 1, 1) || !need_contents(c, 0, "X"))
        return false;
    TensorType t = *type_in(c, 0);
    const void *data = data_at(c, 0);
    int64_t count = type_count(&t), n = 0, r = t.rank ? t.rank : 1;
    for (int64_t i = 0; i < count; i++)
        n += elem_f64(t.dtype, data, (size_t)i) != 0;
    if (!onnx_claim(c->im, (size_t)(n * r) * sizeof(int64_t)))
        return false;
    int64_t *out = ARENA_ARRAY(c->arena, int64_t, (size_t)(n * r) + 1);
    for (int64_t i = 0, at = 0; i < count; i++) {
        if (elem_f64(t.dtype, data, (size_t)i) == 0)
            continue;
        int64_t rest = i;
        for (int d = t.rank - 1; d >= 0; d--) {
            out[d * n + at] = rest % t.dims[d];
            rest /= t.dims[d];
        }
        at++;
    }
    return finish_const(c, 0, type_make(DT_I64, 2, (int64_t[]){r, n}), out);
}

/* Positions where the condition holds, then a Gather: only the condition must be known. */
bool norm_compress(OnnxNode *c)
{
    size_t n;
    if (!need_inputs(c, 2, 2) || !need_contents(c, 1, "condition"))
        return false;
    const int64_t *condition = known_ints(c, 1, "condition", &n);
    TensorType t = *type_in(c, 0);
    bool flat = !has_attr(c, "axis");
    int axis = flat ? 0 : get_axis(c, "axis", 0, t.rank);
    if (failed(c))
        return false;
    int64_t size = flat ? type_count(&t) : t.dims[axis], count = 0;
    int64_t *index = ARENA_ARRAY(c->arena, int64_t, n + 1);
    for (size_t i = 0; i < n && (int64_t)i < size; i++)
        if (condition[i])
            index[count++] = (int64_t)i;
    ValueId v = flat ? reshape(c, in_at(c, 0), 1, &size) : in_at(c, 0);
    return finish(c, 0, OP_Gather, IN(v, const_ints(c, index, (size_t)count)),
                  ATTRS(ATTR_I("axis", axis)));
}

/* Slices of the input along one axis, compared as rows of elements. */
typedef struct Slice {
    DType dtype;
    const void *data;
    int64_t outer, inner, axis_size;
} Slice;

static int compare_slices(const Slice *s, int64_t a, int64_t b)
{
    for (int64_t o = 0; o < s->outer; o++)
        for (int64_t i = 0; i < s->inner; i++) {
            size_t at = (size_t)((o * s->axis_size + a) * s->inner + i);
            size_t bt = (size_t)((o * s->axis_size + b) * s->inner + i);
            bool is_float = dtype_is_float(s->dtype);
            double fx = is_float ? elem_f64(s->dtype, s->data, at) : 0;
            double fy = is_float ? elem_f64(s->dtype, s->data, bt) : 0;
            int64_t x = is_float ? 0 : elem_i64(s->dtype, s->data, at);
            int64_t y = is_float ? 0 : elem_i64(s->dtype, s->data, bt);
            if (fx != fy || x != y)
                return fx < fy || x < y ? -1 : 1;
        }
    return 0;
}

static int by_slice(const void *a, const void *b, void *s)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    int order = compare_slices(s, x, y);
    return order ? order : (x > y) - (x < y);
}

static int by_first(const void *a, const void *b, void *first)
{
    const int64_t *f = first;
    int64_t x = f[*(const int64_t *)a], y = f[*(const int64_t *)b];
    return (x > y) - (x < y);
}

bool norm_unique(OnnxNode *c)
{
    if (!need_inputs(c, 1, 1) || !need_contents(c, 0, "X"))
        return false;
    TensorType t = *type_in(c, 0);
    bool flat = !has_attr(c, "axis"), sorted = get_int(c, "sorted", 1) != 0;
    int axis = flat ? 0 : get_axis(c, "axis", 0, t.rank);
    Slice s = {.dtype = t.dtype, .data = data_at(c, 0), .outer = 1, .inner = 1};
    if (failed(c) || type_count(&t) == 0)
        return ok(c) && refuse_onnx(c, "its input is empty");
    s.axis_size = flat ? type_count(&t) : t.dims[axis];
    for (int d = 0; !flat && d < t.rank; d++)
        *(d < axis ? &s.outer : d > axis ? &s.inner : &(int64_t){1}) *= t.dims[d];
    size_t n = (size_t)s.axis_size;
    if (!onnx_claim(c->im, 8 * n * sizeof(int64_t)))
        return false;
    int64_t *order = ARENA_ARRAY(c->arena, int64_t, n), *first = ARENA_ARRAY(c->arena, int64_t, n);
    int64_t *group = ARENA_ARRAY(c->arena, int64_t, n), *count = ARENA_ARRAY(c->arena, int64_t, n);
    int64_t *rank = ARENA_ARRAY(c->arena, int64_t, n), *place = ARENA_ARRAY(c->arena, int64_t, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (int64_t)i;
    qsort_r(order, n, sizeof *order, by_slice, &s);
    int64_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || compare_slices(&s, order[i - 1], order[i]))
            first[groups++] = order[i];
        group[order[i]] = groups - 1;
        count[groups - 1]++;
    }
    for (int64_t i = 0; i < groups; i++)
        rank[i] = i;
    if (!sorted)
        qsort_r(rank, (size_t)groups, sizeof *rank, by_first, first);
    int64_t *out_first = ARENA_ARRAY(c->arena, int64_t, n);
    int64_t *out_count = ARENA_ARRAY(c->arena, int64_t, n), *inverse = group;
    for (int64_t i = 0; i < groups; i++) {
        out_first[i] = first[rank[i]];
        out_count[i] = count[rank[i]];
        place[rank[i]] = i;
    }
    for (size_t i = 0; i < n; i++)
        inverse[i] = place[group[i]];
    TensorType found = type_make(DT_I64, 1, &groups), all = type_make(DT_I64, 1, &s.axis_size);
    ValueId v = flat ? reshape(c, in_at(c, 0), 1, &s.axis_size) : in_at(c, 0);
    return finish(c, 0, OP_Gather, IN(v, const_ints(c, out_first, (size_t)groups)),
                  ATTRS(ATTR_I("axis", axis))) &&
           finish_const(c, 1, found, out_first) && finish_const(c, 2, all, inverse) &&
           finish_const(c, 3, found, out_count);
}
