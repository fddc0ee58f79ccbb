/* Apache-2.0. A recurrent layer: directions, sequences, steps. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src0, const float *restrict src1, const int32_t *restrict src4, const float *restrict src5, const float *restrict src6, float *restrict dst0, float *restrict dst1, float *restrict dst2, void *restrict scratch)
#define $steps$ 7
#define $batch$ 2
#define $input$ 5
#define $hidden$ 5
#define $gates$ 4
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $first_h$ src5[(0 * BATCH + b) * HIDDEN + j]
#define $first_c$ 0
#define $length$ src4[b] < 0 ? 0 : src4[b] < STEPS ? src4[b] : STEPS
#define $time$ length - 1 - i
#define $direction$ 0
#define $directions$ 1
#define $widened$ src0[j]
#define $input_row$ src0
#define $call_step$ (void)x, (void)gate, (void)src1, (void)src5, (void)src6;
#define $what$ Forwards.
//@begin
$signature$
{
    enum { STEPS = $steps$, BATCH = $batch$, INPUT = $input$, HIDDEN = $hidden$ };
    $A_x$ *restrict h = scratch, *restrict gate = h + HIDDEN;
//@if cells
    $A_x$ *restrict c = gate + $gates$ * HIDDEN;
//@end
//@if widen
    $A_x$ *restrict wide = gate + ($gates$ + 1) * HIDDEN;
//@end
//@for direction_rows
    for (ptrdiff_t b = 0; b < BATCH; b++) { /* $what$ */
        const ptrdiff_t at = ($direction$ * BATCH + b) * HIDDEN;
        const ptrdiff_t length = $length$;
        for (ptrdiff_t j = 0; j < HIDDEN; j++)
            h[j] = $first_h$;
//@if cells
        for (ptrdiff_t j = 0; j < HIDDEN; j++)
            c[j] = $first_c$;
//@end
        for (ptrdiff_t i = 0; i < length; i++) {
            const ptrdiff_t t = $time$;
//@if widen
            for (ptrdiff_t j = 0; j < INPUT; j++)
                wide[j] = $widened$;
//@end
            const $A_x$ *restrict x = $input_row$;
            $call_step$
//@if has_y
            for (ptrdiff_t j = 0; j < HIDDEN; j++)
                dst0[t * ($directions$ * BATCH * HIDDEN) + at + j] = $st_x$(h[j]);
//@end
        }
//@if has_y
//@if lengths
        for (ptrdiff_t t = length; t < STEPS; t++)
            for (ptrdiff_t j = 0; j < HIDDEN; j++)
                dst0[t * ($directions$ * BATCH * HIDDEN) + at + j] = 0;
//@end
//@end
//@if has_h
        for (ptrdiff_t j = 0; j < HIDDEN; j++)
            dst1[at + j] = $st_x$(h[j]);
//@end
//@if has_c
        for (ptrdiff_t j = 0; j < HIDDEN; j++)
            dst2[at + j] = $st_x$(c[j]);
//@end
    }
//@end
}
