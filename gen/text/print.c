/* Prints the graph as text IR. */
#include "text_ir.h"

#include "../ops/ops.h"
#include "write.h"

#include <inttypes.h>
#include <string.h>

typedef struct Printer {
    const Graph *g;
    Text *out;
    bool elide, explain;
} Printer;

static void print_value(Printer *p, ValueId v)
{
    write_value(p->out, p->g, v);
}

static void print_values(Printer *p, const char *what, const ValueId *v, uint32_t n)
{
    text_printf(p->out, "%s(", what);
    for (uint32_t i = 0; i < n; i++) {
        text_puts(p->out, i ? ", " : "");
        print_value(p, v[i]);
    }
    text_puts(p->out, ")");
}

static void print_typed_value(Printer *p, ValueId v)
{
    print_value(p, v);
    if (has_value(v)) {
        text_puts(p->out, ": ");
        write_type(p->out, type_of(p->g, v));
    }
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void print_attr_value(Printer *p, const Attr *a)
{
    if (a->kind == ATTR_INT && strcmp(a->name, "to") == 0 && dtype_supported((int)a->i))
        text_puts(p->out, dtype_name((DType)a->i));
    else if (a->kind == ATTR_INT)
        text_printf(p->out, "%" PRId64, a->i);
    else if (a->kind == ATTR_FLOAT)
        write_float(p->out, DT_F64, a->f);
    else if (a->kind == ATTR_STRING)
        write_quoted(p->out, a->s);
    else {
        text_puts(p->out, a->kind == ATTR_FLOATS && a->n == 0 ? "floats[" : "[");
        for (size_t i = 0; i < a->n; i++) {
            text_puts(p->out, i ? "," : "");
            if (a->kind == ATTR_INTS)
                text_printf(p->out, "%" PRId64, a->ints[i]);
            else
                write_float(p->out, DT_F64, a->floats[i]);
        }
        text_puts(p->out, "]");
    }
}

static void print_attrs(Printer *p, const Node *n)
{
    if (n->n_attr == 0)
        return;
    text_puts(p->out, " {");
    for (uint32_t i = 0; i < n->n_attr; i++) {
        text_printf(p->out, "%s%s=", i ? ", " : "", n->attr[i].name);
        print_attr_value(p, &n->attr[i]);
    }
    text_puts(p->out, "}");
}

static void print_node_columns(Printer *p, uint32_t i)
{
    const Columns *c = p->g->columns;
    if (!c)
        return;
    if (c->composite && c->composite[i] != NO_ROW)
        text_printf(p->out, " @composite=%" PRIu32, c->composite[i]);
    if (c->target)
        text_printf(p->out, " @target=%s", target_word(c->target[i]));
    if (c->region)
        text_printf(p->out, " @region=%" PRIu32, c->region[i]);
    write_labelled(p->out, " @reason=", c->reason ? c->reason[i] : NULL);
    write_labelled(p->out, " @explain=", p->explain && c->explain ? c->explain[i] : NULL);
}

/* Where they are not row-major: how operand 0 is read, what is left. */
static void print_layouts(Printer *p, const Node *n, uint32_t i)
{
    const LayoutChoice *c = p->g->columns ? p->g->columns->layouts : NULL;
    bool any = false;
    if (!c)
        return;
    for (uint32_t k = 0; k < n->n_out; k++)
        any = any || (has_value(n->out[k]) && !layout_is_plain(&c->value[n->out[k].i]));
    const ValueId first =
        node_in(n, 0); /* of composites inner nodes have their layer's, whatever they read */
    if (has_value(first) && c->reads[i].rank == type_of(p->g, first)->rank &&
        !layout_is_plain(&c->reads[i])) {
        text_puts(p->out, " @reads=");
        write_layout(p->out, &c->reads[i]);
    }
    for (uint32_t k = 0; any && k < n->n_out; k++) {
        text_puts(p->out, k ? ", " : " @layout=");
        if (has_value(n->out[k]))
            write_layout(p->out, &c->value[n->out[k].i]);
        else
            text_puts(p->out, "_");
    }
    if (c->as_it_is[i])
        text_puts(p->out, " @as_it_is");
}

static void print_node(Printer *p, uint32_t i)
{
    const Node *n = &p->g->nodes[i];
    text_puts(p->out, "  ");
    for (uint32_t k = 0; k < n->n_out; k++) {
        text_puts(p->out, k ? ", " : "");
        print_typed_value(p, n->out[k]);
    }
    text_puts(p->out, " = ");
    print_values(p, op_info(n->op)->name, n->in, n->n_in);
    print_attrs(p, n);
    write_labelled(p->out, " name=", n->name && *n->name ? n->name : NULL);
    if (n->model_index != UINT32_MAX)
        text_printf(p->out, " #%" PRIu32, n->model_index);
    print_node_columns(p, i);
    print_layouts(p, n, i);
    text_puts(p->out, "\n");
}

/* --- columns --------------------------------------------------------------------------------- */

static void print_node_ref(Printer *p, NodeId id)
{
    const Node *n = node_at(p->g, id);
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (has_value(n->out[k])) {
            print_value(p, n->out[k]);
            return;
        }
    }
    text_puts(p->out, "_");
}

static void print_post(Printer *p, const PostOp *post)
{
    static const char *const kinds[] = {"sum", "binary", "eltwise", "prelu", "depthwise"};
    text_printf(p->out, "%s ", kinds[post->kind]);
    print_node_ref(p, post->node);
    if (has_value(post->arg)) {
        text_puts(p->out, " ");
        print_value(p, post->arg);
    }
    if (post->linear) {
        text_puts(p->out, " linear(");
        write_float(p->out, DT_F64, post->scale);
        text_puts(p->out, ", ");
        write_float(p->out, DT_F64, post->shift);
        text_puts(p->out, ")");
    }
}

static void print_composite(Printer *p, uint32_t i)
{
    const Composite *c = &p->g->columns->composites[i];
    text_printf(p->out, "  composite %" PRIu32 " ", i);
    write_quoted(p->out, c->pattern);
    if (c->kind != COMPOSITE_LAYER)
        text_printf(p->out, " %s", composite_kind_word(c->kind));
    text_puts(p->out, " anchor=");
    print_node_ref(p, c->anchor);
    text_puts(p->out, " root=");
    print_node_ref(p, c->root);
    text_puts(p->out, " nodes(");
    for (uint32_t k = 0; k < c->n_nodes; k++) {
        text_puts(p->out, k ? ", " : "");
        print_node_ref(p, c->nodes[k]);
    }
    text_puts(p->out, ")");
    if (has_value(c->bias)) {
        text_puts(p->out, " bias=");
        print_value(p, c->bias);
    }
    if (c->n_post) {
        text_puts(p->out, " post(");
        for (uint32_t k = 0; k < c->n_post; k++) {
            text_puts(p->out, k ? ", " : "");
            print_post(p, &c->post[k]);
        }
        text_puts(p->out, ")");
    }
    print_values(p, " args", c->args, c->n_args);
    text_puts(p->out, "\n");
}

static void print_regions(Printer *p)
{
    const Columns *c = p->g->columns;
    for (uint32_t i = 0; i < c->n_regions; i++) {
        text_printf(p->out, "  region %" PRIu32 " %s", i, target_word(c->regions[i].target));
        write_labelled(p->out, " ", c->regions[i].why_ended);
        const Region *r = &c->regions[i];
        if (r->n_nodes) {
            print_values(p, " in", r->in, r->n_in);
            print_values(p, " out", r->out, r->n_out);
            print_values(p, " constants", r->constants, r->n_constants);
        }
        text_puts(p->out, "\n");
    }
}

static void print_which_columns(Printer *p)
{
    const Columns *c = p->g->columns;
    if (!c || !(c->composite || c->target || c->region || c->layouts))
        return;
    const char *sep = "";
    text_puts(p->out, "  columns ");
    const struct {
        const void *column;
        const char *name;
    } all[] = {{c->composite, "composite"},
               {c->target, "target"},
               {c->region, "region"},
               {c->layouts, "layout"}};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        if (all[i].column) {
            text_printf(p->out, "%s%s", sep, all[i].name);
            sep = ", ";
        }
    }
    text_puts(p->out, "\n");
    if (c->layouts && c->layouts->said) {
        write_labelled(p->out, "  layouts ", c->layouts->said);
        text_puts(p->out, "\n");
    }
}

static void print_ports_in(Printer *p)
{
    for (uint32_t i = 0; i < p->g->n_inputs; i++) {
        const Port *port = &p->g->inputs[i];
        text_puts(p->out, "  input ");
        print_typed_value(p, port->value);
        const bool named = strcmp(port->name, value_at(p->g, port->value)->name) != 0;
        write_labelled(p->out, " name=", named ? port->name : NULL);
        text_puts(p->out, "\n");
    }
}

static void print_all(Printer *p)
{
    const Graph *g = p->g;
    write_labelled(p->out, "graph ", g->name ? g->name : "");
    text_puts(p->out, " {\n");
    print_which_columns(p);
    if (p->explain && g->verified) {
        write_labelled(p->out, "  verified ", g->verified);
        text_puts(p->out, "\n");
    }
    print_ports_in(p);
    for (uint32_t i = 0; i < g->n_values; i++) {
        if (g->values[i].kind != VALUE_CONST)
            continue;
        text_puts(p->out, "  const ");
        print_typed_value(p, (ValueId){i});
        text_puts(p->out, " = ");
        write_data(p->out, &g->values[i].type, g->values[i].data, p->elide);
        text_puts(p->out, "\n");
    }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        print_node(p, i);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        write_labelled(p->out, "  output ", g->outputs[i].name);
        text_puts(p->out, " = ");
        print_value(p, g->outputs[i].value);
        for (uint32_t k = 0; k < i; k++)
            if (g->outputs[k].count == i) {
                write_labelled(p->out, " counts ", g->outputs[k].name);
                text_printf(p->out, " along %d", g->outputs[k].axis);
            }
        text_puts(p->out, "\n");
    }
    for (uint32_t i = 0; g->columns && i < g->columns->n_composites; i++)
        print_composite(p, i);
    if (g->columns)
        print_regions(p);
    text_puts(p->out, "}\n");
}

void print_text_ir(const Graph *g, Text *out)
{
    print_all(&(Printer){.g = g, .out = out});
}

void print_text_ir_elided(const Graph *g, Text *out)
{
    print_all(&(Printer){.g = g, .out = out, .elide = true});
}

void print_text_ir_explained(const Graph *g, Text *out)
{
    print_all(&(Printer){.g = g, .out = out, .explain = true});
}
