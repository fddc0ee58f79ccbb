/* Convolutions and products of rows whose last post-ops are a loop in C, see struct DnnlEpilogue.
 *
 * oneDNN's logistic function takes 0.35 ns for an element on an AVX-512 machine, and 0.45 ns as a post-op of a convolution,
 * which keeps few registers free for it: as long as 180 multiply-adds. In depthwise-separable networks with such activations
 * that is half of the time. The compiler's vectorised loop takes half as long where the result is still in the cache. Its GELU does as well, behind products of
 * rows by constant weights, too. */
#include "describe.h"

enum {
    LEAST = 1024,                /* elements; for fewer it does not matter */
    MOST_BLOCKS_FOR_DIVISOR = 4, /* times as many blocks as needed, so that all have one size */
};

/* Of L2, what is done as one block, if there is but one: worth it to the last cache and back as well. */
static const double most_whole = 2;

/* What a function costs as a post-op of oneDNN beside a loop in C; VERY_SLOW: with another pass over the result. */
typedef enum Slowness { QUICK, SLOW, VERY_SLOW } Slowness;

/* With AVX2 oneDNN looks the hyperbolic tangent up, a coefficient after the other and an element by itself: as a post-op it takes 4.6 ns, in GELU 5.9; C takes 0.6 and
 * 1.1, and half as much again to fetch the result from memory. Behind a product of pixels on AVX2, which is oneDNN's GEMM, post-ops are another pass over the result,
 * of one vector at a time: with a factor, a rounding and a limit it takes 20 cycles for each. With AVX-512 a tangent behind convolutions takes 0.93 to 0.99 of their time in a loop (Zen 4). */
static Slowness slowness_of(const Machine *m, Algorithm alg, bool pixels)
{
    if (machine_lanes(m) == AVX2_LANES && (alg == ALG_eltwise_tanh || alg == ALG_eltwise_gelu_tanh))
        return VERY_SLOW;
    return alg == ALG_eltwise_logistic || alg == ALG_eltwise_tanh || alg == ALG_eltwise_swish ||
                   alg == ALG_eltwise_gelu_erf || alg == ALG_eltwise_gelu_tanh ||
                   (alg == ALG_eltwise_round && pixels)
               ? SLOW
               : QUICK;
}

static Slowness slowest_post_op(const Lowering *l, const Composite *c, bool pixels)
{
    Slowness most = QUICK;
    for (uint32_t i = 0; i < c->n_post; i++) {
        const PostOp *op = &c->post[i];
        Algorithm alg;
        float alpha, beta;
        if (op->kind != POST_ELTWISE || op->linear ||
            !onednn_post_eltwise_of(l->g, node_at(l->g, op->node), &alg, &alpha, &beta))
            continue;
        const Slowness slowness = slowness_of(&l->machine, alg, pixels);
        most = slowness > most ? slowness : most;
    }
    return most;
}

bool describe_is_very_slow(const Lowering *l, const Composite *c)
{
    return c && slowest_post_op(l, c, false) == VERY_SLOW;
}

bool describe_wants_epilogue(const Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->result);
    return d->c && t->dtype == DT_F32 && type_count(t) >= LEAST && !composite_has_depthwise(d->c) &&
           slowest_post_op(d->l, d->c, d->pixels) != QUICK;
}

bool describe_is_slow_joint(const Lowering *l, const Composite *c)
{
    return composite_has_depthwise(c) && slowest_post_op(l, c, false) != QUICK;
}

/* A rounding takes what is before it along: then GEMM has no post-ops at all. */
static uint32_t first_slow(const Describe *d)
{
    const DnnlPrimitive *p = d->p;
    uint32_t i = 0;
    while (i < p->n_post && (p->post[i].kind != DNNL_POST_ELTWISE ||
                             slowness_of(&d->l->machine, p->post[i].alg, d->pixels) == QUICK))
        i++;
    return i < p->n_post && p->post[i].alg == ALG_eltwise_round ? 0 : i;
}

bool describe_is_in_epilogue(const Describe *d)
{
    return describe_wants_epilogue(d) && first_slow(d) + 1 < d->p->n_post;
}

/* All blocks have one size: the largest divisor that is small enough. False if blocks would be much smaller than that. */
static bool choose_blocks(const Machine *m, DnnlEpilogue *t, int64_t pixels)
{
    int64_t most = machine_block_bytes(m) / 4 / t->channels * t->threads, needed;
    if (most < 1)
        return false;
    needed = (pixels + most - 1) / most;
    for (t->blocks = needed; t->blocks <= needed * MOST_BLOCKS_FOR_DIVISOR; t->blocks++)
        if (pixels % t->blocks == 0) {
            t->rows = pixels / t->blocks;
            return true;
        }
    return false;
}

/* Nothing but src, dst, weights and what goes by channels: that is the same for every block. */
static bool same_for_blocks(const DnnlPrimitive *head)
{
    for (uint32_t i = 0; i < head->n_memory; i++) {
        const DnnlMemory *m = &head->memory[i];
        if (m->arg != ARG_SRC && m->arg != ARG_DST && m->arg != ARG_WEIGHTS && m->dims[0] != 1)
            return false;
    }
    return true;
}

static bool plan_blocks(const Describe *d, DnnlEpilogue *t, int64_t pixels)
{
    if (d->pixels && same_for_blocks(t->head) && choose_blocks(&d->l->machine, t, pixels))
        return true;
    t->rows = pixels;
    t->blocks = 1;
    return describe_is_very_slow(d->l, d->c) ||
           (double)(pixels * t->channels * 4) <= most_whole * d->l->machine.l2_bytes;
}

static DnnlPrimitive *make_head(Arena *arena, const DnnlPrimitive *p, uint32_t first_post)
{
    DnnlPrimitive *head = arena_copy(arena, p, sizeof *p);
    head->n_post = first_post;
    for (uint32_t i = first_post; i < p->n_post; i++)
        if (p->post[i].kind != DNNL_POST_ELTWISE && p->post[i].kind != DNNL_POST_SUM &&
            p->post[i].memory < head->n_memory)
            head->n_memory = p->post[i].memory;
    head->memory = arena_copy(arena, p->memory, p->n_memory * sizeof *p->memory);
    return head;
}

/* Its result, dense, in scratch memory. */
static void redirect(DnnlEpilogue *t, DnnlMemory *dst)
{
    dst->buffer = NO_BUFFER;
    if (dst->rank == 2) {
        dst->form = FORM_TAG;
        dst->tag = "ab";
    }
    t->scratchpad_at = align_up((size_t)(t->rows * t->channels * 4));
}

static bool adds_destination(const DnnlPrimitive *p, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (p->post[i].kind == DNNL_POST_SUM)
            return true;
    return false;
}

static bool statements_for_all(Arena *arena, const DnnlPrimitive *p, uint32_t from)
{
    for (uint32_t i = from; i < p->n_post; i++)
        if (!onednn_post_statement(arena, p, &p->post[i]))
            return false;
    return true;
}

void describe_epilogue(Describe *d)
{
    if (!describe_wants_epilogue(d))
        return;
    Arena *arena = d->l->arena;
    DnnlPrimitive *p = d->p;
    DnnlEpilogue *t = ARENA_NEW(arena, DnnlEpilogue);
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC), *dst = onednn_memory_of(p, ARG_DST);
    DnnlChoice *choices = ARENA_ARRAY(arena, DnnlChoice, p->n_memory);
    int64_t pixels = dst->dims[0];
    for (int i = 2; i < dst->rank; i++)
        pixels *= dst->dims[i];
    t->first_post = first_slow(d);
    t->channels = dst->dims[1];
    t->threads = onednn_threads_for(d->l, onednn_ns(d->l, p));
    if (!onednn_pixel_stride(dst, &t->dst_pixel) ||
        (d->pixels && !onednn_pixel_stride(src, &t->src_pixel)) ||
        !statements_for_all(arena, p, t->first_post))
        return;
    p->one_thread = t->threads == 1;
    t->head = make_head(arena, p, t->first_post);
    if (!plan_blocks(d, t, pixels))
        return;
    if (t->blocks > 1) {
        onednn_memory_of(t->head, ARG_SRC)->dims[0] = t->rows;
        onednn_memory_of(t->head, ARG_DST)->dims[0] = t->rows;
    }
    t->own_product = adds_destination(p, t->first_post, p->n_post);
    if (t->own_product && adds_destination(p, 0, t->first_post))
        return;
    if (t->own_product)
        redirect(t, onednn_memory_of(t->head, ARG_DST));
    if (!onednn_query(d->l->engine, arena, t->head, choices))
        return;
    p->kind = KIND_WITH_EPILOGUE;
    p->epilogue = t;
    p->scratch_bytes = t->scratchpad_at + t->head->scratch_bytes;
    p->impl = arena_printf(arena, "%s, then a loop in C", t->head->impl);
}
