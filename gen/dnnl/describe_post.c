/* The destination of a primitive, its post-ops and their operands. */
#include "algorithm.h"

#include <math.h>
#include <string.h>

/* Dimensions of a post-op operand, aligned with dst's: its own dimensions at the end, ones before. */
static bool aligned_dims(const TensorType *t, const DnnlMemory *dst, int64_t *dims)
{
    if (t->rank > dst->rank)
        return false;
    for (int i = 0; i < dst->rank; i++) {
        int from = i - (dst->rank - t->rank);
        dims[i] = from < 0 ? 1 : t->dims[from];
        if (dims[i] != 1 && dims[i] != dst->dims[i])
            return false;
    }
    return true;
}

/* The same where dst is a view of the result: with dimensions of size 1 behind, or with its rows flattened. In the latter case
 * only what varies along the last dimension, if at all, is an operand. */
static bool viewed_dims(const TensorType *t, const TensorType *out, const DnnlMemory *dst,
                        int64_t *dims)
{
    int behind = dst->rank - out->rank;
    if (behind >= 0 && !memcmp(dst->dims, out->dims, (size_t)out->rank * sizeof *dims)) {
        for (int i = 0; i < dst->rank; i++) {
            int from = i - (out->rank - t->rank);
            dims[i] = from < 0 || i >= out->rank ? 1 : t->dims[from];
        }
        return t->rank <= out->rank;
    }
    int64_t last = t->rank ? t->dims[t->rank - 1] : 1;
    if (type_count(t) != last || (last != 1 && last != dst->dims[dst->rank - 1]))
        return false;
    for (int i = 0; i < dst->rank; i++)
        dims[i] = i == dst->rank - 1 ? last : 1;
    return true;
}

/* The operand of a product of pixels: of dst's shape, or one number per channel, or one. All of dst's where that has a row pitch
 * between its rows only for a loop in C: oneDNN reads the operand as it writes dst. */
static bool add_pixel_operand(Describe *d, const DnnlMemory *dst, const Layout *layout, ValueId v,
                              int arg, const char *name)
{
    const TensorType *t = type_of(d->l->g, v), *out = type_of(d->l->g, d->result);
    int at = t->rank - out->rank + 1; /* the channels in the operand's own counting */
    const int64_t count = type_count(t), dims[2] = {1, count};
    if (count == 1 || (at >= 0 && at < t->rank && count == t->dims[at] && count == dst->dims[1])) {
        describe_add_rows(d, arg, name, v, 2, dims);
        return true;
    }
    if (!same_shape(t, out) || (dst->form != FORM_TAG && !describe_is_in_epilogue(d)))
        return false;
    d->needs_epilogue = d->needs_epilogue || dst->form != FORM_TAG;
    describe_add_pixels(d, arg, name, lower_value_in(d->l, v, layout));
    return true;
}

/* The operand in a form that goes with dst: same rank, and dst's layout where it has more than one dimension that matters. */
static bool add_operand(Describe *d, const DnnlMemory *dst, const Layout *layout, bool dst_is_view,
                        ValueId v, int arg, const char *name)
{
    const TensorType *t = type_of(d->l->g, v), *out = type_of(d->l->g, d->result);
    int64_t dims[MAX_RANK];
    if (!onednn_computes(t->dtype))
        return false;
    if (d->pixels)
        return add_pixel_operand(d, dst, layout, v, arg, name);
    if (dst_is_view && type_count(t) == type_count(out) && same_shape(t, out)) {
        describe_add_rows(d, arg, name, v, dst->rank, dst->dims);
        return true;
    }
    if (dst_is_view) {
        if (!viewed_dims(t, out, dst, dims))
            return false;
        describe_add_rows(d, arg, name, v, dst->rank, dims);
        return true;
    }
    if (!aligned_dims(t, dst, dims))
        return false;
    if (t->rank == dst->rank) {
        describe_add(d, arg, name, lower_value_in(d->l, v, layout));
        return true;
    }
    TensorType aligned = type_make(DT_F32, dst->rank, dims);
    Layout all = layout_plain(dst->rank);
    if (!layout_same_bytes(layout, &all, &aligned))
        return false;
    DnnlMemory *m = describe_add_rows(d, arg, name, v, dst->rank, dims);
    if (dst->form == FORM_TAG)
        m->tag = dst->tag;
    return true;
}

/* Dense: oneDNN reads operands as it writes dst. */
bool describe_add_operand(Describe *d, const DnnlMemory *dst, const Layout *layout,
                          bool dst_is_view, ValueId v, int arg, const char *name)
{
    bool may_read_parts = d->l->may_read_parts;
    d->l->may_read_parts = false;
    bool done = add_operand(d, dst, layout, dst_is_view, v, arg, name);
    d->l->may_read_parts = may_read_parts;
    return done;
}

/* oneDNN 3.7.2 computes wrong numbers where the operand of a binary post-op varies along the channels only, the batch is
 * larger than 1 and nothing but 1 follows the channels ([2,48,1,1] + [1,48,1,1]): its binary, softmax and resampling
 * primitives; convolutions, products, pools, reductions and eltwise are right. */
static bool is_misread(const Describe *d, const DnnlMemory *dst, const TensorType *operand)
{
    for (int i = 2; i < dst->rank; i++)
        if (dst->dims[i] != 1)
            return false;
    return dst->rank > 2 && dst->dims[0] > 1 && type_count(operand) == dst->dims[1] &&
           d->p->kind != KIND_CONVOLUTION && d->p->kind != KIND_DECONVOLUTION &&
           d->p->kind != KIND_MATMUL && d->p->kind != KIND_INNER_PRODUCT &&
           d->p->kind != KIND_POOLING && d->p->kind != KIND_REDUCTION;
}

static DnnlPostOp *new_post(Describe *d, DnnlPostOp op)
{
    op.memory = d->p->n_memory;
    d->p->post[d->p->n_post] = op;
    return &d->p->post[d->p->n_post++];
}

/* Which argument belongs to the last post-op. */
static int post_arg(const Describe *d, int arg)
{
    return arg_of_post_op((int)d->p->n_post - 1) | arg;
}

/* One slope for all, or one per channel: the last dimension of a matrix product's result, dimension 1 elsewhere. */
static bool add_prelu(Describe *d, const DnnlMemory *dst, const Layout *layout, bool dst_is_view,
                      ValueId slope)
{
    const TensorType *t = type_of(d->l->g, slope);
    int behind = d->pixels     ? type_of(d->l->g, d->result)->rank - 1
                 : dst_is_view ? 1
                               : dst->rank - 1;
    int channel = t->rank - behind; /* in the slope's own counting */
    bool per_channel = channel >= 0 && channel < t->rank && t->dims[channel] == type_count(t);
    if ((dst_is_view && dst->rank != 2) || (type_count(t) != 1 && !per_channel))
        return false;
    new_post(d, (DnnlPostOp){.kind = DNNL_POST_PRELU, .mask = type_count(t) == 1 ? 0 : 2});
    return describe_add_operand(d, dst, layout, dst_is_view, slope, post_arg(d, ARG_WEIGHTS),
                                "slope");
}

/* arg - x is arg + (-x), arg / x is arg * x^-1. */
static bool add_binary(Describe *d, const DnnlMemory *dst, const Layout *layout, bool dst_is_view,
                       const Node *n, ValueId arg)
{
    Algorithm alg;
    bool swapped = same_value(n->in[0], arg) && !same_value(n->in[1], arg);
    if (!onednn_binary_of(n->op, &alg) || is_misread(d, dst, type_of(d->l->g, arg)))
        return false;
    if (swapped && n->op == OP_Sub) {
        new_post(d,
                 (DnnlPostOp){.kind = DNNL_POST_ELTWISE, .alg = ALG_eltwise_linear, .alpha = -1});
        alg = ALG_binary_add;
    }
    if (swapped && n->op == OP_Div) {
        new_post(d, (DnnlPostOp){
                        .kind = DNNL_POST_ELTWISE, .alg = ALG_eltwise_pow, .alpha = 1, .beta = -1});
        alg = ALG_binary_mul;
    }
    new_post(d, (DnnlPostOp){.kind = DNNL_POST_BINARY, .alg = alg});
    return describe_add_operand(d, dst, layout, dst_is_view, arg, post_arg(d, ARG_SRC_1),
                                "operand");
}

bool describe_takes_bias(const Describe *d, const DnnlMemory *bias)
{
    enum { ALIGNMENT = 16 };
    size_t offset;
    const Buffer *b = &d->l->p->buffers[root_buffer(d->l->p, bias->buffer, &offset)];
    return b->kind != BUFFER_INPUT && b->kind != BUFFER_OUTPUT && offset % ALIGNMENT == 0;
}

BufferId describe_zeros(Describe *d, int64_t n)
{
    const size_t bytes = (size_t)n * sizeof(float);
    void *zeros = arena_alloc(d->l->arena, bytes);
    memset(zeros, 0, bytes);
    return lower_const(d->l, type_make(DT_F32, 1, &n), zeros, bytes);
}

/* Weights [C, 1, 3, 3] are [C, 1, 1, 3, 3] to oneDNN, whose joint kernels (3.7.2) read biases that were not given: both
 * convolutions get one. */
static bool add_depthwise(Describe *d, const Node *n)
{
    const Value *w = value_at(d->l->g, n->in[1]);
    const int64_t channels = w->type.dims[0];
    const int64_t dims[5] = {channels, 1, 1, 3, 3}, strides[5] = {9, 9, 9, 3, 1};
    const int arg = ARG_ATTR_POST_OP_DW;
    Layout plain = layout_plain(1);
    DnnlPostOp *op = new_post(d, (DnnlPostOp){.kind = DNNL_POST_DEPTHWISE});
    op->stride = (int)attr_ints(n, "strides", NULL)[0];
    d->p->kind = KIND_CONVOLUTION_DEPTHWISE;
    DnnlMemory *m = describe_add_weights(d, 5, dims, strides, n->in[1], w->data);
    m->arg = arg | ARG_WEIGHTS;
    m->name = "depthwise_weights";
    BufferId bias = has_value(node_in(n, 2)) ? lower_value_in(d->l, n->in[2], &plain)
                                             : describe_zeros(d, channels);
    return describe_takes_bias(
        d, describe_add_view(d, arg | ARG_BIAS, "depthwise_bias", bias, 1, &channels));
}

/* One number for all sums or one for each channel, which oneDNN multiplies them by as the scales of the weights. */
static void add_scale(Describe *d, ValueId scale)
{
    const int64_t count = type_count(type_of(d->l->g, scale));
    describe_add_rows(d, ARG_ATTR_SCALES | ARG_WEIGHTS, "weights_scales", scale, 1, &count);
}

static bool add_post_op(Describe *d, const DnnlMemory *dst, const Layout *layout, bool dst_is_view,
                        const PostOp *from, bool in_place)
{
    const Node *n = node_at(d->l->g, from->node);
    if (in_place) {
        new_post(d, (DnnlPostOp){.kind = DNNL_POST_SUM});
        return true;
    }
    if (from->kind == POST_SCALE) {
        add_scale(d, from->arg);
        return true;
    }
    if (from->kind == POST_QUANTIZE) {
        describe_quantize(d, n);
        return true;
    }
    if (from->kind == POST_DEPTHWISE)
        return add_depthwise(d, n);
    if (from->kind == POST_PRELU)
        return add_prelu(d, dst, layout, dst_is_view, from->arg);
    if (from->kind != POST_ELTWISE)
        return add_binary(d, dst, layout, dst_is_view, n, from->arg);
    DnnlPostOp *to = new_post(d, (DnnlPostOp){.kind = DNNL_POST_ELTWISE,
                                              .alg = ALG_eltwise_linear,
                                              .alpha = (float)from->scale,
                                              .beta = (float)from->shift});
    return from->linear || onednn_post_eltwise_of(d->l->g, n, &to->alg, &to->alpha, &to->beta);
}

/* The post-op whose operand can be the destination itself: an addition of a full-shape value that dies here. */
static uint32_t find_in_place(Describe *d, const Layout *layout, BufferId *dst)
{
    const Graph *g = d->l->g;
    for (uint32_t i = 0; d->c && i < d->c->n_post; i++) {
        const PostOp *post = &d->c->post[i];
        if ((post->kind != POST_SUM && post->kind != POST_BINARY) ||
            node_at(g, post->node)->op != OP_Add ||
            !type_equal(type_of(g, post->arg), type_of(g, d->result)))
            continue;
        ValueId *others = ARENA_ARRAY(d->l->arena, ValueId, d->c->n_args);
        uint32_t n = 0, seen = 0;
        for (uint32_t k = 0; k < d->c->n_args; k++)
            if (!same_value(d->c->args[k], post->arg))
                others[n++] = d->c->args[k];
        for (uint32_t k = 0; k < d->c->n_nodes; k++)
            for (uint32_t j = 0; j < node_at(g, d->c->nodes[k])->n_in; j++)
                seen += same_value(node_at(g, d->c->nodes[k])->in[j], post->arg);
        if (seen != 1)
            continue;
        *dst = lower_output_over(d->l, d->result, post->arg, layout, others, n);
        if (*dst != NO_BUFFER)
            return i;
    }
    return NO_ROW;
}

/* Elementwise primitives of one node may work in place where their first source dies and nobody else reads it here. */
static BufferId overwrite_source(Describe *d, const Layout *layout)
{
    ValueId *others = ARENA_ARRAY(d->l->arena, ValueId, d->n->n_in);
    uint32_t n = 0;
    if (!type_equal(type_of(d->l->g, d->overwrite), type_of(d->l->g, d->result)))
        return NO_BUFFER;
    for (uint32_t k = 0; k < d->n->n_in; k++)
        if (!same_value(d->n->in[k], d->overwrite))
            others[n++] = d->n->in[k];
    return lower_output_over(d->l, d->result, d->overwrite, layout, others, n);
}

static bool are_whole(const Graph *g, ValueId v)
{
    const Value *c = value_at(g, v);
    const int64_t count = type_count(&c->type);
    const float *number = c->data;
    if (c->kind != VALUE_CONST || c->type.dtype != DT_F32 || !number)
        return false;
    for (int64_t i = 0; i < count; i++)
        if (number[i] != rintf(number[i]))
            return false;
    return true;
}

/* A Round right behind sums of products of whole numbers, which says no more than that they are exact (passes/quantised/in_floats.c): in whatever order they are added
 * up, floats and whole numbers that become floats stay whole. */
static bool changes_nothing(const Describe *d, const PostOp *first)
{
    const Graph *g = d->l->g;
    const Node *n = d->n;
    const ValueId bias[] = {node_in(n, 2), d->c->bias};
    if (node_at(g, first->node)->op != OP_Round || (n->op != OP_Conv && n->op != OP_MatMul) ||
        !is_of_bytes(g, n->in[0]) || !are_whole(g, n->in[1]))
        return false;
    for (size_t i = 0; i < COUNT_OF(bias); i++)
        if (has_value(bias[i]) && !are_whole(g, bias[i]))
            return false;
    return true;
}

bool describe_finish(Describe *d, const Layout *layout, int rank, const int64_t *dims)
{
    BufferId dst = NO_BUFFER;
    uint32_t in_place = find_in_place(d, layout, &dst);
    if (dst == NO_BUFFER && has_value(d->overwrite) && !d->c)
        dst = overwrite_source(d, layout);
    if (dst == NO_BUFFER)
        dst = lower_output(d->l, d->result, layout);
    d->s->out = arena_copy(d->l->arena, &dst, sizeof dst);
    d->s->n_out = 1;
    uint32_t row = d->p->n_memory;
    if (d->pixels)
        describe_add_pixels(d, ARG_DST, "dst", dst);
    else if (dims)
        describe_add_view(d, ARG_DST, "dst", dst, rank, dims);
    else
        describe_add(d, ARG_DST, "dst", dst);
    const bool from_second = d->c && d->c->n_post && changes_nothing(d, d->c->post);
    for (uint32_t i = from_second; d->c && i < d->c->n_post; i++)
        if (!add_post_op(d, &d->p->memory[row], layout, dims || d->pixels, &d->c->post[i],
                         i == in_place))
            return false;
    return true;
}
