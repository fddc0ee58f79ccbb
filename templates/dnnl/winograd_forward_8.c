/* Winograd convolution, F(4, 5) and F(2, 7): the transformations of one line or column. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
//@begin
/* Tiles of eight. The polynomials are interpolated at 0, +-1, +-1/2, +-2 and infinity. */

/* B^T d for one column or row d of 8. */
NET_INLINE void winograd_forward_8(const float *d, size_t step, float *o, size_t out_step)
{
    const float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step],
                d5 = d[5 * step], d6 = d[6 * step], d7 = d[7 * step];
    const float even1 = d6 - 4.25f * d4 + d2, odd1 = d5 - 4.25f * d3 + d1;
    const float even2 = d6 - 5.0f * d4 + 4.0f * d2, odd2 = 0.5f * d5 - 2.5f * d3 + 2.0f * d1;
    const float even3 = d6 - 1.25f * d4 + 0.25f * d2, odd3 = 2.0f * d5 - 2.5f * d3 + 0.5f * d1;
    o[0] = d0 - d6 + 5.25f * (d4 - d2);
    o[out_step] = even1 + odd1;
    o[2 * out_step] = even1 - odd1;
    o[3 * out_step] = even2 + odd2;
    o[4 * out_step] = even2 - odd2;
    o[5 * out_step] = even3 + odd3;
    o[6 * out_step] = even3 - odd3;
    o[7 * out_step] = d7 - d1 + 5.25f * (d3 - d5);
}
