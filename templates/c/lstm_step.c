/* Apache-2.0. One step of a long short-term memory. */
#include <math.h>
#include <stddef.h>
#define NET_INLINE static inline
#define $fn$_$step$ sample_step
#define $fn$_product(w, x, s, rows, depth, columns) ((void)r, (s)[0] += (w)[0] * (x)[0] + (float)(columns))
#define $prefix$_f(x) (x)
#define $prefix$_g(x) (x)
#define $prefix$_h(x) (x)
#define $A_x$ float
#define $T_x$ float
#define $hidden$ 5
#define $peep_i$ +p[0] * c[j]
#define $peep_o$ +p[0] * c[j]
#define $forget$ 1 - i
//@begin
/* i, o, f = f(Wx + Rh + b), c = f c + i g(…), h = o h(c); sum is Wx + b */
NET_INLINE void $fn$_$step$(const $A_x$ *restrict r,
//@if peephole
                             const $T_x$ *restrict p,
//@end
                             $A_x$ *restrict sum, $A_x$ *restrict h, $A_x$ *restrict c, const size_t rows)
{
    enum { HIDDEN = $hidden$ };
//@if quantised
    float low = 0, high = 0; /* h takes the values that bytes can have over this range */
    for (size_t j = 0; j < rows * HIDDEN; j++) {
        low = h[j] < low ? h[j] : low;
        high = h[j] > high ? h[j] : high;
    }
    const float scale = high > low ? (high - low) / 255 : 1, zero = rintf(-low / scale);
    for (size_t j = 0; j < rows * HIDDEN; j++) {
        const float q = rintf(h[j] / scale) + zero;
        h[j] = ((q < 255 ? q : 255) - zero) * scale;
    }
//@end
    $fn$_product(r, h, sum, rows, HIDDEN, 4 * HIDDEN);
    for (size_t m = 0; m < rows; m++, sum += 4 * HIDDEN, h += HIDDEN, c += HIDDEN)
        for (size_t j = 0; j < HIDDEN; j++) {
            const $A_x$ i = $prefix$_f(sum[j]$peep_i$);
            const $A_x$ f = $forget$;
            c[j] = f * c[j] + i * $prefix$_g(sum[3 * HIDDEN + j]);
            h[j] = $prefix$_f(sum[HIDDEN + j]$peep_o$) * $prefix$_h(c[j]);
        }
}

