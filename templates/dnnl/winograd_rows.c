/* Winograd convolution in C: a block of columns of one matrix product, row by row. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define NET_KERNEL
struct winograd {
    int channels;
};
//@begin
/* The same as the tiles below compute, on CPUs that they are not made for: the sums [rows, width] of one block of columns. */
NET_KERNEL static void winograd_rows_of_panel(const struct winograd *w, const float *const *row,
                                              size_t at, const float *restrict b,
                                              float *restrict sums, int rows, int width)
{
    for (int i = 0; i < rows; i++, sums += width) {
        const float *a = row[i] + at;
        for (int j = 0; j < width; j++)
            sums[j] = 0;
        for (int c = 0; c < w->channels; c++)
            for (int j = 0; j < width; j++)
                sums[j] += a[c] * b[c * width + j];
    }
}
