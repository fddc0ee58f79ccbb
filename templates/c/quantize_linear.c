/* Apache-2.0. Quantisation and its inverse, with one scale or one for each index along an axis. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, const uint8_t *restrict src2, uint8_t *restrict dst0)
#define $scale$ src1[c]
#define $zero$ src2[c]
#define $T_src$ float
#define $T_dst$ uint8_t
#define $T_zero$ int32_t
#define $result$ (uint8_t)(src[j] / scale + (float)zero)
#define $rows$ 2
#define $channels$ 3
#define $inner$ 49
#define $unused_zero$ src2
#define $A_scale$ float
#define $from$ 0
#define $to$ ROWS
//@begin
$signature$
{
    enum { ROWS = $rows$, CHANNELS = $channels$, INNER = $inner$ };
//@if unused_zero
    (void)$unused_zero$; /* the zero point is 0 */
//@end
    for (size_t i = $from$; i < $to$; i++) {
        const size_t c = i % CHANNELS;
        const $A_scale$ scale = $scale$;
//@if has_zero
        const $T_zero$ zero = $zero$;
//@end
        const $T_src$ *restrict src = src0 + i * INNER;
        $T_dst$ *restrict dst = dst0 + i * INNER;
        for (size_t j = 0; j < INNER; j++)
            dst[j] = $result$;
    }
}
