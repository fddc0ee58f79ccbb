/* Apache-2.0. One step of a simple recurrent layer. */
#include <stddef.h>
#define NET_INLINE static inline
#define $step_head$ NET_INLINE void sample_step(const float *restrict w, const float *restrict r, const float *restrict b, const float *restrict x, float *restrict h, float *restrict gate)
#define $fn$_dot(w, x, n) ((w)[0] * (x)[0] * n)
#define $prefix$_f(x) (x)
#define $hidden$ 5
#define $input$ 5
#define $A_x$ float
#define from_h$plus_bias$ from_h + b[j]
//@begin
/* h = f(Wx + Rh + b) */
$step_head$
{
    enum { HIDDEN = $hidden$, INPUT = $input$ };
    for (size_t j = 0; j < HIDDEN; j++) {
        const $A_x$ from_x = $fn$_dot(w + j * INPUT, x, INPUT);
        const $A_x$ from_h = $fn$_dot(r + j * HIDDEN, h, HIDDEN);
        gate[j] = from_x + from_h$plus_bias$;
    }
    for (size_t j = 0; j < HIDDEN; j++)
        h[j] = $prefix$_f(gate[j]);
}

