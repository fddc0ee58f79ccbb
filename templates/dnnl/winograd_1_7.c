/* Winograd convolution, F(1x2, 1x7): the transformation back. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
//@begin
/* One channel of one tile of results, A^T m of a line m of 8, before bias and post-ops. */
NET_INLINE void winograd_tile_out_1_7(const float *m, size_t plane, float *o)
{
    const float m1 = m[plane], m2 = m[2 * plane], m3 = m[3 * plane], m4 = m[4 * plane],
                m5 = m[5 * plane], m6 = m[6 * plane];
    o[0] = m[0] + (m1 + m2) + (m3 + m4) + (m5 + m6);
    o[1] = (m1 - m2) + 0.5f * (m3 - m4) + 2.0f * (m5 - m6) + m[7 * plane];
}
