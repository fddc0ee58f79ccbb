/* Winograd convolution, F(4, 3): the transformations of one line or column. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
//@begin
/* F(4, 3). The polynomials are interpolated at 0, +-1/sqrt(2), +-sqrt(2) and infinity, which in float loses hardly more digits
 * than a direct convolution does. */

/* B^T d for one column or row d of 6. */
NET_INLINE void winograd_forward_4(const float *d, size_t step, float *o, size_t out_step)
{
    float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step],
          d5 = d[5 * step];
    float even = d4 - 2.0f * d2, odd = 0.707106781f * (d3 - 2.0f * d1);
    float even2 = d4 - 0.5f * d2, odd2 = 1.41421356f * (d3 - 0.5f * d1);
    o[0] = d0 + d4 - 2.5f * d2;
    o[out_step] = even + odd;
    o[2 * out_step] = even - odd;
    o[3 * out_step] = even2 + odd2;
    o[4 * out_step] = even2 - odd2;
    o[5 * out_step] = d1 + d5 - 2.5f * d3;
}

/* A^T m for one column or row m of 6. */
NET_INLINE void winograd_back_4(const float *m, size_t step, float *o, size_t out_step)
{
    float m1 = m[step], m2 = m[2 * step], m3 = m[3 * step], m4 = m[4 * step];
    float sum = m1 + m2, difference = m1 - m2, sum2 = m3 + m4, difference2 = m3 - m4;
    o[0] = m[0] + sum + sum2;
    o[out_step] = 0.707106781f * (difference + 2.0f * difference2);
    o[2 * out_step] = 0.5f * sum + 2.0f * sum2;
    o[3 * out_step] = m[5 * step] + 0.353553391f * (difference + 8.0f * difference2);
}
