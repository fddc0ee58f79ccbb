/* Tensors of the file: initialisers and attribute values, in each of the forms ONNX stores them. */
#include "../base/narrow.h"
#include "node.h"

bool onnx_dtype(Import *im, int64_t onnx_type, const char *where, DType *out)
{
    enum { COMPLEX64 = 14, COMPLEX128 = 15 };
    const NarrowType *narrow = narrow_type(onnx_type);
    const char *name = narrow                    ? narrow->name
                       : onnx_type == DT_STRING  ? "string"
                       : onnx_type == COMPLEX64  ? "complex64"
                       : onnx_type == COMPLEX128 ? "complex128"
                                                 : NULL;
    if (onnx_type > 0 && onnx_type < 64 && dtype_supported((int)onnx_type)) {
        *out = (DType)onnx_type;
        return true;
    }
    if (name)
        return refuse_import(im, where, "element type %s is not supported", name);
    return refuse_import(im, where, "element type %lld is unknown", (long long)onnx_type);
}

static bool tensor_type(Import *im, size_t n_dims, const int64_t *dims, DType dtype,
                        const char *where, TensorType *type)
{
    if (n_dims > MAX_RANK)
        return refuse_import(im, where, "rank %zu is more than %d", n_dims, MAX_RANK);
    *type = type_make(dtype, (int)n_dims, dims);
    return type_valid(type) || refuse_import(im, where, "its shape is invalid or too large");
}

/* The typed field an element type is stored in: its elements, their number and their size. */
typedef struct Field {
    const void *data;
    size_t n;
    DType dtype; /* of the field's elements */
} Field;

static Field typed_field(const Onnx__TensorProto *t, DType dtype)
{
    switch (dtype) {
    case DT_F32:
        return (Field){t->float_data, t->n_float_data, DT_F32};
    case DT_F64:
        return (Field){t->double_data, t->n_double_data, DT_F64};
    case DT_I64:
        return (Field){t->int64_data, t->n_int64_data, DT_I64};
    case DT_U32:
    case DT_U64:
        return (Field){t->uint64_data, t->n_uint64_data, DT_U64};
    default:
        return (Field){t->int32_data, t->n_int32_data, DT_I32};
    }
}

/* Narrows a field's elements; refuses those the element type cannot hold. Half floats are stored as their bits. */
static bool convert(const Field *f, DType dtype, void *out)
{
    DType as = dtype == DT_F16 || dtype == DT_BF16 ? DT_U16 : dtype;
    for (size_t i = 0; i < f->n; i++) {
        int64_t v = elem_i64(f->dtype, f->data, i);
        elem_set_i64(as, out, i, v);
        if (elem_i64(as, out, i) != v && !(dtype == DT_BOOL && v))
            return false;
    }
    return true;
}

/* Copies are bounded by the file's size, unless a loop or a function makes them again and again. */
static bool claim_copy(Import *im, size_t bytes)
{
    return im->depth <= 1 || onnx_claim(im, bytes);
}

static bool typed_data(Import *im, const Onnx__TensorProto *t, const char *where, Tensor *out)
{
    Field f = typed_field(t, out->type.dtype);
    size_t count = (size_t)type_count(&out->type);
    if (f.n != count)
        return refuse_import(im, where, "its shape asks for %zu elements, there are %zu", count,
                             f.n);
    if (f.dtype == out->type.dtype && count) {
        out->data = (void *)(uintptr_t)f.data;
        return true;
    }
    if (!claim_copy(im, type_bytes(&out->type)))
        return false;
    out->data = arena_alloc(im->g->arena, type_bytes(&out->type) + 1);
    return convert(&f, out->type.dtype, out->data) ||
           refuse_import(im, where, "a number does not fit its element type");
}

/* Any byte but 0 counts as true; what computes with bools relies on 0 and 1. */
static bool normalise_bools(Import *im, Tensor *t)
{
    if (t->type.dtype != DT_BOOL)
        return true;
    size_t n = type_bytes(&t->type);
    if (!claim_copy(im, n))
        return false;
    uint8_t *copy = arena_alloc(im->g->arena, n + 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = ((const uint8_t *)t->data)[i] != 0;
    t->data = copy;
    return true;
}

/* A part at a time, so that the file takes no memory beside the copy. */
static void *copy_contents(const Import *im, const uint8_t *data, size_t bytes)
{
    enum { PART = 1 << 20 };
    uint8_t *copy = arena_alloc(im->g->arena, bytes + 1);
    for (size_t at = 0; at < bytes; at += PART) {
        const size_t n = bytes - at < PART ? bytes - at : PART;
        memcpy(copy + at, data + at, n);
        rest_file(&im->file, data + at, n);
    }
    return copy;
}

static bool is_aligned(const void *p, size_t size)
{
    return (uintptr_t)p % size == 0;
}

static bool raw_data(Import *im, const Onnx__TensorProto *t, const char *where, Tensor *out)
{
    size_t bytes = type_bytes(&out->type);
    if (t->raw_data.len != bytes)
        return refuse_import(im, where, "its shape asks for %zu bytes, there are %zu", bytes,
                             t->raw_data.len);
    out->data = t->raw_data.data;
    if (!out->data || !is_aligned(out->data, dtype_size(out->type.dtype))) {
        if (!claim_copy(im, bytes))
            return false;
        out->data = copy_contents(im, t->raw_data.data, bytes);
    }
    return true;
}

/* The bytes of a tensor of a narrow type; in the typed field each integer holds one of them. */
static bool read_codes(Import *im, const Onnx__TensorProto *t, const char *where, size_t n,
                       const uint8_t **bytes)
{
    const void *data = t->raw_data.data;
    if (t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        if (!onnx_external(im, t, where, n, &data))
            return false;
    } else if (!t->has_raw_data || !t->raw_data.len) {
        if (t->n_int32_data != n)
            return refuse_import(im, where, "its shape asks for %zu bytes, there are %zu", n,
                                 t->n_int32_data);
        uint8_t *copy = arena_alloc(im->g->arena, n + 1);
        for (size_t i = 0; i < n; i++)
            copy[i] = (uint8_t)t->int32_data[i];
        data = copy;
    } else if (t->raw_data.len != n) {
        return refuse_import(im, where, "its shape asks for %zu bytes, there are %zu", n,
                             t->raw_data.len);
    }
    *bytes = data;
    return true;
}

static bool narrow_tensor(Import *im, const Onnx__TensorProto *t, const char *where, Tensor *out)
{
    const uint8_t *bytes = NULL;
    const size_t n = (size_t)type_count(&out->type);
    const NarrowType *narrow = narrow_type(t->data_type);
    if (!read_codes(im, t, where, narrow_bytes(narrow, n), &bytes) ||
        !claim_copy(im, type_bytes(&out->type)))
        return false;
    out->data = arena_alloc(im->g->arena, type_bytes(&out->type) + 1);
    narrow_unpack(narrow, bytes, n, out->data);
    return true;
}

static bool string_tensor(Import *im, const Onnx__TensorProto *t, const char *where, Tensor *out)
{
    const size_t n = (size_t)type_count(&out->type);
    if (t->n_string_data != n)
        return refuse_import(im, where, "its shape asks for %zu strings, there are %zu", n,
                             t->n_string_data);
    if (!claim_copy(im, type_bytes(&out->type)))
        return false;
    int64_t *numbers = ARENA_ARRAY(im->g->arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!string_number(im, t->string_data[i].data, t->string_data[i].len, &numbers[i]))
            return false;
    out->data = numbers;
    return true;
}

bool onnx_tensor(Import *im, const Onnx__TensorProto *t, const char *where, Tensor *out)
{
    DType dtype;
    const void *data;
    const NarrowType *narrow = narrow_type(t->data_type);
    if (narrow)
        dtype = narrow->as;
    else if (t->data_type == DT_STRING)
        dtype = DT_STRING;
    else if (!onnx_dtype(im, t->data_type, where, &dtype))
        return false;
    if (!tensor_type(im, t->n_dims, t->dims, dtype, where, &out->type))
        return false;
    if (t->segment)
        return refuse_import(im, where, "tensors in segments are not supported");
    if (narrow)
        return narrow_tensor(im, t, where, out);
    if (dtype == DT_STRING)
        return string_tensor(im, t, where, out);
    if (t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        if (!onnx_external(im, t, where, type_bytes(&out->type), &data))
            return false;
        out->data = (void *)(uintptr_t)data;
    } else if (t->has_raw_data && (t->raw_data.len || type_count(&out->type) == 0)) {
        if (!raw_data(im, t, where, out))
            return false;
    } else if (!typed_data(im, t, where, out)) {
        return false;
    }
    return normalise_bools(im, out);
}

/* Position of non-zero i: a linear index, or one index per dimension. */
static bool sparse_position(const TensorType *type, const Tensor *indices, size_t i,
                            int64_t *position)
{
    const int64_t *index = indices->data;
    int64_t count = type_count(type);
    if (indices->type.rank == 1) {
        *position = index[i];
        return *position >= 0 && *position < count;
    }
    *position = 0;
    for (int d = 0; d < type->rank; d++) {
        int64_t at = index[i * (size_t)type->rank + (size_t)d];
        if (at < 0 || at >= type->dims[d])
            return false;
        *position = *position * type->dims[d] + at;
    }
    return true;
}

bool onnx_sparse_tensor(Import *im, const Onnx__SparseTensorProto *t, const char *where,
                        Tensor *out)
{
    Tensor values, indices;
    if (!t->values || !t->indices)
        return refuse_import(im, where, "its values or indices are missing");
    if (!onnx_tensor(im, t->values, where, &values) ||
        !onnx_tensor(im, t->indices, where, &indices) ||
        !tensor_type(im, t->n_dims, t->dims, values.type.dtype, where, &out->type))
        return false;
    if (values.type.dtype == DT_STRING)
        return refuse_import(im, where, "sparse strings are not supported");
    size_t n = (size_t)type_count(&values.type), size = dtype_size(values.type.dtype);
    size_t per_value = indices.type.rank == 2 ? (size_t)out->type.rank : 1;
    if (values.type.rank != 1 || indices.type.dtype != DT_I64 || indices.type.rank < 1 ||
        indices.type.rank > 2 || (size_t)type_count(&indices.type) != n * per_value)
        return refuse_import(im, where, "its values and indices do not belong together");
    if (!onnx_claim(im, type_bytes(&out->type)))
        return false;
    out->data = arena_alloc(im->g->arena, type_bytes(&out->type) + 1);
    for (size_t i = 0; i < n; i++) {
        int64_t at;
        if (!sparse_position(&out->type, &indices, i, &at))
            return refuse_import(im, where, "an index is out of range");
        memcpy((char *)out->data + (size_t)at * size, (const char *)values.data + i * size, size);
    }
    return true;
}
