/* What a step computes as a oneDNN primitive: the common parts. */
#include "family.h"

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

DnnlMemory *describe_add_rows(Describe *d, int arg, const char *name, ValueId v, int rank,
                              const int64_t *dims)
{
    const Layout plain = layout_plain(type_of(d->l->g, v)->rank);
    return describe_add_view(d, arg, name, lower_value_in(d->l, v, &plain), rank, dims);
}

DnnlMemory *describe_add_src(Describe *d, const Layout *layout)
{
    return describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], layout));
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

void describe_weights_of_c(Describe *d, const int64_t dims[4], const void *packed)
{
    const TensorType t = type_make(DT_F32, 4, dims);
    DnnlMemory *m = onednn_memory_of(d->p, ARG_WEIGHTS);
    m->buffer = lower_const(d->l, t, packed, type_bytes(&t));
    m->form = FORM_TAG; /* nobody asks oneDNN */
    m->rank = 4;
    m->tag = "abcd";
    memcpy(m->dims, dims, sizeof t.dims[0] * 4);
}

bool onednn_describe(Lowering *l, Step *s, const Node *anchor, const Composite *c)
{
    uint32_t post = c ? c->n_post : 0;
    Describe d = {.l = l, .s = s, .n = anchor, .c = c, .overwrite = NO_VALUE};
    d.result = c ? node_at(l->g, c->root)->out[0] : anchor->out[0];
    for (uint32_t k = 0; k < anchor->n_in && !onednn_row(anchor->op)->bytes; k++)
        if (has_value(anchor->in[k]) && !onednn_computes(type_of(l->g, anchor->in[k])->dtype))
            return false;
    if (type_count(type_of(l->g, d.result)) == 0)
        return false;
    d.p = ARENA_NEW(l->arena, DnnlPrimitive);
    d.p->memory = ARENA_ARRAY(l->arena, DnnlMemory, anchor->n_in + 2 * post + 8);
    d.p->post = ARENA_ARRAY(l->arena, DnnlPostOp, 2 * post + 4); /* some need two */
    s->dnnl = d.p;
    if (!onednn_row(anchor->op)->describe(&d))
        return false;
    s->in = ARENA_ARRAY(l->arena, BufferId, d.p->n_memory);
    for (uint32_t i = 0; i < d.p->n_memory; i++)
        if (d.p->memory[i].arg != ARG_DST && d.p->memory[i].buffer != NO_BUFFER)
            s->in[s->n_in++] = d.p->memory[i].buffer;
    return true;
}
