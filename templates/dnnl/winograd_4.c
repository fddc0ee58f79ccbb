/* Winograd convolution, F(4x4, 3x3): the transformations. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
#ifndef WINOGRAD_LANES
#define WINOGRAD_LANES
#endif
//@begin
/* F(4x4, 3x3). The polynomials are interpolated at 0, +-1/sqrt(2), +-sqrt(2) and infinity, which in float loses hardly more digits
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

/* The tile whose first pixel is at d, pixels `column` and lines `row` floats apart, into 36 planes. */
NET_INLINE void winograd_tile_in_4(const float *d, size_t row, size_t column, float *o,
                                   size_t plane, int channels)
{
    WINOGRAD_LANES
    for (int c = 0; c < channels; c++) {
        float t[36];
        winograd_forward_4(d + c, row, t, 6);
        winograd_forward_4(d + c + column, row, t + 1, 6);
        winograd_forward_4(d + c + 2 * column, row, t + 2, 6);
        winograd_forward_4(d + c + 3 * column, row, t + 3, 6);
        winograd_forward_4(d + c + 4 * column, row, t + 4, 6);
        winograd_forward_4(d + c + 5 * column, row, t + 5, 6);
        winograd_forward_4(t, 1, o + c, plane);
        winograd_forward_4(t + 6, 1, o + c + 6 * plane, plane);
        winograd_forward_4(t + 12, 1, o + c + 12 * plane, plane);
        winograd_forward_4(t + 18, 1, o + c + 18 * plane, plane);
        winograd_forward_4(t + 24, 1, o + c + 24 * plane, plane);
        winograd_forward_4(t + 30, 1, o + c + 30 * plane, plane);
    }
}

/* One channel of one tile of results, before bias and post-ops: o[4 * y + x]. */
NET_INLINE void winograd_tile_out_4(const float *m, size_t plane, float *o)
{
    float t[24];
    winograd_back_4(m, 6 * plane, t, 6);
    winograd_back_4(m + plane, 6 * plane, t + 1, 6);
    winograd_back_4(m + 2 * plane, 6 * plane, t + 2, 6);
    winograd_back_4(m + 3 * plane, 6 * plane, t + 3, 6);
    winograd_back_4(m + 4 * plane, 6 * plane, t + 4, 6);
    winograd_back_4(m + 5 * plane, 6 * plane, t + 5, 6);
    winograd_back_4(t, 1, o, 1);
    winograd_back_4(t + 6, 1, o + 4, 1);
    winograd_back_4(t + 12, 1, o + 8, 1);
    winograd_back_4(t + 18, 1, o + 12, 1);
}
