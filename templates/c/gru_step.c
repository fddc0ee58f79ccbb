/* Apache-2.0. One step of a gated recurrent unit. */
#include <stddef.h>
#define NET_INLINE static inline
#define $step_head$ NET_INLINE void sample_step(const float *restrict w, const float *restrict r, const float *restrict b, const float *restrict x, float *restrict h, float *restrict gate)
#define $fn$_dot(w, x, n) ((w)[0] * (x)[0] * n)
#define $prefix$_f(x) (x)
#define $prefix$_g(x) (x)
#define $A_x$ float
#define $hidden$ 5
#define $input$ 5
#define from_h$plus_bias$ from_h + b[j]
#define $plus_bias_x$ +b[j]
#define $plus_bias_h$ +b[j]
#define $state$ h
#define $from_state$ from_h
//@begin
/* z, r = f(Wx + Rh + b), n = g(…) with the reset state, h = (1 - z) n + z h */
$step_head$
{
    enum { HIDDEN = $hidden$, INPUT = $input$ };
    $A_x$ *restrict reset = gate + HIDDEN, *restrict next = gate + 2 * HIDDEN;
    for (size_t j = 0; j < 2 * HIDDEN; j++) {
        const $A_x$ from_x = $fn$_dot(w + j * INPUT, x, INPUT);
        const $A_x$ from_h = $fn$_dot(r + j * HIDDEN, h, HIDDEN);
        gate[j] = $prefix$_f(from_x + from_h$plus_bias$);
    }
//@if resets
    for (size_t j = 0; j < HIDDEN; j++)
        reset[j] *= h[j];
//@end
    for (size_t j = 0; j < HIDDEN; j++) {
        const size_t row = j + 2 * HIDDEN;
        const $A_x$ from_x = $fn$_dot(w + row * INPUT, x, INPUT)$plus_bias_x$;
        const $A_x$ from_h = $fn$_dot(r + row * HIDDEN, $state$, HIDDEN)$plus_bias_h$;
        next[j] = $prefix$_g(from_x + $from_state$);
    }
    for (size_t j = 0; j < HIDDEN; j++)
        h[j] = (1 - gate[j]) * next[j] + gate[j] * h[j];
}

