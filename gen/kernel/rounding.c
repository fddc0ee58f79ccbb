/* Where contraction would show. C compilers may make one fused multiply-add of a product and of a sum behind it, which rounds once
 * where the model's operators round twice. Floats bear that; a quantisation behind it takes another step, and the next layers make
 * more of the difference. Sums of products (convolutions, matrix products) are one operator and stay fused. */
#include "kernel.h"

#include <string.h>

static bool makes_f32(const Graph *g, const Node *n)
{
    return type_of(g, n->out[0])->dtype == DT_F32;
}

/* What C computes for the node may end in a product; of pools it is a factor, of Gemm alpha. */
static bool multiplies(const Graph *g, const Node *n)
{
    const OpInfo *info = op_info(n->op);
    return makes_f32(g, n) &&
           (info->class == CLASS_POOL || n->op == OP_Gemm || n->op == OP_DequantizeLinear ||
            n->op == OP_Pow || (info->expr && strchr(info->expr, '*')));
}

/* Its expression adds something to an operand. */
static bool adds(const Graph *g, const Node *n)
{
    return makes_f32(g, n) &&
           (n->op == OP_Add || n->op == OP_Sub || n->op == OP_Sum || n->op == OP_Shrink);
}

/* Some node behind number `from` adds to v, or to what nodes make of it that choose (Relu, Clip, Where, …). */
static bool is_added_to(const Graph *g, const NodeId *nodes, uint32_t n, uint32_t from, ValueId v)
{
    for (uint32_t i = from + 1; i < n; i++) {
        const Node *node = node_at(g, nodes[i]);
        for (uint32_t k = 0; k < node->n_in; k++)
            if (same_value(node->in[k], v) &&
                (adds(g, node) || (makes_f32(g, node) && !multiplies(g, node) &&
                                   is_added_to(g, nodes, n, i, node->out[0]))))
                return true;
    }
    return false;
}

bool c_may_contract(const Graph *g, const NodeId *nodes, uint32_t n, uint32_t i)
{
    const Node *node = node_at(g, nodes[i]);
    return multiplies(g, node) && is_added_to(g, nodes, n, i, node->out[0]);
}
