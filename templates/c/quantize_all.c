/* Apache-2.0. Quantisation and its inverse with one scale for all. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, const float *restrict scale, const uint8_t *restrict zero_point, uint8_t *restrict dst)
#define $scale$ scale[0]
#define $zero$ zero_point[0]
#define $T_zero$ int32_t
#define $result$ (uint8_t)(src[j] / step + (float)zero)
#define $size$ 49
#define $unused_zero$ zero_point
#define $A_scale$ float
#define $from$ 0
#define $to$ SIZE
//@begin
$signature$
{
    enum { SIZE = $size$ };
//@if unused_zero
    (void)$unused_zero$; /* the zero point is 0 */
//@end
    const $A_scale$ step = $scale$;
//@if has_zero
    const $T_zero$ zero = $zero$;
//@end
    for (size_t j = $from$; j < $to$; j++)
        dst[j] = $result$;
}
