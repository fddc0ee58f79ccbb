/* Apache-2.0. ArgMax and ArgMin of rows of floats by vectors along them: first the best element, then where it stands first. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define NET_LANES
#define $signature$ void f(const float *restrict src, int64_t *restrict dst)
#define $rows$ 10
#define $size$ 100
#define $lanes$ 16
#define $better$ >
#define $reaches$ >=
#define $from$ 0
#define $to$ ROWS
//@begin
$signature$
{
    enum { ROWS = $rows$, SIZE = $size$, LANES = $lanes$, WHOLE = SIZE / LANES * LANES };
    for (size_t r = $from$; r < $to$; r++) {
        const float *const row = src + r * SIZE;
        float best[LANES];
        int32_t nans[LANES], at[LANES];
        for (size_t j = 0; j < LANES; j++) {
            best[j] = row[j];
            nans[j] = 0;
            at[j] = SIZE;
        }
        for (size_t n = 0; n < WHOLE; n += LANES) {
            NET_LANES
            for (size_t j = 0; j < LANES; j++) {
                const float x = row[n + j];
                best[j] = x $better$ best[j] ? x : best[j];
                nans[j] |= isnan(x) != 0;
            }
        }
        float most = best[0];
        int32_t has_nan = 0, first = SIZE;
        for (size_t j = 0; j < LANES; j++) {
            most = best[j] $better$ most ? best[j] : most;
            has_nan |= nans[j];
        }
        for (size_t i = WHOLE; i < SIZE; i++) {
            most = row[i] $better$ most ? row[i] : most;
            has_nan |= isnan(row[i]) != 0;
        }
        for (size_t n = WHOLE; n > 0; n -= LANES) {
            NET_LANES
            for (size_t j = 0; j < LANES; j++)
                at[j] = row[n - LANES + j] $reaches$ most ? (int32_t)(n - LANES + j) : at[j];
        }
        for (size_t j = 0; j < LANES; j++)
            first = at[j] < first ? at[j] : first;
        for (size_t i = WHOLE; i < SIZE && first == SIZE; i++)
            first = row[i] $reaches$ most ? (int32_t)i : SIZE;
        for (size_t i = 0; i < SIZE && has_nan; i++)
            if (isnan(row[i])) { /* before all numbers */
                first = (int32_t)i;
                has_nan = 0;
            }
        dst[r] = first;
    }
}
