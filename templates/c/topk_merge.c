/* Apache-2.0. The k best elements along the middle of [outer, axis, inner], best first; of equal ones, the one that stands first.
 * Elements are keys, integers that have their order. Those better than the worst of the k best so far are collected; when they are as many as k, they
 * are sorted and merged with the best. No branch depends on the data, but whether a block has any of them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void f(const float *restrict src, float *restrict values, int64_t *restrict indices, void *restrict scratch)
#define $fn$ f
#define $outer$ 2
#define $axis$ 10
#define $inner$ 5
#define $k$ 3
#define $room$ 64
#define $block$ 32
#define $type$ float
#define $load$ row[i * 5]
#define $turned$ bits
#define $no_better$ <=
#define $values$ 1
#define $indices$ 1
#define $fn$_any(row, y) ((row)[0] $no_better$ (y))
//@begin
/* What is larger for an element that comes before another one. NaN is the largest number; 0 and -0 are equal. */
static uint64_t $fn$_key(const float x, const size_t i)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t size = bits & 0x7fffffffu;
    bits = bits == size || size == 0 ? size | 0x80000000u : ~bits;
    bits = size > 0x7f800000u ? UINT32_MAX : bits;
    return (uint64_t)$turned$ << 32 | (UINT32_MAX - (uint32_t)i);
}

/* The first `most` of two lists of n and m keys, largest first. What stands behind either is read and makes no difference. */
static void $fn$_merge(const uint64_t *a, const size_t n, const uint64_t *b, const size_t m, uint64_t *restrict to, const size_t most)
{
    size_t i = 0, j = 0;
    for (size_t o = 0; o < most; o++) {
        const uint64_t x = a[i], y = b[j];
        const size_t take = (size_t)((i < n) & ((j >= m) | (x > y)));
        to[o] = take ? x : y;
        i += take;
        j += 1 - take;
    }
}

/* Sorts n keys, no two of which are equal, the largest first, by means of as much memory; one more is written in both. Returns where they are. */
static const uint64_t *$fn$_sort(uint64_t *keys, uint64_t *other, const size_t n)
{
    enum { RUN = 8 };
    keys[n] = other[n] = 0;
    for (size_t first = 0; first < n; first += RUN) {
        const size_t end = n - first < RUN ? n : first + RUN;
        for (size_t i = first; i < end; i++) {
            size_t place = first;
            for (size_t j = first; j < end; j++)
                place += (size_t)(keys[j] > keys[i]);
            other[place] = keys[i];
        }
    }
    for (size_t run = RUN; run < n; run *= 2) {
        uint64_t *const runs = other;
        other = keys;
        keys = runs;
        for (size_t first = 0; first < n; first += 2 * run) {
            const size_t middle = n - first < run ? n : first + run;
            const size_t end = n - middle < run ? n : middle + run;
            $fn$_merge(runs + first, middle - first, runs + middle, end - middle, other + first, end - first);
        }
    }
    return other;
}

$signature$
{
    uint64_t *best = scratch, *next = best + $k$ + 1;
    uint64_t *const fresh = next + $k$ + 1, *const other = fresh + $room$ + $block$ + 1;
    for (size_t o = 0; o < $outer$; o++)
        for (size_t j = 0; j < $inner$; j++) {
            const $type$ *const row = src + o * $axis$ * $inner$ + j;
            size_t n = 0, count = 0; /* of the best, and of those that are not among them yet */
            uint64_t worst = 0;
//@if contiguous
            float worst_value = 0;
//@end
            best[0] = 0;
            for (size_t first = 0; first < $axis$; first += $block$) {
                size_t from = first;
                const size_t end = $axis$ - first < $block$ ? $axis$ : first + $block$;
//@if contiguous
                if (n == $k$ && end - first == $block$ && !$fn$_any(row + first, worst_value))
                    from = end;
//@end
                for (size_t i = from; i < end; i++) {
                    const uint64_t key = $fn$_key($load$, i);
                    fresh[count] = key;
                    count += (size_t)(key > worst);
                }
                if (count == 0 || (count < $room$ && end < $axis$))
                    continue;
                const size_t most = n + count < $k$ ? n + count : $k$;
                $fn$_merge(best, n, $fn$_sort(fresh, other, count), count, next, most);
                next[most] = 0;
                uint64_t *const old = best;
                best = next;
                next = old;
                n = most;
                count = 0;
                if (n == $k$) {
                    worst = best[$k$ - 1];
//@if contiguous
                    const size_t i = UINT32_MAX - (uint32_t)worst;
                    worst_value = $load$;
//@end
                }
            }
            for (size_t i = 0; i < $k$; i++) {
                const size_t to = (o * $k$ + i) * $inner$ + j;
                const size_t at = UINT32_MAX - (uint32_t)best[i];
//@if values
                values[to] = row[at * $inner$];
//@end
//@if indices
                indices[to] = (int64_t)at;
//@end
            }
        }
}
