/* One translation unit of the portable C target: banner, helpers, a static function per step, the
 * region's run function. */
#include "../unit.h"
#include "../../conv_flat.h"
#include "../../guard.h"
#include "../../rnn.h"
#include "../../template.h"
#include "../emit.h"
#include "helpers.h"
#include "nn.h"
#include "ops.h"
#include "tail.h"

#include <inttypes.h>
#include <string.h>

static bool is_fused_group(const Graph *g, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (!c_can_fuse(g, node_at(g, s->nodes[i])))
            return false;
    return s->n_nodes > 1;
}

/* Step functions end in "_step", so that no label can collide with the C library or a helper. */
static const char *step_function(Arena *arena, const Step *s)
{
    return arena_printf(arena, "%s_step", s->label);
}

/* A norm with what makes the sum in front of it. */
static bool is_sum_norm_step(const Node *n, const Step *s)
{
    return s->n_nodes > 1 && s->nodes[s->n_nodes - 1].i == s->node.i &&
           (n->op == OP_LayerNormalization || n->op == OP_RMSNormalization);
}

bool emit_c_step(const Program *p, const Step *s, CHelpers *helpers, bool *shared, Text *out)
{
    const Graph *g = p->graph;
    const Node *n = s->n_nodes ? node_at(g, s->node) : NULL;
    const char *why;
    CKernel k = {.g = g,
                 .program = p,
                 .step = s,
                 .node = n,
                 .arena = p->arena,
                 .out = out,
                 .helpers = helpers};
    k.fn = step_function(p->arena, s);
    if (!n) {
        text_printf(out, "\n/*\n * %s\n */\n", step_title(p->arena, p, s));
        bool done = emit_c_reorder(&k);
        *shared = k.shared != 0;
        if (k.shared)
            emit_c_shared(&k);
        return done;
    }
    text_printf(out, "\n/*\n%s */\n", step_comment(p->arena, p, s));
    bool group = is_fused_group(g, s), rows = is_sum_norm_step(n, s);
    if (!group && !rows && s->n_nodes > 1 &&
        !c_takes_tail(g, s->node, s->nodes, s->n_nodes, s->nodes[s->n_nodes - 1]))
        return refuse_node(g, n, "no C kernel for this group of nodes");
    if (!group && !c_target_supports(g, n, &why))
        return refuse_node(g, n, "%s", why);
    if (!group && !rows)
        c_emit_tail(&k);
    if (!(group ? emit_c_eltwise : rows ? emit_c_sum_norm : op_info(n->op)->emit_c)(&k))
        return false;
    *shared = k.shared != 0;
    if (k.shared)
        emit_c_shared(&k);
    return true;
}

void emit_c_call(const Program *p, uint32_t index, Text *out)
{
    const Step *s = &p->steps[index];
    const char **items = ARENA_ARRAY(p->arena, const char *, s->n_in + s->n_out + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER)
            items[n++] = buffer_expr(p->arena, p, s->in[i], true);
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER)
            items[n++] = buffer_expr(p->arena, p, s->out[o], false);
    if (s->scratch != NO_BUFFER)
        items[n++] = buffer_expr(p->arena, p, s->scratch, false);
    const int indent = guard_indent(s);
    c_put_list(out, arena_printf(p->arena, "%*s%s(", indent, "", step_function(p->arena, s)), items,
               n, ");\n");
    text_printf(out, "%*sif (m->trace)\n%*sm->trace(m->trace_user, %" PRIu32 ");\n", indent, "",
                indent + 4, "", index);
}

bool emit_c_unit(const Program *p, uint32_t region, const EmitNames *names, Text *out)
{
    CHelpers helpers = {.need = {false}};
    Text steps, calls;
    bool shared; /* all threads are at hand when a unit of C begins */
    const Step *before = NULL;
    text_init(&steps, p->arena);
    text_init(&calls, p->arena);
    for (uint32_t i = p->unit_start[region]; i < p->unit_start[region + 1]; i++) {
        if (!emit_c_step(p, &p->steps[i], &helpers, &shared, &steps))
            return false;
        emit_guard(p, before, &p->steps[i], &calls);
        emit_c_call(p, i, &calls);
        before = &p->steps[i];
    }
    emit_guard(p, before, NULL, &calls);
    text_printf(out, "%s\n#include \"%s_internal.h\"\n\n", names->banner, names->name);
    text_puts(
        out,
        "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    render(out, "c/clones.c", bindings_new(p->arena, NULL));
    emit_c_helpers(out, p->arena, &helpers);
    text_append(out, steps.data, steps.size);
    text_printf(out, "\nvoid %s_c_%" PRIu32 "(const struct %s_memory *m)\n{\n", names->name, region,
                names->name);
    text_append(out, calls.data, calls.size);
    text_puts(out, "}\n");
    return true;
}

/* --- what the target takes
 * ------------------------------------------------------------------------------------- */

/* Bytes and f32, with one scale. */
static bool quantises_whole(const Graph *g, const Node *n)
{
    bool q = n->op == OP_QuantizeLinear;
    DType real = type_of(g, q ? n->in[0] : n->out[0])->dtype,
          byte = type_of(g, q ? n->out[0] : n->in[0])->dtype;
    return real == DT_F32 && (byte == DT_U8 || byte == DT_I8) &&
           type_of(g, n->in[1])->dtype == DT_F32 && type_count(type_of(g, n->in[1])) == 1 &&
           (!has_value(node_in(n, 2)) || type_count(type_of(g, n->in[2])) == 1);
}

bool c_can_fuse(const Graph *g, const Node *n)
{
    const char *why;
    if (n->op == OP_QuantizeLinear || n->op == OP_DequantizeLinear)
        return quantises_whole(g, n);
    return op_info(n->op)->class == CLASS_ELTWISE && c_target_supports(g, n, &why);
}

/* The kernels outside the classes that are not neural-network layers; their shape functions have checked all. */
static bool goes_along_an_axis(Op op)
{
    return op == OP_CumSum || op == OP_TopK || op == OP_Einsum || op == OP_Det;
}

bool c_target_supports(const Graph *g, const Node *n, const char **why)
{
    const OpInfo *info = op_info(n->op);
    *why = NULL;
    if (!info->emit_c) {
        *why = "the portable C target has no kernel for this operator";
        return false;
    }
    switch (info->class) {
    case CLASS_ELTWISE:
        return c_eltwise_supports(g, n, why);
    case CLASS_MOVE:
        return c_move_supports(g, n, why);
    case CLASS_REDUCE:
        return true;
    case CLASS_OTHER:
        break;
    }
    return goes_along_an_axis(n->op) || c_nn_supports(g, n, why);
}

size_t c_scratch_bytes(const Graph *g, const Node *n, const Layout *in)
{
    size_t bytes = c_reduce_scratch_bytes(g, n);
    return bytes ? bytes : c_nn_scratch_bytes(g, n, in);
}

/* A row of sums. */
bool c_scratch_by_threads(const Graph *g, const Node *n)
{
    ConvShape s;
    ConvFlat flat;
    return conv_flat_plan(g, n, &s, &flat) || n->op == OP_Resize || n->op == OP_MaxPool ||
           n->op == OP_AveragePool || n->op == OP_LpPool;
}

static bool is_unblocked(const Layout *l)
{
    return l->block == 0;
}

/* Operands of the output's shape lie as it does; the others are plain, and walked by their strides. A partial block is not
 * accepted: its padding would have to stay zero. */
static bool eltwise_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out)
{
    const TensorType *shape = type_of(g, n->out[0]);
    if (out->block && shape->dims[out->block_dim] % out->block)
        return false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        bool full = same_shape(type_of(g, n->in[i]), shape);
        Layout have = layout_dense(&in[i]), want = layout_dense(out);
        if (full ? !layout_equal(&have, &want) : !layout_is_plain(&in[i]))
            return false;
    }
    return true;
}

bool c_works_by_strides(Op op)
{
    switch (op) {
    case OP_Transpose:
    case OP_Slice:
    case OP_Concat:
    case OP_Split:
    case OP_Pad:
    case OP_Expand:
    case OP_Tile:
        return true;
    default:
        return op_info(op)->emit_c == op_info(OP_ReduceSum)->emit_c;
    }
}

bool c_accepts_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out)
{
    bool plain = true, unblocked = true;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (has_value(n->in[i])) {
            plain &= layout_is_plain(&in[i]);
            unblocked &= is_unblocked(&in[i]);
        }
    for (uint32_t o = 0; o < n->n_out; o++)
        if (has_value(n->out[o])) {
            plain &= layout_is_plain(&out[o]);
            unblocked &= is_unblocked(&out[o]);
        }
    if (plain)
        return true;
    if (op_info(n->op)->class == CLASS_ELTWISE)
        return eltwise_layouts(g, n, in, out);
    const bool linear = n->op == OP_QuantizeLinear || n->op == OP_DequantizeLinear;
    if (n->op == OP_DynamicQuantizeLinear ||
        (linear && type_count(type_of(g, n->in[1])) == 1)) /* a loop over all elements */
        return !in[0].pitch && !in[0].block && layout_equal(&in[0], &out[0]);
    if (n->op == OP_Resize)
        return c_resize_layouts(g, n, &in[0], &out[0]);
    if (n->op == OP_Conv && c_conv_last(g, n)) {
        Layout last = layout_nxc(4);
        bool row_major = layout_is_plain(&out[0]) && c_conv_last(g, n) == CONV_LAST_FEW;
        return layout_equal(&in[0], &last) && (layout_equal(&out[0], &last) || row_major);
    }
    bool moves =
        op_info(n->op)->class == CLASS_MOVE; /* others may fill their result from end to end */
    return unblocked && c_works_by_strides(n->op) && (moves || !out[0].pitch);
}

bool c_wants_constant(const Graph *g, const Node *n, const Layout *src, uint32_t k, Layout *layout)
{
    Layout last = layout_nxc(4);
    if (n->op == OP_Conv && k == 1 && layout_equal(src, &last)) {
        *layout = c_conv_weights_last(g, n);
        return true;
    }
    bool recurrent = n->op == OP_LSTM || n->op == OP_GRU || n->op == OP_RNN;
    if (!recurrent || (k != RNN_W && k != RNN_R) || !c_rnn_turns_weights(g, n))
        return false;
    *layout = layout_nxc(3);
    return true;
}
