/* Apache-2.0. One step of a long short-term memory. */
#include <stddef.h>
#define NET_INLINE static inline
#define $step_head$ NET_INLINE void sample_step(const float *restrict w, const float *restrict r, const float *restrict b, const float *restrict p, const float *restrict x, float *restrict h, float *restrict c, float *restrict gate)
#define $fn$_dot(w, x, n) ((w)[0] * (x)[0] * n)
#define $prefix$_f(x) (x)
#define $prefix$_g(x) (x)
#define $prefix$_h(x) (x)
#define $A_x$ float
#define $hidden$ 5
#define $input$ 5
#define from_h$plus_bias$ from_h + b[j]
#define $peep_i$ +p[0] * c[j]
#define $peep_o$ +p[0] * c[j]
#define $forget$ 1 - i
//@begin
/* i, o, f = f(Wx + Rh + b), c = f c + i g(…), h = o h(c) */
$step_head$
{
    enum { HIDDEN = $hidden$, INPUT = $input$ };
    for (size_t j = 0; j < 4 * HIDDEN; j++) {
        const $A_x$ from_x = $fn$_dot(w + j * INPUT, x, INPUT);
        const $A_x$ from_h = $fn$_dot(r + j * HIDDEN, h, HIDDEN);
        gate[j] = from_x + from_h$plus_bias$;
    }
    for (size_t j = 0; j < HIDDEN; j++) {
        const $A_x$ *restrict sum = gate + j;
        const $A_x$ i = $prefix$_f(sum[0]$peep_i$);
        const $A_x$ f = $forget$;
        c[j] = f * c[j] + i * $prefix$_g(sum[3 * HIDDEN]);
        h[j] = $prefix$_f(sum[HIDDEN]$peep_o$) * $prefix$_h(c[j]);
    }
}

