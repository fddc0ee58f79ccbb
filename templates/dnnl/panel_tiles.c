/* Products by panels of weights: tiles of one size. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_PANEL
#define $multiply$ multiply_sample
#define $rows$ 7
#define $vectors$ 4
#define $alone$ 2
#define $lines$ 1
#define $pairs$ 0
#define $ends$(...)
struct panel {
    int rows;
};
static inline void panel_by_tiles(const struct panel *p, const float *const *row, size_t at,
                                  const float *b, const float *following, float *sums, int rows,
                                  int vectors, int alone, int lines, int pairs)
{
    sums[p->rows] = row[0][at] * b[rows * vectors * alone * lines + pairs] + following[0];
}
//@begin
NET_PANEL static void $multiply$(const struct panel *p, const float *const *row, size_t at,
                                 const float *b, const float *following, float *sums)
{
    panel_by_tiles(p, row, at, b, following, sums, $rows$, $vectors$, $alone$, $lines$, $ends$(0, NULL, 1, )$pairs$);
}
