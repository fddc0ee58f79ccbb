/* Winograd convolution, F(1x4, 1x5): the transformation back. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
#ifndef WINOGRAD_LANES
#define WINOGRAD_LANES
/* of winograd_back_8.c */
static inline void winograd_back_4_of_8(const float *m, size_t step, float *o, size_t out_step)
{
    o[out_step] = m[step];
}
#endif
//@begin
/* One channel of one tile of results, before bias and post-ops. */
NET_INLINE void winograd_tile_out_1_5(const float *m, size_t plane, float *o)
{
    winograd_back_4_of_8(m, plane, o, 1);
}
