/* Winograd convolution, F(1x4, 1x5) and F(1x2, 1x7): the transformation of lines of eight. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
#ifndef WINOGRAD_LANES
#define WINOGRAD_LANES
/* of winograd_forward_8.c */
static inline void winograd_forward_8(const float *d, size_t step, float *o, size_t out_step)
{
    o[out_step] = d[step];
}
#endif
//@begin
/* The eight pixels of a line from d on, `column` floats apart, into eight planes. */
NET_INLINE void winograd_tile_in_1_8(const float *d, size_t row, size_t column, float *o,
                                     size_t plane, int channels)
{
    (void)row; /* there is one */
    WINOGRAD_LANES
    for (int c = 0; c < channels; c++)
        winograd_forward_8(d + c, column, o + c, plane);
}
