/* Epilogues of the kernels of C: which elementwise nodes behind a layer its kernel computes where it stores. */
#include "../eval/elem.h"
#include "../ops/ops.h"
#include "kernel.h"

bool c_easy_exponent(const Graph *g, const Node *n, double *e)
{
    if (n->op != OP_Pow)
        return false;
    const Value *y = value_at(g, n->in[1]);
    if (!y->data || type_count(&y->type) != 1 || !dtype_is_float(type_of(g, n->in[0])->dtype))
        return false;
    *e = elem_f64(y->type.dtype, y->data, 0);
    return *e == 2 || *e == 3 || *e == 1 || *e == -1;
}

bool c_expr_ignores(const Graph *g, const Node *n, uint32_t i)
{
    double e, number;
    if (i == 1 && n->op == OP_PRelu)
        return dtype_is_unsigned_int(type_of(g, n->in[0])->dtype);
    if (i && (n->op == OP_QuantizeLinear || n->op == OP_DequantizeLinear))
        return c_literal(g, n->in[i], &number) && number == (i == 1); /* scale 1, zero point 0 */
    return i == 1 && c_easy_exponent(g, n, &e);
}

ValueId c_factor(const Node *n, int i)
{
    return n->in[i == 0 ? 0 : n->op == OP_QLinearMatMul ? 3 : 1];
}

/* The dimension of the result that kernels have an index of: the channels, or the columns of a product; -1: none. */
static int channel_of(const Graph *g, const Node *anchor)
{
    int rank = type_of(g, anchor->out[0])->rank;
    if (op_info(anchor->op)->class != CLASS_PRODUCT)
        return rank > 1 ? 1 : -1;
    bool vector =
        type_of(g, c_factor(anchor, 0))->rank < 2 || type_of(g, c_factor(anchor, 1))->rank < 2;
    return vector ? -1 : rank - 1;
}

static EpilogueSpread spread_of(const Graph *g, const Node *anchor, ValueId v)
{
    const TensorType *t = type_of(g, v), *whole = type_of(g, anchor->out[0]);
    int channel = channel_of(g, anchor);
    if (type_count(t) == 1)
        return EPILOGUE_SCALAR;
    if (same_shape(t, whole))
        return EPILOGUE_FULL;
    return channel >= 0 && varies_along(t, whole, channel) && type_count(t) == whole->dims[channel]
               ? EPILOGUE_CHANNEL
               : EPILOGUE_OTHER;
}

bool c_is_literal(const Graph *g, ValueId v)
{
    return value_at(g, v)->kind == VALUE_CONST && type_count(type_of(g, v)) == 1;
}

bool c_literal(const Graph *g, ValueId v, double *number)
{
    const Value *c = value_at(g, v);
    if (!c_is_literal(g, v) || !c->data)
        return false;
    *number = elem_f64(c->type.dtype, c->data, 0);
    return true;
}

static bool made_inside(const Graph *g, NodeId anchor, const NodeId *nodes, uint32_t n, ValueId v)
{
    const Value *value = value_at(g, v);
    return value->kind == VALUE_NODE &&
           (value->def.i == anchor.i || covers_node(nodes, n, value->def));
}

bool c_epilogue_operands(const Graph *g, NodeId anchor, const NodeId *nodes, uint32_t n,
                         EpilogueOperands *operands)
{
    operands->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Node *node = node_at(g, nodes[i]);
        for (uint32_t k = 0; k < node->n_in && nodes[i].i != anchor.i; k++) {
            ValueId v = node->in[k];
            bool known = !has_value(v) || c_is_literal(g, v) || c_expr_ignores(g, node, k) ||
                         made_inside(g, anchor, nodes, n, v);
            for (uint32_t j = 0; j < operands->n && !known; j++)
                known = same_value(operands->operand[j].value, v);
            if (known)
                continue;
            if (operands->n == EPILOGUE_OPERANDS_MAX)
                return false;
            operands->operand[operands->n++] =
                (EpilogueOperand){v, spread_of(g, node_at(g, anchor), v)};
        }
    }
    return true;
}

/* Each plane is. */
static bool is_one_element(const TensorType *dst)
{
    return dims_product(dst, 2, dst->rank) == 1;
}

/* Kernels that store a few elements at a time, of which compilers make no vectors: functions are quicker in a loop of their own
 * (measured: a Sigmoid behind 2 filters of 64 channels, 3x3, 56x56, AVX-512: 0.130 ms in two kernels, 0.155 in one). */
static bool stores_few(const Graph *g, const Node *n)
{
    const TensorType *dst = type_of(g, n->out[0]);
    bool pool = op_info(n->op)->class == CLASS_POOL;
    return (pool && is_one_element(dst)) || c_conv_last(g, n) == CONV_LAST_FEW;
}

static bool has_function(const Graph *g, const NodeId *nodes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (op_has(node_at(g, nodes[i])->op, TRAIT_FUNCTION))
            return true;
    return false;
}

bool c_takes_epilogue(const Graph *g, NodeId anchor, const NodeId *nodes, uint32_t n, NodeId root)
{
    const Node *a = node_at(g, anchor);
    EpilogueOperands operands;
    if (!c_kernels[a->op].epilogue || a->n_out != 1 || type_count(type_of(g, a->out[0])) == 0 ||
        !c_epilogue_operands(g, anchor, nodes, n, &operands) ||
        (stores_few(g, a) && has_function(g, nodes, n)))
        return false;
    DType made = type_of(g, node_at(g, root)->out[0])->dtype;
    if (c_kernels[a->op].keeps_sums && made != type_of(g, a->out[0])->dtype)
        return false;
    bool last = c_conv_last(g, a) != CONV_LAST_NONE; /* others might not be had channels last */
    for (uint32_t i = 0; i < operands.n; i++)
        if (operands.operand[i].spread == EPILOGUE_OTHER ||
            (last && operands.operand[i].spread == EPILOGUE_FULL &&
             type_of(g, operands.operand[i].value)->dtype != DT_F32))
            return false;
    return !last || made == DT_F32;
}
