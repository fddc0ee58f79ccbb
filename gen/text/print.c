/* Prints nodes of text IR, and with rows.c the graph. */
#include "form.h"

#include "../ops/ops.h"
#include "write.h"

#include <inttypes.h>
#include <string.h>

static void print_attr_value(Form *p, const Attr *a)
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

static void print_attrs(Form *p, const Node *n)
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

static void print_node_columns(Form *p, uint32_t i)
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
static void print_layouts(Form *p, const Node *n, uint32_t i)
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

void print_node(Form *p, uint32_t i)
{
    const Node *n = &p->g->nodes[i];
    text_puts(p->out, "  ");
    for (uint32_t k = 0; k < n->n_out; k++) {
        text_puts(p->out, k ? ", " : "");
        write_value(p->out, p->g, n->out[k]);
        if (has_value(n->out[k])) {
            text_puts(p->out, ": ");
            write_type(p->out, type_of(p->g, n->out[k]));
        }
    }
    text_puts(p->out, " = ");
    text_printf(p->out, "%s(", op_info(n->op)->name);
    for (uint32_t k = 0; k < n->n_in; k++) {
        text_puts(p->out, k ? ", " : "");
        write_value(p->out, p->g, n->in[k]);
    }
    text_puts(p->out, ")");
    print_attrs(p, n);
    write_labelled(p->out, " name=", n->name && *n->name ? n->name : NULL);
    if (n->model_index != UINT32_MAX)
        text_printf(p->out, " #%" PRIu32, n->model_index);
    print_node_columns(p, i);
    print_layouts(p, n, i);
    text_puts(p->out, "\n");
}

static void print_graph(Form *f)
{
    form_graph(f);
    text_puts(f->out, "\n");
}

void print_text_ir(const Graph *g, Text *out)
{
    print_graph(&(Form){.g = g, .out = out});
}

void print_text_ir_elided(const Graph *g, Text *out)
{
    print_graph(&(Form){.g = g, .out = out, .elide = true});
}

void print_text_ir_explained(const Graph *g, Text *out)
{
    print_graph(&(Form){.g = g, .out = out, .explain = true});
}
