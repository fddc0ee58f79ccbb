/* Apache-2.0. Rows behind those that count. What is there stays, and is not copied where it is a state's place, which both src and dst are. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *src, const float *more, const int64_t *count, float *dst)
#define $outer$ 2
#define $size$ 3
#define $inner$ 4
#define $more_count$ 16
//@begin
$signature$
{
    enum { SIZE = $size$, INNER = $inner$, MORE = $more_count$ / $outer$, MOST = SIZE - MORE / INNER };
    const size_t n = (size_t)(count[0] < 0 ? 0 : count[0] < MOST ? count[0] : MOST) * INNER;
    if (dst != src)
        memcpy(dst, src, $outer$ * (size_t)SIZE * INNER * sizeof *dst);
    for (size_t i = 0; i < $outer$; i++)
        memcpy(dst + i * SIZE * INNER + n, more + i * MORE, MORE * sizeof *dst);
}
