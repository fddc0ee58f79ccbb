/* Reading composites: see covered.h. */
#include "covered.h"

#include "attention.h"
#include "sum_norm.h"

#include <math.h>

bool covers_value(const Graph *g, const NodeId *nodes, uint32_t n, ValueId v)
{
    return value_at(g, v)->kind == VALUE_NODE && covers_node(nodes, n, value_at(g, v)->def);
}

bool number_of(const Graph *g, ValueId v, double *x)
{
    const Value *value = value_at(g, v);
    if (value->kind != VALUE_CONST || type_count(&value->type) != 1 || value->type.dtype != DT_F32)
        return false;
    *x = (double)*(const float *)value->data;
    return true;
}

bool is_scaling(const Graph *g, const Node *n, uint32_t *operand, double *factor)
{
    double x;
    for (uint32_t k = 0; k < 2 && (n->op == OP_Mul || (n->op == OP_Div && k == 0)); k++)
        if (number_of(g, n->in[1 - k], &x) &&
            type_equal(type_of(g, n->in[k]), type_of(g, n->out[0])) && isfinite(x) &&
            isfinite(1 / x)) {
            *operand = k;
            *factor = n->op == OP_Mul ? x : 1 / x;
            return true;
        }
    return false;
}

bool composites_read(Graph *g)
{
    for (uint32_t i = 0; g->columns && i < g->columns->n_composites; i++) {
        Composite *c = &g->columns->composites[i];
        const char *why = "";
        Attention attention;
        SumNorm sum;
        if (c->kind == COMPOSITE_ATTENTION &&
            attention_read(g, c->nodes, c->n_nodes, c->anchor, &attention, &why))
            c->attention = arena_copy(g->arena, &attention, sizeof attention);
        else if (c->kind == COMPOSITE_SUM_NORM && c->root.i == c->anchor.i &&
                 sum_norm_read(g, c->nodes, c->n_nodes, c->root, &sum, &why))
            c->sum = arena_copy(g->arena, &sum, sizeof sum);
        else if (c->kind == COMPOSITE_ATTENTION || c->kind == COMPOSITE_SUM_NORM)
            return refuse_node(g, node_at(g, c->anchor), "composite %s cannot be computed: %s",
                               c->pattern, why);
    }
    return true;
}

void sort_nodes(NodeId *node, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && node[k].i < node[k - 1].i; k--) {
            NodeId first = node[k];
            node[k] = node[k - 1];
            node[k - 1] = first;
        }
}
