/* Apache-2.0. The k best elements along the middle of [outer, axis, inner], best first; of equal ones, the one that stands first.
 * A heap of k of them with the worst on top; then it is taken apart from the top. */
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
/* Whether x, which has index a, comes before y, which has b. */
static int $fn$_before(const $acc$ x, size_t a, const $acc$ y, size_t b)
{
    const int order = $order$;
    return order > 0 || (order == 0 && a < b);
}

/* Moves entry i towards the leaves until no child comes after it. */
static void $fn$_sink($acc$ *best, size_t *at, size_t n, size_t i)
{
    const $acc$ x = best[i];
    const size_t which = at[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && $fn$_before(best[child], at[child], best[child + 1], at[child + 1]))
            child++;
        if (!$fn$_before(x, which, best[child], at[child]))
            break;
        best[i] = best[child];
        at[i] = at[child];
    }
    best[i] = x;
    at[i] = which;
}

$signature$
{
    size_t *const at = scratch;
    $acc$ *const best = (void *)(at + $k$);
    for (size_t o = 0; o < $outer$; o++)
        for (size_t j = 0; j < $inner$; j++) {
            const $type$ *const row = src + o * $axis$ * $inner$ + j;
            for (size_t i = 0; i < $k$; i++) {
                best[i] = $load$;
                at[i] = i;
            }
            for (size_t i = $k$ / 2; i-- > 0;)
                $fn$_sink(best, at, $k$, i);
            for (size_t first = $k$; first < $axis$; first += $block$) {
                const size_t end = $axis$ - first < $block$ ? $axis$ : first + $block$;
//@if contiguous
                if (end - first == $block$ && !$fn$_any(row + first, best[0]))
                    continue;
//@end
                for (size_t i = first; i < end; i++) {
                    const $acc$ x = $load$, y = best[0];
                    if (x $no_better$ y)
                        continue;
                    const int order = $order$;
                    if (order > 0) {
                        best[0] = x;
                        at[0] = i;
                        $fn$_sink(best, at, $k$, 0);
                    }
                }
            }
            for (size_t i = $k$; i-- > 0;) {
                const size_t to = (o * $k$ + i) * $inner$ + j;
//@if values
                values[to] = row[at[0] * $inner$];
//@end
//@if indices
                indices[to] = (int64_t)at[0];
//@end
                best[0] = best[i];
                at[0] = at[i];
                $fn$_sink(best, at, i, 0);
            }
        }
}
