/* Apache-2.0. Which slices along the middle of [outer, axis, inner] differ. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
#define $signature$ void f(const float *restrict src, int64_t *restrict indices, int64_t *restrict inverse_indices, \
                           int64_t *restrict counts, int64_t *restrict count, void *restrict scratch)
#define $fn$ f
#define $outer$ 2
#define $axis$ 10
#define $inner$ 5
#define $type$ float
#define $acc$ float
#define $load_x$ src[i]
#define $load_y$ src[j]
#define $order$ (x > y) - (x < y)
#define $sorted$ 1
#define $first$ 1
#define $inverse$ 1
#define $counts$ 1
#define $number$ 1
//@begin
/* Compares two slices: negative, 0 or positive as a is less than, equal to or greater than b. */
static int $fn$_compare(const $type$ *src, size_t a, size_t b)
{
    for (size_t o = 0; o < $outer$; o++)
        for (size_t k = 0; k < $inner$; k++) {
            const size_t i = (o * $axis$ + a) * $inner$ + k, j = (o * $axis$ + b) * $inner$ + k;
            const $acc$ x = $load_x$, y = $load_y$;
            const int order = $order$;
            if (order)
                return order;
        }
    return 0;
}

/* A total order: equal slices by index. */
NET_INLINE int $fn$_before(const $type$ *src, size_t a, size_t b)
{
    const int order = $fn$_compare(src, a, b);
    return order < 0 || (order == 0 && a < b);
}

/* Moves heap[at] towards the leaves until no child comes after it. */
static void $fn$_sink(const $type$ *src, size_t *heap, size_t n, size_t at)
{
    const size_t item = heap[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && $fn$_before(src, heap[child], heap[child + 1]))
            child++;
        if (!$fn$_before(src, item, heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = item;
}

$signature$
{
    enum { AXIS = $axis$ };
    /* Slices in ascending order; for each, the first one that is equal; the number of that one. */
    size_t *const order = scratch, *const first = order + AXIS, *const number = first + AXIS;
    size_t total = 0;
    for (size_t i = 0; i < AXIS; i++)
        order[i] = i;
    for (size_t i = AXIS / 2; i-- > 0;)
        $fn$_sink(src, order, AXIS, i);
    for (size_t i = AXIS; i-- > 1;) {
        const size_t last = order[0];
        order[0] = order[i];
        order[i] = last;
        $fn$_sink(src, order, i, 0);
    }
    for (size_t i = 0; i < AXIS; i++) {
        const int is_new = i == 0 || $fn$_compare(src, order[i - 1], order[i]) != 0;
        first[order[i]] = is_new ? order[i] : first[order[i - 1]];
//@if sorted
        if (is_new)
            number[order[i]] = total++;
//@end
    }
    for (size_t i = 0; i < AXIS; i++) {
//@if unsorted
        if (first[i] == i)
            number[i] = total++;
//@end
//@if first
        if (first[i] == i)
            indices[number[i]] = (int64_t)i;
//@end
//@if inverse
        inverse_indices[i] = (int64_t)number[first[i]];
//@end
//@if counts
        if (first[i] == i)
            counts[number[i]] = 0;
        counts[number[first[i]]]++;
//@end
    }
//@if first
    memset(indices + total, 0, (AXIS - total) * sizeof *indices);
//@end
//@if counts
    memset(counts + total, 0, (AXIS - total) * sizeof *counts);
//@end
//@if number
    count[0] = (int64_t)total;
//@end
}
