/* Rows of text IR but for its nodes, in both directions: what a graph has, and tables of its columns. Read, they become rows of the graph. */
#include "form.h"

#include "write.h"

#include <math.h>
#include <string.h>

/* The port that port i counts the rows of, by its name, the last one that is called so; i: there is none. */
static uint32_t counted_by(const Port *ports, uint32_t i, const char *name)
{
    for (uint32_t k = i; k-- > 0;)
        if (name ? !strcmp(ports[k].name, name) : port_counted_by(&ports[k], i))
            return k;
    return i;
}

/* "%x: f32[2]" */
static void form_definition(Form *f, const char **name, TensorType *t)
{
    if (f->in)
        parse_new_name(f->in, name);
    else
        write_name(f->out, *name);
    form_text(f, ": ");
    form_type(f, t);
}

/* "batch" 4, "seq" 64 */
static void form_variant(Form *f, uint32_t i)
{
    Variants *v = &((Graph *)f->g)->variants;
    const bool first = f->in && !v->n_dims;
    size_t cap_dims = v->n_dims, cap = f->in ? (size_t)v->n * v->n_dims : 0;
    size_t n_sizes = cap, n_dims = 0, d = 0;
    do {
        const char *name = f->in || d >= v->n_dims ? NULL : v->dims[d];
        int64_t size = f->in ? 0 : v->sizes[i * v->n_dims + d];
        form_quoted(f, &name);
        form_text(f, " ");
        form_int(f, 0, INT64_MAX, &size);
        if (!f->in || form_failed(f))
            continue;
        if (!first && (d >= v->n_dims || strcmp(v->dims[d], name) != 0))
            lex_refuse(form_lex(f), "variants differ in '%s' before",
                       d < v->n_dims ? v->dims[d] : "nothing more");
        if (first)
            ARENA_PUSH(f->in->g->arena, v->dims, n_dims, cap_dims, name);
        ARENA_PUSH(f->in->g->arena, v->sizes, n_sizes, cap, size);
    } while (form_if(f, ++d < v->n_dims, ", ") && !form_failed(f));
    if (!f->in || form_failed(f))
        return;
    if (!first && d != v->n_dims)
        lex_refuse(form_lex(f), "the variants before it differ in '%s' as well", v->dims[d]);
    v->n += !first;
    v->n_dims = (uint32_t)d;
}

/* counts "a" along 1 counts "b" along 0 most 4 */
static void form_bounds(Form *f, uint32_t i)
{
    for (uint32_t k = 0, c = 0; !form_failed(f); c++) {
        while (!f->in && k < i &&
               (c >= f->g->inputs[k].n_counts || f->g->inputs[k].counts[c].by != i))
            c < f->g->inputs[k].n_counts ? c++ : (k++, c = 0);
        const char *name = !f->in && k < i ? f->g->inputs[k].name : NULL;
        int64_t axis = name ? f->g->inputs[k].counts[c].axis : 0;
        form_label(f, " counts ", &name);
        if (!name)
            break;
        form_text(f, " along ");
        form_int(f, 0, MAX_RANK - 1, &axis);
        if (f->in &&
            !graph_count_input(f->in->g, counted_by(f->in->g->inputs, i, name), (int)axis, i))
            lex_refuse(form_lex(f), "it cannot count the rows of '%s' along %lld", name,
                       (long long)axis);
    }
    int64_t most = f->in ? 0 : f->g->inputs[i].most;
    if (form_if(f, most != 0, " most "))
        form_int(f, 1, INT64_MAX, &most);
    if (f->in && !form_failed(f))
        f->in->g->inputs[i].most = most;
}

/* scale 0.5 zero_point 3 */
static void form_steps(Form *f, Port *p)
{
    const DType t = type_of(f->g, p->value)->dtype;
    double scale = p->scale;
    if (!form_if(f, scale != 0, " scale "))
        return;
    form_float(f, DT_F32, &scale);
    p->scale = (float)scale;
    if (f->in && t != DT_U8 && t != DT_I8)
        lex_refuse(form_lex(f), "bytes have a scale, and %s is none", dtype_name(t));
    else if (f->in && !(p->scale > 0 && isfinite(p->scale)))
        lex_refuse(form_lex(f), "a scale is a finite number above 0");
    form_text(f, " zero_point ");
    form_int(f, dtype_lowest(t), dtype_highest(t), &p->zero_point);
}

static void form_input(Form *f, uint32_t i)
{
    const Port *port = f->in ? NULL : &f->g->inputs[i];
    const Value *v = port ? value_at(f->g, port->value) : &(Value){0};
    const char *name = v->name, *called = port && strcmp(port->name, name) ? port->name : NULL;
    TensorType t = v->type;
    form_definition(f, &name, &t);
    form_label(f, " name=", &called);
    if (form_failed(f))
        return;
    Graph *g = (Graph *)f->g;
    if (f->in) {
        i = g->n_inputs;
        parse_remember(f->in, graph_add_input(g, name, t));
        g->inputs[i].name = called ? called : g->inputs[i].name;
    }
    form_bounds(f, i);
    form_steps(f, &g->inputs[i]);
}

static void form_const(Form *f, uint32_t i)
{
    Value v = f->in ? (Value){0} : f->g->values[i];
    form_definition(f, &v.name, &v.type);
    form_text(f, " = ");
    form_data(f, &v.type, &v.data);
    if (f->in && !form_failed(f))
        parse_remember(f->in, graph_add_const(f->in->g, v.name, v.type, v.data));
}

/* The input that output i is the next value of. */
static void form_next(Form *f, uint32_t i)
{
    const Graph *g = f->g;
    const uint32_t state = f->in ? 0 : g->outputs[i].state;
    const char *name = state ? g->inputs[state - 1].name : NULL;
    form_label(f, " next ", &name);
    if (!f->in || !name || form_failed(f))
        return;
    uint32_t k = 0; /* the first variant's output of this name goes with its input, and so on */
    for (uint32_t o = 0; o < i; o++)
        k += strcmp(g->outputs[o].name, g->outputs[i].name) ? 0 : inputs_each(g);
    while (k < g->n_inputs && strcmp(g->inputs[k].name, name) != 0)
        k++;
    if (k == g->n_inputs || !graph_keep_state(f->in->g, k, i))
        lex_refuse(form_lex(f), "it cannot be what the input '%s' is next", name);
}

static void form_output(Form *f, uint32_t i)
{
    i = f->in ? f->g->n_outputs : i;
    Port port = f->in ? (Port){0} : f->g->outputs[i];
    form_quoted(f, &port.name);
    form_text(f, " = ");
    form_present(f, &port.value);
    if (form_failed(f))
        return;
    if (f->in)
        graph_add_output(f->in->g, port.name, port.value);
    form_steps(f, &((Graph *)f->g)->outputs[i]);
    form_next(f, i);
    uint32_t k = counted_by(f->g->outputs, i, NULL);
    const char *name = k < i ? f->g->outputs[k].name : NULL;
    int64_t axis = 0;
    for (uint32_t c = 0; name && c < f->g->outputs[k].n_counts; c++)
        if (f->g->outputs[k].counts[c].by == i)
            axis = f->g->outputs[k].counts[c].axis;
    form_label(f, " counts ", &name);
    if (!name)
        return;
    form_text(f, " along ");
    form_int(f, 0, MAX_RANK - 1, &axis);
    if (f->in && !graph_count_output(f->in->g, counted_by(f->g->outputs, i, name), (int)axis, i))
        lex_refuse(form_lex(f), "it cannot count the rows of '%s' along %lld", name,
                   (long long)axis);
}

/* --- columns ------------------------------------------------------------------------------------------------------- */

static void form_columns(Form *f, uint32_t i)
{
    static const char *const names[] = {"composite", "target", "region", "layout", NULL};
    unsigned k;
    (void)i;
    if (f->in) {
        do {
            form_choice(f, names, "column: composite, target, region or layout", &k);
            f->in->has[k] = true;
        } while (lex_accept(form_lex(f), ','));
        return;
    }
    const Columns *c = f->g->columns;
    const void *const columns[] = {c->composite, c->target, c->region, c->layouts};
    const char *separator = "";
    for (k = 0; k < COUNT_OF(columns); k++)
        if (columns[k]) {
            text_printf(f->out, "%s%s", separator, names[k]);
            separator = ", ";
        }
}

static void form_post(Form *f, void *item)
{
    static const char *const kinds[] = {"sum",       "binary", "eltwise",  "prelu",
                                        "depthwise", "scale",  "quantize", NULL};
    PostOp *post = item;
    unsigned kind = post->kind;
    form_choice(f, kinds, "post-op: sum, binary, eltwise, prelu, depthwise, scale or quantize",
                &kind);
    post->kind = (enum PostOpKind)kind;
    form_text(f, " ");
    form_node(f, &post->node);
    if (form_peek(f, has_value(post->arg), '%')) {
        form_text(f, " ");
        form_value(f, &post->arg);
    } else
        post->arg = NO_VALUE;
    post->linear = form_if(f, post->linear, " linear(");
    if (!post->linear)
        return;
    form_float(f, DT_F64, &post->scale);
    form_text(f, ", ");
    form_float(f, DT_F64, &post->shift);
    form_text(f, ")");
}

static void form_kind(Form *f, CompositeKind *kind)
{
    for (CompositeKind k = COMPOSITE_LAYER + 1; k < COMPOSITE_KINDS; k++)
        if (form_if(f, *kind == k, arena_printf(f->g->arena, " %s", composite_kind_word(k))))
            *kind = k;
}

static void form_composite(Form *f, uint32_t i)
{
    Columns *columns = f->g->columns;
    Composite c = f->in ? (Composite){.bias = NO_VALUE} : columns->composites[i];
    form_row_is(f, "composite", f->in ? columns->n_composites : i);
    form_text(f, " ");
    form_quoted(f, &c.pattern);
    form_kind(f, &c.kind);
    form_text(f, " anchor=");
    form_node(f, &c.anchor);
    form_text(f, " root=");
    form_node(f, &c.root);
    form_text(f, " nodes");
    form_nodes(f, &c.nodes, &c.n_nodes);
    if (form_if(f, has_value(c.bias), " bias="))
        form_present(f, &c.bias);
    if (form_if(f, c.n_post > 0, " post"))
        form_list(f, &c.post, &c.n_post, sizeof *c.post, form_post);
    form_text(f, " args");
    form_values(f, &c.args, &c.n_args);
    if (!f->in || form_failed(f))
        return;
    f->in->has[HAS_COMPOSITE] = true;
    ARENA_PUSH(f->g->arena, columns->composites, columns->n_composites, f->in->cap_composites, c);
}

/* What partition has found out is there or not; the list of nodes follows from the region column (finish_columns). */
static void form_region(Form *f, uint32_t i)
{
    Columns *columns = f->g->columns;
    Region r = f->in ? (Region){0} : columns->regions[i];
    form_row_is(f, "region", f->in ? columns->n_regions : i);
    form_text(f, " ");
    form_target(f, &r.target);
    form_label(f, " ", &r.why_ended);
    const bool partitioned = form_if(f, r.n_nodes > 0, " in");
    if (partitioned) {
        form_values(f, &r.in, &r.n_in);
        form_text(f, " out");
        form_values(f, &r.out, &r.n_out);
        form_text(f, " constants");
        form_values(f, &r.constants, &r.n_constants);
    }
    if (!f->in || form_failed(f))
        return;
    f->in->has[HAS_REGION] = true;
    f->in->partitioned |= partitioned;
    ARENA_PUSH(f->g->arena, columns->regions, columns->n_regions, f->in->cap_regions, r);
}

/* How the layouts were chosen. */
static void form_layouts(Form *f, uint32_t i)
{
    const char *said = f->in ? NULL : f->g->columns->layouts->said;
    (void)i;
    form_quoted(f, &said);
    if (f->in)
        f->in->layouts = said;
}

static void form_verified(Form *f, uint32_t i)
{
    const char *verified = f->g->verified;
    (void)i;
    form_quoted(f, &verified);
    if (f->in)
        f->in->g->verified = verified;
}

/* --- all of them ---------------------------------------------------------------------------------------------------- */

enum { COLUMNS, LAYOUTS, VERIFIED, VARIANT, INPUT, CONST, OUTPUT, COMPOSITE, REGION };

static const struct Row {
    const char *word;
    void (*form)(Form *f, uint32_t i); /* i: which of these rows, where it is printed */
} rows[] = {
    [COLUMNS] = {"columns", form_columns},    [LAYOUTS] = {"layouts", form_layouts},
    [VERIFIED] = {"verified", form_verified}, [VARIANT] = {"variant", form_variant},
    [INPUT] = {"input", form_input},          [CONST] = {"const", form_const},
    [OUTPUT] = {"output", form_output},       [COMPOSITE] = {"composite", form_composite},
    [REGION] = {"region", form_region},
};

static void read_row(Form *f)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (lex_accept_word(form_lex(f), rows[i].word)) {
            rows[i].form(f, 0);
            return;
        }
    parse_node(f->in);
}

static void print_row(Form *f, size_t row, uint32_t i, bool is_there)
{
    if (!is_there)
        return;
    text_printf(f->out, "  %s ", rows[row].word);
    rows[row].form(f, i);
    text_puts(f->out, "\n");
}

static void print_rows(Form *f)
{
    const Graph *g = f->g;
    const Columns *c = g->columns ? g->columns : &(Columns){0};
    print_row(f, COLUMNS, 0, c->composite || c->target || c->region || c->layouts);
    print_row(f, LAYOUTS, 0, c->layouts && c->layouts->said);
    print_row(f, VERIFIED, 0, f->explain && g->verified);
    for (uint32_t i = 0; i < g->variants.n; i++)
        print_row(f, VARIANT, i, g->variants.n_dims != 0);
    for (uint32_t i = 0; i < g->n_inputs; i++)
        print_row(f, INPUT, i, true);
    for (uint32_t i = 0; i < g->n_values; i++)
        print_row(f, CONST, i, g->values[i].kind == VALUE_CONST);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        print_node(f, i);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        print_row(f, OUTPUT, i, true);
    for (uint32_t i = 0; i < c->n_composites; i++)
        print_row(f, COMPOSITE, i, true);
    for (uint32_t i = 0; i < c->n_regions; i++)
        print_row(f, REGION, i, true);
}

void form_graph(Form *f)
{
    const char *name = f->in ? "" : f->g->name ? f->g->name : "";
    form_text(f, "graph ");
    form_quoted(f, &name);
    form_text(f, " {\n");
    if (f->in)
        f->g = f->in->g = graph_new(form_lex(f)->arena, form_lex(f)->diag, form_lex(f)->file, name);
    else
        print_rows(f);
    while (f->in && !lex_at_end(form_lex(f)) && !lex_peek(form_lex(f), '}'))
        read_row(f);
    if (f->in && lex_at_end(form_lex(f)))
        lex_refuse(form_lex(f), "'}' is missing");
    form_text(f, "}");
}
