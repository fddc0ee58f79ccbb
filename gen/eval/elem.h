/* How the evaluator reads and writes elements: in chunks, widened to double or int64, in any strided order. */
#pragma once

#include "../ops/window.h"
#include "eval.h"

#include <string.h>

enum { EVAL_CHUNK = 512 }; /* elements: three buffers of doubles stay in the first-level cache */

/* A position in a strided traversal. Neighbouring dimensions that are one run in memory are merged. */
typedef struct Walk {
    int rank;
    int64_t dims[MAX_RANK], stride[MAX_RANK], index[MAX_RANK];
    int64_t offset; /* of the next element */
} Walk;

/* Traverses t in the order of dst, to which it broadcasts. */
void walk_broadcast(Walk *w, const TensorType *t, const TensorType *dst);
/* Traverses t with the marked dimensions innermost. */
void walk_inner(Walk *w, const TensorType *t, const bool *inner);
/* Row-major strides in elements. */
void dense_strides(const TensorType *t, int64_t *strides);

/* The next n elements. Integers and bool (as 0 or 1) as int64, u64 wrapping; everything as double. */
void load_f64(DType t, const void *data, Walk *w, size_t n, double *buf);
void load_i64(DType t, const void *data, Walk *w, size_t n, int64_t *buf);
/* Keys whose order as int64 is the order of the elements. NaN is above all others, or with nan_low below. */
void load_keys(DType t, const void *data, Walk *w, size_t n, bool nan_low, int64_t *keys);
/* Elements at … at + n - 1 of a dense array; rounds to nearest even, integers wrap, bool is v != 0. */
void store_f64(DType t, void *data, size_t at, const double *buf, size_t n);
void store_i64(DType t, void *data, size_t at, const int64_t *buf, size_t n);

/* A float as an integer of type t. It truncates; NaN and what does not fit give what x86 gives: 2^31 for types of
 * up to 32 bits signed (whose low bits the small types keep), 2^63 for u32 and i64; u64 covers its whole range. */
int64_t f64_to_int(DType t, double v);

/* The unsigned type of the same size: for moving elements without looking at them. */
DType raw_type(DType t);

/* A copy between two strided arrangements. Dimensions are added outermost first; strides in elements. */
enum { BOX_RANK = 2 * MAX_RANK };
typedef struct Box {
    int rank;
    bool empty;
    int64_t dims[BOX_RANK], dst[BOX_RANK], src[BOX_RANK];
} Box;
void box_add(Box *b, int64_t dim, int64_t dst_stride, int64_t src_stride);
void box_copy(const Box *b, size_t elem_size, void *dst, const void *src);

/* A type seen as [outer, size, inner] around the dimensions from … to - 1. */
typedef struct Around {
    int64_t outer, size, inner;
} Around;
Around around(const TensorType *t, int64_t from, int64_t to);

/* memcpy, but nothing may be copied from or to nowhere: an empty tensor may have no data. */
static inline void copy_bytes(void *dst, const void *src, size_t n)
{
    if (n > 0)
        memcpy(dst, src, n);
}

static inline size_t eval_count(const Tensor *t)
{
    return (size_t)type_count(&t->type);
}
