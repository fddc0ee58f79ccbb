/* simplify: identities, common subexpressions, equal constants, dead code.
 *
 * Needs nothing, kills all columns. Each round applies the rule of every node once, in
 * topological order, and then shares what is equal; rounds end when nothing changes. Every rule
 * makes the graph smaller, moves a reshape or transpose towards the outputs, or replaces an op
 * by a simpler one (never the other way round), so rounds end; a limit guards against mistakes. */
#include "simplify/simplify.h"

#include "../gen/ops/ops.h"
#include "common/util.h"
#include "pass.h"

enum { ROUNDS_MAX = 100 };

static RuleFn *const rules[OP_COUNT] = {
    [OP_Reshape] = simplify_reshape,
    [OP_Transpose] = simplify_transpose,
    [OP_Cast] = simplify_cast,
    [OP_Expand] = simplify_same_shape,
    [OP_Tile] = simplify_same_shape,
    [OP_Slice] = simplify_slice,
    [OP_Pad] = simplify_pad,
    [OP_Conv] = simplify_conv,
    [OP_ConvTranspose] = simplify_conv_transpose,
    [OP_ScatterND] = simplify_scatter_nd,
    [OP_MaxPool] = simplify_max_pool,
    [OP_AveragePool] = simplify_padded,
    [OP_Concat] = simplify_concat,
    [OP_Split] = simplify_first,
    [OP_Resize] = simplify_resize,
    [OP_Softmax] = simplify_softmax,
    [OP_LogSoftmax] = simplify_softmax,
    [OP_Hardmax] = simplify_softmax,
    [OP_Sum] = simplify_sum,
    [OP_Add] = simplify_arithmetic,
    [OP_Sub] = simplify_arithmetic,
    [OP_Mul] = simplify_arithmetic,
    [OP_Div] = simplify_arithmetic,
    [OP_Pow] = simplify_pow,
    [OP_Clip] = simplify_clip,
    [OP_Relu] = simplify_relu,
    [OP_Min] = simplify_min_max,
    [OP_Max] = simplify_min_max,
    [OP_PRelu] = simplify_prelu,
    [OP_Gemm] = simplify_gemm,
    [OP_MatMul] = simplify_matmul,
    [OP_Einsum] = simplify_einsum,
    [OP_Neg] = simplify_involution,
    [OP_Not] = simplify_involution,
    [OP_BitwiseNot] = simplify_involution,
    [OP_Abs] = simplify_idempotent,
    [OP_Ceil] = simplify_idempotent,
    [OP_Floor] = simplify_idempotent,
    [OP_Round] = simplify_round,
    [OP_Sign] = simplify_idempotent,
    [OP_Sqrt] = simplify_sqrt,
    [OP_QuantizeLinear] = simplify_quantize,
    [OP_ReduceMax] = simplify_reduce,
    [OP_ReduceMean] = simplify_reduce,
    [OP_ReduceMin] = simplify_reduce,
    [OP_ReduceProd] = simplify_reduce,
    [OP_ReduceSum] = simplify_reduce,
    [OP_ReduceL1] = simplify_reduce,
    [OP_ReduceL2] = simplify_reduce,
    [OP_ReduceLogSum] = simplify_reduce,
    [OP_ReduceLogSumExp] = simplify_reduce,
    [OP_ReduceSumSquare] = simplify_reduce,
};

ValueId arg(const Simplify *s, const Node *n, uint32_t k)
{
    return resolved_in(&s->rw, n, k);
}

const Node *arg_node(const Simplify *s, const Node *n, uint32_t k, Op op)
{
    ValueId v = arg(s, n, k);
    const Node *def = has_value(v) ? def_of(s->g, v) : NULL;
    return def && def->op == op ? def : NULL;
}

bool arg_single(const Simplify *s, const Node *n, uint32_t k)
{
    return single_use(&s->uses, n->in[k]);
}

static ValueId apply_rules(Simplify *s, const Node *n)
{
    ValueId to = rules[n->op] ? rules[n->op](s, n) : NO_VALUE;
    if (!has_value(to))
        to = sink_transpose(s, n);
    if (!has_value(to))
        to = sink_reshape(s, n);
    return to;
}

static uint32_t sweep(Graph *g)
{
    Simplify s = {.g = g, .rw = rewrite_begin(g), .uses = graph_uses(g, g->arena)};
    uint32_t n_nodes = g->n_nodes, count = 0;
    for (uint32_t i = 0; i < n_nodes; i++) {
        Node n = g->nodes[i];
        if (n.op == OP_Split && n.n_out > 1)
            count += sink_below_split(&s, &n);
        if (op_info(n.op)->class == CLASS_RECURRENT)
            count += split_projection(&s, &n);
        while (n.op == OP_LoopEnd && drop_carried(&s, (NodeId){i}))
            count++;
        if (n.n_out != 1 || !has_value(n.out[0]))
            continue;
        ValueId to = apply_rules(&s, &n);
        if (!has_value(to))
            continue;
        if (!type_equal(type_of(g, to), type_of(g, n.out[0])))
            bug("simplify changed the type of '%s' (%s)", n.name, op_info(n.op)->name);
        rewrite_replace(&s.rw, n.out[0], to);
        count++;
    }
    graph_apply(&s.rw);
    return g->diag->message ? 0 : count;
}

static uint32_t share(Graph *g)
{
    Rewrite rw = rewrite_begin(g);
    uint32_t count = share_constants(g, &rw);
    count += share_nodes(g, &rw);
    graph_apply(&rw);
    return count;
}

bool pass_simplify(Graph *g, const PassOptions *options, const char **report)
{
    (void)options;
    uint32_t before = g->n_nodes, applied = 0, shared = 0;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        uint32_t a = sweep(g), b = share(g);
        applied += a;
        shared += b;
        if (a + b == 0)
            break;
    }
    *report = arena_printf(g->arena, "%u nodes became %u: %u rules applied, %u shared", before,
                           g->n_nodes, applied, shared);
    return !g->diag->message;
}
