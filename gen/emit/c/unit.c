/* The kernel of a step of the portable C target, and the unit that calls the kernels of one region in their order. */
#include "../unit.h"
#include "../../program/guard.h"
#include "epilogue.h"
#include "helpers.h"
#include "kernel_set.h"
#include "ops.h"

#include <inttypes.h>
#include <string.h>

static bool is_fused_group(const Graph *g, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (!c_can_fuse(g, node_at(g, s->nodes[i])))
            return false;
    return s->n_nodes > 1;
}

bool c_render_kernel(CKernel *k)
{
    const Graph *g = k->g;
    const Step *s = k->step;
    const Node *n = k->node;
    const char *why;
    if (!n) {
        if (!emit_c_reorder(k))
            return false;
    } else {
        bool group = is_fused_group(g, s), rows = k->plan && k->plan->variant == C_sum_norm;
        if (!group && !rows && s->n_nodes > 1 &&
            !c_takes_epilogue(g, s->node, s->nodes, s->n_nodes, s->nodes[s->n_nodes - 1]))
            return refuse_node(g, n, "no C kernel for this group of nodes");
        if (!group && !c_target_supports(g, n, &why))
            return refuse_node(g, n, "%s", why);
        if (!group && !rows)
            c_emit_epilogue(k);
        if (!(group ? emit_c_eltwise : rows ? emit_c_sum_norm : c_emit_node)(k))
            return false;
    }
    if (k->shared)
        emit_c_shared(k);
    return true;
}

void bind_c_file(Bindings *b, const EmitNames *names)
{
    bind(b, "banner", "%s", names->banner);
    bind(b, "name", "%s", names->name);
    bind(b, "internal", "\"%s_internal.h\"", names->name);
    bind(b, "kernels", "\"%s_kernels.h\"", names->name);
}

void bind_c_unit(const Program *p, uint32_t region, const EmitNames *names,
                 const KernelSet *kernels, Bindings *b)
{
    const Step *before = NULL;
    Bindings *unit = bind_row(b, "units"), *block = NULL;
    bind(unit, "unit", "%s_c_%" PRIu32, names->name, region);
    for (uint32_t i = p->unit_start[region]; i < p->unit_start[region + 1]; i++) {
        const Step *s = &p->steps[i];
        if (!block || !guard_same_block(before, s))
            block = bind_block(p, unit, s);
        bind_kernel_call(kernels, i, bind_row(block, "calls"));
        before = s;
    }
}
