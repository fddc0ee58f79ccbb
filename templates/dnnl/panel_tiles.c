/* Products by panels of weights: tiles of one size. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_PANEL
#define $multiply$ multiply_sample
#define $rows$ 7
#define $vectors$ 4
#define $lines$ 1
#define $pairs$ 0
struct panel {
    int rows;
};
static inline void panel_by_tiles(const struct panel *p, const float *const *row, size_t at,
                                  const float *b, float *sums, int rows, int vectors, int lines,
                                  int pairs)
{
    sums[p->rows] = row[0][at] * b[rows * vectors * lines + pairs];
}
//@begin
NET_PANEL static void $multiply$(const struct panel *p, const float *const *row, size_t at,
                                 const float *b, float *sums)
{
    panel_by_tiles(p, row, at, b, sums, $rows$, $vectors$, $lines$, $pairs$);
}
