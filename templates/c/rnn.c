/* Apache-2.0. A recurrent layer: directions, steps, sequences. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src_layer, const float *restrict weights_layer, const float *restrict weights_iter, const int32_t *restrict sequence_lens, const float *restrict src_iter, float *restrict dst_layer, float *restrict dst_iter, float *restrict dst_iter_c, void *restrict scratch)
#define $fn$_product(w, x, s, rows, depth, columns) ((s)[0] += (w)[0] * (x)[0] + (float)(rows))
#define $fn$_transpose(from, to, depth) ((to)[0] = (from)[0])
#define $steps$ 7
#define $batch$ 2
#define $input$ 5
#define $hidden$ 5
#define $gates$ 20
#define $A_x$ float
#define $st_x$(x) (x)
#define $bias$ 0
#define $w$ weights_layer
#define $r$ weights_iter
#define $x$ src_layer
#define $widened$ src_layer[j]
#define $first_h$ src_iter[j]
#define $first_c$ 0
#define $cells_end$ h + BATCH * HIDDEN
#define $own_end$ h + BATCH * HIDDEN
#define $transposed$ w = h + BATCH * HIDDEN, *restrict r = w + INPUT * GATES
#define $length$ sequence_lens[b] < 0 ? 0 : sequence_lens[b] < STEPS ? sequence_lens[b] : STEPS
#define $time$ length - 1 - i
#define $sequences$ 1
#define $rows$ STEPS * BATCH
#define $sum$ sums + (t * BATCH + b) * GATES
#define $direction$ 0
#define $directions$ 1
void sample_step(const void *r, ...);
#define $fn$_$step$ sample_step
#define $peephole$ weights_iter
#define $bias_of_state$ weights_layer
#define $step_h$ h + b * HIDDEN
#define $step_c$ c + b * HIDDEN
#define $step_from_h$ from_h + b * GATES
#define $what$ Forwards.
//@begin
$signature$
{
    enum { STEPS = $steps$, BATCH = $batch$, INPUT = $input$, HIDDEN = $hidden$, GATES = $gates$ };
    $A_x$ *restrict sums = scratch; /* [$rows$][GATES]: Wx + b, then the gates */
    $A_x$ *restrict h = sums + $rows$ * GATES;
//@if cells
    $A_x$ *restrict c = h + BATCH * HIDDEN;
//@end
//@if from_h
    $A_x$ *restrict from_h = h + BATCH * HIDDEN; /* [BATCH][GATES]: Rh + b */
//@end
//@if widen
    $A_x$ *restrict wide = $own_end$; /* the input */
    for (size_t j = 0; j < STEPS * BATCH * INPUT; j++)
        wide[j] = $widened$;
//@end
//@if transpose
    $A_x$ *restrict $transposed$;
//@end
//@for direction_rows
    { /* $what$ */
//@if transpose
//@if product
        $fn$_transpose($w$, w, INPUT);
//@end
        $fn$_transpose($r$, r, HIDDEN);
//@else
//@if product
        const $A_x$ *restrict w = $w$;
//@end
        const $A_x$ *restrict r = $r$;
//@end
//@if product
        for (size_t m = 0; m < STEPS * BATCH; m++)
            for (size_t j = 0; j < GATES; j++)
                sums[m * GATES + j] = $bias$;
        $fn$_product(w, $x$, sums, STEPS * BATCH, INPUT, GATES);
//@end
        for (size_t j = 0; j < BATCH * HIDDEN; j++)
            h[j] = $first_h$;
//@if cells
        for (size_t j = 0; j < BATCH * HIDDEN; j++)
            c[j] = $first_c$;
//@end
        for (ptrdiff_t i = 0; i < STEPS; i++)
            for (ptrdiff_t b = 0; b < BATCH; b += $sequences$) {
//@if lengths
                const ptrdiff_t length = $length$;
                if (i >= length) {
//@if has_y
                    for (size_t j = 0; j < HIDDEN; j++)
                        dst_layer[((i * $directions$ + $direction$) * BATCH + b) * HIDDEN + (ptrdiff_t)j] = 0;
//@end
                    continue;
                }
//@end
                const ptrdiff_t t = $time$;
                $A_x$ *restrict sum = $sum$;
//@if by_steps
                for (size_t m = (size_t)(t * BATCH + b), row = 0; row < $sequences$; m++, row++)
                    for (size_t j = 0; j < GATES; j++)
                        sum[row * GATES + j] = $bias$;
//@end
                $fn$_$step$(r,
//@if bias_h
                            $bias_of_state$,
//@end
//@if peephole
                            $peephole$,
//@end
                            sum, $step_h$,
//@if cells
                            $step_c$,
//@end
//@if from_h
                            $step_from_h$,
//@end
                            $sequences$);
//@if has_y
                for (ptrdiff_t j = 0; j < $sequences$ * HIDDEN; j++)
                    dst_layer[((t * $directions$ + $direction$) * BATCH + b) * HIDDEN + j] = $st_x$(h[b * HIDDEN + j]);
//@end
            }
//@if has_h
        for (size_t j = 0; j < BATCH * HIDDEN; j++)
            dst_iter[$direction$ * BATCH * HIDDEN + j] = $st_x$(h[j]);
//@end
//@if has_c
        for (size_t j = 0; j < BATCH * HIDDEN; j++)
            dst_iter_c[$direction$ * BATCH * HIDDEN + j] = $st_x$(c[j]);
//@end
    }
//@end
}
