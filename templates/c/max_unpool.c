/* Apache-2.0. Maxima put back where they came from; places outside the output are skipped. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src0, const int64_t *restrict src1, float *restrict dst0)
#define $size$ 49
#define $outputs$ 196
//@begin
$signature$
{
    enum { SIZE = $size$, OUTPUTS = $outputs$ };
    for (size_t i = 0; i < OUTPUTS; i++)
        dst0[i] = 0;
    for (size_t i = 0; i < SIZE; i++)
        if (src1[i] >= 0 && src1[i] < OUTPUTS)
            dst0[src1[i]] = src0[i];
}
