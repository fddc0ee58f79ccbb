/* One translation unit of the portable C target: banner, helpers, a static function per step, the
 * region's run function. */
#include "../unit.h"
#include "../../conv_flat.h"
#include "../../guard.h"
#include "../../rnn.h"
#include "../../template.h"
#include "../emit.h"
#include "helpers.h"
#include "nn.h"
#include "ops.h"
#include "tail.h"

#include <inttypes.h>
#include <string.h>

static bool is_fused_group(const Graph *g, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (!c_can_fuse(g, node_at(g, s->nodes[i])))
            return false;
    return s->n_nodes > 1;
}

/* Step functions end in "_step", so that no label can collide with the C library or a helper. */
static const char *step_function(Arena *arena, const Step *s)
{
    return arena_printf(arena, "%s_step", s->label);
}

/* A norm with what makes the sum in front of it. */
static bool is_sum_norm_step(const Node *n, const Step *s)
{
    return s->n_nodes > 1 && s->nodes[s->n_nodes - 1].i == s->node.i &&
           (n->op == OP_LayerNormalization || n->op == OP_RMSNormalization);
}

bool emit_c_step(const Program *p, const Step *s, CHelpers *helpers, bool *shared, Text *out)
{
    const Graph *g = p->graph;
    const Node *n = s->n_nodes ? node_at(g, s->node) : NULL;
    const char *why;
    CKernel k = {.g = g,
                 .program = p,
                 .step = s,
                 .node = n,
                 .arena = p->arena,
                 .out = out,
                 .helpers = helpers};
    k.fn = step_function(p->arena, s);
    text_printf(out, "\n/*\n%s */\n", step_comment(p->arena, p, s));
    if (!n) {
        bool done = emit_c_reorder(&k);
        *shared = k.shared != 0;
        if (k.shared)
            emit_c_shared(&k);
        return done;
    }
    bool group = is_fused_group(g, s), rows = is_sum_norm_step(n, s);
    if (!group && !rows && s->n_nodes > 1 &&
        !c_takes_tail(g, s->node, s->nodes, s->n_nodes, s->nodes[s->n_nodes - 1]))
        return refuse_node(g, n, "no C kernel for this group of nodes");
    if (!group && !c_target_supports(g, n, &why))
        return refuse_node(g, n, "%s", why);
    if (!group && !rows)
        c_emit_tail(&k);
    if (!(group ? emit_c_eltwise : rows ? emit_c_sum_norm : c_emit_node)(&k))
        return false;
    *shared = k.shared != 0;
    if (k.shared)
        emit_c_shared(&k);
    return true;
}

void emit_c_call(const Program *p, uint32_t index, Text *out)
{
    const Step *s = &p->steps[index];
    const char **items = ARENA_ARRAY(p->arena, const char *, s->n_in + s->n_out + 1);
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER)
            items[n++] = buffer_expr(p->arena, p, s->in[i], true);
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER)
            items[n++] = buffer_expr(p->arena, p, s->out[o], false);
    if (s->scratch != NO_BUFFER)
        items[n++] = buffer_expr(p->arena, p, s->scratch, false);
    const int indent = guard_indent(s);
    c_put_list(out, arena_printf(p->arena, "%*s%s(", indent, "", step_function(p->arena, s)), items,
               n, ");\n");
    text_printf(out, "%*sif (m->trace)\n%*sm->trace(m->trace_user, %" PRIu32 ");\n", indent, "",
                indent + 4, "", index);
}

bool emit_c_unit(const Program *p, uint32_t region, const EmitNames *names, Text *out)
{
    CHelpers helpers = {.need = {false}};
    Text steps, calls;
    bool shared; /* all threads are at hand when a unit of C begins */
    const Step *before = NULL;
    text_init(&steps, p->arena);
    text_init(&calls, p->arena);
    for (uint32_t i = p->unit_start[region]; i < p->unit_start[region + 1]; i++) {
        if (!emit_c_step(p, &p->steps[i], &helpers, &shared, &steps))
            return false;
        emit_guard(p, before, &p->steps[i], &calls);
        emit_c_call(p, i, &calls);
        before = &p->steps[i];
    }
    emit_guard(p, before, NULL, &calls);
    text_printf(out, "%s#include \"%s_internal.h\"\n\n", names->banner, names->name);
    text_puts(
        out,
        "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    render(out, "c/clones.c", bindings_new(p->arena, NULL));
    emit_c_helpers(out, p->arena, &helpers);
    text_append(out, steps.data, steps.size);
    text_printf(out, "\nvoid %s_c_%" PRIu32 "(const struct %s_memory *m)\n{\n", names->name, region,
                names->name);
    text_append(out, calls.data, calls.size);
    text_puts(out, "}\n");
    return true;
}
