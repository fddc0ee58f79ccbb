/* What was decided and why, as text and as JSON. */
#include "explain.h"

#include "../base/quote.h"
#include "../ops/ops.h"

#include "../../passes/common/util.h"

#include <string.h>

static const char *target_name(Target t)
{
    return t == TARGET_DNNL ? "oneDNN" : "C";
}

static const char *post_name(const Graph *g, const PostOp *post)
{
    return post->kind == POST_SUM     ? "Sum in place"
           : post->kind == POST_SCALE ? "scale"
           : post->linear             ? "linear"
                                      : op_info(node_at(g, post->node)->op)->name;
}

static void print_composite(const Graph *g, const Composite *c, Text *out)
{
    const uint32_t scales = composite_has_scale(c);
    text_printf(out, "%s%s%s", c->pattern, scales ? " + scale" : "",
                has_value(c->bias) ? " + bias" : "");
    for (uint32_t i = scales; i < c->n_post; i++)
        text_printf(out, " + %s", post_name(g, &c->post[i]));
}

static void print_node(const Graph *g, uint32_t i, Text *out)
{
    const Columns *c = g->columns;
    const Node *n = &g->nodes[i];
    const Composite *in = composite_of(g, (NodeId){i});
    const char *explain = c->explain ? c->explain[i] : NULL;
    text_printf(out, "%4u %-20s '%s'", i, op_info(n->op)->name, node_label(g, n));
    if (c->target)
        text_printf(out, " -> %s", target_name(c->target[i]));
    if (in && in->anchor.i != i)
        text_printf(out, ": along with '%s'\n", node_label(g, node_at(g, in->anchor)));
    else
        text_printf(out, "%s%s\n", c->reason && c->reason[i] ? ": " : "",
                    c->reason && c->reason[i] ? c->reason[i] : "");
    if (in && in->anchor.i != i)
        return;
    if (in && (in->kind == COMPOSITE_LOOP || in->kind == COMPOSITE_EPILOGUE)) {
        text_printf(out, "     %u nodes in one loop\n", in->n_nodes);
    } else if (in) {
        text_puts(out, "     taken by ");
        print_composite(g, in, out);
        text_printf(out, "%s%s\n", explain ? "; ends: " : "", explain ? explain : "");
    } else if (explain) {
        text_printf(out, "     %s\n", explain);
    }
}

static void print_region(const Graph *g, uint32_t r, Text *out)
{
    const Region *region = &g->columns->regions[r];
    text_printf(out, "region %u: %s, %u node%s, %u value%s in, %u out; ends because %s\n", r,
                target_name(region->target), region->n_nodes, region->n_nodes == 1 ? "" : "s",
                region->n_in, region->n_in == 1 ? "" : "s", region->n_out,
                region->why_ended ? region->why_ended : "-");
}

void explain_text(const Graph *g, Text *out)
{
    const Columns *c = g->columns;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        print_node(g, i, out);
    if (c->n_regions)
        text_puts(out,
                  "regions of the graph, in the order in which they are computed; what is emitted "
                  "are units, which may join several of them:\n");
    for (uint32_t r = 0; r < c->n_regions; r++)
        print_region(g, r, out);
    if (g->verified)
        text_printf(out, "verified after: %s\n", g->verified);
}

/* --- JSON -------------------------------------------------------------------------------------- */

static void json_anchor(const Graph *g, uint32_t i, bool first, Text *out)
{
    const Columns *c = g->columns;
    const Node *n = &g->nodes[i];
    const Composite *in = composite_of(g, (NodeId){i});
    text_printf(out, "%s\n    {\"anchor\": \"%s\", \"name\": ", first ? "" : ",",
                op_info(n->op)->name);
    json_string(out, node_label(g, n));
    if (c->target)
        text_printf(out, ", \"target\": \"%s\"", target_word(c->target[i]));
    if (c->reason && c->reason[i]) {
        text_puts(out, ", \"reason\": ");
        json_string(out, c->reason[i]);
    }
    text_puts(out, ", \"pattern\": ");
    if (in)
        json_string(out, in->pattern);
    else
        text_puts(out, "null");
    text_puts(out, ", \"post_ops\": [");
    for (uint32_t k = 0; in && k < in->n_post; k++)
        text_printf(out, "%s\"%s\"", k ? ", " : "", post_name(g, &in->post[k]));
    text_puts(out, "], \"explanation\": ");
    json_string(out, c->explain[i]);
    text_puts(out, "}");
}

static bool is_anchor(const Graph *g, uint32_t node)
{
    return g->columns && g->columns->explain && g->columns->explain[node];
}

uint32_t *explain_anchor_numbers(const Graph *g)
{
    uint32_t *number = ARENA_ARRAY(g->arena, uint32_t, g->n_nodes + 1), n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        number[i] = is_anchor(g, i) ? n++ : NO_ROW;
    return number;
}

static void json_anchors(const Graph *g, Text *out)
{
    bool first = true;
    text_puts(out, "  \"anchors\": [");
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        if (!is_anchor(g, i))
            continue;
        json_anchor(g, i, first, out);
        first = false;
    }
    text_printf(out, "%s],\n", first ? "" : "\n  ");
}

static void json_regions(const Graph *g, Text *out)
{
    const Columns *c = g->columns;
    text_puts(out, "  \"regions\": [");
    for (uint32_t r = 0; r < c->n_regions; r++) {
        const Region *region = &c->regions[r];
        text_printf(out,
                    "%s\n    {\"target\": \"%s\", \"nodes\": %u, \"values_in\": %u, "
                    "\"values_out\": %u, \"constants\": %u, \"ended\": ",
                    r ? "," : "", target_word(region->target), region->n_nodes, region->n_in,
                    region->n_out, region->n_constants);
        json_string(out, region->why_ended ? region->why_ended : "");
        text_puts(out, "}");
    }
    text_printf(out, "%s],\n", c->n_regions ? "\n  " : "");
}

/* A model is emitted only if all of these hold: a violation is a refusal or a bug. */
static const char *const checked[] = {
    "each value has one definition, before its readers",
    "types are those the shape functions infer",
    "every constant has its contents",
    "inputs and outputs are the model's, in its order",
    "no value inside a composite is read outside it",
    "neither composites nor regions wait for one another",
    "what a sum in place writes over is read by nothing later",
    "regions list all they read, make and hold constant",
    "no two buffers share memory while both are alive, and no two constants ever",
    "steps read what was written for them; memory written in place is not read later",
};

static void json_verified(const Graph *g, Text *out)
{
    text_puts(out, "  \"verified\": {\n    \"after\": [");
    for (const char *p = g->verified; p && *p;) {
        size_t n = strcspn(p, ",");
        text_printf(out, "%s\"%.*s\"", p == g->verified ? "" : ", ", (int)n, p);
        p += n;
        p += strspn(p, ", ");
    }
    text_puts(out, "],\n    \"holds\": [");
    for (size_t i = 0; i < COUNT_OF(checked); i++)
        text_printf(out, "%s\n      \"%s\"", i ? "," : "", checked[i]);
    text_puts(out, "\n    ]\n  },\n");
}

void explain_json(const Graph *g, Text *out)
{
    static const Columns none;
    Graph bare = *g;
    if (!g->columns)
        bare.columns = (Columns *)&none;
    json_anchors(&bare, out);
    json_regions(&bare, out);
    json_verified(&bare, out);
}
