/* The self-test of an emitted model. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_selftest.h"
#include "header.h"
#define $internal$ "header.h"
#define NET_TABLE
#define $selftest_header$ "../../runtime-stub/dnnlc_selftest.h"
#define $value$ 0
#define $allowed$ 0
#define $dtype$ 1
#define $count$ 1
#define $at$ 0
#define $blocks$ 1
#define $golden$ golden_0
#define $counted$(...) __VA_ARGS__
#define $rows_in$ 0
#define $row$ 0
#define $capacity$ 0
#define $member$ x
#define $number$ 0
#define $input$ 0
#define $output$ 0
#define $index$ 0
#define $n_inputs$ 1
#define $n_outputs$ 1
#define $model$ 0
#define $which$ 0
#define $bytes$ 4
#define $type$ float
//@begin
$banner$
#include $internal$

#include $selftest_header$

#include <math.h>
#include <string.h>

enum { SEED = 1 };

//@for models
//@if n_inputs
NET_TABLE static const struct dnnlc_golden_input inputs_$model$[] = {
//@for inputs
    {$dtype$, $count$, $at$},
//@end
};

//@end
//@for outputs
//@if blocks
NET_TABLE static const struct dnnlc_golden $golden$[] = {
//@for goldens
    {$value$, $allowed$}, /* $about$ */
//@end
};

//@end
//@end
static const struct dnnlc_golden_output outputs_$model$[] = {
//@for outputs
    {$dtype$, $count$, $at$, $blocks$, $golden$, {$counted$({$rows_in$, $row$, $capacity$})}}, /* $about$ */
//@end
};

//@end
//@if n_inputs
static const struct dnnlc_golden_input *const inputs_of[] = {
//@for models
    inputs_$model$,
//@end
};

//@end
static const struct dnnlc_golden_output *const outputs_of[] = {
//@for models
    outputs_$model$,
//@end
};

/* One run, on inputs and for outputs of a table each. */
static $name$_status run_model($name$_context *ctx, unsigned char *bytes, unsigned model,
                               size_t *output)
{
    const struct dnnlc_golden_output *const outputs = outputs_of[model];
    memset(bytes, 0xff, $upper$_SELFTEST_SIZE); /* an element that is not written will show */
//@if n_inputs
    const struct dnnlc_golden_input *const inputs = inputs_of[model];
    for (size_t k = 0; k < $n_inputs$; k++)
        dnnlc_store_all_random(inputs[k].dtype, bytes + inputs[k].at, inputs[k].count, SEED, k);
//@end
//@for bounds
    const int64_t rows_$index$ = dnnlc_tested_rows($most$, model);
    memcpy(bytes + inputs[$index$].at, &rows_$index$, sizeof rows_$index$);
//@end
    const $name$_inputs in = {
//@for members_in
//@if is_state
//@else
        .$member$ = (const void *)(bytes + inputs[$index$].at),
//@end
//@end
//@if no_inputs
        0,
//@end
    };
    const $name$_outputs out = {
//@for members_out
//@if is_state
//@else
        .$member$ = (void *)(bytes + outputs[$index$].at),
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
    memcpy($name$_state(ctx, $number$, NULL), bytes + inputs[$input$].at, $bytes$);
//@end
    const $name$_status ran = $name$_run(ctx, &in, &out);
//@for states
    memcpy(bytes + outputs[$output$].at, $name$_state(ctx, $number$, NULL), $bytes$);
//@end
//@if states
    $name$_reset(ctx);
//@end
    for (*output = 0; ran == $upper$_OK && *output < $n_outputs$; ++*output)
        if (!dnnlc_output_agrees(outputs, *output, bytes))
            return $upper$_MISMATCH;
    return ran;
}

$name$_status $name$_selftest($name$_context *ctx, void *memory, size_t size, size_t *output)
{
    if (!ctx || !memory || !output || size < $upper$_SELFTEST_SIZE || (uintptr_t)memory % 64 != 0)
        return $upper$_BAD_ARGUMENT;
//@if bounded
    $name$_status ran = $upper$_OK;
    for (unsigned part = 0; part < DNNLC_TESTED_ROWS && ran == $upper$_OK; part++)
        ran = run_model(ctx, memory, part, output);
    return ran;
//@else
    return run_model(ctx, memory, $which$, output);
//@end
}
