/* The graph as Graphviz: a cluster per region, composites in one colour each, C nodes grey. */
#include "../ops/ops.h"
#include "text_ir.h"
#include "write.h"

#include <inttypes.h>

static const char *const colours[] = {"#cfe2f3", "#d9ead3", "#fff2cc", "#f4cccc",
                                      "#d9d2e9", "#d0e0e3", "#fce5cd", "#ead1dc"};

static void dot_node(const Graph *g, Text *out, uint32_t i)
{
    const Node *n = &g->nodes[i];
    const Columns *c = g->columns;
    text_printf(out, "    n%" PRIu32 " [label=\"%s", i, op_info(n->op)->name);
    if (*n->name) {
        text_puts(out, "\\n");
        write_escaped(out, n->name, false);
    }
    text_puts(out, "\"");
    if (c && c->composite && c->composite[i] != NO_ROW)
        text_printf(out, ", style=filled, fillcolor=\"%s\"",
                    colours[c->composite[i] % COUNT_OF(colours)]);
    else if (c && c->target && c->target[i] == TARGET_C)
        text_puts(out, ", style=filled, fillcolor=\"#eeeeee\"");
    text_puts(out, "];\n");
}

/* Nodes are listed by region, in one pass: there may be as many regions as nodes. */
static void dot_regions(const Graph *g, Text *out)
{
    const Columns *c = g->columns;
    const uint32_t *order = order_by_key(out->arena, c->region, g->n_nodes, c->n_regions);
    for (uint32_t r = 0, k = 0; r < c->n_regions; r++) {
        bool dnnl = c->regions[r].target == TARGET_DNNL;
        text_printf(out,
                    "  subgraph cluster_%" PRIu32 " {\n    label=\"region %" PRIu32 " (%s)\";\n", r,
                    r, dnnl ? "oneDNN" : "C");
        text_printf(out, "    color=\"%s\";\n", dnnl ? "#3d85c6" : "#999999");
        for (; k < g->n_nodes && c->region[order[k]] == r; k++)
            dot_node(g, out, order[k]);
        text_puts(out, "  }\n");
    }
}

static void dot_edges(const Graph *g, Text *out, uint32_t i)
{
    const Node *n = &g->nodes[i];
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (!has_value(n->in[k]))
            continue;
        const Value *v = value_at(g, n->in[k]);
        if (v->kind == VALUE_CONST)
            continue;
        if (v->kind == VALUE_INPUT)
            text_printf(out, "  v%" PRIu32, n->in[k].i);
        else
            text_printf(out, "  n%" PRIu32, v->def.i);
        text_printf(out, " -> n%" PRIu32 " [label=\"", i);
        write_type(out, &v->type);
        text_puts(out, "\"];\n");
    }
}

static void dot_ports(const Graph *g, Text *out)
{
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        text_printf(out, "  v%" PRIu32 " [shape=ellipse, label=\"", g->inputs[i].value.i);
        write_escaped(out, g->inputs[i].name, false);
        text_puts(out, "\"];\n");
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const Value *v = value_at(g, g->outputs[i].value);
        text_printf(out, "  o%" PRIu32 " [shape=ellipse, label=\"", i);
        write_escaped(out, g->outputs[i].name, false);
        text_puts(out, "\"];\n");
        if (v->kind == VALUE_NODE)
            text_printf(out, "  n%" PRIu32 " -> o%" PRIu32 ";\n", v->def.i, i);
        else if (v->kind == VALUE_INPUT)
            text_printf(out, "  v%" PRIu32 " -> o%" PRIu32 ";\n", g->outputs[i].value.i, i);
    }
}

void print_dot(const Graph *g, Text *out)
{
    text_puts(out, "digraph \"");
    write_escaped(out, g->name, false);
    text_puts(out, "\" {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    dot_ports(g, out);
    if (g->columns && g->columns->region)
        dot_regions(g, out);
    else
        for (uint32_t i = 0; i < g->n_nodes; i++)
            dot_node(g, out, i);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        dot_edges(g, out, i);
    text_puts(out, "}\n");
}
