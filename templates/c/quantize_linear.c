/* Apache-2.0. Quantisation and its inverse, with one scale or one for each index along an axis. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, const float *restrict scale, const uint8_t *restrict zero_point, uint8_t *restrict dst)
#define $scale$ scale[c]
#define $zero$ zero_point[c]
#define $T_src$ float
#define $T_dst$ uint8_t
#define $T_zero$ int32_t
#define $result$ (uint8_t)(src_row[j] / step + (float)zero)
#define $rows$ 2
#define $channels$ 3
#define $inner$ 49
#define $unused_zero$ zero_point
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
        const $A_scale$ step = $scale$;
//@if has_zero
        const $T_zero$ zero = $zero$;
//@end
        const $T_src$ *restrict src_row = src + i * INNER;
        $T_dst$ *restrict dst_row = dst + i * INNER;
        for (size_t j = 0; j < INNER; j++)
            dst_row[j] = $result$;
    }
}
