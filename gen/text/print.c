/* Prints the graph as text IR. */
#include "text_ir.h"

#include "../ops.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_MAX = 16,    /* elements printed one by one */
    ELIDE_BYTES = 256 /* more than this is elided, when asked for */
};

typedef struct Printer {
    const Graph *g;
    Text *out;
    bool elide;
} Printer;

static bool reads_back(const char *s, DType precision, double v)
{
    if (precision == DT_F64)
        return strtod(s, NULL) == v;
    return strtof(s, NULL) == (float)v;
}

/* The shortest decimal text that reads back as exactly this number, with a point or exponent in it;
 * inf, nan. */
static void print_float(Text *out, DType precision, double v)
{
    if (isnan(v) || isinf(v)) {
        text_puts(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    char s[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, v);
        if (reads_back(s, precision, v))
            break;
    }
    text_puts(out, s);
    if (!strpbrk(s, ".e"))
        text_puts(out, ".0");
}

/* In double quotes, with escapes; printable ASCII only. */
static void print_quoted(Text *out, const char *s)
{
    text_puts(out, "\"");
    for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
        if (*p == '"' || *p == '\\')
            text_printf(out, "\\%c", *p);
        else if (*p < 0x20 || *p >= 0x7f)
            text_printf(out, "\\x%02x", *p);
        else
            text_append(out, (const char *)p, 1);
    }
    text_puts(out, "\"");
}

static bool plain_name(const char *s)
{
    static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    return *s && strcmp(s, "_") != 0 && s[strspn(s, ok)] == 0;
}

static void print_value(Printer *p, ValueId v)
{
    if (!has_value(v)) {
        text_puts(p->out, "_");
        return;
    }
    const char *name = value_at(p->g, v)->name;
    text_puts(p->out, "%");
    if (plain_name(name))
        text_puts(p->out, name);
    else
        print_quoted(p->out, name);
}

static void print_values(Printer *p, const ValueId *v, uint32_t n)
{
    text_puts(p->out, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_puts(p->out, ", ");
        print_value(p, v[i]);
    }
    text_puts(p->out, ")");
}

static void print_type(Printer *p, const TensorType *t)
{
    text_printf(p->out, "%s[", dtype_name(t->dtype));
    for (int i = 0; i < t->rank; i++)
        text_printf(p->out, "%s%" PRId64, i ? "," : "", t->dims[i]);
    text_puts(p->out, "]");
}

static void print_typed_value(Printer *p, ValueId v)
{
    print_value(p, v);
    if (has_value(v)) {
        text_puts(p->out, ": ");
        print_type(p, type_of(p->g, v));
    }
}

/* --- constants ------------------------------------------------------------------------------- */

static void print_element(Text *out, DType t, const void *data, size_t i)
{
    if (dtype_is_float(t))
        print_float(out, t, elem_f64(t, data, i));
    else if (t == DT_U64)
        text_printf(out, "%" PRIu64, (uint64_t)elem_i64(t, data, i));
    else
        text_printf(out, "%" PRId64, elem_i64(t, data, i));
}

/* NaNs carry bits that the word "nan" loses; a bool may hold more than 0 and 1. */
static bool survives_text(DType t, const void *data, size_t i)
{
    if (dtype_is_float(t))
        return !isnan(elem_f64(t, data, i));
    return t != DT_BOOL || ((const unsigned char *)data)[i] <= 1;
}

static bool all_alike(const void *data, size_t n, size_t size)
{
    return n > 1 && memcmp(data, (const char *)data + size, (n - 1) * size) == 0;
}

static void print_hex(Text *out, const unsigned char *data, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char chunk[512];
    text_puts(out, "hex\"");
    for (size_t i = 0; i < n;) {
        size_t k = 0;
        for (; i < n && k < sizeof chunk; i++) {
            chunk[k++] = digits[data[i] >> 4];
            chunk[k++] = digits[data[i] & 15];
        }
        text_append(out, chunk, k);
    }
    text_puts(out, "\"");
}

static void print_data(Printer *p, const TensorType *t, const void *data)
{
    size_t n = (size_t)type_count(t), size = dtype_size(t->dtype);
    bool text = true;
    if (n > LIST_MAX && all_alike(data, n, size) && survives_text(t->dtype, data, 0)) {
        text_puts(p->out, "splat(");
        print_element(p->out, t->dtype, data, 0);
        text_puts(p->out, ")");
        return;
    }
    for (size_t i = 0; i < n && i < LIST_MAX; i++)
        text = text && survives_text(t->dtype, data, i);
    if (n > LIST_MAX || !text) {
        if (p->elide && n * size > ELIDE_BYTES)
            text_printf(p->out, "elided(%zu, 0x%016" PRIx64 ")", n * size,
                        hash64(data, n * size, 0));
        else
            print_hex(p->out, data, n * size);
        return;
    }
    text_puts(p->out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i)
            text_puts(p->out, ", ");
        print_element(p->out, t->dtype, data, i);
    }
    text_puts(p->out, "]");
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void print_attr_value(Printer *p, const Attr *a)
{
    if (a->kind == ATTR_INT && strcmp(a->name, "to") == 0 && dtype_supported((int)a->i))
        text_puts(p->out, dtype_name((DType)a->i));
    else if (a->kind == ATTR_INT)
        text_printf(p->out, "%" PRId64, a->i);
    else if (a->kind == ATTR_FLOAT)
        print_float(p->out, DT_F64, a->f);
    else if (a->kind == ATTR_STRING)
        print_quoted(p->out, a->s);
    else {
        text_puts(p->out, a->kind == ATTR_FLOATS && a->n == 0 ? "floats[" : "[");
        for (size_t i = 0; i < a->n; i++) {
            if (i)
                text_puts(p->out, ",");
            if (a->kind == ATTR_INTS)
                text_printf(p->out, "%" PRId64, a->ints[i]);
            else
                print_float(p->out, DT_F64, a->floats[i]);
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

static const char *target_name(Target t)
{
    return t == TARGET_DNNL ? "dnnl" : "c";
}

static void print_node_columns(Printer *p, uint32_t i)
{
    const Columns *c = p->g->columns;
    if (!c)
        return;
    if (c->composite && c->composite[i] != NO_ROW)
        text_printf(p->out, " @composite=%" PRIu32, c->composite[i]);
    if (c->target)
        text_printf(p->out, " @target=%s", target_name(c->target[i]));
    if (c->region)
        text_printf(p->out, " @region=%" PRIu32, c->region[i]);
    if (c->reason && c->reason[i]) {
        text_puts(p->out, " @reason=");
        print_quoted(p->out, c->reason[i]);
    }
}

static void print_node(Printer *p, uint32_t i)
{
    const Node *n = &p->g->nodes[i];
    text_puts(p->out, "  ");
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (k)
            text_puts(p->out, ", ");
        print_typed_value(p, n->out[k]);
    }
    text_printf(p->out, " = %s", op_info(n->op)->name);
    print_values(p, n->in, n->n_in);
    print_attrs(p, n);
    if (n->name && *n->name) {
        text_puts(p->out, " name=");
        print_quoted(p->out, n->name);
    }
    if (n->model_index != UINT32_MAX)
        text_printf(p->out, " #%" PRIu32, n->model_index);
    print_node_columns(p, i);
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
        print_float(p->out, DT_F64, post->scale);
        text_puts(p->out, ", ");
        print_float(p->out, DT_F64, post->shift);
        text_puts(p->out, ")");
    }
}

static void print_composite(Printer *p, uint32_t i)
{
    const Composite *c = &p->g->columns->composites[i];
    text_printf(p->out, "  composite %" PRIu32 " ", i);
    print_quoted(p->out, c->pattern);
    text_puts(p->out, " anchor=");
    print_node_ref(p, c->anchor);
    text_puts(p->out, " root=");
    print_node_ref(p, c->root);
    text_puts(p->out, " nodes(");
    for (uint32_t k = 0; k < c->n_nodes; k++) {
        if (k)
            text_puts(p->out, ", ");
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
            if (k)
                text_puts(p->out, ", ");
            print_post(p, &c->post[k]);
        }
        text_puts(p->out, ")");
    }
    text_puts(p->out, " args");
    print_values(p, c->args, c->n_args);
    text_puts(p->out, "\n");
}

static void print_region_values(Printer *p, const char *what, const ValueId *v, uint32_t n)
{
    text_printf(p->out, " %s", what);
    print_values(p, v, n);
}

static void print_regions(Printer *p)
{
    const Columns *c = p->g->columns;
    for (uint32_t i = 0; i < c->n_regions; i++) {
        text_printf(p->out, "  region %" PRIu32 " %s", i, target_name(c->regions[i].target));
        if (c->regions[i].why_ended) {
            text_puts(p->out, " ");
            print_quoted(p->out, c->regions[i].why_ended);
        }
        const Region *r = &c->regions[i];
        if (r->n_nodes) {
            print_region_values(p, "in", r->in, r->n_in);
            print_region_values(p, "out", r->out, r->n_out);
            print_region_values(p, "constants", r->constants, r->n_constants);
        }
        text_puts(p->out, "\n");
    }
}

static void print_which_columns(Printer *p)
{
    const Columns *c = p->g->columns;
    if (!c || !(c->composite || c->target || c->region))
        return;
    const char *sep = "";
    text_puts(p->out, "  columns ");
    const struct {
        const void *column;
        const char *name;
    } all[] = {{c->composite, "composite"}, {c->target, "target"}, {c->region, "region"}};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        if (all[i].column) {
            text_printf(p->out, "%s%s", sep, all[i].name);
            sep = ", ";
        }
    }
    text_puts(p->out, "\n");
}

static void print_ports_in(Printer *p)
{
    for (uint32_t i = 0; i < p->g->n_inputs; i++) {
        const Port *port = &p->g->inputs[i];
        text_puts(p->out, "  input ");
        print_typed_value(p, port->value);
        if (strcmp(port->name, value_at(p->g, port->value)->name) != 0) {
            text_puts(p->out, " name=");
            print_quoted(p->out, port->name);
        }
        text_puts(p->out, "\n");
    }
}

static void print_all(Printer *p)
{
    const Graph *g = p->g;
    text_puts(p->out, "graph ");
    print_quoted(p->out, g->name ? g->name : "");
    text_puts(p->out, " {\n");
    print_which_columns(p);
    print_ports_in(p);
    for (uint32_t i = 0; i < g->n_values; i++) {
        if (g->values[i].kind != VALUE_CONST)
            continue;
        text_puts(p->out, "  const ");
        print_typed_value(p, (ValueId){i});
        text_puts(p->out, " = ");
        print_data(p, &g->values[i].type, g->values[i].data);
        text_puts(p->out, "\n");
    }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        print_node(p, i);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        text_puts(p->out, "  output ");
        print_quoted(p->out, g->outputs[i].name);
        text_puts(p->out, " = ");
        print_value(p, g->outputs[i].value);
        for (uint32_t k = 0; k < i; k++)
            if (g->outputs[k].count == i) {
                text_puts(p->out, " counts ");
                print_quoted(p->out, g->outputs[k].name);
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
