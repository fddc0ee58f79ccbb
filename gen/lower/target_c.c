/* Steps of the C target, and the layouts they work in. */
#include "lower.h"

#include "../dnnl/describe.h"
#include "../kernel/kernel.h"
#include "../kernel/plan.h"
#include "../ops/ops.h"
#include "place.h"

#include <string.h>

/* --- steps of the C target -------------------------------------------------------------------------------------- */

Layout lower_reads(const Lowering *l, ValueId result)
{
    const NodeId id = value_at(l->g, result)->def;
    return l->choice ? l->choice->reads[id.i]
                     : layout_plain(type_of(l->g, node_at(l->g, id)->in[0])->rank);
}

Layout lower_leaves(const Lowering *l, ValueId result)
{
    return l->choice ? l->choice->value[result.i] : layout_plain(type_of(l->g, result)->rank);
}

Layout lower_alike(const Lowering *l, ValueId operand, ValueId result)
{
    const Layout want = lower_leaves(l, result), have = lower_layout_of(l, operand);
    const TensorType *t = type_of(l->g, result);
    return same_shape(type_of(l->g, operand), t) && layout_same_bytes(&have, &want, t) ? have
                                                                                       : want;
}

/* The layout that v is wanted in; it may have a row pitch. */
static Layout wanted_layout(const Lowering *l, ValueId v)
{
    return has_destination(l, v) ? l->dest[v.i].layout : lower_leaves(l, v);
}

Layout lower_wanted_layout(const Lowering *l, ValueId v)
{
    Layout layout = wanted_layout(l, v);
    return layout_dense(&layout);
}

static Layout row_major(const Lowering *l, ValueId v)
{
    return layout_plain(has_value(v) ? type_of(l->g, v)->rank : 0);
}

/* What a kernel may be asked to do, best first: take operands and leave results with a row pitch, or dense ones,
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
        out[k] = row_major(l, n->out[k]);
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
    if (!l->engine || !c_conv_last(l->g, n))
        return false;
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = row_major(l, n->in[k]);
    const Layout last = layout_nxc(type_of(l->g, n->in[0])->rank);
    if (c_conv_last(l->g, n) != CONV_LAST_IMAGE)
        in[0] = last;
    out[0] = lower_wanted_layout(l, made[0]);
    if (!c_accepts_layouts(l->g, n, in, out))
        out[0] = last;
    return true;
}

/* What was chosen for the whole graph. */
static bool chosen_c_layouts(const Lowering *l, NodeId id, const ValueId *made, Layout *in,
                             Layout *out)
{
    const Node *n = node_at(l->g, id);
    const bool eltwise = op_info(n->op)->class == CLASS_ELTWISE;
    for (uint32_t k = 0; k < n->n_in; k++) {
        const TensorType *t = has_value(n->in[k]) ? type_of(l->g, n->in[k]) : NULL;
        const bool own = !t || value_at(l->g, n->in[k])->kind == VALUE_CONST ||
                         t->rank != l->choice->reads[id.i].rank ||
                         (eltwise && !same_shape(t, type_of(l->g, n->out[0])));
        in[k] = own                         ? layout_plain(t ? t->rank : 0)
                : l->choice->as_it_is[id.i] ? lower_layout_of(l, n->in[k])
                                            : l->choice->reads[id.i];
    }
    for (uint32_t k = 0; k < n->n_out; k++)
        out[k] = has_value(n->out[k]) ? lower_wanted_layout(l, made[k]) : layout_plain(0);
    return c_accepts_layouts(l->g, n, in, out);
}

/* `made`: the values that stand where the node's outputs would, which are others if it has a epilogue. */
static void c_layouts(const Lowering *l, NodeId id, const ValueId *made, Layout *in, Layout *out)
{
    const Node *n = node_at(l->g, id);
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
    if (l->choice && chosen_c_layouts(l, id, made, in, out))
        return;
    if (any && (try_c_layouts(l, n, made, false, false, false, in, out) ||
                try_c_layouts(l, n, made, false, false, true, in, out)))
        return;
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = row_major(l, n->in[k]);
    for (uint32_t k = 0; k < n->n_out; k++)
        out[k] = row_major(l, n->out[k]);
}

static BufferId lower_operand(Lowering *l, const Node *n, uint32_t k, const Layout *layout)
{
    Tensor packed;
    if (!has_value(n->in[k]))
        return NO_BUFFER;
    if (!c_packs_constant(l->g, n, k, l->arena, &packed))
        return lower_value_in(l, n->in[k], layout);
    return packed.data ? lower_const(l, packed.type, packed.data, type_bytes(&packed.type))
                       : NO_BUFFER;
}

/* Plans the kernel of a step, and gives it the scratch memory that it needs. */
static bool plan_step(Lowering *l, Step *s, ValueId made)
{
    if (!c_plan(l->p, s))
        return refuse_node(l->g, node_at(l->g, s->node), "no C kernel for this group of nodes");
    const size_t bytes = s->c ? s->c->scratch_bytes : 0;
    const bool large = has_value(made) && (double)type_count(type_of(l->g, made)) >=
                                              machine_kernel_worth_elements(&l->machine);
    const bool each = bytes && c_scratch_for_each(s->c, large);
    s->scratch_part = each && l->engine ? align_up(bytes) : 0;
    s->scratch = lower_scratch_buffer(
        l, s->scratch_part ? s->scratch_part * (size_t)onednn_engine_threads(l->engine) : bytes);
    return true;
}

/* Weights that another variant has packed in blocks of columns are read so, and stored once. */
static void take_panels(const Lowering *l, const Node *n, Layout *layout)
{
    if (!l->n_chosen || !c_takes_panels(l->g, n))
        return;
    const Value *v = value_at(l->g, n->in[1]);
    const int64_t *dims = v->type.dims;
    const bool last = n->op == OP_Gemm && attr_int(n, "transB", 0); /* the dimension summed over */
    const DnnlMemory weights = {.dtype = DT_F32,
                                .rank = 2,
                                .dims = {dims[last], dims[!last]},
                                .strides = {last ? 1 : dims[1], last ? dims[1] : 1},
                                .data = v->data};
    const int64_t width = describe_packed_width(l, &weights);
    if (width)
        *layout = c_panels(l->g, n, width);
}

/* One kernel: that of node `id`, with the epilogue of the composite it is the anchor of, or without one (NULL). */
static bool lower_kernel(Lowering *l, NodeId id, const Composite *epilogue)
{
    const Node *n = node_at(l->g, id);
    const char *why = NULL;
    const ValueId *made = epilogue ? node_at(l->g, epilogue->root)->out : n->out;
    EpilogueOperands operands = {.n = 0};
    if (!c_target_supports(l->g, n, &why))
        return refuse_node(l->g, n, "%s", why ? why : "this operator is not supported");
    Layout *in_layout = ARENA_ARRAY(l->arena, Layout, n->n_in + 1);
    Layout *out_layout = ARENA_ARRAY(l->arena, Layout, n->n_out + 1);
    if (epilogue && !c_epilogue_operands(l->g, id, epilogue->nodes, epilogue->n_nodes, &operands))
        bug("a epilogue with too many operands");
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, n->n_in + operands.n),
             *out = ARENA_ARRAY(l->arena, BufferId, n->n_out);
    c_layouts(l, id, made, in_layout, out_layout);
    for (uint32_t k = 1; k < n->n_in; k++)
        c_wants_constant(l->g, n, l->p->lanes, &in_layout[0], &out_layout[0], k, &in_layout[k]);
    take_panels(l, n, &in_layout[1]);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = lower_operand(l, n, k, &in_layout[k]);
    for (uint32_t k = 0; k < operands.n; k++) {
        Layout plain = layout_plain(type_of(l->g, operands.operand[k].value)->rank);
        in[n->n_in + k] =
            lower_value_in(l, operands.operand[k].value,
                           operands.operand[k].spread == EPILOGUE_FULL ? &out_layout[0] : &plain);
    }
    for (uint32_t k = 0; k < n->n_out; k++)
        out[k] = has_value(n->out[k]) ? lower_output(l, made[k], &out_layout[k]) : NO_BUFFER;
    Step *s = lower_new_step(l, TARGET_C);
    s->node = id;
    s->nodes = epilogue ? epilogue->nodes : arena_copy(l->arena, &id, sizeof id);
    s->n_nodes = epilogue ? epilogue->n_nodes : 1;
    s->in = in;
    s->out = out;
    s->n_in = n->n_in + operands.n;
    s->n_out = n->n_out;
    return plan_step(l, s, made[0]);
}

bool lower_c_node(Lowering *l, NodeId id)
{
    return lower_kernel(l, id, NULL);
}

/* One step for all nodes of the composite: its arguments in slot order, one output. */
static bool add_group(Lowering *l, const Composite *c, BufferId *in, BufferId out)
{
    Step *s = lower_new_step(l, TARGET_C);
    s->node = c->anchor;
    s->nodes = c->nodes;
    s->n_nodes = c->n_nodes;
    s->in = in;
    s->out = arena_copy(l->arena, &out, sizeof out);
    s->n_in = c->n_args;
    s->n_out = 1;
    return plan_step(l, s, node_at(l->g, c->root)->out[0]);
}

bool lower_c_group(Lowering *l, const Composite *c)
{
    if (!c_can_fuse(l->g, node_at(l->g, c->anchor)))
        return lower_kernel(l, c->anchor, c);
    ValueId result = node_at(l->g, c->root)->out[0];
    const TensorType *t = type_of(l->g, result);
    Layout layout = lower_leaves(l, result);
    for (uint32_t k = 0; k < c->n_args; k++)
        if (same_shape(type_of(l->g, c->args[k]), t))
            layout = lower_alike(l, c->args[k], result);
    for (uint32_t k = 0; k <= c->n_args; k++) { /* all of them may have to be reordered */
        ValueId v = k < c->n_args ? c->args[k] : result;
        if (same_shape(type_of(l->g, v), t) && !lower_can_reorder(l, v))
            layout = layout_plain(t->rank);
    }
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, c->n_args), out;
    l->may_read_parts = l->may_write_parts = true;
    for (uint32_t k = 0; k < c->n_args; k++) {
        const TensorType *a = type_of(l->g, c->args[k]);
        Layout want = same_shape(a, t)     ? layout
                      : a->rank == t->rank ? lower_layout_of(l, c->args[k])
                                           : layout_plain(a->rank);
        in[k] = lower_value_in(l, c->args[k], &want);
    }
    out = lower_output(l, result, &layout);
    l->may_read_parts = l->may_write_parts = false;
    return add_group(l, c, in, out);
}

bool lower_sum_norm(Lowering *l, const Composite *c)
{
    ValueId result = node_at(l->g, c->root)->out[0];
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, c->n_args);
    for (uint32_t k = 0; k < c->n_args; k++) {
        Layout plain = layout_plain(type_of(l->g, c->args[k])->rank);
        in[k] = lower_value_in(l, c->args[k], &plain);
    }
    Layout plain = layout_plain(type_of(l->g, result)->rank);
    return add_group(l, c, in, lower_output(l, result, &plain));
}
