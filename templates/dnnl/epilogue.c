/* oneDNN: a layer with an epilogue in C. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#include <stdint.h>
#define $label$ sample
#define $function$ finish_sample
#define $run_params$ const struct sample_context *ctx, const struct sample_memory *m
#define $index$ 0
#define $threads$ 2
#define $pixels$ 64
#define $rows$ 32
#define $src_pixel$ 8
#define $dst_pixel$ 8
#define $src_slot$ 0
#define $dst_slot$ 1
#define $arguments$ {DNNL_ARG_SRC}
#define $memory$ ctx->memory + 1
#define $n_args$ 1
#define $pointer$ src
#define $address$ weights_at(m, 64)
#define $dst$ workspace_at(m, 0)
#define $operands$(...)
#define $sizes$ 16
struct sample_context {
    dnnl_memory_t memory[8];
    dnnl_primitive_t primitive[1];
    dnnl_stream_t stream;
    int threads;
};
struct sample_memory {
    unsigned char *workspace;
    const unsigned char *weights;
};
static inline void *workspace_at(const struct sample_memory *m, size_t offset)
{
    return m->workspace + offset;
}
static inline const void *weights_at(const struct sample_memory *m, size_t offset)
{
    return m->weights + offset;
}
static void finish_sample(float *dst, size_t channels, size_t first, size_t from, size_t to)
{
    dst[first + from] += (float)(to * channels);
}
//@begin
static const int args_$label$[] = $arguments$;

static dnnl_status_t run_$label$($run_params$)
{
//@for pointers
    const float *$pointer$ = $address$;
//@end
    float *dst = $dst$;
    for (size_t first = 0; first < $pixels$; first += $rows$) {
        dnnl_memory_set_data_handle(ctx->memory[$src_slot$],
                                    (void *)(uintptr_t)(src + first * $src_pixel$));
//@if moves_dst
        dnnl_memory_set_data_handle(ctx->memory[$dst_slot$], dst + first * $dst_pixel$);
//@end
        DNNLC_TRY(dnnlc_execute(ctx->primitive[$index$], ctx->stream, $memory$, args_$label$, $n_args$));
//@if one_thread
        $function$($operands$($operand$, )dst, $sizes$, first, 0, $rows$);
//@else
        DNNLC_PARALLEL_FOR(ctx->threads)
        for (int part = 0; part < $threads$; part++)
            $function$($operands$($operand$, )dst, $sizes$, first, (size_t)part * $rows$ / $threads$,
                       (size_t)(part + 1) * $rows$ / $threads$);
//@end
    }
    return dnnl_success;
}
