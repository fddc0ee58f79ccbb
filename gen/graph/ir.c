/* Building a graph: rows, unique names, attributes. */
#include "ir.h"

#include "../base/names.h"
#include "../ops/ops.h"
#include "columns.h"

#include <stdlib.h>
#include <string.h>

Graph *graph_new(Arena *arena, Diag *diag, const char *file, const char *name)
{
    Graph *g = ARENA_NEW(arena, Graph);
    g->arena = arena;
    g->diag = diag;
    g->file = arena_strdup(arena, file);
    g->name = arena_strdup(arena, name ? name : "");
    g->columns = ARENA_NEW(arena, Columns);
    g->names = names_new(arena);
    g->variants.n = 1;
    return g;
}

static ValueId add_value(Graph *g, const char *name, Value v)
{
    if (g->n_values == UINT32_MAX - 1)
        bug("too many values");
    g->values = arena_grow(g->arena, g->values, g->n_values, &g->cap_values, sizeof *g->values);
    v.name = names_unique(g->names, name && *name ? name : "t");
    g->values[g->n_values] = v;
    return (ValueId){g->n_values++};
}

static void add_port(Graph *g, Port **list, uint32_t *n, const char *name, ValueId value)
{
    Port *ports = ARENA_ARRAY(g->arena, Port, *n + 1);
    if (*n)
        memcpy(ports, *list, *n * sizeof *ports);
    ports[*n] = (Port){.name = arena_strdup(g->arena, name), .value = value};
    *list = ports;
    ++*n;
}

ValueId graph_add_input(Graph *g, const char *name, TensorType type)
{
    ValueId v = add_value(g, name, (Value){.kind = VALUE_INPUT, .type = type, .def = NO_NODE});
    add_port(g, &g->inputs, &g->n_inputs, name ? name : "", v);
    return v;
}

double const_number(const Graph *g, ValueId v, int64_t i)
{
    const Value *c = value_at(g, v);
    return elem_f64(c->type.dtype, c->data, type_count(&c->type) == 1 ? 0 : (size_t)i);
}

ValueId graph_add_const(Graph *g, const char *name, TensorType type, const void *data)
{
    return add_value(g, name,
                     (Value){.kind = VALUE_CONST, .type = type, .data = data, .def = NO_NODE});
}

void graph_add_output(Graph *g, const char *name, ValueId value)
{
    add_port(g, &g->outputs, &g->n_outputs, name, value);
}

bool port_counted_by(const Port *p, uint32_t count)
{
    uint32_t i = 0;
    while (i < p->n_counts && p->counts[i].by != count)
        i++;
    return i < p->n_counts;
}

bool graph_is_count(const Graph *g, uint32_t output)
{
    for (uint32_t i = 0; i < output; i++)
        if (port_counted_by(&g->outputs[i], output))
            return true;
    return false;
}

/* Counts are sorted by axis. */
static bool count_port(const Graph *g, Port *ports, uint32_t port, int axis, uint32_t count)
{
    Port *p = &ports[port];
    const TensorType *rows = type_of(g, p->value), *number = type_of(g, ports[count].value);
    if (axis < 0 || axis >= rows->rank || number->rank != 0 || number->dtype != DT_I64 ||
        p->n_counts == MAX_COUNTS || ports[count].n_counts)
        return false;
    uint32_t at = p->n_counts++;
    for (; at > 0 && p->counts[at - 1].axis > axis; at--)
        p->counts[at] = p->counts[at - 1];
    p->counts[at] = (RowCount){axis, count};
    return true;
}

bool graph_count_output(Graph *g, uint32_t port, int axis, uint32_t count)
{
    for (uint32_t i = 0; port < g->n_outputs && i < g->outputs[port].n_counts; i++)
        if (g->outputs[port].counts[i].axis == axis)
            return false;
    return port < count && count < g->n_outputs && !graph_is_count(g, count) &&
           count_port(g, g->outputs, port, axis, count);
}

int64_t graph_bound(const Graph *g, uint32_t input)
{
    int64_t least = -1; /* sums have capacity for more */
    for (uint32_t i = 0; i < input; i++)
        for (const RowCount *c = g->inputs[i].counts;
             c < g->inputs[i].counts + g->inputs[i].n_counts; c++) {
            const int64_t size = type_of(g, g->inputs[i].value)->dims[c->axis];
            if (c->by == input && (least < 0 || size < least))
                least = size;
        }
    return least >= 0 && g->inputs[input].most ? g->inputs[input].most : least;
}

bool graph_has_bounds(const Graph *g)
{
    uint32_t i = 0;
    while (i < g->n_inputs && !g->inputs[i].n_counts)
        i++;
    return i < g->n_inputs;
}

const char *port_steps(Arena *arena, const Port *p)
{
    return p->scale == 0 ? ""
                         : arena_printf(arena, "scale %.9g, zero point %lld", (double)p->scale,
                                        (long long)p->zero_point);
}

bool graph_is_sum(const Graph *g, uint32_t input, int axis)
{
    const Port *p = &g->inputs[input];
    int64_t more = type_of(g, p->value)->dims[axis];
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_counts; k++)
        if (p->counts[k].axis == axis) {
            more -= graph_bound(g, p->counts[k].by);
            n++;
        }
    return !p->state && (n > 1 || more != 0);
}

bool graph_count_input(Graph *g, uint32_t port, int axis, uint32_t count)
{
    return port < count && count < g->n_inputs && count_port(g, g->inputs, port, axis, count);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Attr *)a)->name, ((const Attr *)b)->name);
}

static Attr *copy_attrs(Arena *arena, const Attr *attr, uint32_t n)
{
    Attr *copy = ARENA_ARRAY(arena, Attr, n);
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = attr[i];
        copy[i].name = arena_strdup(arena, attr[i].name);
        if (attr[i].kind == ATTR_STRING)
            copy[i].s = arena_strdup(arena, attr[i].s);
        if (attr[i].kind == ATTR_INTS)
            copy[i].ints = arena_copy(arena, attr[i].ints, attr[i].n * sizeof *attr[i].ints);
        if (attr[i].kind == ATTR_FLOATS)
            copy[i].floats = arena_copy(arena, attr[i].floats, attr[i].n * sizeof *attr[i].floats);
    }
    if (n > 1)
        qsort(copy, n, sizeof *copy, by_name);
    return copy;
}

static bool infer_types(Graph *g, const Node *n, TensorType *types)
{
    if (!check_node_form(g, n))
        return false;
    if (!op_info(n->op)->shape(g, n, types))
        return false;
    for (uint32_t i = 0; i < n->n_out; i++)
        if (!type_valid(&types[i]))
            return refuse_node(g, n, "output %u is too large", i);
    return true;
}

NodeId graph_add_node(Graph *g, Op op, const char *name, uint32_t model_index, const ValueId *in,
                      uint32_t n_in, uint32_t n_out, const char *const *out_names, const Attr *attr,
                      uint32_t n_attr)
{
    while (n_in > 0 && !has_value(in[n_in - 1]))
        n_in--;
    Node n = {.op = op,
              .name = arena_strdup(g->arena, name ? name : ""),
              .model_index = model_index,
              .n_in = n_in,
              .n_out = n_out,
              .n_attr = n_attr,
              .in = arena_copy(g->arena, in, n_in * sizeof *in),
              .out = ARENA_ARRAY(g->arena, ValueId, n_out),
              .attr = copy_attrs(g->arena, attr, n_attr)};
    TensorType *types = ARENA_ARRAY(g->arena, TensorType, n_out);
    if (!infer_types(g, &n, types))
        return NO_NODE;
    NodeId id = {g->n_nodes};
    for (uint32_t i = 0; i < n_out; i++) {
        const char *out_name = out_names ? out_names[i] : NULL;
        n.out[i] =
            out_name && !*out_name
                ? NO_VALUE
                : add_value(g,
                            out_name  ? out_name
                            : *n.name ? n.name
                                      : op_info(op)->name,
                            (Value){.kind = VALUE_NODE, .type = types[i], .def = id, .def_out = i});
    }
    ARENA_PUSH(g->arena, g->nodes, g->n_nodes, g->cap_nodes, n);
    return id;
}

ValueId graph_op(Graph *g, Op op, const Node *like, const ValueId *in, uint32_t n_in,
                 const Attr *attrs)
{
    uint32_t n = 0;
    while (attrs && attrs[n].name)
        n++;
    NodeId id = graph_add_node(g, op, like ? like->name : NULL,
                               like ? like->model_index : UINT32_MAX, in, n_in, 1, NULL, attrs, n);
    return id.i == NO_NODE.i ? NO_VALUE : g->nodes[id.i].out[0];
}

ValueId graph_op_as(Graph *g, Op op, const Node *n, const ValueId *in, uint32_t n_in)
{
    NodeId id =
        graph_add_node(g, op, n->name, n->model_index, in, n_in, 1, NULL, n->attr, n->n_attr);
    return id.i == NO_NODE.i ? NO_VALUE : g->nodes[id.i].out[0];
}

const Attr *node_attr(const Node *n, const char *name)
{
    for (uint32_t i = 0; i < n->n_attr; i++)
        if (!strcmp(n->attr[i].name, name))
            return &n->attr[i];
    return NULL;
}

static const Attr *typed_attr(const Node *n, const char *name, AttrKind kind)
{
    const Attr *a = node_attr(n, name);
    if (a && a->kind != kind)
        bug("%s: attribute '%s' is of kind %d, not %d", op_info(n->op)->name, name, a->kind, kind);
    return a;
}

int64_t attr_int(const Node *n, const char *name, int64_t missing)
{
    const Attr *a = typed_attr(n, name, ATTR_INT);
    return a ? a->i : missing;
}

double attr_float(const Node *n, const char *name, double missing)
{
    const Attr *a = typed_attr(n, name, ATTR_FLOAT);
    return a ? a->f : missing;
}

const char *attr_string(const Node *n, const char *name, const char *missing)
{
    const Attr *a = typed_attr(n, name, ATTR_STRING);
    return a ? a->s : missing;
}

const int64_t *attr_ints(const Node *n, const char *name, size_t *count)
{
    const Attr *a = typed_attr(n, name, ATTR_INTS);
    if (count)
        *count = a ? a->n : 0;
    return a ? a->ints : NULL;
}

const double *attr_floats(const Node *n, const char *name, size_t *count)
{
    const Attr *a = typed_attr(n, name, ATTR_FLOATS);
    if (count)
        *count = a ? a->n : 0;
    return a ? a->floats : NULL;
}

const char *node_place(const Graph *g, const Node *n)
{
    const char *op = op_info(n->op)->name;
    return n->model_index == UINT32_MAX
               ? arena_printf(g->arena, "%s: node '%s' (%s)", g->file, n->name, op)
               : arena_printf(g->arena, "%s: node %u '%s' (%s)", g->file, n->model_index, n->name,
                              op);
}
