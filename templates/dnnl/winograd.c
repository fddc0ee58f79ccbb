/* oneDNN: Winograd convolution (Conv). Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_primitives.h" /* dnnl.h */
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define $label$ sample
#define $form$ 4
#define $shape$ shape
#define $function$ output_sample
#define $create_params$ struct dnnlc_setup *s, const void *row
#define $context_params$ const struct sample_context *ctx, const struct at_$label$ *at
#define $context_args$ ctx, at
#define $run_params$ const struct sample_context *ctx, const struct sample_memory *m, const struct at_$label$ *at
#define $index$ at->index
#define $threads$ 2
#define $sets$ 2
#define $blocks$ 2
#define $block$ 8
#define $set_bytes$ 1024
#define $product_at$ 256
#define $edge_at$ 512
#define $edge_floats$ 16
#define $scratchpad_at$ 640
#define $scratchpad_bytes$ 64
#define $scratch$ 4096
#define $slot$ 0
#define $field$ tiles
#define $value$ 8
#define $src_md$ sample_md
#define $weights_md$ sample_md
#define $dst_md$ sample_md
#define $weights_call$ dnnlc_weights(&l, 0, s->weights, s->weights)
#define $name$_md sample_md
#define $md$ {dnnl_f32, dnnl_abc, 3, {{1, 2, 3}}}
#define $impl$ "jit:avx2"
#define $plan$ s->weights
#define $pointer$ bias
#define $address$ weights_at(m, 64)
#define $src$ weights_at(m, 64)
#define $dst$ workspace_at(m, 0)
#define $operands$(...) __VA_ARGS__
#define $operand$ bias
struct winograd {
    int block, tiles;
};
#define $planes$ 36
#define $weights$ weights_at(m, 64)
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
static void winograd_input_$form$(const struct winograd *w, const float *src, float *operand, float *edge, int first, int from,
                           int to)
{
    operand[first] = src[from + to] + edge[w->block];
}
static void output_sample(const struct winograd *w, const float *product, const float *bias, float *dst, float *edge,
                          int first, int from, int to)
{
    dst[first] = product[from + to] + edge[w->block] + bias[0];
}
static inline void winograd_rows(const struct winograd *w, const float *operand, const float **row)
{
    row[w->block] = operand;
}
static void winograd_products(const struct winograd *w, const float *const *row,
                              const float *weights, float *product, int from, int to)
{
    product[from] = row[to][w->block] * weights[0];
}
struct at_$label$ {
    unsigned index;
};
//@begin
//@if constant
static const struct winograd shape_$label$ = {
//@for fields
    .$field$ = $value$,
//@end
};

//@end
//@if primitive
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
    dnnlc_planned_for(&l, $impl$);
    dnnl_memory_desc_t src = dnnlc_describe(&l, &$src_md$);
    dnnl_memory_desc_t weights = dnnlc_desc_packed(&l, &$weights_md$, $plan$);
    dnnl_memory_desc_t dst = dnnlc_describe(&l, &$dst_md$);
    dnnlc_matmul(&l, src, weights, NULL, dst);
    $weights_call$;
    for (unsigned set = 0; set < $sets$; set++) {
        unsigned char *scratch = s->workspace + $scratch$ + set * (size_t)$set_bytes$;
        dnnlc_memory(&l, $slot$ + 1 + 3 * set, src, scratch);
        dnnlc_memory(&l, $slot$ + 2 + 3 * set, dst, scratch + $product_at$);
        dnnlc_scratchpad(&l, $slot$ + 3 + 3 * set, scratch + $scratchpad_at$, $scratchpad_bytes$);
    }
    dnnlc_end(&l);
}

/* The matrix products of one block, in set `set` of scratch memory. */
static dnnl_status_t multiply_$label$($context_params$, unsigned set)
{
    const dnnl_exec_arg_t args[] = {
        {.arg = DNNL_ARG_SRC, .memory = ctx->memory[$slot$ + 1 + 3 * set]},
        {.arg = DNNL_ARG_WEIGHTS, .memory = ctx->memory[$slot$]},
        {.arg = DNNL_ARG_DST, .memory = ctx->memory[$slot$ + 2 + 3 * set]},
        {.arg = DNNL_ARG_SCRATCHPAD, .memory = ctx->memory[$slot$ + 3 + 3 * set]},
    };
    return dnnl_primitive_execute(ctx->primitive[$index$], ctx->stream, 4, args);
}

//@end
static dnnl_status_t run_$label$($run_params$)
{
//@if varies
    const struct winograd shape = {
//@for fields
        .$field$ = $value$,
//@end
    };
//@end
    const struct winograd *w = &$shape$;
    const float *src = $src$;
    float *dst = $dst$;
//@for pointers
    const float *$pointer$ = $address$;
//@end
//@if in_c
    const float *weights = $weights$;
    (void)ctx; /* knows of threads, if there are any */
//@end
//@if own_blocks
    int failed = dnnl_success; /* every thread has scratch memory of its own */
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(ctx->threads) reduction(max : failed)
#endif
    for (int block = 0; block < $blocks$; block++) {
#ifdef _OPENMP
        const unsigned set = (unsigned)omp_get_thread_num();
#else
        const unsigned set = 0;
#endif
        unsigned char *scratch = m->workspace + $scratch$ + (size_t)set * $set_bytes$;
        float *product = (void *)(scratch + $product_at$);
        float *edge = (void *)(scratch + $edge_at$);
        winograd_input_$form$(w, src, (void *)scratch, edge, block * $block$, 0, $block$);
//@if in_c
        const float **rows = (void *)(scratch + $scratchpad_at$);
        winograd_rows(w, (const void *)scratch, rows);
        winograd_products(w, rows, weights, product, 0, $planes$);
//@end
//@if primitive
        const int status = (int)multiply_$label$($context_args$, set);
        failed = status > failed ? status : failed;
//@end
        $function$(w, product, $operands$($operand$, )dst, edge, block * $block$, 0, $block$);
    }
    return (dnnl_status_t)failed;
//@else
    unsigned char *scratch = m->workspace + $scratch$;
    float *product = (void *)(scratch + $product_at$);
    float *edge = (void *)(scratch + $edge_at$);
//@if in_c
    const float **rows = (void *)(scratch + $scratchpad_at$);
    winograd_rows(w, (const void *)scratch, rows);
//@end
    for (int block = 0; block < $blocks$; block++) {
        const int first = block * $block$;
//@if one_thread
        winograd_input_$form$(w, src, (void *)scratch, edge, first, 0, $block$);
//@else
        DNNLC_PARALLEL_FOR(ctx->threads)
        for (int part = 0; part < $threads$; part++)
            winograd_input_$form$(w, src, (void *)scratch, edge + part * $edge_floats$, first,
                           part * $block$ / $threads$, (part + 1) * $block$ / $threads$);
//@end
//@if primitive
        DNNLC_TRY(multiply_$label$($context_args$, 0));
//@end
//@if in_c
//@if one_thread
        winograd_products(w, rows, weights, product, 0, $planes$);
//@else
        DNNLC_PARALLEL_FOR(ctx->threads)
        for (int part = 0; part < $threads$; part++)
            winograd_products(w, rows, weights, product, part * $planes$ / $threads$,
                              (part + 1) * $planes$ / $threads$);
//@end
//@end
//@if one_thread
        $function$(w, product, $operands$($operand$, )dst, edge, first, 0, $block$);
//@else
        DNNLC_PARALLEL_FOR(ctx->threads)
        for (int part = 0; part < $threads$; part++)
            $function$(w, product, $operands$($operand$, )dst, edge + part * $edge_floats$, first,
                           part * $block$ / $threads$, (part + 1) * $block$ / $threads$);
//@end
    }
    return dnnl_success;
//@end
}
