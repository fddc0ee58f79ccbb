/* Apache-2.0. Batch normalisation with known mean and variance. */
#include <math.h>
#include <stddef.h>
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, const float *restrict src2, const float *restrict src3, const float *restrict src4, float *restrict dst0)
#define $sqrt$ sqrtf
#define $T_x$ float
#define $A_x$ float
#define $scale$ src1[c]
#define $shift$ src2[c]
#define $mean$ src3[c]
#define $variance$ src4[c]
#define $result$ a * src[j] + b
#define $source_c$ src0[i * CHANNELS + c]
#define $st_x$(x) (x)
#define $epsilon$ 1e-5f
#define $images$ 2
#define $channels$ 3
#define $plane$ 49
//@begin
$signature$
{
    enum { IMAGES = $images$, CHANNELS = $channels$, PLANE = $plane$ };
//@if planes
    for (size_t i = 0; i < IMAGES * CHANNELS; i++) {
        const size_t c = i % CHANNELS;
        const $A_x$ a = $scale$ / $sqrt$($variance$ + $epsilon$);
        const $A_x$ b = $shift$ - $mean$ * a;
        const $T_x$ *restrict src = src0 + i * PLANE;
        $T_x$ *restrict dst = dst0 + i * PLANE;
        for (size_t j = 0; j < PLANE; j++)
            dst[j] = $result$;
    }
//@else
    for (size_t i = 0; i < IMAGES; i++)
        for (size_t c = 0; c < CHANNELS; c++) {
            const $A_x$ a = $scale$ / $sqrt$($variance$ + $epsilon$);
            const $A_x$ b = $shift$ - $mean$ * a;
            const $A_x$ x = $source_c$;
            dst0[i * CHANNELS + c] = $st_x$(a * x + b);
        }
//@end
}
