/* Copies between strided arrangements of one box of elements. */
#include "elem.h"

#include <string.h>

void box_add(Box *b, int64_t dim, int64_t dst_stride, int64_t src_stride)
{
    int last = b->rank - 1;
    if (dim == 0)
        b->empty = true;
    if (dim <= 1)
        return;
    if (b->rank && b->dst[last] == dst_stride * dim && b->src[last] == src_stride * dim) {
        b->dims[last] *= dim; /* one run in both */
    } else {
        last = b->rank++;
        b->dims[last] = dim;
    }
    b->dst[last] = dst_stride;
    b->src[last] = src_stride;
}

#define COPY_ROW(T)                                                                                \
    do {                                                                                           \
        T *to = dst;                                                                               \
        const T *from = src;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i * dst_stride] = from[i * src_stride];                                             \
    } while (0)

static void copy_row(size_t elem_size, int64_t n, void *dst, int64_t dst_stride, const void *src,
                     int64_t src_stride)
{
    if (dst_stride == 1 && src_stride == 1) {
        memcpy(dst, src, (size_t)n * elem_size);
        return;
    }
    switch (elem_size) {
    case 1:
        COPY_ROW(uint8_t);
        break;
    case 2:
        COPY_ROW(uint16_t);
        break;
    case 4:
        COPY_ROW(uint32_t);
        break;
    default:
        COPY_ROW(uint64_t);
    }
}

void box_copy(const Box *b, size_t elem_size, void *dst, const void *src)
{
    int64_t index[BOX_RANK] = {0}, to = 0, from = 0;
    int last = b->rank - 1, k;
    int64_t size = (int64_t)elem_size;
    if (b->empty)
        return;
    if (b->rank == 0) {
        memcpy(dst, src, elem_size);
        return;
    }
    do {
        copy_row(elem_size, b->dims[last], (char *)dst + to * size, b->dst[last],
                 (const char *)src + from * size, b->src[last]);
        for (k = last - 1; k >= 0; k--) {
            to += b->dst[k];
            from += b->src[k];
            if (++index[k] < b->dims[k])
                break;
            index[k] = 0;
            to -= b->dst[k] * b->dims[k];
            from -= b->src[k] * b->dims[k];
        }
    } while (k >= 0);
}
