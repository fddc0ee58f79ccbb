/* Apache-2.0. Maxima put back where they came from; places outside the output are skipped. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict indices, float *restrict dst)
#define $size$ 49
#define $outputs$ 196
//@begin
$signature$
{
    enum { SIZE = $size$, OUTPUTS = $outputs$ };
    for (size_t i = 0; i < OUTPUTS; i++)
        dst[i] = 0;
    for (size_t i = 0; i < SIZE; i++)
        if (indices[i] >= 0 && indices[i] < OUTPUTS)
            dst[indices[i]] = src[i];
}
