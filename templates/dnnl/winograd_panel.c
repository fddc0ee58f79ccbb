/* Winograd convolution in C: a block of columns of one matrix product. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_PANEL
#define NET_HAS_PANEL 1
#define $panel$ winograd_panel_sample
#define $panel$_tiles winograd_panel_sample_tiles
#define $tile$ tile_sample
#define $smaller$ tile_smaller
#define $rows$ 7
#define $width$ 64
struct winograd {
    int channels, channels_at_once, product_tiles, whole;
    size_t step;
};
static void tile_sample(const float *const *row, size_t next, size_t at, int taps, int depth,
                        const float *b, float *sums, int begins, const char *ahead, size_t step)
{
    sums[begins] += row[next * (size_t)taps][at + (size_t)depth] * b[0] + (float)ahead[step];
}
#define tile_smaller tile_sample
static void winograd_rows_of_panel(const struct winograd *w, const float *const *row, size_t at,
                                   const float *b, float *sums, int rows, int width)
{
    sums[rows] = row[w->channels][at] + b[width];
}
//@begin
/* The sums [block, $width$] of one block of columns: rows are at row[0] + at, row[1] + at, …, b are its weights [channels, $width$]. All
 * tiles use one piece of b before the next. */
NET_PANEL static void $panel$_tiles(const struct winograd *w, const float *const *row, size_t at,
                                    const float *b, float *sums)
{
    for (int c = 0; c < w->channels; c += w->channels_at_once) {
        const int left = w->channels - c,
                  depth = left < w->channels_at_once ? left : w->channels_at_once;
        const float *const *r = row;
        const float *next = b + (size_t)depth * $width$;
        const char *ahead = (const char *)next; /* at the end what follows: that does no harm */
        const size_t fetched = w->step * (size_t)depth, from = at + (size_t)c;
        float *s = sums;
        int i = 0;
        for (; i < w->whole; i++, ahead += fetched) {
            $tile$(r, 0, from, 1, depth, b, s, c == 0, ahead, w->step);
            r += $rows$;
            s += $rows$ * $width$;
        }
        //@if has_smaller
        for (; i < w->product_tiles; i++, ahead += fetched) { /* one row less */
            $smaller$(r, 0, from, 1, depth, b, s, c == 0, ahead, w->step);
            r += $rows$ - 1;
            s += ($rows$ - 1) * $width$;
        }
        //@end
        b = next;
    }
}

static void $panel$(const struct winograd *w, const float *const *row, size_t at, const float *b,
                    float *sums)
{
    if (NET_HAS_PANEL)
        $panel$_tiles(w, row, at, b, sums);
    else
        winograd_rows_of_panel(w, row, at, b, sums, w->whole + w->product_tiles * ($rows$ - 1),
                               $width$);
}
