/* Apache-2.0. One step of a gated recurrent unit. */
#include <stddef.h>
#define NET_INLINE static inline
#define $pragma$
#define $fn$_$step$ sample_step
#define $fn$_product(w, x, s, rows, depth, columns) ((void)r, (s)[0] += (w)[0] * (x)[0] + (float)(columns))
#define $prefix$_f(x) (x)
#define $prefix$_g(x) (x)
#define $A_x$ float
#define $T_x$ float
#define $hidden$ 5
#define $bias_h$ b[j]
#define $state_columns$ 3 * HIDDEN
#define $reset_n$ n
//@begin
/* z, r = f(Wx + Rh + b), n = g(…) with the reset state, h = (1 - z) n + z h; sum is Wx and its bias */
NET_INLINE void $fn$_$step$(const $A_x$ *restrict r,
//@if has_bias
                             const $T_x$ *restrict b,
//@end
                             $A_x$ *restrict sum, $A_x$ *restrict h, $A_x$ *restrict from_h, const size_t rows)
{
    enum { HIDDEN = $hidden$, GATES = 3 * HIDDEN };
    for (size_t m = 0; m < rows; m++)
        for (size_t j = 0; j < GATES; j++)
            from_h[m * GATES + j] = $bias_h$;
    $fn$_product(r, h, from_h, rows, HIDDEN, $state_columns$);
    for (size_t m = 0; m < rows; m++, sum += GATES, from_h += GATES, h += HIDDEN) {
        $pragma$
        for (size_t j = 0; j < 2 * HIDDEN; j++)
            sum[j] = $prefix$_f(sum[j] + from_h[j]);
//@if resets
        for (size_t j = 0; j < HIDDEN; j++)
            from_h[j] = sum[HIDDEN + j] * h[j];
        $fn$_product(r + 2 * HIDDEN, from_h, from_h + 2 * HIDDEN, 1, HIDDEN, HIDDEN);
//@end
        $pragma$
        for (size_t j = 0; j < HIDDEN; j++) {
            const $A_x$ n = from_h[2 * HIDDEN + j];
            const $A_x$ next = $prefix$_g(sum[2 * HIDDEN + j] + $reset_n$);
            h[j] = (1 - sum[j]) * next + sum[j] * h[j];
        }
    }
}

