/* Winograd convolution, F(4, 5): the transformation back of one line or column. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
//@begin
/* A^T m for one column or row m of 8: F(4, 5). */
NET_INLINE void winograd_back_4_of_8(const float *m, size_t step, float *o, size_t out_step)
{
    const float m1 = m[step], m2 = m[2 * step], m3 = m[3 * step], m4 = m[4 * step],
                m5 = m[5 * step], m6 = m[6 * step];
    const float sum1 = m1 + m2, sum2 = m3 + m4, sum3 = m5 + m6;
    const float difference1 = m1 - m2, difference2 = m3 - m4, difference3 = m5 - m6;
    o[0] = m[0] + sum1 + sum2 + sum3;
    o[out_step] = difference1 + 0.5f * difference2 + 2.0f * difference3;
    o[2 * out_step] = sum1 + 0.25f * sum2 + 4.0f * sum3;
    o[3 * out_step] = difference1 + 0.125f * difference2 + 8.0f * difference3 + m[7 * step];
}
