/* Winograd convolution, F(4x4, 5x5): the transformations. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
#ifndef WINOGRAD_LANES
#define WINOGRAD_LANES
/* of winograd_forward_8.c and winograd_back_8.c */
static inline void winograd_forward_8(const float *d, size_t step, float *o, size_t out_step)
{
    o[out_step] = d[step];
}
static inline void winograd_back_4_of_8(const float *m, size_t step, float *o, size_t out_step)
{
    o[out_step] = m[step];
}
#endif
//@begin
/* The tile whose first pixel is at d, pixels `column` and lines `row` floats apart, into 64 planes. */
NET_INLINE void winograd_tile_in_4_5(const float *d, size_t row, size_t column, float *o,
                                     size_t plane, int channels)
{
    WINOGRAD_LANES
    for (int c = 0; c < channels; c++) {
        float t[64];
        winograd_forward_8(d + c, row, t, 8);
        winograd_forward_8(d + c + column, row, t + 1, 8);
        winograd_forward_8(d + c + 2 * column, row, t + 2, 8);
        winograd_forward_8(d + c + 3 * column, row, t + 3, 8);
        winograd_forward_8(d + c + 4 * column, row, t + 4, 8);
        winograd_forward_8(d + c + 5 * column, row, t + 5, 8);
        winograd_forward_8(d + c + 6 * column, row, t + 6, 8);
        winograd_forward_8(d + c + 7 * column, row, t + 7, 8);
        winograd_forward_8(t, 1, o + c, plane);
        winograd_forward_8(t + 8, 1, o + c + 8 * plane, plane);
        winograd_forward_8(t + 16, 1, o + c + 16 * plane, plane);
        winograd_forward_8(t + 24, 1, o + c + 24 * plane, plane);
        winograd_forward_8(t + 32, 1, o + c + 32 * plane, plane);
        winograd_forward_8(t + 40, 1, o + c + 40 * plane, plane);
        winograd_forward_8(t + 48, 1, o + c + 48 * plane, plane);
        winograd_forward_8(t + 56, 1, o + c + 56 * plane, plane);
    }
}

/* One channel of one tile of results, before bias and post-ops: o[4 * y + x]. */
NET_INLINE void winograd_tile_out_4_5(const float *m, size_t plane, float *o)
{
    float t[32];
    winograd_back_4_of_8(m, 8 * plane, t, 8);
    winograd_back_4_of_8(m + plane, 8 * plane, t + 1, 8);
    winograd_back_4_of_8(m + 2 * plane, 8 * plane, t + 2, 8);
    winograd_back_4_of_8(m + 3 * plane, 8 * plane, t + 3, 8);
    winograd_back_4_of_8(m + 4 * plane, 8 * plane, t + 4, 8);
    winograd_back_4_of_8(m + 5 * plane, 8 * plane, t + 5, 8);
    winograd_back_4_of_8(m + 6 * plane, 8 * plane, t + 6, 8);
    winograd_back_4_of_8(m + 7 * plane, 8 * plane, t + 7, 8);
    winograd_back_4_of_8(t, 1, o, 1);
    winograd_back_4_of_8(t + 8, 1, o + 4, 1);
    winograd_back_4_of_8(t + 16, 1, o + 8, 1);
    winograd_back_4_of_8(t + 24, 1, o + 12, 1);
}
