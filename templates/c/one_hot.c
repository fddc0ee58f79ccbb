/* Apache-2.0. A row for each index, which may be a float and truncates; one outside gives a row that is off everywhere. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, float *restrict dst0)
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
        dst0[i] = src1[0];
    for (size_t i = 0; i < OUTER; i++)
        for (size_t j = 0; j < INNER; j++) {
//@if real
            const $A_x$ v = $ld_x$(src0[i * INNER + j]);
//@end
            int64_t at = $index$;
            at += at < 0 ? DEPTH : 0;
            if (at >= 0 && at < DEPTH)
                dst0[(i * DEPTH + (size_t)at) * INNER + j] = src1[1];
        }
}
