/* Tensor types: sizes and comparison. */
#include "ir.h"

#include <string.h>

enum { MAX_BYTES_LOG2 = 47 }; /* a tensor of 128 TiB is nobody's */

const int64_t dims_of_1[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

int64_t dims_product(const TensorType *t, int from, int to)
{
    int64_t n = 1;
    for (int d = from; d < to; d++)
        n *= t->dims[d];
    return n;
}

int64_t type_count(const TensorType *t)
{
    return dims_product(t, 0, t->rank);
}

size_t type_bytes(const TensorType *t)
{
    return (size_t)type_count(t) * dtype_size(t->dtype);
}

Tensor tensor_copy(Arena *arena, const Tensor *t)
{
    return (Tensor){t->type, arena_copy(arena, t->data, type_bytes(&t->type))};
}

bool type_valid(const TensorType *t)
{
    if ((!dtype_supported(t->dtype) && t->dtype != DT_STRING) || t->rank < 0 || t->rank > MAX_RANK)
        return false;
    int64_t bytes = (int64_t)dtype_size(t->dtype);
    bool fits = true;
    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] < 0)
            return false;
        /* a zero elsewhere must not hide an overflow: strides are computed from all dimensions */
        fits = fits && mul_i64(bytes, t->dims[d] ? t->dims[d] : 1, &bytes);
    }
    return fits && bytes <= (int64_t)1 << MAX_BYTES_LOG2;
}

bool same_shape(const TensorType *a, const TensorType *b)
{
    return a->rank == b->rank && !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims);
}

bool type_equal(const TensorType *a, const TensorType *b)
{
    return a->dtype == b->dtype && same_shape(a, b);
}

TensorType type_make(DType dtype, int rank, const int64_t *dims)
{
    TensorType t = {.dtype = dtype, .rank = rank};
    if (rank < 0 || rank > MAX_RANK)
        bug("type_make: rank %d", rank);
    for (int d = 0; d < rank; d++)
        t.dims[d] = dims[d];
    return t;
}

bool varies_along(const TensorType *t, const TensorType *whole, int axis)
{
    for (int i = 0; i < t->rank; i++) {
        int d = whole->rank - t->rank + i;
        if (d < 0 ? t->dims[i] != 1
                  : t->dims[i] != 1 && (d != axis || t->dims[i] != whole->dims[d]))
            return false;
    }
    return t->rank <= whole->rank;
}

const char *type_text(Arena *arena, const TensorType *t)
{
    Text s = text_new(arena);
    text_printf(&s, "%s[", dtype_name(t->dtype));
    for (int d = 0; d < t->rank; d++)
        text_printf(&s, "%s%lld", d ? "," : "", (long long)t->dims[d]);
    text_puts(&s, "]");
    return s.data;
}
