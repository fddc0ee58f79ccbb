/* oneDNN: attention (MatMul, Softmax, MatMul). Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_primitives.h" /* dnnl.h */
#define NET_KERNEL
#define $label$ sample
#define $create_params$ struct dnnlc_setup *s, const void *row
#define $run_params$ const struct sample_context *ctx, const struct sample_memory *m, const struct at_$label$ *at
#define $run_args$ ctx, m, at
#define $index$ at->index
#define $second$ 1
#define $third$ 2
#define $slot$ 0
#define $threads$ 2
#define $sets$ 2
#define $blocks$ 8
#define $first$ size_t batch = (size_t)block / 4, head = (size_t)block / 2 % 2 * 2, row = (size_t)block % 2 * 8
#define $block_batches$ 1
#define $block_heads$ 2
#define $block_rows$ 8
#define $keys$ 20
#define $set_bytes$ 4096
#define $probabilities_at$ 1024
#define $scratchpad_at$ 2048
#define $scratchpad_bytes$ 64
#define $scratch$ 4096
#define $scale$ 0.125f
#define $start$ 0.125f * s[i]
#define $result$ v + mask_0[i]
#define $type$ float
#define $row$ mask_0
#define $at_row$ mask0 + (row + r)
#define $name$_md sample_md
#define $md$ {dnnl_f32, dnnl_abc, 3, {{1, 2, 3}}}
#define $query_md$ sample_md
#define $key_md$ sample_md
#define $value_md$ sample_md
#define $scores_md$ sample_md
#define $rows_md$ sample_md
#define $dst_md$ sample_md
#define $query$ (const float *)weights_at(m, 64) + row + head + batch
#define $key$ weights_at(m, 64)
#define $value$ weights_at(m, 64)
#define $dst$ workspace_at(m, 0)
#define $indices$(...) __VA_ARGS__
#define $at$ row
#define $masks$(...) __VA_ARGS__
#define $mask$ mask0
#define $address$ weights_at(m, 64)
struct sample_context {
    dnnl_memory_t memory[22];
    dnnl_primitive_t primitive[3];
    dnnl_stream_t stream;
    int threads;
};
struct sample_memory {
    unsigned char *workspace;
    const unsigned char *weights;
};
struct at_$label$ {
    unsigned index;
};
static inline void *workspace_at(const struct sample_memory *m, size_t offset)
{
    return m->workspace + offset;
}
static inline const void *weights_at(const struct sample_memory *m, size_t offset)
{
    return m->weights + offset;
}
//@begin
DNNLC_SETUP void create_$label$($create_params$)
{
//@if has_row
    const struct at_$label$ *at = row;
//@end
//@for mds
    const struct dnnlc_md $name$_md = $md$;
//@end
    struct dnnlc_layer l;
    dnnlc_begin(&l, s, $index$);
    dnnl_memory_desc_t query = dnnlc_describe(&l, &$query_md$);
    dnnl_memory_desc_t key = dnnlc_describe(&l, &$key_md$);
    dnnl_memory_desc_t scores = dnnlc_describe(&l, &$scores_md$);
//@if scaled
    dnnlc_append_eltwise(&l, dnnl_eltwise_linear, $scale$, 0.0f);
//@end
    dnnlc_matmul(&l, query, key, NULL, scores);
    for (unsigned set = 0; set < $sets$; set++) {
        unsigned char *scratch = s->workspace + $scratch$ + set * (size_t)$set_bytes$;
        dnnlc_memory(&l, $slot$ + 11 * set, query, NULL);
        dnnlc_memory(&l, $slot$ + 1 + 11 * set, key, NULL);
        dnnlc_memory(&l, $slot$ + 2 + 11 * set, scores, scratch);
        dnnlc_scratchpad(&l, $slot$ + 3 + 11 * set, scratch + $scratchpad_at$, $scratchpad_bytes$);
    }
    dnnlc_end(&l);
    dnnlc_begin_as(&l, s, $index$, $second$);
    dnnl_memory_desc_t rows = dnnlc_describe(&l, &$rows_md$);
    dnnlc_softmax(&l, dnnl_softmax_accurate, rows, rows, 1);
    for (unsigned set = 0; set < $sets$; set++) {
        unsigned char *scratch = s->workspace + $scratch$ + set * (size_t)$set_bytes$;
        dnnlc_memory(&l, $slot$ + 4 + 11 * set, rows, scratch);
        dnnlc_memory(&l, $slot$ + 5 + 11 * set, rows, scratch + $probabilities_at$);
        dnnlc_scratchpad(&l, $slot$ + 6 + 11 * set, scratch + $scratchpad_at$, $scratchpad_bytes$);
    }
    dnnlc_end(&l);
    dnnlc_begin_as(&l, s, $index$, $third$);
    dnnl_memory_desc_t probabilities = dnnlc_describe(&l, &$scores_md$);
    dnnl_memory_desc_t value = dnnlc_describe(&l, &$value_md$);
    dnnl_memory_desc_t dst = dnnlc_describe(&l, &$dst_md$);
    dnnlc_matmul(&l, probabilities, value, NULL, dst);
    for (unsigned set = 0; set < $sets$; set++) {
        unsigned char *scratch = s->workspace + $scratch$ + set * (size_t)$set_bytes$;
        dnnlc_memory(&l, $slot$ + 7 + 11 * set, probabilities, scratch + $probabilities_at$);
        dnnlc_memory(&l, $slot$ + 8 + 11 * set, value, NULL);
        dnnlc_memory(&l, $slot$ + 9 + 11 * set, dst, NULL);
        dnnlc_scratchpad(&l, $slot$ + 10 + 11 * set, scratch + $scratchpad_at$, $scratchpad_bytes$);
    }
    dnnlc_end(&l);
}

//@if masked
/* Operations on the scores of the block that begins at these indices, before the softmax. */
NET_KERNEL static void mask_$label$($indices$(size_t $at$, )$masks$(const $type$ *$mask$, )float *restrict scores)
{
    for (size_t b = 0; b < $block_batches$; b++)
        for (size_t h = 0; h < $block_heads$; h++)
            for (size_t r = 0; r < $block_rows$; r++) {
                float *restrict s = scores + ((b * $block_heads$ + h) * $block_rows$ + r) * $keys$;
//@for masks
                const $type$ *restrict $row$ = $at_row$;
//@end
                for (size_t i = 0; i < $keys$; i++) {
                    float v = $start$;
//@for statements
                    v = $result$;
//@end
                    s[i] = v;
                }
            }
}

//@end
/* The batches, heads and rows of one block, with set `set` of scratch memory. */
static dnnl_status_t block_$label$($run_params$, int block, int set)
{
    dnnl_memory_t const *memory = ctx->memory + $slot$ + 11 * set;
//@for firsts
    const $first$;
//@end
//@if one_block
    (void)block;
//@end
    const float *query = $query$;
    const float *key = $key$;
    const float *value = $value$;
    float *dst = $dst$;
//@if masked
    float *scores = workspace_at(m, $scratch$ + (size_t)set * $set_bytes$);
//@end
//@for masks
    const $type$ *$mask$ = $address$;
//@end
    const dnnl_exec_arg_t scores_args[] = {
        {.arg = DNNL_ARG_SRC, .memory = memory[0]},
        {.arg = DNNL_ARG_WEIGHTS, .memory = memory[1]},
        {.arg = DNNL_ARG_DST, .memory = memory[2]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = memory[3]},
    };
    const dnnl_exec_arg_t softmax_args[] = {
        {.arg = DNNL_ARG_SRC, .memory = memory[4]},
        {.arg = DNNL_ARG_DST, .memory = memory[5]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = memory[6]},
    };
    const dnnl_exec_arg_t values_args[] = {
        {.arg = DNNL_ARG_SRC, .memory = memory[7]},
        {.arg = DNNL_ARG_WEIGHTS, .memory = memory[8]},
        {.arg = DNNL_ARG_DST, .memory = memory[9]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = memory[10]},
    };
    dnnl_memory_set_data_handle(memory[0], (void *)(uintptr_t)query);
    dnnl_memory_set_data_handle(memory[1], (void *)(uintptr_t)key);
    dnnl_memory_set_data_handle(memory[8], (void *)(uintptr_t)value);
    dnnl_memory_set_data_handle(memory[9], dst);
    DNNLC_TRY(dnnl_primitive_execute(ctx->primitive[$index$], ctx->stream, 4, scores_args));
//@if masked
    mask_$label$($indices$($at$, )$masks$($mask$, )scores);
//@end
    DNNLC_TRY(dnnl_primitive_execute(ctx->primitive[$second$], ctx->stream, 3, softmax_args));
    return dnnl_primitive_execute(ctx->primitive[$third$], ctx->stream, 4, values_args);
}

static dnnl_status_t run_$label$($run_params$)
{
//@if own_blocks
    int failed = dnnl_success;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(ctx->threads) reduction(max : failed)
#endif
    for (int block = 0; block < $blocks$; block++) {
#ifdef _OPENMP
        const int set = omp_get_thread_num(); /* every thread has scratch memory of its own */
#else
        const int set = 0;
#endif
        const int status = (int)block_$label$($run_args$, block, set);
        failed = status > failed ? status : failed;
    }
    return (dnnl_status_t)failed;
//@else
    dnnl_status_t status = dnnl_success;
    for (int block = 0; block < $blocks$ && status == dnnl_success; block++)
        status = block_$label$($run_args$, block, 0);
    return status;
//@end
}
