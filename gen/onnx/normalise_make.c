/* Operators that make constants. */
#include "dependent_rows.h"
#include "table.h"

#include <math.h>

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
        return finish_const(c, 0, type_make(DT_F32, f != NULL, (int64_t[]){(int64_t)n}), data);
    }
    const int64_t *ints = get_ints(c, "value_ints", &n);
    if (ints || has_attr(c, "value_int")) {
        int64_t one = get_int(c, "value_int", 0);
        const int64_t *data = arena_copy(c->arena, ints ? ints : &one, (ints ? n : 1) * sizeof one);
        return finish_const(c, 0, type_make(DT_I64, ints != NULL, (int64_t[]){(int64_t)n}), data);
    }
    const int64_t *strings = get_strings(c, "value_strings", &n);
    if (strings)
        return finish_const(c, 0, type_make(DT_STRING, 1, (int64_t[]){(int64_t)n}), strings);
    return has_attr(c, "value_string") ? alias(c, 0, string_scalar(c, "value_string", ""))
                                       : refuse_onnx(c, "has no value");
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
    const Number *numbers = input_numbers(c, 0, "shape", &n);
    if (!numbers || n > MAX_RANK)
        return refuse_onnx(c, "rank %zu is more than %d", n, MAX_RANK);
    const int64_t *dims = most_of(c, numbers, n);
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
    if (!finish(c, 0, OP_Expand, IN(scalar), ATTRS(ATTR_IS("shape", dims, n))))
        return false;
    for (size_t d = 0; d < n; d++) {
        if (!has_value(numbers[d].value))
            continue;
        set_rows(c->im, c->out[0].value, (Rows){(int)d, numbers[d].value});
    }
    return true;
}

bool norm_eye_like(OnnxNode *c)
{
    DType dtype;
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
    return finish_const(c, 0, t, data);
}

/* Steps of 1, from a number or as far as rows go. */
static bool dependent_range(OnnxNode *c, DType dtype)
{
    size_t n, n_start;
    const Number *start = input_numbers(c, 0, "start", &n_start),
                 *limit = start ? input_numbers(c, 1, "limit", &n) : NULL;
    int64_t size;
    if (!limit || n != 1 || n_start != 1)
        return refuse_onnx(c, "start and limit must be single numbers");
    if (known_int(c, 2, "delta") != 1 || limit->most > MAKE_MAX)
        return refuse_onnx(c, "limit depends on data, and delta is not 1, or it is too large");
    const bool is_known = count_difference(c, *start, *limit, &size);
    if (!is_known && (has_value(start->value) || start->most != 0))
        return refuse_onnx(c, "how far limit is from start depends on data, and start is not 0");
    size = !is_known ? limit->most : size < 0 ? 0 : size;
    ValueId v = count_up(c, size);
    if (has_value(start->value) || start->most != 0)
        v = add(c, v, number_value(c, *start));
    v = cast(c, v, dtype);
    return is_known ? alias(c, 0, v)
                    : finish_dependent_rows(c, 0, v, (RowsList){{{0, number_value(c, *limit)}}, 1});
}

/* |x|, which of INT64_MIN is no int64_t. */
static uint64_t distance(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static bool integer_range(OnnxNode *c, DType dtype)
{
    if (c->im->dependent_rows && !known(c, 1) && known(c, 2))
        return dependent_range(c, dtype);
    const int64_t start = known_int(c, 0, "start"), limit = known_int(c, 1, "limit"),
                  delta = known_int(c, 2, "delta");
    int64_t span, n = 0;
    if (failed(c) || delta == 0 || __builtin_sub_overflow(limit, start, &span))
        return refuse_onnx(c, delta ? "is too large" : "delta must not be 0");
    if ((span > 0) == (delta > 0) && span != 0) {
        const uint64_t way = distance(span), step = distance(delta);
        const uint64_t count = way / step + (way % step != 0);
        if (count > MAKE_MAX)
            return refuse_onnx(c, "%llu elements are too many", (unsigned long long)count);
        n = (int64_t)count;
    }
    if (!onnx_claim(c->im, (size_t)n * dtype_size(dtype)))
        return false;
    void *data = arena_alloc(c->arena, (size_t)n * dtype_size(dtype) + 1);
    for (int64_t i = 0; i < n; i++)
        elem_set_i64(dtype, data, (size_t)i, start + i * delta);
    return finish_const(c, 0, type_make(dtype, 1, &n), data);
}

bool norm_range(OnnxNode *c)
{
    DType dtype = type_in(c, 0)->dtype;
    if (type_in(c, 1)->dtype != dtype || type_in(c, 2)->dtype != dtype)
        return refuse_onnx(c, "start, limit and delta differ in type");
    if (!dtype_is_float(dtype))
        return integer_range(c, dtype);
    const double start = known_float(c, 0, "start"), limit = known_float(c, 1, "limit"),
                 delta = known_float(c, 2, "delta");
    double count = ceil((limit - start) / delta);
    if (failed(c) || !(fabs(count) <= MAKE_MAX))
        return refuse_onnx(c, "start, limit and delta make no sensible range");
    int64_t n = count > 0 ? (int64_t)count : 0;
    if (!onnx_claim(c->im, (size_t)n * dtype_size(dtype)))
        return false;
    void *data = arena_alloc(c->arena, (size_t)n * dtype_size(dtype) + 1);
    for (int64_t i = 0; i < n; i++)
        elem_set_f64(dtype, data, (size_t)i, start + (double)i * delta);
    return finish_const(c, 0, type_make(dtype, 1, &n), data);
}
