/* Apache-2.0. Batch normalisation with known mean and variance. */
#include <math.h>
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, const float *restrict scale, const float *restrict bias, const float *restrict mean, const float *restrict variance, float *restrict dst)
#define $sqrt$ sqrtf
#define $T_x$ float
#define $A_x$ float
#define $scale$ scale[c]
#define $shift$ bias[c]
#define $mean$ mean[c]
#define $variance$ variance[c]
#define $result$ a * src_plane[j] + b
#define $source_c$ src[i * CHANNELS + c]
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
        const $T_x$ *restrict src_plane = src + i * PLANE;
        $T_x$ *restrict dst_plane = dst + i * PLANE;
        for (size_t j = 0; j < PLANE; j++)
            dst_plane[j] = $result$;
    }
//@else
    for (size_t i = 0; i < IMAGES; i++)
        for (size_t c = 0; c < CHANNELS; c++) {
            const $A_x$ a = $scale$ / $sqrt$($variance$ + $epsilon$);
            const $A_x$ b = $shift$ - $mean$ * a;
            const $A_x$ x = $source_c$;
            dst[i * CHANNELS + c] = $st_x$(a * x + b);
        }
//@end
}
