/* Apache-2.0. The rows that count, no others being read, and zeros behind them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict count, float *restrict dst)
#define $outer$ 2
#define $size$ 3
#define $attr_size$ 5
#define $inner$ 4
//@begin
$signature$
{
    enum { FROM = $size$, TO = $attr_size$, MOST = FROM < TO ? FROM : TO, INNER = $inner$ };
    const size_t n = (size_t)(count[0] < 0 ? 0 : count[0] < MOST ? count[0] : MOST) * INNER;
    for (size_t i = 0; i < $outer$; i++) {
        memcpy(dst + i * TO * INNER, src + i * FROM * INNER, n * sizeof *dst);
        memset(dst + i * TO * INNER + n, 0, (TO * (size_t)INNER - n) * sizeof *dst);
    }
}
