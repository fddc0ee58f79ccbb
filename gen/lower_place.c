/* Placing values where they are wanted, so that no copy is needed later.
 *
 * A value may have a destination: a part of a buffer that exists before its producer runs, in a given layout. Outputs of the
 * model are destinations; so is the buffer of a Concat whose operands lie one after the other in memory. A destination passes
 * backwards through Reshape and Transpose, which then are views. A producer that can write the wanted layout writes there; if
 * it cannot, the value is copied as if there had been no destination.
 *
 * In the other direction a Split or Slice whose parts lie one after the other in memory makes views. */
#include "lower_place.h"

#include "ops.h"

#include <string.h>

bool has_destination(const Lowering *l, ValueId v)
{
    return l->dest[v.i].buffer != NO_BUFFER;
}

/* Whether parts along `axis` follow each other in memory: everything outside of it has size 1. */
static bool is_outermost(const Layout *layout, const TensorType *t, int axis)
{
    for (int k = 0; k < layout->rank && layout->order[k] != axis; k++)
        if (t->dims[layout->order[k]] != 1)
            return false;
    return !layout->block;
}

static void set_destination(Lowering *l, ValueId v, BufferId buffer, size_t offset, Layout layout);

/* Whether all operands of a Concat may be written where it wants them. If one has to be copied, all are. */
static bool can_be_placed(const Lowering *l, const Node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (value_at(l->g, n->in[k])->kind != VALUE_NODE || has_destination(l, n->in[k]))
            return false;
        for (uint32_t i = 0; i < k; i++)
            if (same_value(n->in[i], n->in[k]))
                return false;
    }
    return true;
}

static void pass_to_operands(Lowering *l, const Node *n, const Dest *d)
{
    const Graph *g = l->g;
    const TensorType *t = type_of(g, n->out[0]);
    int axis = (int)attr_int(n, "axis", 0);
    size_t offset = d->offset;
    if (!is_outermost(&d->layout, t, axis) || !can_be_placed(l, n))
        return;
    for (uint32_t k = 0; k < n->n_in; k++) {
        set_destination(l, n->in[k], d->buffer, offset, d->layout);
        offset += type_bytes(type_of(g, n->in[k]));
    }
}

static void set_destination(Lowering *l, ValueId v, BufferId buffer, size_t offset, Layout layout)
{
    const Graph *g = l->g;
    if (value_at(g, v)->kind != VALUE_NODE || has_destination(l, v))
        return;
    const Node *n = def_of(g, v);
    Layout before;
    l->dest[v.i] = (Dest){buffer, offset, layout};
    if (n->op == OP_Reshape && reshape_view(type_of(g, v), &layout, type_of(g, n->in[0]), &before))
        set_destination(l, n->in[0], buffer, offset, before);
    if (n->op == OP_Transpose) {
        const int64_t *perm = attr_ints(n, "perm", NULL);
        Layout inner = layout;
        for (int k = 0; k < layout.rank; k++)
            inner.order[k] = (int8_t)perm[layout.order[k]];
        set_destination(l, n->in[0], buffer, offset, inner);
    }
    if (n->op == OP_Concat)
        pass_to_operands(l, n, &l->dest[v.i]);
}

/* Some operand comes from a primitive that puts the channels last. */
static bool joins_channels_last(const Lowering *l, const Node *n)
{
    const Graph *g = l->g;
    for (uint32_t k = 0; k < n->n_in; k++) {
        const Value *v = value_at(g, n->in[k]);
        if (v->kind != VALUE_NODE || v->type.rank < 3 || !l->engine || !g->columns->target ||
            g->columns->target[v->def.i] != TARGET_DNNL)
            continue;
        const Composite *c = NULL;
        if (g->columns->composite && g->columns->composite[v->def.i] != NO_ROW)
            c = &g->columns->composites[g->columns->composite[v->def.i]];
        switch (node_at(g, c ? c->anchor : v->def)->op) {
        case OP_Conv:
        case OP_ConvTranspose:
        case OP_MaxPool:
        case OP_AveragePool:
        case OP_BatchNormalization:
        case OP_Resize:
            return true;
        default:
            break;
        }
    }
    return false;
}

void assign_destinations(Lowering *l)
{
    const Graph *g = l->g;
    for (uint32_t v = 0; v < g->n_values; v++)
        l->dest[v].buffer = NO_BUFFER;
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const TensorType *t = type_of(g, g->outputs[i].value);
        Layout plain = layout_plain(t->rank);
        l->port_buffer[i] = lower_new_buffer(l, (Buffer){.kind = BUFFER_OUTPUT,
                                                         .value = g->outputs[i].value,
                                                         .type = *t,
                                                         .layout = plain,
                                                         .bytes = type_bytes(t),
                                                         .port = i,
                                                         .base = NO_BUFFER});
        set_destination(l, g->outputs[i].value, l->port_buffer[i], 0, plain);
    }
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        const Node *n = &g->nodes[i];
        if (n->op != OP_Concat || has_destination(l, n->out[0]))
            continue;
        const TensorType *t = type_of(g, n->out[0]);
        Layout layout = joins_channels_last(l, n) ? layout_nxc(t->rank) : layout_plain(t->rank);
        if (!is_outermost(&layout, t, (int)attr_int(n, "axis", 0)))
            continue;
        BufferId b = lower_new_buffer(l, (Buffer){.kind = BUFFER_ARENA,
                                                  .value = n->out[0],
                                                  .type = *t,
                                                  .layout = layout,
                                                  .bytes = type_bytes(t),
                                                  .base = NO_BUFFER});
        set_destination(l, n->out[0], b, 0, layout);
    }
}

static BufferId view_of(Lowering *l, BufferId base, size_t offset, ValueId v, Layout layout)
{
    Buffer view = l->p->buffers[base];
    view.value = v;
    view.type = *type_of(l->g, v);
    view.layout = layout;
    view.bytes = type_bytes(&view.type);
    view.base = base;
    view.base_offset = offset;
    return l->primary[v.i] = lower_new_buffer(l, view);
}

/* False if something else was written to a part of it: an operand of the Concat that could not be put together in place, or the
 * source of a Transpose that could not be a view. It may still be read. */
static bool claim(Lowering *l, const Dest *d, size_t bytes)
{
    Claim mine = {d->buffer, d->offset, d->offset + bytes};
    for (size_t i = 0; i < l->n_claims; i++)
        if (l->claims[i].buffer == mine.buffer && l->claims[i].from < mine.to &&
            mine.from < l->claims[i].to)
            return false;
    l->claims = arena_grow(l->arena, l->claims, l->n_claims, &l->cap_claims, sizeof *l->claims);
    l->claims[l->n_claims++] = mine;
    return true;
}

BufferId lower_at_destination(Lowering *l, ValueId v, const Layout *layout)
{
    const Dest *d = &l->dest[v.i];
    const TensorType *t = type_of(l->g, v);
    if (d->buffer == NO_BUFFER || !layout_same_bytes(layout, &d->layout, t) ||
        !claim(l, d, type_bytes(t)))
        return NO_BUFFER;
    return view_of(l, d->buffer, d->offset, v, *layout);
}

static BufferId place_of(const Program *p, BufferId b, size_t *offset)
{
    for (*offset = 0; p->buffers[b].base != NO_BUFFER; b = p->buffers[b].base)
        *offset += p->buffers[b].base_offset;
    return b;
}

bool is_at_destination(const Lowering *l, ValueId v)
{
    const Dest *d = &l->dest[v.i];
    size_t have, want;
    if (d->buffer == NO_BUFFER || l->primary[v.i] == NO_BUFFER)
        return false;
    BufferId at = place_of(l->p, l->primary[v.i], &have), wanted = place_of(l->p, d->buffer, &want);
    return at == wanted && have == want + d->offset &&
           layout_same_bytes(&l->p->buffers[l->primary[v.i]].layout, &d->layout, type_of(l->g, v));
}

bool concat_in_place(Lowering *l, const Node *n)
{
    ValueId out = n->out[0];
    if (!has_destination(l, out))
        return false;
    Dest d = l->dest[out.i];
    size_t offset = d.offset;
    for (uint32_t k = 0; k < n->n_in; k++) {
        const Dest *part = &l->dest[n->in[k].i];
        if (!is_at_destination(l, n->in[k]) || part->buffer != d.buffer || part->offset != offset)
            return false;
        offset += type_bytes(type_of(l->g, n->in[k]));
    }
    view_of(l, d.buffer, d.offset, out, d.layout);
    return true;
}

/* The unblocked buffer of a value that parts can be views of. */
static bool can_be_divided(const Lowering *l, const Node *n, int axis)
{
    BufferId b = l->primary[n->in[0].i];
    if (b == NO_BUFFER || l->p->buffers[b].kind == BUFFER_CONST ||
        !is_outermost(&l->p->buffers[b].layout, type_of(l->g, n->in[0]), axis))
        return false;
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k]) && has_destination(l, n->out[k]))
            return false;
    return true;
}

bool split_is_views(Lowering *l, const Node *n)
{
    int axis = (int)attr_int(n, "axis", 0);
    const int64_t *sizes = attr_ints(n, "split", NULL);
    const TensorType *t = type_of(l->g, n->in[0]);
    if (!can_be_divided(l, n, axis) || type_count(t) == 0)
        return false;
    BufferId src = l->primary[n->in[0].i];
    size_t offset = 0, step = type_bytes(t) / (size_t)t->dims[axis];
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (has_value(n->out[k]))
            view_of(l, src, offset, n->out[k], l->p->buffers[src].layout);
        offset += step * (size_t)sizes[k];
    }
    return true;
}

bool slice_is_view(Lowering *l, const Node *n)
{
    const TensorType *t = type_of(l->g, n->in[0]), *out = type_of(l->g, n->out[0]);
    const int64_t *starts = attr_ints(n, "starts", NULL), *steps = attr_ints(n, "steps", NULL);
    int axis = -1;
    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] == out->dims[d] && starts[d] == 0)
            continue;
        if (axis >= 0 || (steps[d] != 1 && out->dims[d] != 1))
            return false;
        axis = d;
    }
    if (axis < 0 || type_count(out) == 0 || !can_be_divided(l, n, axis))
        return false;
    BufferId src = l->primary[n->in[0].i];
    size_t step = type_bytes(t) / (size_t)t->dims[axis];
    view_of(l, src, step * (size_t)starts[axis], n->out[0], l->p->buffers[src].layout);
    return true;
}
