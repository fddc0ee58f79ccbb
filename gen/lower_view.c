/* Reshapes and transposes that move no byte: views. */
#include "lower.h"

#include "lower_place.h"
#include "ops.h"

#include <string.h>

/* Whether v, at its destination, is only read by views there until one of them is row-major. */
static bool leads_to_plain(const Lowering *l, ValueId v)
{
    for (;;) {
        const TensorType *t = type_of(l->g, v);
        const Dest *d = &l->dest[v.i];
        Layout plain = layout_plain(t->rank);
        if (layout_same_bytes(&d->layout, &plain, t))
            return true;
        if (!single_use(&l->uses, v))
            return false;
        const Node *reader = node_at(l->g, l->uses.node[l->uses.start[v.i]]);
        if ((reader->op != OP_Reshape && reader->op != OP_Transpose) ||
            l->dest[reader->out[0].i].buffer != d->buffer ||
            l->dest[reader->out[0].i].offset != d->offset)
            return false;
        v = reader->out[0];
    }
}

/* The layout of the memory that Reshape makes a view of: as it is where the view is of use that way, what a reader of the
 * result wants where that can be had by reordering x, else row-major. */
static void reshape_layouts(const Lowering *l, const Node *n, Layout *before, Layout *after)
{
    ValueId out = n->out[0];
    const TensorType *from = type_of(l->g, n->in[0]), *to = type_of(l->g, out);
    Layout have = lower_actual_layout(l, n->in[0]), nxc = layout_nxc(to->rank), dense;
    bool wants_nxc = to->rank > 2 && lower_reader_wants_nxc(l, out);
    bool free = lower_can_reorder(l, out);
    if (reshape_view(from, &have, to, after)) {
        *before = have;
        dense = layout_dense(after);
        if (layout_is_plain(after) ||
            (free &&
             ((layout_equal(&dense, &nxc) && (wants_nxc || lower_only_elementwise(l, out))) ||
              lower_only_transposed(l, out))) ||
            (has_destination(l, out) && layout_same_bytes(after, &l->dest[out.i].layout, to) &&
             (free || leads_to_plain(l, out))))
            return;
    }
    *after = nxc;
    if (free && wants_nxc && reshape_view(to, &nxc, from, before))
        return;
    *before = layout_plain(from->rank);
    *after = layout_plain(to->rank);
}

void lower_view(Lowering *l, const Node *n)
{
    Layout before, after;
    reshape_layouts(l, n, &before, &after);
    BufferId src = lower_value_in(l, n->in[0], &before);
    Buffer view = l->p->buffers[src];
    view.value = n->out[0];
    view.type = *type_of(l->g, n->out[0]);
    view.layout = after;
    view.base = src;
    view.base_offset = 0;
    l->primary[n->out[0].i] = lower_new_buffer(l, view);
}

/* The layout in which y = Transpose(x, perm) is the same memory as x. */
static Layout transposed(const Layout *x, const int64_t *perm)
{
    Layout y = *x;
    for (int k = 0; k < x->rank; k++)
        for (int j = 0; j < x->rank; j++)
            if (perm[j] == x->order[k])
                y.order[k] = (int8_t)j;
    return y;
}

/* Whether n can read operand v in this layout as it is. */
static bool reads_in_place(const Lowering *l, NodeId reader, ValueId v, const Layout *layout)
{
    const Graph *g = l->g;
    const Node *n = node_at(g, reader);
    Layout nxc = layout_nxc(layout->rank);
    if (g->columns->target[reader.i] != TARGET_DNNL || layout->pitch)
        return false;
    switch (n->op) {
    case OP_MatMul: /* strides; one of the two last dimensions must be dense */
        return same_value(n->in[0], v) != same_value(n->in[1], v) && layout->rank > 2 &&
               layout->order[layout->rank - 1] >= layout->rank - 2;
    case OP_Conv:
    case OP_ConvTranspose:
    case OP_MaxPool:
    case OP_AveragePool:
        return same_value(n->in[0], v) && layout_equal(layout, &nxc);
    default:
        return false;
    }
}

/* A Reshape that reorders its operand anyway, for a reader that wants the channels last. */
static bool reshapes_to_nxc(const Lowering *l, NodeId reader)
{
    const Node *n = node_at(l->g, reader);
    if (n->op != OP_Reshape || !lower_reader_wants_nxc(l, n->out[0]))
        return false;
    const TensorType *to = type_of(l->g, n->out[0]);
    Layout nxc = layout_nxc(to->rank), before;
    return to->rank > 2 && reshape_view(to, &nxc, type_of(l->g, n->in[0]), &before);
}

/* A Transpose costs nothing where all readers can take their operand as it lies in memory. */
bool lower_transpose_is_view(const Lowering *l, const Node *n, Layout *layout)
{
    BufferId b = l->primary[n->in[0].i];
    ValueId out = n->out[0];
    if (b == NO_BUFFER || l->p->buffers[b].layout.block)
        return false;
    Layout plain = layout_plain(type_of(l->g, out)->rank);
    *layout = transposed(&l->p->buffers[b].layout, attr_ints(n, "perm", NULL));
    if (has_destination(l, out))
        return is_at_destination(l, n->in[0]) &&
               l->dest[n->in[0].i].buffer == l->dest[out.i].buffer &&
               l->dest[n->in[0].i].offset == l->dest[out.i].offset &&
               (lower_can_reorder(l, out) || leads_to_plain(l, out));
    if (layout_same_bytes(layout, &plain, type_of(l->g, out))) {
        *layout = plain;
        return true;
    }
    if (!l->engine)
        return false;
    for (uint32_t i = l->uses.start[out.i]; i < l->uses.start[out.i + 1]; i++)
        if (!reads_in_place(l, l->uses.node[i], out, layout) &&
            !reshapes_to_nxc(l, l->uses.node[i]))
            return false;
    return true;
}

void lower_transpose_view(Lowering *l, const Node *n, const Layout *layout)
{
    BufferId src = l->primary[n->in[0].i];
    Buffer view = l->p->buffers[src];
    view.value = n->out[0];
    view.type = *type_of(l->g, n->out[0]);
    view.layout = *layout;
    view.base = src;
    view.base_offset = 0;
    l->primary[n->out[0].i] = lower_new_buffer(l, view);
}
