/* What a step computes as a oneDNN primitive: the common parts and the small primitives. */
#include "describe.h"

#include "../ops/ops.h"

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

DnnlMemory *describe_add_pixels(Describe *d, int arg, const char *name, BufferId buffer)
{
    const Buffer *b = &d->l->p->buffers[buffer];
    const int64_t channels = b->type.dims[1], dims[2] = {type_count(&b->type) / channels, channels};
    const int64_t pitch = b->layout.pitch;
    DnnlMemory *m = describe_add_view(d, arg, name, buffer, 2, dims);
    if (pitch) {
        m->form = FORM_STRIDES;
        m->strides[0] = pitch;
        m->strides[1] = 1;
    }
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
    m->form = FORM_STRIDES; /* not every permutation has a tag, nor has a part of a wider tensor */
    layout_strides(&b->layout, &b->type, m->strides);
}

DnnlMemory *describe_add_weights(Describe *d, int rank, const int64_t *dims, const int64_t *strides,
                                 ValueId v, const void *data)
{
    DnnlMemory *m = &d->p->memory[d->p->n_memory++];
    *m = (DnnlMemory){.arg = ARG_WEIGHTS,
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

/* --- small primitives -------------------------------------------------------------------------------------------- */

static bool describe_eltwise(Describe *d)
{
    Layout layout = lower_alike(d->l, d->n->in[0], d->result);
    if (!onednn_eltwise_of(d->n, &d->p->alg, &d->p->alpha, &d->p->beta))
        return false;
    d->p->kind = KIND_ELTWISE;
    d->overwrite = d->n->in[0];
    describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_binary(Describe *d)
{
    const TensorType *out = type_of(d->l->g, d->n->out[0]);
    ValueId a = d->n->in[0], b = d->n->in[1];
    bool commutes = op_has(d->n->op, TRAIT_COMMUTES | TRAIT_NEARLY_COMMUTES);
    if (!onednn_binary_of(d->n->op, &d->p->alg) || !onednn_computes(out->dtype))
        return false;
    if (commutes && !same_shape(type_of(d->l->g, a), out)) {
        a = d->n->in[1];
        b = d->n->in[0];
    }
    if (!same_shape(type_of(d->l->g, a), out) || out->rank == 0)
        return false;
    Layout layout = lower_alike(d->l, a, d->result);
    d->p->kind = KIND_BINARY;
    d->overwrite = a;
    DnnlMemory *src0 = describe_add(d, ARG_SRC, "src0", lower_value_in(d->l, a, &layout));
    if (!describe_add_operand(d, src0, &layout, false, b, ARG_SRC_1, "src1"))
        return false;
    return describe_finish(d, &layout, 0, NULL);
}

/* Concat and Sum: several sources in one layout. */
static bool describe_many(Describe *d)
{
    const TensorType *out = type_of(d->l->g, d->n->out[0]);
    if (d->n->n_in > MAX_SOURCES || out->rank == 0)
        return false;
    Layout layout = lower_alike(d->l, d->n->in[0], d->result);
    d->p->kind = d->n->op == OP_Concat ? KIND_CONCAT : KIND_SUM;
    d->p->axis = (int)attr_int(d->n, "axis", 0);
    for (uint32_t k = 0; k < d->n->n_in; k++)
        describe_add(d, ARG_MULTIPLE_SRC + (int)k, "src",
                     lower_value_in(d->l, d->n->in[k], &layout));
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_softmax(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    int axis = (int)attr_int(d->n, "axis", 0), end = (int)attr_int(d->n, "axis_end", axis + 1);
    Layout layout = lower_alike(d->l, d->n->in[0], d->result);
    int64_t dims[2] = {1, 1};
    d->p->kind = KIND_SOFTMAX;
    d->p->alg = d->n->op == OP_LogSoftmax ? ALG_SOFTMAX_LOG : ALG_SOFTMAX_ACCURATE;
    d->p->axis = axis;
    if (end == axis + 1) {
        describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
        return describe_finish(d, &layout, 0, NULL);
    }
    if (end != t->rank)
        return false;
    for (int i = 0; i < t->rank; i++)
        dims[i >= axis] *= t->dims[i];
    d->p->axis = 1;
    layout = layout_plain(t->rank);
    describe_add_view(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout), 2, dims);
    return describe_finish(d, &layout, 2, dims);
}

/* Cast between f32 and bf16: one reorder that also brings the channels where the readers want them. */
static bool describe_cast(Describe *d)
{
    Layout have = lower_layout_of(d->l, d->n->in[0]);
    Layout layout = lower_wanted_layout(d->l, d->result);
    d->p->kind = KIND_REORDER;
    describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &have));
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_prelu(Describe *d)
{
    Layout layout = lower_alike(d->l, d->n->in[0], d->result);
    d->p->kind = KIND_PRELU;
    DnnlMemory *src = describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    if (!describe_add_operand(d, src, &layout, false, d->n->in[1], ARG_WEIGHTS, "weights"))
        return false;
    return describe_finish(d, &layout, 0, NULL);
}

/* Channels last, over all that follows the channels: a pool of one window. oneDNN reduces that layout by its reference code only. */
static bool describe_reduce_planes(Describe *d, const Layout *nxc, const int64_t *kept)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    Layout plain = layout_plain(type_of(d->l->g, d->result)->rank);
    d->p->kind = KIND_POOLING;
    d->p->alg = d->n->op == OP_ReduceMax ? ALG_POOLING_MAX : ALG_POOLING_AVG_EXCLUDE_PADDING;
    d->p->spatial = t->rank - 2;
    float count = 1;
    for (int i = 0; i < d->p->spatial; i++) {
        d->p->kernel[i] = t->dims[i + 2];
        d->p->strides[i] = 1;
        count *= (float)t->dims[i + 2];
    }
    if (d->n->op == OP_ReduceSum)
        d->p->post[d->p->n_post++] =
            (DnnlPostOp){.kind = DNNL_POST_ELTWISE, .alg = ALG_ELTWISE_LINEAR, .alpha = count};
    describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], nxc));
    if (!describe_finish(d, &plain, t->rank, kept))
        return false;
    onednn_memory_of(d->p, ARG_DST)->tag = layout_tag(d->l->arena, nxc); /* the same bytes */
    return true;
}

bool onednn_reduces_planes(const Graph *g, const Node *n, const Composite *c)
{
    const int rank = type_of(g, n->in[0])->rank;
    size_t n_axes;
    const int64_t *axes = attr_ints(n, "axes", &n_axes);
    for (uint32_t i = 0; c && i < c->n_post; i++)
        if (c->post[i].kind == POST_SUM) /* pools do not take it */
            return false;
    return rank >= 3 && rank <= 5 && (int)n_axes == rank - 2 && axes[0] == 2 &&
           (n->op == OP_ReduceMax || n->op == OP_ReduceMean || n->op == OP_ReduceSum);
}

static bool describe_reduce(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]), *out = type_of(d->l->g, d->result);
    size_t n_axes;
    const int64_t *axes = attr_ints(d->n, "axes", &n_axes);
    int64_t dims[MAX_RANK];
    Layout layout = lower_reads(d->l, d->n->out[0]), nxc = layout_nxc(t->rank),
           plain = layout_plain(out->rank);
    if (n_axes == 0 || t->rank == 0)
        return false;
    d->p->alg = onednn_ops[d->n->op].alg;
    memcpy(dims, t->dims, sizeof dims);
    for (size_t i = 0; i < n_axes; i++)
        dims[axes[i]] = 1;
    if (layout_equal(&layout, &nxc) && onednn_reduces_planes(d->l->g, d->n, d->c))
        return describe_reduce_planes(d, &layout, dims);
    d->p->kind = KIND_REDUCTION;
    Layout rows = layout_plain(t->rank);
    describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &rows));
    return describe_finish(d, &plain, t->rank, dims);
}

static bool describe_resize(Describe *d)
{
    const TensorType *t = type_of(d->l->g, d->n->in[0]);
    Layout layout = layout_nxc(t->rank);
    d->p->kind = KIND_RESAMPLING;
    d->p->alg = strcmp(attr_string(d->n, "mode", "nearest"), "nearest") ? ALG_RESAMPLING_LINEAR
                                                                        : ALG_RESAMPLING_NEAREST;
    describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    return describe_finish(d, &layout, 0, NULL);
}

static bool describe_product(Describe *d)
{
    return describe_is_attention(d) ? describe_attention(d) : describe_matmul(d);
}

static bool describe_nothing(Describe *d)
{
    (void)d;
    return false;
}

typedef bool DescribeFn(Describe *d);

static DescribeFn *const rows[PRIMITIVE_COUNT] = {
#define PRIMITIVE(name, supports, worth, bytes, small, describe, ...) describe_##describe,
#include "primitives.def"
};

bool onednn_describe(Lowering *l, Step *s, const Node *anchor, const Composite *c)
{
    uint32_t post = c ? c->n_post : 0;
    Describe d = {.l = l, .s = s, .n = anchor, .c = c, .overwrite = NO_VALUE};
    d.result = c ? node_at(l->g, c->root)->out[0] : anchor->out[0];
    for (uint32_t k = 0; k < anchor->n_in && !onednn_takes_bytes(anchor->op); k++)
        if (has_value(anchor->in[k]) && !onednn_computes(type_of(l->g, anchor->in[k])->dtype))
            return false;
    if (type_count(type_of(l->g, d.result)) == 0)
        return false;
    d.p = ARENA_NEW(l->arena, DnnlPrimitive);
    d.p->memory = ARENA_ARRAY(l->arena, DnnlMemory, anchor->n_in + 2 * post + 8);
    d.p->post = ARENA_ARRAY(l->arena, DnnlPostOp, 2 * post + 4); /* some need two */
    s->dnnl = d.p;
    if (!rows[onednn_ops[anchor->op].primitive](&d))
        return false;
    s->in = ARENA_ARRAY(l->arena, BufferId, d.p->n_memory);
    for (uint32_t i = 0; i < d.p->n_memory; i++)
        if (d.p->memory[i].arg != ARG_DST && d.p->memory[i].buffer != NO_BUFFER)
            s->in[s->n_in++] = d.p->memory[i].buffer;
    return true;
}
