/* What is told of a step by itself. */
#include "step.h"

#include "../dnnl/plan.h"
#include "../ops/ops.h"

const char *step_op_name(const Program *p, const Step *s)
{
    return s->node.i == NO_NODE.i          ? "Reorder"
           : s->dnnl && s->dnnl->attention ? "Attention"
                                           : op_info(node_at(p->graph, s->node)->op)->name;
}

ValueId step_value_read(const Program *p, const Step *s, uint32_t k)
{
    const Graph *g = p->graph;
    if (s->n_nodes == 1)
        return node_in(node_at(g, s->node), k);
    const Composite *c = composite_of(g, s->node);
    return c ? c->args[k] : p->buffers[s->in[k]].value;
}
