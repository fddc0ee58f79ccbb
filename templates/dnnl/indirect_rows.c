/* Convolution in C: a block of columns, row by row. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_KERNEL
struct indirect {
    int taps, taps_at_once, channels, channels_at_once, pixels;
};
//@begin
/* Goes on with one row of sums: those of `taps` rows of the table, `next` pointers apart, from channel `at` on, times `depth` rows of b
 * for each. */
NET_KERNEL static void indirect_row(const float *const *row, size_t next, size_t at, int taps,
                                    int depth, const float *restrict b, float *restrict sums,
                                    int width)
{
    for (int tap = 0; tap < taps; tap++, row += next)
        for (int k = 0; k < depth; k++, b += width)
            for (int j = 0; j < width; j++)
                sums[j] += row[0][at + (size_t)k] * b[j];
}

/* The same as the tiles below compute, on CPUs that they are not made for: the sums [pixels, width] of one block of columns. */
static void indirect_rows_of_panel(const struct indirect *w, const float *const *table,
                                   const float *b, float *sums, int width)
{
    const size_t pixels = (size_t)w->pixels, columns = (size_t)width;
    for (size_t i = 0; i < pixels * columns; i++)
        sums[i] = 0;
    for (int tap = 0; tap < w->taps; tap += w->taps_at_once)
        for (int c = 0; c < w->channels; c += w->channels_at_once) {
            const int taps = w->taps - tap < w->taps_at_once ? w->taps - tap : w->taps_at_once;
            const int left = w->channels - c,
                      depth = left < w->channels_at_once ? left : w->channels_at_once;
            for (size_t i = 0; i < pixels; i++)
                indirect_row(table + (size_t)tap * pixels + i, pixels, (size_t)c, taps, depth, b,
                             sums + i * columns, width);
            b += (size_t)taps * (size_t)depth * columns;
        }
}
