/* Winograd convolution, F(2x2, 3x3): the transformations. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
#ifndef WINOGRAD_LANES
#define WINOGRAD_LANES
#endif
//@begin
/* F(2x2, 3x3). The polynomials are interpolated at 0, +-1 and infinity. */

/* B^T d for one column or row d of 4. */
NET_INLINE void winograd_forward_2(const float *d, size_t step, float *o, size_t out_step)
{
    float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
    o[0] = d0 - d2;
    o[out_step] = d1 + d2;
    o[2 * out_step] = d2 - d1;
    o[3 * out_step] = d3 - d1;
}

/* A^T m for one column or row m of 4. */
NET_INLINE void winograd_back_2(const float *m, size_t step, float *o, size_t out_step)
{
    float m1 = m[step], m2 = m[2 * step];
    o[0] = m[0] + m1 + m2;
    o[out_step] = m1 - m2 + m[3 * step];
}

/* The tile whose first pixel is at d, pixels `column` and lines `row` floats apart, into 16 planes. */
NET_INLINE void winograd_tile_in_2(const float *d, size_t row, size_t column, float *o,
                                   size_t plane, int channels)
{
    WINOGRAD_LANES
    for (int c = 0; c < channels; c++) {
        float t[16];
        winograd_forward_2(d + c, row, t, 4);
        winograd_forward_2(d + c + column, row, t + 1, 4);
        winograd_forward_2(d + c + 2 * column, row, t + 2, 4);
        winograd_forward_2(d + c + 3 * column, row, t + 3, 4);
        winograd_forward_2(t, 1, o + c, plane);
        winograd_forward_2(t + 4, 1, o + c + 4 * plane, plane);
        winograd_forward_2(t + 8, 1, o + c + 8 * plane, plane);
        winograd_forward_2(t + 12, 1, o + c + 12 * plane, plane);
    }
}

/* One channel of one tile of results, before bias and post-ops: o[2 * y + x]. */
NET_INLINE void winograd_tile_out_2(const float *m, size_t plane, float *o)
{
    float t[8];
    winograd_back_2(m, 4 * plane, t, 4);
    winograd_back_2(m + plane, 4 * plane, t + 1, 4);
    winograd_back_2(m + 2 * plane, 4 * plane, t + 2, 4);
    winograd_back_2(m + 3 * plane, 4 * plane, t + 3, 4);
    winograd_back_2(t, 1, o, 1);
    winograd_back_2(t + 4, 1, o + 2, 1);
}
