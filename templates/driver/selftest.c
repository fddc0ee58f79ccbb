/* The self-test of an emitted model. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_selftest.h"
#include "header.h"
#define $header$ "header.h"
#define $selftest_header$ "../../runtime-stub/dnnlc_selftest.h"
#define $value$ 0
#define $allowed$ 0
#define $dtype$ 1
#define $count$ 1
#define $at$ 0
#define $blocks$ 1
#define $golden$ golden_$index$
#define $rows_in$ 0
#define $row$ 0
#define $capacity$ 0
#define $member$ x
#define $number$ 0
#define $in_at$ 0
#define $out_at$ 0
#define $bytes$ 4
#define $type$ float
//@begin
$banner$
#include $header$

#include $selftest_header$

#include <math.h>
#include <string.h>

enum { SEED = 1 };

//@if n_inputs
static const struct dnnlc_golden_input inputs[] = {
//@for inputs
    {$dtype$, $count$, $at$},
//@end
};

//@end
//@for outputs
//@if blocks
static const struct dnnlc_golden golden_$index$[] = {
//@for goldens
    {$value$, $allowed$}, /* $about$ */
//@end
};

//@end
//@end
static const struct dnnlc_golden_output outputs[] = {
//@for outputs
    {$dtype$, $count$, $at$, $blocks$, $golden$, $rows_in$, $row$, $capacity$}, /* $about$ */
//@end
};

$name$_status $name$_selftest($name$_context *ctx, void *memory, size_t size, size_t *output)
{
    unsigned char *bytes = memory;
    if (!ctx || !memory || !output || size < $upper$_SELFTEST_SIZE || (uintptr_t)memory % 64 != 0)
        return $upper$_BAD_ARGUMENT;
    memset(bytes, 0xff, $upper$_SELFTEST_SIZE); /* an element that is not written will show */
//@if n_inputs
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
        dnnlc_store_all_random(inputs[k].dtype, bytes + inputs[k].at, inputs[k].count, SEED, k);
//@end
    const $name$_inputs in = {
//@for inputs
//@if is_state
//@else
        .$member$ = (const void *)(bytes + $at$),
//@end
//@end
//@if no_inputs
        0,
//@end
    };
    const $name$_outputs out = {
//@for outputs
//@if is_state
//@else
        .$member$ = (void *)(bytes + $at$),
//@end
//@end
//@if no_outputs
        0,
//@end
    };
//@if states
    if (!$name$_state(ctx, 0, NULL))
        return $upper$_BAD_ARGUMENT;
//@end
//@for states
    memcpy($name$_state(ctx, $number$, NULL), bytes + $in_at$, $bytes$);
//@end
    const $name$_status ran = $name$_run(ctx, &in, &out);
//@for states
    memcpy(bytes + $out_at$, $name$_state(ctx, $number$, NULL), $bytes$);
//@end
//@if states
    $name$_reset(ctx);
//@end
    for (*output = 0; ran == $upper$_OK && *output < sizeof outputs / sizeof *outputs; ++*output)
        if (!dnnlc_output_agrees(outputs, *output, bytes))
            return $upper$_MISMATCH;
    return ran;
}
