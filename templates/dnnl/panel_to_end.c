/* Products by panels of weights: tiles of one size that end with bias and post-ops. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_PANEL
#define $multiply$ multiply_sample
#define $rows$ 7
#define $vectors$ 4
#define $alone$ 2
#define $lines$ 1
#define $n$ 1
#define $pairs$ 0
#define $at_once$ 1
struct panel {
    int rows;
};
struct panel_end {
    int pixel;
};
static inline void panel_by_tiles(const struct panel *p, const float *const *row, size_t at,
                                  const float *b, const float *following, float *sums, int rows,
                                  int vectors, int alone, int lines, int ends, const struct panel_end *end, int at_once, int pairs)
{
    sums[p->rows + end->pixel] = row[0][at] * b[rows * vectors * alone * lines + pairs + ends + at_once] + following[0];
}
//@begin
NET_PANEL static void $multiply$(const struct panel *p, const float *const *row, size_t at, const float *b, const float *following, float *sums, const struct panel_end *end)
{
    panel_by_tiles(p, row, at, b, following, sums, $rows$, $vectors$, $alone$, $lines$, $n$, end, $at_once$, $pairs$);
}
