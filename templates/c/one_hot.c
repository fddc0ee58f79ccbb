/* Apache-2.0. A row for each index, which may be a float and truncates; one outside gives a row that is off everywhere. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict indices, const float *restrict values, float *restrict dst)
#define $A_x$ float
#define $ld_x$(x) (x)
#define $index$ v >= -0x1p62f && v < 0x1p62f ? (int64_t)v : -1 - (int64_t)DEPTH
#define $outer$ 2
#define $depth$ 10
#define $inner$ 3
//@begin
$signature$
{
    enum { OUTER = $outer$, DEPTH = $depth$, INNER = $inner$ };
    for (size_t i = 0; i < (size_t)OUTER * DEPTH * INNER; i++)
        dst[i] = values[0];
    for (size_t i = 0; i < OUTER; i++)
        for (size_t j = 0; j < INNER; j++) {
//@if real
            const $A_x$ v = $ld_x$(indices[i * INNER + j]);
//@end
            int64_t at = $index$;
            at += at < 0 ? DEPTH : 0;
            if (at >= 0 && at < DEPTH)
                dst[(i * DEPTH + (size_t)at) * INNER + j] = values[1];
        }
}
