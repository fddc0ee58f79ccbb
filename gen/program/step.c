/* What a step is called. */
#include "step.h"

#include "../dnnl/plan.h"
#include "../ops/ops.h"

const char *step_op_name(const Program *p, const Step *s)
{
    return s->node.i == NO_NODE.i          ? "Reorder"
           : s->dnnl && s->dnnl->attention ? "Attention"
                                           : op_info(node_at(p->graph, s->node)->op)->name;
}
