/* Apache-2.0. The rows that count, others behind them, and zeros. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, const float *restrict more, const int64_t *restrict count, float *restrict dst)
#define $outer$ 2
#define $size$ 3
#define $inner$ 4
#define $more_count$ 16
//@begin
$signature$
{
    enum { SIZE = $size$, INNER = $inner$, MORE = $more_count$ / $outer$, ALL = SIZE * INNER + MORE };
    const size_t n = (size_t)(count[0] < 0 ? 0 : count[0] < SIZE ? count[0] : SIZE) * INNER;
    for (size_t i = 0; i < $outer$; i++) {
        memcpy(dst + i * ALL, src + i * SIZE * INNER, n * sizeof *dst);
        memcpy(dst + i * ALL + n, more + i * MORE, MORE * sizeof *dst);
        memset(dst + i * ALL + n + MORE, 0, (SIZE * (size_t)INNER - n) * sizeof *dst);
    }
}
