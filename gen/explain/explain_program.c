/* What became of the nodes: layers, units, reorders, memory, as text and as JSON. */
#include "explain.h"

#include "../base/quote.h"
#include "../dnnl/plan.h"
#include "../kernel/plan.h"
#include "../ops/ops.h"

#include "../../passes/common/util.h"

static double over_live(const Program *p)
{
    return p->live_bytes ? (double)p->workspace_bytes / (double)p->live_bytes : 1;
}

static bool is_reorder(const Step *s)
{
    return s->n_nodes == 0;
}

/* What a row pitch on one side only means. */
static const char *reorder_note(const Buffer *from, const Buffer *to)
{
    return to->layout.pitch && !from->layout.pitch   ? " (into its place in a wider tensor)"
           : from->layout.pitch && !to->layout.pitch ? " (out of a wider tensor)"
                                                     : "";
}

const char *explain_implementation(const Program *p, const Step *s)
{
    if (!s->c)
        return s->dnnl ? s->dnnl->impl : "C";
    Text t = text_new(p->arena);
    text_printf(&t, "C %s", c_variant_names[s->c->variant]);
    for (uint32_t i = 0; i < s->c->n_parts; i++)
        text_printf(&t, "%s%s", i ? ", " : " of ", c_variant_names[s->c->parts[i].variant]);
    return t.data;
}

/* "f32[1,64,56,56] abcd -> acdb", of the value's name where it has one. */
static void print_reorder(const Program *p, const Step *s, Text *out)
{
    const Buffer *from = &p->buffers[s->in[0]], *to = &p->buffers[s->out[0]];
    const char *name = has_value(from->value) ? value_at(p->graph, from->value)->name : "";
    text_printf(out, "%s: '%s' %s %s -> %s%s, %zu bytes, %s\n", s->label, name,
                type_text(p->arena, &from->type), layout_tag(p->arena, &from->layout),
                layout_tag(p->arena, &to->layout), reorder_note(from, to), type_bytes(&from->type),
                explain_implementation(p, s));
}

/* Why this step is computed as it is: lowering's word, or else that of annotate-target. */
static const char *why_of(const Program *p, const Step *s)
{
    const Columns *c = p->graph->columns;
    if (s->why || s->target == TARGET_DNNL || is_reorder(s))
        return s->why;
    return c->reason && c->target && c->target[s->node.i] == TARGET_C ? c->reason[s->node.i] : NULL;
}

static void print_layer(const Program *p, const Step *s, Text *out)
{
    const char *why = why_of(p, s);
    text_printf(out, "  %s:", s->label);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(p->graph, s->nodes[i]);
        text_printf(out, "%s '%s' (%s)", i ? " +" : "", node_label(p->graph, n),
                    op_info(n->op)->name);
    }
    text_printf(out, " -> %s%s%s\n", explain_implementation(p, s), why ? ": " : "", why ? why : "");
}

static uint32_t count_kernels(const Program *p, uint32_t unit)
{
    uint32_t n = 0;
    for (uint32_t i = p->unit_start[unit]; i < p->unit_start[unit + 1]; i++)
        n += p->steps[i].target == TARGET_C;
    return n;
}

static void print_unit(const Program *p, uint32_t u, Text *out)
{
    const Region *unit = &p->regions[u];
    uint32_t kernels = count_kernels(p, u), n = p->unit_start[u + 1] - p->unit_start[u];
    text_printf(out, "unit %u: %s, %u layer%s", u, unit->target == TARGET_DNNL ? "oneDNN" : "C", n,
                n == 1 ? "" : "s");
    if (unit->target == TARGET_DNNL && kernels)
        text_printf(out, ", of which %u kernel%s of C", kernels, kernels == 1 ? "" : "s");
    text_printf(out, "; ends because %s\n", unit->why_ended);
    for (uint32_t i = p->unit_start[u]; i < p->unit_start[u + 1]; i++)
        if (!is_reorder(&p->steps[i]))
            print_layer(p, &p->steps[i], out);
        else {
            text_puts(out, "  ");
            print_reorder(p, &p->steps[i], out);
        }
}

/* Nodes that no step computes: what they make is there already. */
static void print_free(const Program *p, Text *out)
{
    const Graph *g = p->graph;
    uint32_t n = 0;
    bool *computed = ARENA_ARRAY(p->arena, bool, g->n_nodes + 1);
    for (uint32_t i = 0; i < p->n_steps; i++)
        for (uint32_t k = 0; k < p->steps[i].n_nodes; k++)
            computed[p->steps[i].nodes[k].i] = true;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!computed[i])
            text_printf(out, "%s '%s' (%s)", n++ ? "," : "no layer, only another view of memory:",
                        node_label(g, &g->nodes[i]), op_info(g->nodes[i].op)->name);
    if (n)
        text_puts(out, "\n");
}

static void print_guards(const Program *p, Text *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_steps; i++)
        n += p->steps[i].n_guards > 0;
    if (n)
        text_printf(out, "branches: %u of %u layers are only computed where a Where takes them\n",
                    n, p->n_steps);
}

void explain_program(const Program *p, Text *out)
{
    size_t n = 0, bytes = 0;
    for (uint32_t u = 0; u < p->n_regions; u++)
        print_unit(p, u, out);
    print_free(p, out);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        if (!is_reorder(&p->steps[i]))
            continue;
        n++;
        bytes += type_bytes(&p->buffers[p->steps[i].in[0]].type);
    }
    print_guards(p, out);
    if (p->layouts)
        text_printf(out, "%s\n", p->layouts);
    text_printf(out, "reorders: %zu of %zu bytes\n", n, bytes);
    text_printf(out, "workspace: %zu bytes, %.3f of the %zu that are alive at once\n",
                p->workspace_bytes, over_live(p), p->live_bytes);
    explain_variants(p, out);
}

static void json_reorders(const Program *p, Text *out)
{
    bool first = true;
    text_puts(out, "  \"reorders\": [");
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const Step *s = &p->steps[i];
        if (!is_reorder(s))
            continue;
        const Buffer *from = &p->buffers[s->in[0]], *to = &p->buffers[s->out[0]];
        text_printf(out,
                    "%s\n    {\"layer\": %u, \"from\": \"%s\", \"to\": \"%s\", \"bytes\": %zu, ",
                    first ? "" : ",", i, layout_tag(p->arena, &from->layout),
                    layout_tag(p->arena, &to->layout), type_bytes(&from->type));
        text_puts(out, "\"value\": ");
        json_string(out, has_value(from->value) ? value_at(p->graph, from->value)->name : "");
        text_puts(out, "}");
        first = false;
    }
    text_printf(out, "%s],\n", first ? "" : "\n  ");
}

static void json_units(const Program *p, Text *out)
{
    text_puts(out, "  \"units\": [");
    for (uint32_t u = 0; u < p->n_regions; u++) {
        text_printf(out,
                    "%s\n    {\"target\": \"%s\", \"layers\": %u, \"c_kernels\": %u, \"ended\": ",
                    u ? "," : "", target_word(p->regions[u].target),
                    p->unit_start[u + 1] - p->unit_start[u], count_kernels(p, u));
        json_string(out, p->regions[u].why_ended);
        text_puts(out, "}");
    }
    text_printf(out, "%s],\n", p->n_regions ? "\n  " : "");
}

void explain_program_json(const Program *p, Text *out)
{
    text_printf(out, "  \"live_bytes\": %zu,\n  \"planned_over_live\": %.4f,\n", p->live_bytes,
                over_live(p));
    json_reorders(p, out);
    json_units(p, out);
}

void explain_layer_json(const Program *p, const Step *s, Text *out)
{
    const char *why = why_of(p, s);
    if (!why)
        return;
    text_puts(out, ", \"why\": ");
    json_string(out, why);
}
