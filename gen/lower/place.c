/* Placing values where they are wanted, so that no copy is needed later.
 *
 * A value may have a destination: a part of a buffer that exists before its producer runs, in a given layout. Outputs of the
 * model are destinations; so is the buffer of a Concat. A destination passes backwards through Reshape and Transpose, which
 * then are views, and through Concats of Concats. A producer that can write the wanted layout writes there; if it cannot, the
 * value is copied as if there had been no destination.
 *
 * The operands of a Concat stand one after the other in memory, or, where channels are put together that stand last, side by
 * side in every row: each has a row pitch. An operand whose producer cannot write so is copied to its
 * place; the others are not.
 *
 * In the other direction the parts of a Split or Slice are views, with a row pitch or dense. */
#include "place.h"

#include "../kernel/kernel.h"
#include "../ops/ops.h"

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

/* Whether v in this layout is in the order that was chosen for it. */
static bool is_as_chosen(const Lowering *l, ValueId v, const Layout *layout)
{
    const Layout dense = layout_dense(layout), chosen = lower_leaves(l, v);
    return !l->choice || dense.rank < 3 || layout_same_bytes(&dense, &chosen, type_of(l->g, v));
}

static void set_destination(Lowering *l, ValueId v, BufferId buffer, size_t offset, Layout layout);

/* As often as the node is computed: what is made before a loop would be written once to memory that each iteration reuses. */
static bool is_made_with(const Lowering *l, const Node *n, ValueId v)
{
    return loop_of_value(l->g, &l->loops, v) == loop_of_value(l->g, &l->loops, n->out[0]);
}

/* Whether all operands of a Concat may be written where it wants them. If one has to be copied, all are. */
static bool can_be_placed(const Lowering *l, const Node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (value_at(l->g, n->in[k])->kind != VALUE_NODE || has_destination(l, n->in[k]) ||
            !is_made_with(l, n, n->in[k]))
            return false;
        for (uint32_t i = 0; i < k; i++)
            if (same_value(n->in[i], n->in[k]))
                return false;
    }
    return true;
}

/* Bytes between neighbours along an axis. */
static size_t axis_step(const Layout *layout, const TensorType *t, int axis)
{
    int64_t strides[MAX_RANK];
    layout_strides(layout, t, strides);
    return (size_t)strides[axis] * dtype_size(t->dtype);
}

bool lower_part_layout(const Lowering *l, const Layout *whole, ValueId v, int axis, Layout *part)
{
    const TensorType *t = type_of(l->g, v);
    if (!layout_of_part(whole, t, axis, part))
        return false;
    return is_outermost(whole, t, axis) || (t->rank > 2 && lower_can_reorder(l, v));
}

/* Layers of C that read and write with a row pitch wherever they stand, alone or as one elementwise loop. */
static bool walks_by_strides(const Lowering *l, NodeId id)
{
    const Node *n = node_at(l->g, id);
    const Composite *c = composite_of(l->g, id);
    return c ? c_can_fuse(l->g, node_at(l->g, c->anchor))
             : op_info(n->op)->class == CLASS_ELTWISE || c_works_by_strides(n->op);
}

/* Where channels stand last, what works on them can be asked for a row pitch, or a reorder makes it dense, which is never more than the
 * Concat or Split would have been. */
bool lower_row_pitch_pays(const Lowering *l, const Node *n, const Layout *whole)
{
    const Layout nxc = layout_nxc(whole->rank), dense = layout_dense(whole);
    if (layout_equal(&dense, &nxc))
        return true;
    for (uint32_t k = 0; n->op == OP_Concat && k < n->n_in; k++)
        if (value_at(l->g, n->in[k])->kind != VALUE_NODE || !single_use(&l->uses, n->in[k]) ||
            !walks_by_strides(l, value_at(l->g, n->in[k])->def))
            return false;
    for (uint32_t k = 0; n->op != OP_Concat && k < n->n_out; k++) {
        const ValueId v = n->out[k];
        for (uint32_t u = has_value(v) ? l->uses.start[v.i] : 0;
             has_value(v) && u < l->uses.start[v.i + 1]; u++)
            if (!walks_by_strides(l, l->uses.node[u]))
                return false;
    }
    return true;
}

static void pass_to_operands(Lowering *l, const Node *n, const Dest *d)
{
    const Graph *g = l->g;
    ValueId out = n->out[0];
    int axis = (int)attr_int(n, "axis", 0);
    size_t offset = d->offset, step = axis_step(&d->layout, type_of(g, out), axis);
    Layout part;
    if (!lower_part_layout(l, &d->layout, out, axis, &part) ||
        (part.pitch ? !lower_row_pitch_pays(l, n, &d->layout) : !can_be_placed(l, n)))
        return;
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (is_made_with(l, n, n->in[k]))
            set_destination(l, n->in[k], d->buffer, offset, part);
        offset += step * (size_t)type_of(g, n->in[k])->dims[axis];
    }
}

static void set_destination(Lowering *l, ValueId v, BufferId buffer, size_t offset, Layout layout)
{
    const Graph *g = l->g;
    if (value_at(g, v)->kind != VALUE_NODE || has_destination(l, v) || !is_as_chosen(l, v, &layout))
        return;
    const Node *n = def_of(g, v);
    Layout before;
    l->dest[v.i] = (Dest){buffer, offset, layout};
    if (!n->n_in || !is_made_with(l, n, n->in[0]))
        return;
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
        Layout layout = lower_leaves(l, n->out[0]), part;
        if (!lower_part_layout(l, &layout, n->out[0], (int)attr_int(n, "axis", 0), &part))
            continue;
        BufferId b = lower_arena_buffer(l, n->out[0], *t, layout, type_bytes(t));
        set_destination(l, n->out[0], b, 0, layout);
    }
}

static bool claims_meet(const Claim *a, const Claim *b)
{
    if (a->buffer != b->buffer || a->from >= b->to || b->from >= a->to)
        return false;
    if (!a->pitch || a->pitch != b->pitch)
        return true;
    size_t x = a->from % a->pitch, y = b->from % b->pitch;
    return x < y + b->width && y < x + a->width;
}

static Claim claim_of(const Dest *d, const TensorType *t)
{
    const Layout *layout = &d->layout;
    size_t size = dtype_size(t->dtype);
    Claim c = {d->buffer, d->offset, d->offset + layout_bytes(layout, t), 0, 0};
    if (layout->pitch) {
        c.pitch = (size_t)layout->pitch * size;
        c.width = (size_t)t->dims[layout->order[layout->rank - 1]] * size;
    }
    return c;
}

/* False if something else was written to a part of it: an operand of the Concat that could not be put together in place, or the
 * source of a Transpose that could not be a view. It may still be read. One buffer has one distance between rows, which is what
 * verify/program.c can follow. */
static bool can_claim(const Lowering *l, const Claim *mine)
{
    for (size_t i = 0; i < l->n_claims; i++)
        if (claims_meet(&l->claims[i], mine) ||
            (l->claims[i].buffer == mine->buffer && l->claims[i].pitch && mine->pitch &&
             l->claims[i].pitch != mine->pitch))
            return false;
    return true;
}

static bool claim(Lowering *l, const Dest *d, const TensorType *t)
{
    Claim mine = claim_of(d, t);
    if (!can_claim(l, &mine))
        return false;
    ARENA_PUSH(l->arena, l->claims, l->n_claims, l->cap_claims, mine);
    return true;
}

BufferId lower_at_destination(Lowering *l, ValueId v, const Layout *layout)
{
    const Dest *d = &l->dest[v.i];
    const TensorType *t = type_of(l->g, v);
    if (d->buffer == NO_BUFFER || !layout_same_bytes(layout, &d->layout, t) || !claim(l, d, t))
        return NO_BUFFER;
    return lower_view_as(l, d->buffer, d->offset, v, *layout);
}

BufferId lower_copy_at_port(Lowering *l, ValueId v, const Layout *layout)
{
    for (uint32_t i = 0; i < l->g->n_outputs; i++) {
        const Dest d = {l->port_buffer[i], 0, *layout};
        if (same_value(l->g->outputs[i].value, v) && layout_is_plain(layout) &&
            !is_at_destination(l, v) && claim(l, &d, type_of(l->g, v)))
            return lower_new_view(l, d.buffer, 0, v, *layout);
    }
    return NO_BUFFER;
}

/* One buffer has one distance between rows. */
static bool may_have_pitch(const Lowering *l, BufferId b, int64_t pitch)
{
    size_t offset;
    BufferId root = root_buffer(l->p, b, &offset);
    for (BufferId i = 0; i < l->p->n_buffers; i++)
        if (l->p->buffers[i].layout.pitch && l->p->buffers[i].layout.pitch != pitch &&
            root_buffer(l->p, i, &offset) == root)
            return false;
    return true;
}

bool is_at_destination(const Lowering *l, ValueId v)
{
    const Dest *d = &l->dest[v.i];
    size_t have, want;
    if (d->buffer == NO_BUFFER || l->primary[v.i] == NO_BUFFER)
        return false;
    BufferId at = root_buffer(l->p, l->primary[v.i], &have),
             wanted = root_buffer(l->p, d->buffer, &want);
    return at == wanted && have == want + d->offset &&
           layout_same_bytes(&l->p->buffers[l->primary[v.i]].layout, &d->layout, type_of(l->g, v));
}

/* Where operand k of a Concat belongs, if the whole is at d; *in_place: it is there. */
static Dest operand_dest(const Lowering *l, const Node *n, uint32_t k, const Dest *d,
                         bool *in_place)
{
    int axis = (int)attr_int(n, "axis", 0);
    Dest at = *d;
    size_t step = axis_step(&d->layout, type_of(l->g, n->out[0]), axis);
    lower_part_layout(l, &d->layout, n->out[0], axis, &at.layout);
    for (uint32_t i = 0; i < k; i++)
        at.offset += step * (size_t)type_of(l->g, n->in[i])->dims[axis];
    const Dest *have = &l->dest[n->in[k].i];
    *in_place = is_at_destination(l, n->in[k]) && have->buffer == at.buffer &&
                have->offset == at.offset &&
                layout_same_bytes(&have->layout, &at.layout, type_of(l->g, n->in[k]));
    return at;
}

bool concat_in_place(Lowering *l, const Node *n)
{
    ValueId out = n->out[0];
    Dest d = l->dest[out.i];
    Layout part;
    bool in_place;
    if (!has_destination(l, out) ||
        !lower_part_layout(l, &d.layout, out, (int)attr_int(n, "axis", 0), &part))
        return false;
    for (uint32_t k = 0; k < n->n_in; k++) {
        Dest at = operand_dest(l, n, k, &d, &in_place);
        Claim mine = claim_of(&at, type_of(l->g, n->in[k]));
        bool empty = type_count(type_of(l->g, n->in[k])) == 0;
        if (!in_place && (!part.pitch || empty || !lower_row_pitch_pays(l, n, &d.layout) ||
                          !can_claim(l, &mine)))
            return false;
    }
    for (uint32_t k = 0; k < n->n_in; k++) {
        Dest at = operand_dest(l, n, k, &d, &in_place);
        if (in_place)
            continue;
        if (!claim(l, &at, type_of(l->g, n->in[k])))
            bug("operands of a Concat overlap");
        lower_copy_to(l, n->in[k], lower_new_view(l, at.buffer, at.offset, n->in[k], at.layout));
    }
    lower_view_as(l, d.buffer, d.offset, out, d.layout);
    return true;
}

/* Whether a part is better a view than written to its destination: there its Concat copies it, if the part is to have a row pitch. */
static bool part_may_be_view(const Lowering *l, const Node *n, ValueId v, const Layout *part)
{
    return (!has_destination(l, v) || (n->op == OP_Split && l->dest[v.i].layout.pitch)) &&
           is_as_chosen(l, v, part);
}

/* The unblocked buffer of a value that parts can be views of, one of them at least where it is wanted. */
static bool can_be_divided(const Lowering *l, const Node *n, int axis, Layout *part)
{
    BufferId b = l->primary[n->in[0].i];
    bool any = false;
    if (b == NO_BUFFER || l->p->buffers[b].kind == BUFFER_CONST ||
        !lower_part_layout(l, &l->p->buffers[b].layout, n->in[0], axis, part))
        return false;
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (has_value(n->out[k]) && !part_may_be_view(l, n, n->out[k], part))
            return false;
        any = any || (has_value(n->out[k]) && !has_destination(l, n->out[k]));
    }
    return any && (!part->pitch || (lower_row_pitch_pays(l, n, &l->p->buffers[b].layout) &&
                                    may_have_pitch(l, b, part->pitch)));
}

bool split_is_views(Lowering *l, const Node *n)
{
    int axis = (int)attr_int(n, "axis", 0);
    const int64_t *sizes = attr_ints(n, "split", NULL);
    const TensorType *t = type_of(l->g, n->in[0]);
    Layout part;
    if (type_count(t) == 0 || !can_be_divided(l, n, axis, &part))
        return false;
    BufferId src = l->primary[n->in[0].i];
    size_t offset = 0, step = axis_step(&l->p->buffers[src].layout, t, axis);
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (has_value(n->out[k]))
            lower_view_as(l, src, offset, n->out[k], part);
        offset += step * (size_t)sizes[k];
    }
    return true;
}

int lower_slice_axis(const Graph *g, const Node *n)
{
    const TensorType *t = type_of(g, n->in[0]), *out = type_of(g, n->out[0]);
    const int64_t *starts = attr_ints(n, "starts", NULL), *steps = attr_ints(n, "steps", NULL);
    int axis = -1;
    for (int d = 0; d < t->rank; d++) {
        if (t->dims[d] == out->dims[d] && starts[d] == 0)
            continue;
        if (axis >= 0 || (steps[d] != 1 && out->dims[d] != 1))
            return -1;
        axis = d;
    }
    return axis;
}

bool slice_is_view(Lowering *l, const Node *n)
{
    const TensorType *t = type_of(l->g, n->in[0]);
    const int64_t *starts = attr_ints(n, "starts", NULL);
    const int axis = lower_slice_axis(l->g, n);
    Layout part;
    if (axis < 0 || type_count(type_of(l->g, n->out[0])) == 0 || !can_be_divided(l, n, axis, &part))
        return false;
    BufferId src = l->primary[n->in[0].i];
    size_t step = axis_step(&l->p->buffers[src].layout, t, axis);
    lower_view_as(l, src, step * (size_t)starts[axis], n->out[0], part);
    return true;
}
