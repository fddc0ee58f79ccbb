/* Winograd convolution, F(1x4, 1x3): the transformations. SPDX-License-Identifier: Apache-2.0 */
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
/* The six pixels of a line from d on, `column` floats apart, into six planes. */
NET_INLINE void winograd_tile_in_1(const float *d, size_t row, size_t column, float *o,
                                   size_t plane, int channels)
{
    (void)row; /* there is one */
    WINOGRAD_LANES
    for (int c = 0; c < channels; c++)
        winograd_forward_4(d + c, column, o + c, plane);
}

/* One channel of one tile of results, before bias and post-ops. */
NET_INLINE void winograd_tile_out_1(const float *m, size_t plane, float *o)
{
    winograd_back_4(m, plane, o, 1);
}
