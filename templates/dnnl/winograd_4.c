/* Winograd convolution, F(4x4, 3x3): the transformations. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
#ifndef WINOGRAD_LANES
#define WINOGRAD_LANES
/* of winograd_forward_4.c */
static inline void winograd_forward_4(const float *d, size_t step, float *o, size_t out_step)
{
    o[out_step] = d[step];
}
static inline void winograd_back_4(const float *m, size_t step, float *o, size_t out_step)
{
    o[out_step] = m[step];
}
#endif
//@begin
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
