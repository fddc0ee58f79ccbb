/* Apache-2.0. Local response normalisation across channels, a stretch of the plane at a time. */
#include <math.h>
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $result$ src_rows[c * PLANE + i] * powf(base, -0.75f)
#define $bias$ 1.0f
#define $alpha$ 1e-4f
#define $images$ 2
#define $channels$ 3
#define $before$ 2
#define $after$ 2
#define $plane$ 49
#define $stretch$ 256
//@begin
$signature$
{
    enum { IMAGES = $images$, CHANNELS = $channels$, PLANE = $plane$, STRETCH = $stretch$ };
    enum { BEFORE = $before$, AFTER = $after$ };
    for (ptrdiff_t image = 0; image < IMAGES; image++)
        for (ptrdiff_t first = 0; first < PLANE; first += STRETCH) {
            const ptrdiff_t n = PLANE - first < STRETCH ? PLANE - first : STRETCH;
            const $T_x$ *restrict src_rows = src + image * CHANNELS * PLANE + first;
            $T_x$ *restrict dst_rows = dst + image * CHANNELS * PLANE + first;
            for (ptrdiff_t c = 0; c < CHANNELS; c++) {
                const ptrdiff_t lo = c > BEFORE ? c - BEFORE : 0;
                const ptrdiff_t hi = c + AFTER < CHANNELS ? c + AFTER + 1 : CHANNELS;
                $A_x$ sum[STRETCH] = {0};
                for (ptrdiff_t k = lo; k < hi; k++)
                    for (ptrdiff_t i = 0; i < n; i++) {
                        const $A_x$ v = $ld_x$(src_rows[k * PLANE + i]);
                        sum[i] += v * v;
                    }
                for (ptrdiff_t i = 0; i < n; i++) {
                    const $A_x$ base = $bias$ + $alpha$ * sum[i];
                    dst_rows[c * PLANE + i] = $st_x$($result$);
                }
            }
        }
}
