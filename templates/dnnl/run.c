/* oneDNN: running a layer that is one primitive. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $label$ sample
#define $index$ 0
#define $context_params$ const struct sample_context *ctx
#define $arguments$ {DNNL_ARG_SRC}
#define $memory$ ctx->memory + 1
#define $n_args$ 1
struct sample_context {
    dnnl_memory_t memory[2];
    dnnl_primitive_t primitive[1];
    dnnl_stream_t stream;
};
//@begin
static const int args_$label$[] = $arguments$;

static dnnl_status_t run_$label$($context_params$)
{
    return dnnlc_execute(ctx->primitive[$index$], ctx->stream, $memory$, args_$label$, $n_args$);
}
