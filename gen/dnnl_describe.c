/* What a step computes as a oneDNN primitive: the common parts and the small primitives. */
#include "dnnl_describe.h"

#include "ops.h"

#include <string.h>

DnnlMemory *describe_add_view(Describe *d, int arg, const char *name, BufferId buffer, int rank,
                              const int64_t *dims)
{
    Layout plain = layout_plain(rank);
    DnnlMemory *m = &d->p->memory[d->p->n_memory++];
    *m = (DnnlMemory){.arg = arg,
                      .name = name,
                      .buffer = buffer,
                      .blob = NO_BUFFER,
                      .dtype = d->l->p->buffers[buffer].type.dtype,
                      .rank = rank,
                      .form = FORM_TAG,
                      .tag = layout_tag(d->l->arena, &plain)};
    memcpy(m->dims, dims, (size_t)rank * sizeof *dims);
    return m;
}

DnnlMemory *describe_add(Describe *d, int arg, const char *name, BufferId buffer)
{
    const Buffer *b = &d->l->p->buffers[buffer];
    const int64_t one = 1;
    bool scalar = b->type.rank == 0; /* oneDNN has no rank 0 */
    DnnlMemory *m = describe_add_view(d, arg, name, buffer, scalar ? 1 : b->type.rank,
                                      scalar ? &one : b->type.dims);
    if (!scalar)
        describe_layout(d->l->arena, m, &d->l->p->buffers[buffer]);
    return m;
}

void describe_layout(Arena *arena, DnnlMemory *m, const Buffer *b)
{
    Layout plain = layout_plain(b->type.rank), nxc = layout_nxc(b->type.rank);
    m->form = FORM_TAG;
    m->tag = layout_tag(arena, &b->layout);
    bool named = b->layout.rank <= 5 && layout_equal(&b->layout, &nxc);
    if (layout_equal(&b->layout, &plain) || named)
        return;
    m->form = FORM_STRIDES; /* not every permutation has a tag */
    layout_strides(&b->layout, &b->type, m->strides);
}

DnnlMemory *describe_add_weights(Describe *d, int rank, const int64_t *dims, const int64_t *strides,
                                 ValueId v, const void *data)
{
    DnnlMemory *m = &d->p->memory[d->p->n_memory++];
    *m = (DnnlMemory){.arg = DNNL_ARG_WEIGHTS,
                      .name = "weights",
                      .buffer = NO_BUFFER,
                      .blob = NO_BUFFER,
                      .dtype = type_of(d->l->g, v)->dtype,
                      .rank = rank,
                      .form = FORM_ANY,
                      .data = data};
    memcpy(m->dims, dims, (size_t)rank * sizeof *dims);
    memcpy(m->strides, strides, (size_t)rank * sizeof *strides);
    return m;
}

/* --- post-ops --------------------------------------------------------------------------------------------------- */

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

/* The operand in a form that goes with dst: same rank, and dst's layout where it has more than one dimension that matters. */
static bool add_operand(Describe *d, const DnnlMemory *dst, const Layout *layout, bool dst_is_view,
                        ValueId v, int arg, const char *name)
{
    const TensorType *t = type_of(d->l->g, v), *out = type_of(d->l->g, d->result);
    int64_t dims[MAX_RANK];
    Layout plain = layout_plain(t->rank);
    if (!dnnl_computes(t->dtype))
        return false;
    if (dst_is_view && type_count(t) == type_count(out) && same_shape(t, out)) {
        describe_add_view(d, arg, name, lower_value_in(d->l, v, &plain), dst->rank, dst->dims);
        return true;
    }
    if (dst_is_view) { /* rows flattened: only what varies along the last dimension at most */
        int64_t last = t->rank ? t->dims[t->rank - 1] : 1;
        if (type_count(t) != last || (last != 1 && last != dst->dims[dst->rank - 1]))
            return false;
        for (int i = 0; i < dst->rank; i++)
            dims[i] = i == dst->rank - 1 ? last : 1;
        describe_add_view(d, arg, name, lower_value_in(d->l, v, &plain), dst->rank, dims);
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
    DnnlMemory *m =
        describe_add_view(d, arg, name, lower_value_in(d->l, v, &plain), dst->rank, dims);
    if (dst->form == FORM_TAG)
        m->tag = dst->tag;
    return true;
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
           d->p->kind != KIND_MATMUL;
}

static bool add_post_op(Describe *d, const DnnlMemory *dst, const Layout *layout, bool dst_is_view,
                        const PostOp *from, uint32_t index, bool in_place)
{
    const Graph *g = d->l->g;
    const Node *n = node_at(g, from->node);
    DnnlPostOp *to = &d->p->post[d->p->n_post++];
    *to = (DnnlPostOp){.memory = d->p->n_memory};
    if (in_place) {
        to->kind = DNNL_POST_SUM;
        return true;
    }
    if (from->kind == POST_ELTWISE) {
        to->kind = DNNL_POST_ELTWISE;
        if (dnnl_eltwise_of(n, &to->alg, &to->alpha, &to->beta))
            return true;
        to->alg = dnnl_eltwise_linear;
        to->alpha = (float)from->scale;
        to->beta = (float)from->shift;
        return from->linear;
    }
    if (from->kind == POST_PRELU) {
        const TensorType *t = type_of(g, from->arg);
        to->kind = DNNL_POST_PRELU;
        int channel = t->rank - dst->rank + 1; /* dimension 1 of dst in the slope's own counting */
        bool per_channel = channel >= 0 && channel < t->rank && t->dims[channel] == type_count(t);
        if (dst_is_view || (type_count(t) != 1 && !per_channel))
            return false;
        to->mask = type_count(t) == 1 ? 0 : 2;
        return add_operand(d, dst, layout, false, from->arg,
                           DNNL_ARG_ATTR_MULTIPLE_POST_OP((int)index) | DNNL_ARG_WEIGHTS, "slope");
    }
    to->kind = DNNL_POST_BINARY;
    if (!dnnl_binary_of(n->op, &to->alg))
        return false;
    bool swapped = !same_value(n->in[1], from->arg);
    if ((swapped && (n->op == OP_Sub || n->op == OP_Div)) ||
        is_misread(d, dst, type_of(g, from->arg)))
        return false;
    return add_operand(d, dst, layout, dst_is_view, from->arg,
                       DNNL_ARG_ATTR_MULTIPLE_POST_OP((int)index) | DNNL_ARG_SRC_1, "operand");
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
    if (dims)
        describe_add_view(d, DNNL_ARG_DST, "dst", dst, rank, dims);
    else
        describe_add(d, DNNL_ARG_DST, "dst", dst);
    for (uint32_t i = 0; d->c && i < d->c->n_post; i++)
        if (!add_post_op(d, &d->p->memory[row], layout, dims != NULL, &d->c->post[i], i,
                         i == in_place))
            return false;
    return true;
}

/* --- small primitives -------------------------------------------------------------------------------------------- */

static bool describe_eltwise(Describe *d)
{
    Layout layout = lower_layout_of(d->l, d->n->in[0]);
    if (!dnnl_eltwise_of(d->n, &d->p->alg, &d->p->alpha, &d->p->beta))
        return false;
    d->p->kind = KIND_ELTWISE;
    d->overwrite = d->n->in[0];
    describe_add(d, DNNL_ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_binary(Describe *d)
{
    const TensorType *out = type_of(d->l->g, d->n->out[0]);
    ValueId a = d->n->in[0], b = d->n->in[1];
    bool commutes = d->n->op != OP_Sub && d->n->op != OP_Div;
    if (!dnnl_binary_of(d->n->op, &d->p->alg) || !dnnl_computes(out->dtype))
        return false;
    if (commutes && !same_shape(type_of(d->l->g, a), out)) {
        a = d->n->in[1];
        b = d->n->in[0];
    }
    if (!same_shape(type_of(d->l->g, a), out) || out->rank == 0)
        return false;
    Layout layout = lower_layout_of(d->l, a), other = lower_layout_of(d->l, b);
    if (layout_is_plain(&layout) && other.rank == layout.rank &&
        same_shape(type_of(d->l->g, b), out))
        layout = other;
    d->p->kind = KIND_BINARY;
    d->overwrite = a;
    DnnlMemory *src0 = describe_add(d, DNNL_ARG_SRC_0, "src0", lower_value_in(d->l, a, &layout));
    if (!add_operand(d, src0, &layout, false, b, DNNL_ARG_SRC_1, "src1"))
        return false;
    return describe_finish(d, &layout, 0, NULL);
}

/* Concat and Sum: several sources in one layout, channels last if any has it. */
static bool describe_many(Describe *d)
{
    const TensorType *out = type_of(d->l->g, d->n->out[0]);
    Layout layout = layout_plain(out->rank);
    if (d->n->n_in > 48 || out->rank == 0)
        return false;
    for (uint32_t k = 0; k < d->n->n_in; k++) {
        Layout have = lower_layout_of(d->l, d->n->in[k]);
        if (!layout_is_plain(&have))
            layout = have;
    }
    d->p->kind = d->n->op == OP_Concat ? KIND_CONCAT : KIND_SUM;
    d->p->axis = (int)attr_int(d->n, "axis", 0);
    for (uint32_t k = 0; k < d->n->n_in; k++)
        describe_add(d, DNNL_ARG_MULTIPLE_SRC + (int)k, "src",
                     lower_value_in(d->l, d->n->in[k], &layout));
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_softmax(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    int axis = (int)attr_int(d->n, "axis", 0), end = (int)attr_int(d->n, "axis_end", axis + 1);
    Layout layout = lower_layout_of(d->l, d->n->in[0]);
    int64_t dims[2] = {1, 1};
    d->p->kind = KIND_SOFTMAX;
    d->p->alg = d->n->op == OP_LogSoftmax ? dnnl_softmax_log : dnnl_softmax_accurate;
    d->p->axis = axis;
    if (end == axis + 1) {
        describe_add(d, DNNL_ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
        return describe_finish(d, &layout, 0, NULL);
    }
    if (end != t->rank)
        return false;
    for (int i = 0; i < t->rank; i++)
        dims[i >= axis] *= t->dims[i];
    d->p->axis = 1;
    layout = layout_plain(t->rank);
    describe_add_view(d, DNNL_ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout), 2, dims);
    return describe_finish(d, &layout, 2, dims);
}

/* Cast between f32 and bf16: one reorder that also brings the channels where the readers want them. */
static bool describe_cast(Describe *d)
{
    Layout have = lower_layout_of(d->l, d->n->in[0]);
    Layout layout = layout_is_plain(&have) ? lower_wanted_layout(d->l, d->result) : have;
    d->p->kind = KIND_REORDER;
    describe_add(d, DNNL_ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &have));
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_prelu(Describe *d)
{
    Layout layout = lower_layout_of(d->l, d->n->in[0]);
    d->p->kind = KIND_PRELU;
    DnnlMemory *src =
        describe_add(d, DNNL_ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    if (!add_operand(d, src, &layout, false, d->n->in[1], DNNL_ARG_WEIGHTS, "weights"))
        return false;
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_reduce(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]), *out = type_of(d->l->g, d->result);
    size_t n_axes;
    const int64_t *axes = attr_ints(d->n, "axes", &n_axes);
    int64_t dims[MAX_RANK];
    Layout layout = lower_layout_of(d->l, d->n->in[0]), plain = layout_plain(out->rank);
    switch (d->n->op) {
    case OP_ReduceMax:
        d->p->alg = dnnl_reduction_max;
        break;
    case OP_ReduceMean:
        d->p->alg = dnnl_reduction_mean;
        break;
    case OP_ReduceMin:
        d->p->alg = dnnl_reduction_min;
        break;
    case OP_ReduceSum:
        d->p->alg = dnnl_reduction_sum;
        break;
    default:
        return false;
    }
    if (n_axes == 0 || t->rank == 0)
        return false;
    d->p->kind = KIND_REDUCTION;
    memcpy(dims, t->dims, sizeof dims);
    for (size_t i = 0; i < n_axes; i++)
        dims[axes[i]] = 1;
    TensorType kept = type_make(DT_F32, t->rank, dims);
    Layout rows = layout_plain(t->rank);
    if (!layout_same_bytes(&layout, &rows,
                           &kept)) /* the result has its rows in order only if src has */
        layout = rows;
    describe_add(d, DNNL_ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    return describe_finish(d, &plain, t->rank, dims);
}

static bool describe_resize(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    Layout layout = layout_nxc(t->rank);
    d->p->kind = KIND_RESAMPLING;
    d->p->alg = strcmp(attr_string(d->n, "mode", "nearest"), "nearest") ? dnnl_resampling_linear
                                                                        : dnnl_resampling_nearest;
    describe_add(d, DNNL_ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_anchor(Describe *d)
{
    switch (d->n->op) {
    case OP_Conv:
        return describe_conv(d);
    case OP_ConvTranspose:
        return describe_conv_transpose(d);
    case OP_MatMul:
        return describe_matmul(d);
    case OP_Gemm:
        return describe_gemm(d);
    case OP_MaxPool:
    case OP_AveragePool:
        return describe_pool(d);
    case OP_BatchNormalization:
    case OP_InstanceNormalization:
    case OP_GroupNormalization:
    case OP_LayerNormalization:
    case OP_LRN:
        return describe_norm(d);
    case OP_Concat:
    case OP_Sum:
        return describe_many(d);
    case OP_Softmax:
    case OP_LogSoftmax:
        return describe_softmax(d);
    case OP_Cast:
        return describe_cast(d);
    case OP_PRelu:
        return describe_prelu(d);
    case OP_Resize:
        return describe_resize(d);
    case OP_ReduceMax:
    case OP_ReduceMean:
    case OP_ReduceMin:
    case OP_ReduceSum:
        return describe_reduce(d);
    default:
        return d->n->n_in == 1 ? describe_eltwise(d) : d->n->n_in == 2 && describe_binary(d);
    }
}

bool dnnl_describe(Lowering *l, Step *s, const Node *anchor, const Composite *c)
{
    uint32_t post = c ? c->n_post : 0;
    Describe d = {.l = l, .s = s, .n = anchor, .c = c, .overwrite = NO_VALUE};
    d.result = c ? node_at(l->g, c->root)->out[0] : anchor->out[0];
    for (uint32_t k = 0; k < anchor->n_in; k++)
        if (has_value(anchor->in[k]) && !dnnl_computes(type_of(l->g, anchor->in[k])->dtype))
            return false;
    if (type_count(type_of(l->g, d.result)) == 0)
        return false;
    d.p = ARENA_NEW(l->arena, DnnlPrimitive);
    d.p->memory = ARENA_ARRAY(l->arena, DnnlMemory, anchor->n_in + post + 8);
    d.p->post = ARENA_ARRAY(l->arena, DnnlPostOp, post + 4);
    s->dnnl = d.p;
    if (!describe_anchor(&d))
        return false;
    s->in = ARENA_ARRAY(l->arena, BufferId, d.p->n_memory);
    for (uint32_t i = 0; i < d.p->n_memory; i++)
        if (d.p->memory[i].arg != DNNL_ARG_DST && d.p->memory[i].buffer != NO_BUFFER)
            s->in[s->n_in++] = d.p->memory[i].buffer;
    return true;
}
