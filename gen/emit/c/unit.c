/* The kernel of a step of the portable C target, and the unit that calls the kernels of one region in their order. */
#include "../unit.h"
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

/* A norm with what makes the sum in front of it. */
static bool is_sum_norm_step(const Node *n, const Step *s)
{
    return s->n_nodes > 1 && s->nodes[s->n_nodes - 1].i == s->node.i &&
           (n->op == OP_LayerNormalization || n->op == OP_RMSNormalization);
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
        bool group = is_fused_group(g, s), rows = is_sum_norm_step(n, s);
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

void emit_c_unit_head(const EmitNames *names, Text *out)
{
    text_printf(out,
                "%s#include \"%s_internal.h\"\n#include \"%s_kernels.h\"\n\n#include "
                "<stddef.h>\n#include <stdint.h>\n",
                names->banner, names->name, names->name);
}

void emit_c_unit(const Program *p, uint32_t region, const EmitNames *names,
                 const KernelSet *kernels, Text *out)
{
    Text calls;
    const Step *before = NULL;
    text_init(&calls, p->arena);
    for (uint32_t i = p->unit_start[region]; i < p->unit_start[region + 1]; i++) {
        emit_guard(p, before, &p->steps[i], &calls);
        emit_kernel_call(kernels, i, &calls);
        before = &p->steps[i];
    }
    emit_guard(p, before, NULL, &calls);
    text_printf(out, "\nvoid %s_c_%" PRIu32 "(const struct %s_memory *m)\n{\n", names->name, region,
                names->name);
    text_append(out, calls.data, calls.size);
    text_puts(out, "}\n");
}
