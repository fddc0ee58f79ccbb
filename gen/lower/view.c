/* Reshapes and transposes that move no byte: views. */
#include "lower.h"

#include "../ops/ops.h"
#include "place.h"

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

/* The layout of the memory that Reshape makes a view of, and what it becomes: the operand as it is where that gives what was
 * chosen or wanted, or else in the layout chosen for it, or row-major. */
static void reshape_layouts(const Lowering *l, const Node *n, Layout *before, Layout *after)
{
    ValueId out = n->out[0];
    const TensorType *from = type_of(l->g, n->in[0]), *to = type_of(l->g, out);
    const Layout have = lower_actual_layout(l, n->in[0]), chosen = lower_leaves(l, out);
    bool free = lower_can_reorder(l, out);
    if (reshape_view(from, &have, to, after)) {
        Layout dense = layout_dense(after);
        *before = have;
        if (layout_is_plain(after) ? layout_same_bytes(after, &chosen, to) || !free
                                   : free && layout_same_bytes(&dense, &chosen, to))
            return;
        if (has_destination(l, out) && layout_same_bytes(after, &l->dest[out.i].layout, to) &&
            (free || leads_to_plain(l, out)))
            return;
    }
    *before = lower_reads(l, out);
    if (reshape_view(from, before, to, after) && layout_same_bytes(after, &chosen, to))
        return;
    *before = layout_plain(from->rank);
    *after = layout_plain(to->rank);
}

/* An operand that has to be reordered is so where the result belongs. */
static bool reshape_at_destination(Lowering *l, const Node *n, const Layout *before,
                                   const Layout *after)
{
    const ValueId v = n->in[0], out = n->out[0];
    const Layout have = lower_actual_layout(l, v);
    if (value_at(l->g, v)->kind != VALUE_NODE || l->primary[v.i] == NO_BUFFER ||
        !has_destination(l, out) || !lower_can_reorder(l, v) ||
        layout_same_bytes(&have, before, type_of(l->g, v)) ||
        lower_at_destination(l, out, after) == NO_BUFFER)
        return false;
    const Dest *d = &l->dest[out.i];
    lower_add_reorder(l, l->primary[v.i], lower_new_view(l, d->buffer, d->offset, v, *before));
    return true;
}

void lower_view(Lowering *l, const Node *n)
{
    Layout before, after;
    reshape_layouts(l, n, &before, &after);
    if (reshape_at_destination(l, n, &before, &after))
        return;
    lower_view_as(l, lower_value_in(l, n->in[0], &before), 0, n->out[0], after);
}

/* MatMul takes strides; one of the two last dimensions must be dense. */
static bool reads_in_place(const Lowering *l, NodeId reader, ValueId v, const Layout *layout)
{
    const Node *n = node_at(l->g, reader);
    return n->op == OP_MatMul && l->g->columns->target[reader.i] == TARGET_DNNL && !layout->pitch &&
           same_value(n->in[0], v) != same_value(n->in[1], v) && layout->rank > 2 &&
           layout->order[layout->rank - 1] >= layout->rank - 2;
}

/* A Transpose costs nothing where its operand lies in memory as the result is to, or all readers can take it so. */
bool lower_transpose_is_view(const Lowering *l, const Node *n)
{
    BufferId b = l->primary[n->in[0].i];
    ValueId out = n->out[0];
    if (b == NO_BUFFER || l->p->buffers[b].layout.block)
        return false;
    if (has_destination(l, out))
        return is_at_destination(l, n->in[0]) &&
               l->dest[n->in[0].i].buffer == l->dest[out.i].buffer &&
               l->dest[n->in[0].i].offset == l->dest[out.i].offset &&
               (lower_can_reorder(l, out) || leads_to_plain(l, out));
    const Layout layout = layout_transposed(&l->p->buffers[b].layout, attr_ints(n, "perm", NULL)),
                 chosen = lower_leaves(l, out);
    if (layout_same_bytes(&layout, &chosen, type_of(l->g, out)))
        return true;
    if (!l->engine)
        return false;
    for (uint32_t i = l->uses.start[out.i]; i < l->uses.start[out.i + 1]; i++)
        if (!reads_in_place(l, l->uses.node[i], out, &layout))
            return false;
    return true;
}

void lower_transpose_view(Lowering *l, const Node *n)
{
    const TensorType *t = type_of(l->g, n->out[0]);
    const Layout plain = layout_plain(t->rank), chosen = lower_leaves(l, n->out[0]);
    const BufferId src = l->primary[n->in[0].i];
    Layout layout = layout_transposed(&l->p->buffers[src].layout, attr_ints(n, "perm", NULL));
    if (layout_same_bytes(&layout, &plain, t))
        layout = plain;
    else if (layout_same_bytes(&layout, &chosen, t))
        layout = chosen;
    lower_view_as(l, src, 0, n->out[0], layout);
}
