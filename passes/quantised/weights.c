/* Weights as match-quantised looks for them: constants of bytes that a DequantizeLinear reads and a product takes from there.
 *
 * What was trained with quantisation is often stored as floats that QuantizeLinear makes bytes of, with a Clip behind it where the range is narrower; and what a
 * framework holds as [outputs, inputs] has a Transpose between DequantizeLinear and MatMul. Bytes that are computed from constants alone are computed here, and a Transpose goes in
 * front of the DequantizeLinear. */
#include "quantised.h"

#include "../../gen/ops/ops.h"
#include "../../gen/ops/work.h"
#include "../common/fold.h"

enum { MAX_OPERANDS = 8 };
static const double WORK_MAX = 4e9; /* steps of the reference evaluator, all nodes together */

typedef struct Weights {
    Graph *g;
    Rewrite rw;
    double work;
    size_t left; /* bytes that may still be made: all together as many as the constants have */
} Weights;

static size_t constant_bytes(const Graph *g)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < g->n_values; i++)
        if (g->values[i].kind == VALUE_CONST)
            sum += type_bytes(&g->values[i].type);
    return sum;
}

static bool are_constant(const Weights *w, const Node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        if (has_value(n->in[k]) && !is_const(w->g, resolved_in(&w->rw, n, k)))
            return false;
    return n->n_in > 0 && has_value(n->in[0]);
}

static bool is_affordable(Weights *w, const Node *n)
{
    const double work = eval_work(w->g, n);
    const int64_t bytes = type_count(type_of(w->g, n->out[0]));
    if (bytes > type_count(type_of(w->g, n->in[0])) || (size_t)bytes > w->left ||
        work > WORK_MAX - w->work)
        return false;
    w->work += work;
    w->left -= (size_t)bytes;
    return true;
}

/* n's result, from constants, called as the first of them. False: it was refused. */
static bool evaluate(Weights *w, const Node *n, ValueId *v)
{
    ValueId in[MAX_OPERANDS];
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = resolved_in(&w->rw, n, k);
    return evaluate_constants(w->g, n, in, value_at(w->g, in[0])->name, v);
}

static bool makes_bytes(const Weights *w, const Node *n)
{
    const DType t = n->n_out == 1 ? type_of(w->g, n->out[0])->dtype : DT_NONE;
    return (t == DT_I8 || t == DT_U8) && n->n_in <= MAX_OPERANDS && op_info(n->op)->eval &&
           !op_has(n->op, TRAIT_LOOP) && are_constant(w, n);
}

/* DequantizeLinear behind the Transpose instead, where its scales run along the axis that was theirs. False: it was refused. */
static bool transpose_bytes(Weights *w, const Node *transpose)
{
    const ValueId real = resolved_in(&w->rw, transpose, 0);
    const Node *dq = def_of(w->g, real);
    const int rank = type_of(w->g, transpose->out[0])->rank;
    if (!dq || dq->op != OP_DequantizeLinear || !is_const(w->g, resolved_in(&w->rw, dq, 0)) ||
        !is_affordable(w, transpose))
        return true;
    const Node like = *dq;
    size_t count;
    const int64_t *perm = attr_ints(transpose, "perm", &count), axis = attr_int(&like, "axis", 0);
    Attr attrs[] = {ATTR_I("axis", 0), ATTR_END};
    for (int d = 0; d < rank; d++)
        if (perm[d] == axis)
            attrs[0].i = d;
    ValueId in[3] = {resolved_in(&w->rw, &like, 0), resolved_in(&w->rw, &like, 1),
                     resolved_in(&w->rw, &like, 2)};
    in[0] = add_transpose(w->g, transpose, in[0], perm);
    if (!has_value(in[0]))
        return false;
    in[0] = folded(w->g, in[0]);
    const ValueId v =
        graph_op(w->g, OP_DequantizeLinear, &like, in, has_value(in[2]) ? 3 : 2, attrs);
    rewrite_replace(&w->rw, transpose->out[0], v);
    return has_value(v);
}

bool weights_as_bytes(Graph *g)
{
    Weights w = {.g = g, .rw = rewrite_begin(g), .left = constant_bytes(g)};
    const uint32_t n = g->n_nodes;
    for (uint32_t i = 0; i < n; i++) {
        const Node node = g->nodes[i]; /* more are added */
        ValueId v;
        if (node.op == OP_Transpose && !transpose_bytes(&w, &node))
            return false;
        if (!makes_bytes(&w, &node) || !is_affordable(&w, &node))
            continue;
        if (!evaluate(&w, &node, &v))
            return false;
        rewrite_replace(&w.rw, node.out[0], v);
    }
    graph_apply(&w.rw);
    return true;
}
