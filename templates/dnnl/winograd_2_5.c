/* Winograd convolution, F(2x2, 5x5): the transformation back. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
//@begin
/* F(2x2, 5x5), interpolated at the same points as F(4x4, 3x3): tiles of src become the same. */

/* A^T m for one column or row m of 6. */
NET_INLINE void winograd_back_2_of_6(const float *m, size_t step, float *o, size_t out_step)
{
    const float m1 = m[step], m2 = m[2 * step], m3 = m[3 * step], m4 = m[4 * step];
    o[0] = m[0] + (m1 + m2) + (m3 + m4);
    o[out_step] = m[5 * step] + 0.707106781f * ((m1 - m2) + 2.0f * (m3 - m4));
}

/* One channel of one tile of results, before bias and post-ops: o[2 * y + x]. */
NET_INLINE void winograd_tile_out_2_5(const float *m, size_t plane, float *o)
{
    float t[12];
    winograd_back_2_of_6(m, 6 * plane, t, 6);
    winograd_back_2_of_6(m + plane, 6 * plane, t + 1, 6);
    winograd_back_2_of_6(m + 2 * plane, 6 * plane, t + 2, 6);
    winograd_back_2_of_6(m + 3 * plane, 6 * plane, t + 3, 6);
    winograd_back_2_of_6(m + 4 * plane, 6 * plane, t + 4, 6);
    winograd_back_2_of_6(m + 5 * plane, 6 * plane, t + 5, 6);
    winograd_back_2_of_6(t, 1, o, 1);
    winograd_back_2_of_6(t + 6, 1, o + 2, 1);
}
