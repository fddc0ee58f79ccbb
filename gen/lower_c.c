/* Steps of the C target, and the layouts they work in. */
#include "lower.h"

#include "emit_c.h"
#include "emit_c_tail.h"
#include "lower_place.h"
#include "ops.h"
#include "sum_norm.h"

#include <string.h>

/* --- steps of the C target -------------------------------------------------------------------------------------- */

const Composite *lower_composite_of(const Lowering *l, NodeId id)
{
    const Columns *c = l->g->columns;
    return c->composite && c->composite[id.i] != NO_ROW ? &c->composites[c->composite[id.i]] : NULL;
}

/* Parts of v, which have its order of dimensions if they are views of it. */
static bool is_cut(Op op)
{
    return op == OP_Slice || op == OP_Split;
}

/* Whether some reader of v would rather have the channels last; or of a part of v, or the place where a part is put together
 * with others. */
static bool reader_wants_nxc(const Lowering *l, ValueId v, int depth)
{
    enum { DEPTH = 4 };
    const Graph *g = l->g;
    for (uint32_t i = l->uses.start[v.i]; i < l->uses.start[v.i + 1]; i++) {
        const Node *n = node_at(g, l->uses.node[i]);
        if (g->columns->target[l->uses.node[i].i] == TARGET_DNNL &&
            (op_info(n->op)->class != CLASS_MOVE || n->op == OP_Concat) && n->op != OP_MatMul &&
            n->op != OP_Gemm)
            return true;
        for (uint32_t k = 0; is_cut(n->op) && k < n->n_out && depth < DEPTH; k++) {
            ValueId part = n->out[k];
            if (!has_value(part))
                continue;
            Layout nxc = layout_nxc(type_of(g, part)->rank), dest;
            dest = layout_dense(&l->dest[part.i].layout);
            if (has_destination(l, part) ? layout_equal(&dest, &nxc)
                                         : reader_wants_nxc(l, part, depth + 1))
                return true;
        }
    }
    return false;
}

bool lower_reader_wants_nxc(const Lowering *l, ValueId v)
{
    return l->g->columns->target && !has_destination(l, v) && type_of(l->g, v)->rank > 2 &&
           reader_wants_nxc(l, v, 0);
}

/* All readers are Transposes and Reshapes that may turn the memory order into a useful one. */
bool lower_only_transposed(const Lowering *l, ValueId v)
{
    uint32_t n = use_count(&l->uses, v);
    for (uint32_t i = 0; i < n; i++)
        if (node_at(l->g, l->uses.node[l->uses.start[v.i] + i])->op != OP_Transpose)
            return false;
    return n > 0;
}

/* All readers are elementwise on its shape: they take any order of dimensions, and hand it on. */
bool lower_only_elementwise(const Lowering *l, ValueId v)
{
    uint32_t n = use_count(&l->uses, v);
    for (uint32_t i = 0; i < n; i++) {
        const Node *reader = node_at(l->g, l->uses.node[l->uses.start[v.i] + i]);
        if (op_info(reader->op)->class != CLASS_ELTWISE ||
            !same_shape(type_of(l->g, reader->out[0]), type_of(l->g, v)))
            return false;
    }
    return n > 0 && !l->uses.is_output[v.i];
}

/* The layout that v is wanted in; its rows may have gaps. */
static Layout wanted_layout(const Lowering *l, ValueId v)
{
    int rank = type_of(l->g, v)->rank;
    if (has_destination(l, v))
        return l->dest[v.i].layout;
    return rank > 2 && lower_reader_wants_nxc(l, v) ? layout_nxc(rank) : layout_plain(rank);
}

Layout lower_wanted_layout(const Lowering *l, ValueId v)
{
    Layout layout = wanted_layout(l, v);
    return layout_dense(&layout);
}

/* What a kernel may be asked to do, best first: take operands and leave results with gaps between their rows, or without,
 * or leave results row-major. */
static bool try_c_layouts(const Lowering *l, const Node *n, const ValueId *made, bool read_parts,
                          bool write_parts, bool plain, Layout *in, Layout *out)
{
    for (uint32_t k = 0; k < n->n_in; k++) {
        in[k] = has_value(n->in[k]) ? lower_actual_layout(l, n->in[k]) : layout_plain(0);
        if (!read_parts)
            in[k] = layout_dense(&in[k]);
    }
    for (uint32_t k = 0; k < n->n_out; k++) {
        out[k] = layout_plain(has_value(n->out[k]) ? type_of(l->g, n->out[k])->rank : 0);
        if (!plain && has_value(n->out[k]))
            out[k] = wanted_layout(l, made[k]);
        if (!write_parts)
            out[k] = layout_dense(&out[k]);
    }
    return c_accepts_layouts(l->g, n, in, out);
}

/* A convolution that C was chosen for because of its kernel with the channels last gets them so, even by a reorder. */
static bool conv_layouts(const Lowering *l, const Node *n, const ValueId *made, Layout *in,
                         Layout *out)
{
    if (!l->engine || n->op != OP_Conv || !c_conv_last(l->g, n))
        return false;
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = layout_plain(has_value(n->in[k]) ? type_of(l->g, n->in[k])->rank : 0);
    in[0] = layout_nxc(4);
    out[0] = lower_wanted_layout(l, made[0]);
    if (!c_accepts_layouts(l->g, n, in, out))
        out[0] = layout_nxc(4);
    return true;
}

/* `made`: the values that stand where n's outputs would, which are others if it has a tail. */
static void c_layouts(const Lowering *l, const Node *n, const ValueId *made, Layout *in,
                      Layout *out)
{
    if (conv_layouts(l, n, made, in, out))
        return;
    bool any = false, parts = false;
    for (uint32_t k = 0; k < n->n_in; k++) {
        Layout have = has_value(n->in[k]) ? lower_actual_layout(l, n->in[k]) : layout_plain(0);
        any = any || !layout_is_plain(&have);
        parts = parts || have.pitch;
    }
    for (uint32_t k = 0; k < n->n_out; k++)
        parts = parts || (has_value(n->out[k]) && has_destination(l, made[k]) &&
                          l->dest[made[k].i].layout.pitch);
    if (parts && (try_c_layouts(l, n, made, true, true, false, in, out) ||
                  try_c_layouts(l, n, made, true, false, false, in, out) ||
                  try_c_layouts(l, n, made, false, true, false, in, out)))
        return;
    if (any && (try_c_layouts(l, n, made, false, false, false, in, out) ||
                try_c_layouts(l, n, made, false, false, true, in, out)))
        return;
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = layout_plain(has_value(n->in[k]) ? type_of(l->g, n->in[k])->rank : 0);
    for (uint32_t k = 0; k < n->n_out; k++)
        out[k] = layout_plain(has_value(n->out[k]) ? type_of(l->g, n->out[k])->rank : 0);
}

/* One kernel: that of node `id`, with the tail of the composite it is the anchor of, or without one (NULL). */
static bool lower_kernel(Lowering *l, NodeId id, const Composite *tail)
{
    const Node *n = node_at(l->g, id);
    const char *why = NULL;
    const ValueId *made = tail ? node_at(l->g, tail->root)->out : n->out;
    TailOperands operands = {.n = 0};
    if (!c_target_supports(l->g, n, &why))
        return refuse_node(l->g, n, "%s", why ? why : "this operator is not supported");
    Layout *in_layout = ARENA_ARRAY(l->arena, Layout, n->n_in + 1);
    Layout *out_layout = ARENA_ARRAY(l->arena, Layout, n->n_out + 1);
    if (tail && !c_tail_operands(l->g, id, tail->nodes, tail->n_nodes, &operands))
        bug("a tail with too many operands");
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, n->n_in + operands.n),
             *out = ARENA_ARRAY(l->arena, BufferId, n->n_out);
    c_layouts(l, n, made, in_layout, out_layout);
    for (uint32_t k = 1; k < n->n_in; k++)
        c_wants_constant(l->g, n, &in_layout[0], k, &in_layout[k]);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = has_value(n->in[k]) ? lower_value_in(l, n->in[k], &in_layout[k]) : NO_BUFFER;
    for (uint32_t k = 0; k < operands.n; k++) {
        Layout plain = layout_plain(type_of(l->g, operands.value[k])->rank);
        in[n->n_in + k] = lower_value_in(l, operands.value[k],
                                         operands.spread[k] == TAIL_FULL ? &out_layout[0] : &plain);
    }
    for (uint32_t k = 0; k < n->n_out; k++)
        out[k] = has_value(n->out[k]) ? lower_output(l, made[k], &out_layout[k]) : NO_BUFFER;
    bool conv_last = n->op == OP_Conv && !layout_is_plain(&in_layout[0]);
    BufferId scratch = lower_scratch_buffer(l, conv_last ? 0 : c_scratch_bytes(l->g, n));
    Step *s = lower_new_step(l, TARGET_C);
    s->node = id;
    s->nodes = tail ? tail->nodes : arena_copy(l->arena, &id, sizeof id);
    s->n_nodes = tail ? tail->n_nodes : 1;
    s->in = in;
    s->out = out;
    s->n_in = n->n_in + operands.n;
    s->n_out = n->n_out;
    s->scratch = scratch;
    return true;
}

bool lower_c_node(Lowering *l, NodeId id)
{
    return lower_kernel(l, id, NULL);
}

/* Whether an elementwise result may lie as its operand does: not where it is wanted in another way. */
static bool may_have_layout_of(const Lowering *l, ValueId result, ValueId operand)
{
    Layout have = lower_layout_of(l, operand), want = layout_dense(&l->dest[result.i].layout);
    return !layout_is_plain(&have) && (!has_destination(l, result) || layout_equal(&have, &want));
}

/* A fused elementwise group: its arguments in slot order, one output. Rows may have gaps. Or a kernel with its tail. */
bool lower_c_group(Lowering *l, const Composite *c)
{
    if (!c_can_fuse(l->g, node_at(l->g, c->anchor)))
        return lower_kernel(l, c->anchor, c);
    ValueId result = node_at(l->g, c->root)->out[0];
    const TensorType *t = type_of(l->g, result);
    Layout layout = layout_plain(t->rank);
    for (uint32_t k = 0; k < c->n_args; k++)
        if (same_shape(type_of(l->g, c->args[k]), t) && may_have_layout_of(l, result, c->args[k]))
            layout = lower_layout_of(l, c->args[k]);
    for (uint32_t k = 0; k <= c->n_args; k++) { /* all of them may have to be reordered */
        ValueId v = k < c->n_args ? c->args[k] : result;
        if (same_shape(type_of(l->g, v), t) && !lower_can_reorder(l, v))
            layout = layout_plain(t->rank);
    }
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, c->n_args),
             *out = ARENA_ARRAY(l->arena, BufferId, 1);
    l->may_read_parts = l->may_write_parts = true;
    for (uint32_t k = 0; k < c->n_args; k++) {
        const TensorType *a = type_of(l->g, c->args[k]);
        Layout want = same_shape(a, t)     ? layout
                      : a->rank == t->rank ? lower_layout_of(l, c->args[k])
                                           : layout_plain(a->rank);
        in[k] = lower_value_in(l, c->args[k], &want);
    }
    out[0] = lower_output(l, result, &layout);
    l->may_read_parts = l->may_write_parts = false;
    Step *s = lower_new_step(l, TARGET_C);
    s->node = c->anchor;
    s->nodes = c->nodes;
    s->n_nodes = c->n_nodes;
    s->in = in;
    s->out = out;
    s->n_in = c->n_args;
    s->n_out = 1;
    return true;
}

bool lower_sum_norm(Lowering *l, const Composite *c)
{
    const Node *norm = node_at(l->g, c->root);
    SumNorm sum;
    const char *why;
    if (!sum_norm_read(l->g, c->nodes, c->n_nodes, c->root, &sum, &why))
        return refuse_node(l->g, norm, "composite %s cannot be computed: %s", c->pattern, why);
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, c->n_args),
             *out = ARENA_ARRAY(l->arena, BufferId, 1);
    for (uint32_t k = 0; k < c->n_args; k++) {
        Layout plain = layout_plain(type_of(l->g, c->args[k])->rank);
        in[k] = lower_value_in(l, c->args[k], &plain);
    }
    Layout plain = layout_plain(type_of(l->g, norm->out[0])->rank);
    out[0] = lower_output(l, norm->out[0], &plain);
    Step *s = lower_new_step(l, TARGET_C);
    s->node = c->anchor;
    s->nodes = c->nodes;
    s->n_nodes = c->n_nodes;
    s->in = in;
    s->out = out;
    s->n_in = c->n_args;
    s->n_out = 1;
    return true;
}
