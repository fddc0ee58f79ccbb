/* What a step is called, and what it reads besides its operands. */
#include "step.h"

#include "../dnnl/plan.h"
#include "../ops/ops.h"

const char *step_op_name(const Program *p, const Step *s)
{
    return s->node.i == NO_NODE.i          ? "Reorder"
           : s->dnnl && s->dnnl->attention ? "Attention"
                                           : op_info(node_at(p->graph, s->node)->op)->name;
}

bool step_adds_to_destination(const Step *s)
{
    for (uint32_t i = 0; s->dnnl && i < s->dnnl->n_post; i++)
        if (s->dnnl->post[i].kind == DNNL_POST_SUM)
            return true;
    return false;
}
