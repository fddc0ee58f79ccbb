/* Apache-2.0. The few best elements along the middle of [outer, axis, inner], best first; of equal ones, the one that stands first.
 * They are kept sorted; most others are no better than the last of them. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void f(const float *restrict src, float *restrict values, int64_t *restrict indices, void *restrict scratch)
#define $fn$ f
#define $outer$ 2
#define $axis$ 10
#define $inner$ 5
#define $k$ 3
#define $block$ 32
#define $acc$ float
#define $type$ float
#define $load$ row[i * 5]
#define $order$ (x > y) - (x < y) + ((x != x) - (y != y))
#define $no_better$ <=
#define $values$ 1
#define $indices$ 1
#define $fn$_any(row, y) ((row)[0] $no_better$ (y))
//@begin
/* Inserts x, which has index i, into a sorted list of n elements. */
static void $fn$_insert($acc$ *best, size_t *at, size_t n, const $acc$ x, size_t i)
{
    for (; n > 0; n--) {
        const $acc$ y = best[n - 1];
        const int order = $order$;
        if (order <= 0)
            break;
        best[n] = y;
        at[n] = at[n - 1];
    }
    best[n] = x;
    at[n] = i;
}

$signature$
{
    size_t *const at = scratch;
    $acc$ *const best = (void *)(at + $k$);
    for (size_t o = 0; o < $outer$; o++)
        for (size_t j = 0; j < $inner$; j++) {
            const $type$ *const row = src + o * $axis$ * $inner$ + j;
            for (size_t i = 0; i < $k$; i++)
                $fn$_insert(best, at, i, $load$, i);
            for (size_t first = $k$; first < $axis$; first += $block$) {
                const size_t end = $axis$ - first < $block$ ? $axis$ : first + $block$;
//@if contiguous
                if (end - first == $block$ && !$fn$_any(row + first, best[$k$ - 1]))
                    continue;
//@end
                for (size_t i = first; i < end; i++) {
                    const $acc$ x = $load$, y = best[$k$ - 1];
                    if (x $no_better$ y)
                        continue;
                    const int order = $order$;
                    if (order > 0)
                        $fn$_insert(best, at, $k$ - 1, x, i);
                }
            }
            for (size_t i = 0; i < $k$; i++) {
                const size_t to = (o * $k$ + i) * $inner$ + j;
//@if values
                values[to] = row[at[i] * $inner$];
//@end
//@if indices
                indices[to] = (int64_t)at[i];
//@end
            }
        }
}
