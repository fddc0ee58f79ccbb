/* Products by panels of weights: what tiles may end with. SPDX-License-Identifier: Apache-2.0 */
//@begin
/* Where tiles put their results once they have finished them themselves: bias and post-ops, which read operands, on the complete sums of a block, whose first is
 * channel `channel` of pixel `pixel` of dst. */
struct panel_end {
    const float *const *operand;
    float *dst;
    int dst_pixel; /* floats between neighbouring pixels */
    int pixel, channel;
};

/* Before a loop over columns, which do not depend on each other; gcc would unroll it before it looks for vectors. */
#if defined(__clang__)
#define PANEL_COLUMNS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PANEL_COLUMNS _Pragma("GCC unroll 1") _Pragma("GCC ivdep")
#else
#define PANEL_COLUMNS
#endif
