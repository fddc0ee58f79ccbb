/* oneDNN: running a layer that is one primitive. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $label$ sample
#define $index$ 0
#define $context_params$ const struct sample_context *ctx
#define $arg$ DNNL_ARG_SRC
#define $slot$ 0
#define $n_args$ 1
struct sample_context {
    dnnl_memory_t memory[1];
    dnnl_primitive_t primitive[1];
    dnnl_stream_t stream;
};
//@begin
static dnnl_status_t run_$label$($context_params$)
{
    const dnnl_exec_arg_t args[] = {
//@for arguments
        {.arg = $arg$, .memory = ctx->memory[$slot$]},
//@end
    };
    return dnnl_primitive_execute(ctx->primitive[$index$], ctx->stream, $n_args$, args);
}
