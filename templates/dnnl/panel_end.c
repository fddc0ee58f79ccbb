/* Products by panels of weights: what tiles end with. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_INLINE static inline
#define $n$ 1
#define $end$ end_sample
struct panel_end {
    float *dst;
};
static inline void end_sample(const struct panel_end *e, const float *sums, int row, int rows, int width)
{
    e->dst[row] = sums[rows * width];
}
//@begin
/* The complete sums of a tile, whose first row is `row` of its block. ends: which layers' bias and post-ops. */
NET_INLINE void panel_end(int ends, const struct panel_end *e, const float *sums, int row, int rows, int width)
{
//@for ends
    if (ends == $n$)
        $end$(e, sums, row, rows, width);
//@end
}
