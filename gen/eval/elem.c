/* Strided traversal, and conversion of runs of elements. */
#include "elem.h"

#include <math.h>
#include <string.h>

void dense_strides(const TensorType *t, int64_t *strides)
{
    int64_t step = 1;
    for (int k = t->rank; k-- > 0;) {
        strides[k] = step;
        step *= t->dims[k] ? t->dims[k] : 1;
    }
}

/* Traverses dims, last fastest; strides in elements. */
static void walk_strided(Walk *w, int rank, const int64_t *dims, const int64_t *strides)
{
    *w = (Walk){0};
    for (int k = 0; k < rank; k++) {
        int last = w->rank - 1;
        if (dims[k] == 1)
            continue;
        if (w->rank && w->stride[last] == strides[k] * dims[k]) {
            w->dims[last] *= dims[k];
            w->stride[last] = strides[k];
            continue;
        }
        w->dims[w->rank] = dims[k];
        w->stride[w->rank++] = strides[k];
    }
    if (w->rank == 0) {
        w->dims[0] = 1;
        w->rank = 1;
    }
}

void walk_broadcast(Walk *w, const TensorType *t, const TensorType *dst)
{
    int64_t own[MAX_RANK], strides[MAX_RANK] = {0};
    dense_strides(t, own);
    for (int k = 0; k < t->rank; k++)
        if (t->dims[k] != 1)
            strides[dst->rank - t->rank + k] = own[k];
    walk_strided(w, dst->rank, dst->dims, strides);
}

void walk_inner(Walk *w, const TensorType *t, const bool *inner)
{
    int64_t own[MAX_RANK], dims[MAX_RANK], strides[MAX_RANK];
    int rank = 0;
    dense_strides(t, own);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < t->rank; k++)
            if (inner[k] == (pass == 1)) {
                dims[rank] = t->dims[k];
                strides[rank++] = own[k];
            }
    walk_strided(w, rank, dims, strides);
}

/* The next run of at most max elements along the innermost dimension; the walk goes on behind it. */
static size_t next_run(Walk *w, size_t max, int64_t *offset, int64_t *stride)
{
    int last = w->rank - 1;
    int64_t left = w->dims[last] - w->index[last];
    int64_t n = left < (int64_t)max ? left : (int64_t)max;
    *offset = w->offset;
    *stride = w->stride[last];
    w->offset += n * w->stride[last];
    w->index[last] += n;
    for (int k = last; k > 0 && w->index[k] == w->dims[k]; k--) {
        w->index[k] = 0;
        w->index[k - 1]++;
        w->offset += w->stride[k - 1] - w->dims[k] * w->stride[k];
    }
    return (size_t)n;
}

#define LOAD(dt, T, conversion)                                                                    \
    case dt: {                                                                                     \
        const T *from = (const T *)data + offset;                                                  \
        for (size_t i = 0; i < run; i++) {                                                         \
            T v = from[(int64_t)i * stride];                                                       \
            buf[i] = conversion;                                                                   \
        }                                                                                          \
        break;                                                                                     \
    }

#define LOAD_INTEGERS(wide)                                                                        \
    LOAD(DT_U8, uint8_t, v)                                                                        \
    LOAD(DT_I8, int8_t, v)                                                                         \
    LOAD(DT_U16, uint16_t, v)                                                                      \
    LOAD(DT_I16, int16_t, v)                                                                       \
    LOAD(DT_U32, uint32_t, v)                                                                      \
    LOAD(DT_I32, int32_t, v)                                                                       \
    LOAD(DT_U64, uint64_t, (wide)v)                                                                \
    LOAD(DT_I64, int64_t, (wide)v)                                                                 \
    LOAD(DT_BOOL, uint8_t, v != 0)

void load_f64(DType t, const void *data, Walk *w, size_t n, double *buf)
{
    while (n > 0) {
        int64_t offset, stride;
        size_t run = next_run(w, n, &offset, &stride);
        switch (t) {
            LOAD(DT_F32, float, (double)v)
            LOAD(DT_F64, double, v)
            LOAD(DT_F16, uint16_t, (double)f16_to_f32(v))
            LOAD(DT_BF16, uint16_t, (double)bf16_to_f32(v))
            LOAD_INTEGERS(double)
        default:
            bug("load_f64 of type %d", t);
        }
        buf += run;
        n -= run;
    }
}

void load_i64(DType t, const void *data, Walk *w, size_t n, int64_t *buf)
{
    while (n > 0) {
        int64_t offset, stride;
        size_t run = next_run(w, n, &offset, &stride);
        switch (t) {
            LOAD_INTEGERS(int64_t)
        default:
            bug("load_i64 of type %d", t);
        }
        buf += run;
        n -= run;
    }
}

static int64_t float_key(double v, bool nan_low)
{
    int64_t bits;
    if (v != v)
        return nan_low ? INT64_MIN : INT64_MAX;
    v = v == 0 ? 0 : v; /* -0 equals 0 */
    memcpy(&bits, &v, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

void load_keys(DType t, const void *data, Walk *w, size_t n, bool nan_low, int64_t *keys)
{
    if (!dtype_is_float(t)) {
        load_i64(t, data, w, n, keys);
        for (size_t i = 0; t == DT_U64 && i < n; i++)
            keys[i] ^= INT64_MIN;
        return;
    }
    double buf[EVAL_CHUNK];
    for (size_t at = 0; at < n; at += EVAL_CHUNK) {
        size_t part = n - at < EVAL_CHUNK ? n - at : EVAL_CHUNK;
        load_f64(t, data, w, part, buf);
        for (size_t i = 0; i < part; i++)
            keys[at + i] = float_key(buf[i], nan_low);
    }
}

#define STORE(dt, T, conversion)                                                                   \
    case dt: {                                                                                     \
        T *to = (T *)data + at;                                                                    \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = (T)(conversion);                                                               \
        break;                                                                                     \
    }

void store_f64(DType t, void *data, size_t at, const double *buf, size_t n)
{
    switch (t) {
        STORE(DT_F32, float, buf[i])
        STORE(DT_F64, double, buf[i])
        STORE(DT_BOOL, uint8_t, buf[i] != 0)
    default:
        for (size_t i = 0; i < n; i++)
            elem_set_f64(t, data, at + i, buf[i]);
    }
}

void store_i64(DType t, void *data, size_t at, const int64_t *buf, size_t n)
{
    switch (t) {
        STORE(DT_U8, uint8_t, buf[i])
        STORE(DT_I8, uint8_t, buf[i])
        STORE(DT_U16, uint16_t, buf[i])
        STORE(DT_I16, uint16_t, buf[i])
        STORE(DT_U32, uint32_t, buf[i])
        STORE(DT_I32, uint32_t, buf[i])
        STORE(DT_U64, uint64_t, buf[i])
        STORE(DT_I64, int64_t, buf[i])
        STORE(DT_BOOL, uint8_t, buf[i] != 0)
    default:
        bug("store_i64 of type %d", t);
    }
}

int64_t f64_to_int(DType t, double v)
{
    v = trunc(v);
    switch (t) {
    case DT_U64:
        if (v >= 0x1p63)
            return v < 0x1p64 ? (int64_t)(uint64_t)v : 0;
        return v >= -0x1p63 ? (int64_t)v : INT64_MIN;
    case DT_I64:
    case DT_U32:
        return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
    case DT_BOOL:
        bug("f64_to_int to bool");
    default:
        return v >= -0x1p31 && v < 0x1p31 ? (int64_t)v : INT32_MIN;
    }
}

DType raw_type(DType t)
{
    switch (dtype_size(t)) {
    case 1:
        return DT_U8;
    case 2:
        return DT_U16;
    case 4:
        return DT_U32;
    default:
        return DT_U64;
    }
}

Around around(const TensorType *t, int64_t from, int64_t to)
{
    Around a = {1, 1, 1};
    for (int k = 0; k < t->rank; k++)
        *(k < from ? &a.outer : k < to ? &a.size : &a.inner) *= t->dims[k];
    return a;
}
