/* Winograd convolution: the tiles of a block, of one size. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#define NET_KERNEL
#define $form$ 4
#define $tile$ 4
#define $window$ 3
struct winograd {
    int tiles;
};
static inline void winograd_input(int m, int r, const struct winograd *w, const float *restrict src,
                                  float *restrict operand, float *restrict edge, int first,
                                  int from, int to)
{
    operand[m * r * first] = src[from + to] + edge[w->tiles];
}
//@begin
NET_KERNEL static void winograd_input_$form$(const struct winograd *w, const float *restrict src,
                                             float *restrict operand, float *restrict edge,
                                             int first, int from, int to)
{
    winograd_input($tile$, $window$, w, src, operand, edge, first, from, to);
}
