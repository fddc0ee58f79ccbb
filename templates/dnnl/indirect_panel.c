/* Convolution in C: a block of columns. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_PANEL
#define NET_HAS_PANEL 1
#define $panel$ panel_sample
#define $panel$_tiles panel_sample_tiles
#define $tile$ tile_sample
#define $smaller$ tile_smaller
#define $rows$ 7
#define $width$ 64
struct indirect {
    int taps, taps_at_once, channels, channels_at_once, tiles, whole, pixels;
    size_t step;
};
static void tile_sample(const float *const *row, size_t next, size_t at, int taps, int depth,
                        const float *b, float *sums, int begins, const char *ahead, size_t step)
{
    sums[begins] += row[next * (size_t)taps][at + (size_t)depth] * b[0] + (float)ahead[step];
}
#define tile_smaller tile_sample
static void indirect_rows_of_panel(const struct indirect *w, const float *const *table,
                                   const float *b, float *sums, int width)
{
    sums[0] = table[w->taps][0] + b[width];
}
//@begin
/* The sums [pixels, $width$] of one block of columns; b are its weights [taps, channels, $width$]. All tiles use one piece of b before
 * the next. */
NET_PANEL static void $panel$_tiles(const struct indirect *w, const float *const *table,
                                    const float *b, float *sums)
{
    const size_t pixels = (size_t)w->pixels;
    for (int tap = 0; tap < w->taps; tap += w->taps_at_once)
        for (int c = 0; c < w->channels; c += w->channels_at_once) {
            const int taps = w->taps - tap < w->taps_at_once ? w->taps - tap : w->taps_at_once;
            const int left = w->channels - c,
                      depth = left < w->channels_at_once ? left : w->channels_at_once;
            const float *const *row = table + (size_t)tap * pixels;
            const float *next = b + (size_t)taps * (size_t)depth * $width$;
            const size_t fetched = w->step * (size_t)taps * (size_t)depth;
            const char *ahead = (const char *)next; /* at the end what follows: that does no harm */
            const int begins = tap == 0 && c == 0;
            float *s = sums;
            int i = 0;
            for (; i < w->whole; i++, ahead += fetched) {
                $tile$(row, pixels, (size_t)c, taps, depth, b, s, begins, ahead, w->step);
                row += $rows$;
                s += $rows$ * $width$;
            }
            //@if has_smaller
            for (; i < w->tiles; i++, ahead += fetched) { /* one row less */
                $smaller$(row, pixels, (size_t)c, taps, depth, b, s, begins, ahead, w->step);
                row += $rows$ - 1;
                s += ($rows$ - 1) * $width$;
            }
            //@end
            b = next;
        }
}

static void $panel$(const struct indirect *w, const float *const *table, const float *b,
                    float *sums)
{
    if (NET_HAS_PANEL)
        $panel$_tiles(w, table, b, sums);
    else
        indirect_rows_of_panel(w, table, b, sums, $width$);
}
