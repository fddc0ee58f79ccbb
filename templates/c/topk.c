/* Apache-2.0. The k best elements along the middle of [outer, axis, inner], best first; of equal ones, the one that stands first.
 * A heap of k indices with the worst of them on top; then it is taken apart from the top. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void f(const float *restrict src, float *restrict values, int64_t *restrict indices, void *restrict scratch)
#define $fn$ f
#define $outer$ 2
#define $axis$ 10
#define $inner$ 5
#define $k$ 3
#define $acc$ float
#define $type$ float
#define $load$ row[i * 5]
#define $order$ (x > y) - (x < y) + ((x != x) - (y != y))
#define $values$ 1
#define $indices$ 1
//@begin
/* Whether element a of the row comes before element b. */
static int $fn$_before(const $type$ *row, size_t a, size_t b)
{
    size_t i = a;
    const $acc$ x = $load$;
    i = b;
    const $acc$ y = $load$;
    const int order = $order$;
    return order > 0 || (order == 0 && a < b);
}

/* Moves heap[at] towards the leaves until no child comes after it. */
static void $fn$_sink(const $type$ *row, size_t *heap, size_t n, size_t at)
{
    const size_t item = heap[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && $fn$_before(row, heap[child], heap[child + 1]))
            child++;
        if (!$fn$_before(row, item, heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = item;
}

$signature$
{
    size_t *const heap = scratch;
    for (size_t o = 0; o < $outer$; o++)
        for (size_t j = 0; j < $inner$; j++) {
            const $type$ *const row = src + o * $axis$ * $inner$ + j;
            for (size_t i = 0; i < $k$; i++)
                heap[i] = i;
            for (size_t i = $k$ / 2; i-- > 0;)
                $fn$_sink(row, heap, $k$, i);
            for (size_t i = $k$; i < $axis$; i++)
                if ($fn$_before(row, i, heap[0])) {
                    heap[0] = i;
                    $fn$_sink(row, heap, $k$, 0);
                }
            for (size_t i = $k$; i-- > 0;) {
                const size_t at = (o * $k$ + i) * $inner$ + j;
//@if values
                values[at] = row[heap[0] * $inner$];
//@end
//@if indices
                indices[at] = (int64_t)heap[0];
//@end
                heap[0] = heap[i];
                $fn$_sink(row, heap, i, 0);
            }
        }
}
