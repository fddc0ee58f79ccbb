/* Apache-2.0. Quantisation and its inverse with one scale for all. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, const uint8_t *restrict src2, uint8_t *restrict dst0)
#define $scale$ src1[0]
#define $zero$ src2[0]
#define $T_zero$ int32_t
#define $result$ (uint8_t)(src0[j] / scale + (float)zero)
#define $size$ 49
#define $unused_zero$ src2
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
    const $A_scale$ scale = $scale$;
//@if has_zero
    const $T_zero$ zero = $zero$;
//@end
    for (size_t j = $from$; j < $to$; j++)
        dst0[j] = $result$;
}
