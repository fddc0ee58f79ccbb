/* Apache-2.0. A recurrent layer in both directions: a step of the one and a step of the other in turns, neither of which waits for the other. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src_layer, const float *restrict weights_layer, const float *restrict weights_iter, const float *restrict src_iter, float *restrict dst_layer, float *restrict dst_iter, float *restrict dst_iter_c, void *restrict scratch)
#define $fn$_product(w, x, s, rows, depth, columns) ((s)[0] += (w)[0] * (x)[0] + (float)(rows))
#define $steps$ 7
#define $batch$ 2
#define $input$ 5
#define $hidden$ 5
#define $gates$ 20
#define $A_x$ float
#define $st_x$(x) (x)
#define $bias$ 0
#define $first_h$ src_iter[j]
#define $first_c$ 0
#define $own$ c
#define $what$ the cells
#define $size$ HIDDEN
#define $rows$ STEPS * BATCH
#define $sum$ sums + t * BATCH * GATES
void sample_step(const void *r, ...);
#define $fn$_step sample_step
#define $peephole$ weights_iter
#define $bias_of_state$ weights_layer
//@begin
$signature$
{
    enum { STEPS = $steps$, BATCH = $batch$, INPUT = $input$, HIDDEN = $hidden$, GATES = $gates$ };
    /* of a direction: [$rows$][GATES]: Wx + b, then the gates; the state; $what$ */
    enum { H_AT = $rows$ * GATES, OWN_AT = H_AT + BATCH * HIDDEN, ALL = OWN_AT + BATCH * $size$ };
    for (ptrdiff_t d = 0; d < 2; d++) { /* from the start; from the end */
        $A_x$ *restrict h = ($A_x$ *)scratch + d * ALL + H_AT;
//@if product
        $A_x$ *restrict sums = ($A_x$ *)scratch + d * ALL;
        for (ptrdiff_t m = 0; m < STEPS * BATCH; m++)
            for (ptrdiff_t j = 0; j < GATES; j++)
                sums[m * GATES + j] = $bias$;
        $fn$_product(weights_layer + d * GATES * INPUT, src_layer, sums, STEPS * BATCH, INPUT, GATES);
//@end
        for (ptrdiff_t j = 0; j < BATCH * HIDDEN; j++)
            h[j] = $first_h$;
//@if cells
        $A_x$ *restrict c = ($A_x$ *)scratch + d * ALL + OWN_AT;
        for (ptrdiff_t j = 0; j < BATCH * HIDDEN; j++)
            c[j] = $first_c$;
//@end
    }
    for (ptrdiff_t i = 0; i < STEPS; i++)
        for (ptrdiff_t d = 0; d < 2; d++) {
            const ptrdiff_t t = d ? STEPS - 1 - i : i;
            $A_x$ *restrict sums = ($A_x$ *)scratch + d * ALL, *restrict sum = $sum$;
            $A_x$ *restrict h = sums + H_AT;
//@if has_own
            $A_x$ *restrict $own$ = sums + OWN_AT;
//@end
//@if by_steps
            for (ptrdiff_t m = t * BATCH, row = 0; row < BATCH; m++, row++)
                for (ptrdiff_t j = 0; j < GATES; j++)
                    sum[row * GATES + j] = $bias$;
//@end
            $fn$_step(weights_iter + d * GATES * HIDDEN,
//@if bias_h
                      $bias_of_state$,
//@end
//@if peephole
                      $peephole$,
//@end
                      sum, h,
//@if has_own
                      $own$,
//@end
                      BATCH);
//@if has_y
            for (ptrdiff_t j = 0; j < BATCH * HIDDEN; j++)
                dst_layer[(t * 2 + d) * BATCH * HIDDEN + j] = $st_x$(h[j]);
//@end
        }
//@if has_h
    for (ptrdiff_t d = 0; d < 2; d++)
        for (ptrdiff_t j = 0; j < BATCH * HIDDEN; j++)
            dst_iter[d * BATCH * HIDDEN + j] = $st_x$((($A_x$ *)scratch)[d * ALL + H_AT + j]);
//@end
//@if has_c
    for (ptrdiff_t d = 0; d < 2; d++)
        for (ptrdiff_t j = 0; j < BATCH * HIDDEN; j++)
            dst_iter_c[d * BATCH * HIDDEN + j] = $st_x$((($A_x$ *)scratch)[d * ALL + OWN_AT + j]);
//@end
}
