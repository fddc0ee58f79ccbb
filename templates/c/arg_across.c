/* Apache-2.0. ArgMax and ArgMin of many short rows: vectors go across rows. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void f(const float *restrict src, int64_t *restrict dst)
#define $rows$ 100
#define $size$ 3
#define $piece$ 64
#define $acc$ float
#define $first$ src[(c + j) * SIZE]
#define $element$ src[(c + j) * SIZE + i]
#define $better$ x > best[j]
#define $from$ 0
#define $to$ ROWS
//@begin
$signature$
{
    enum { ROWS = $rows$, SIZE = $size$, PIECE = $piece$ };
    for (size_t c = $from$; c < $to$; c += PIECE) {
        const size_t n = $to$ - c < PIECE ? $to$ - c : PIECE;
        $acc$ best[PIECE], column[PIECE];
        int32_t at[PIECE];
        for (size_t j = 0; j < n; j++) {
            best[j] = $first$;
            at[j] = 0;
        }
        for (size_t i = 1; i < SIZE; i++) {
            for (size_t j = 0; j < n; j++)
                column[j] = $element$;
            for (size_t j = 0; j < n; j++) {
                const $acc$ x = column[j];
                if ($better$) {
                    best[j] = x;
                    at[j] = (int32_t)i;
                }
            }
        }
        for (size_t j = 0; j < n; j++)
            dst[c + j] = at[j];
    }
}
