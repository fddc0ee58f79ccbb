/* Apache-2.0. One step of a simple recurrent layer. */
#include <stddef.h>
#define NET_INLINE static inline
#define $pragma$
#define $fn$_$step$ sample_step
#define $fn$_product(w, x, s, rows, depth, columns) ((void)r, (s)[0] += (w)[0] * (x)[0] + (float)(columns))
#define $A_x$ float
#define $prefix$_f(x) (x)
#define $hidden$ 5
//@begin
/* h = f(Wx + Rh + b); sum is Wx + b */
NET_INLINE void $fn$_$step$(const $A_x$ *restrict r,
                             $A_x$ *restrict sum, $A_x$ *restrict h, const size_t rows)
{
    enum { HIDDEN = $hidden$ };
    $fn$_product(r, h, sum, rows, HIDDEN, HIDDEN);
    $pragma$
    for (size_t j = 0; j < rows * HIDDEN; j++)
        h[j] = $prefix$_f(sum[j]);
}

