/* Variants: graphs of one model for several sizes, side by side. */
#include "../base/names.h"
#include "ir.h"

#include <string.h>

/* A constant that is there already is not stored again. */
static const void *shared_data(const Graph *g, uint32_t n, const Value *v)
{
    const size_t bytes = type_bytes(&v->type);
    for (uint32_t i = 0; v->kind == VALUE_CONST && i < n; i++) {
        const Value *old = &g->values[i];
        if (old->kind == VALUE_CONST && type_equal(&old->type, &v->type) &&
            !strcmp(old->name, v->name) && !memcmp(old->data, v->data, bytes))
            return old->data;
    }
    return v->data;
}

/* Along the same axes. */
static bool same_counts(const Port *a, const Port *b)
{
    uint32_t i = 0;
    while (i < a->n_counts && i < b->n_counts && a->counts[i].axis == b->counts[i].axis)
        i++;
    return i == a->n_counts && i == b->n_counts;
}

static bool same_port(const Graph *g, const Port *a, const Graph *other, const Port *b,
                      const char *what)
{
    const TensorType *x = type_of(g, a->value), *y = type_of(other, b->value);
    if (!strcmp(a->name, b->name) && x->dtype == y->dtype && x->rank == y->rank &&
        same_counts(a, b))
        return true;
    return refuse_graph(g, "variants differ in more than sizes: %s '%s' is %s, or '%s' %s", what,
                        a->name, type_text(g->arena, x), b->name, type_text(g->arena, y));
}

static bool same_ports(const Graph *g, const Graph *other)
{
    const uint32_t n_in = inputs_each(g), n_out = outputs_each(g);
    if (other->n_inputs != n_in || other->n_outputs != n_out)
        return refuse_graph(
            g, "variants differ in more than sizes: %u inputs and %u outputs, or %u and %u", n_in,
            n_out, other->n_inputs, other->n_outputs);
    for (uint32_t i = 0; i < n_in; i++)
        if (!same_port(g, &g->inputs[i], other, &other->inputs[i], "input"))
            return false;
    for (uint32_t i = 0; i < n_out; i++)
        if (!same_port(g, &g->outputs[i], other, &other->outputs[i], "output"))
            return false;
    return true;
}

static void add_ports(Graph *g, Port **list, uint32_t *n, const Port *more, uint32_t n_more,
                      uint32_t values)
{
    Port *ports = ARENA_ARRAY(g->arena, Port, (size_t)*n + n_more);
    memcpy(ports, *list, *n * sizeof *ports);
    for (uint32_t i = 0; i < n_more; i++) {
        ports[*n + i] = more[i];
        ports[*n + i].value.i += values;
        for (uint32_t k = 0; k < more[i].n_counts; k++)
            ports[*n + i].counts[k].by += *n;
    }
    *list = ports;
    *n += n_more;
}

static ValueId *moved(Graph *g, const ValueId *ids, uint32_t n, uint32_t values)
{
    ValueId *copy = arena_copy(g->arena, ids, n * sizeof *ids);
    for (uint32_t k = 0; k < n; k++)
        if (has_value(copy[k]))
            copy[k].i += values;
    return copy;
}

bool graph_add_variant(Graph *g, const Graph *other)
{
    const uint32_t values = g->n_values, nodes = g->n_nodes;
    if (!same_ports(g, other))
        return false;
    for (uint32_t i = 0; i < other->n_values; i++) {
        Value v = other->values[i];
        v.data = shared_data(g, values, &v);
        if (v.kind == VALUE_NODE)
            v.def.i += nodes;
        v.name = names_unique(g->names, v.name);
        ARENA_PUSH(g->arena, g->values, g->n_values, g->cap_values, v);
    }
    for (uint32_t i = 0; i < other->n_nodes; i++) {
        Node n = other->nodes[i];
        n.in = moved(g, n.in, n.n_in, values);
        n.out = moved(g, n.out, n.n_out, values);
        ARENA_PUSH(g->arena, g->nodes, g->n_nodes, g->cap_nodes, n);
    }
    add_ports(g, &g->inputs, &g->n_inputs, other->inputs, other->n_inputs, values);
    add_ports(g, &g->outputs, &g->n_outputs, other->outputs, other->n_outputs, values);
    g->variants.n++;
    return true;
}

uint32_t *graph_node_variants(const Graph *g, Arena *arena)
{
    uint32_t *variant = ARENA_ARRAY(arena, uint32_t, (size_t)g->n_nodes + 1);
    if (g->variants.n == 1)
        return variant;
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const Value *v = value_at(g, g->outputs[i].value);
        if (v->kind == VALUE_NODE)
            variant[v->def.i] = i / outputs_each(g);
    }
    for (uint32_t i = g->n_nodes; i-- > 0;)
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++) {
            const Node *from = has_value(g->nodes[i].in[k]) ? def_of(g, g->nodes[i].in[k]) : NULL;
            if (from)
                variant[from - g->nodes] = variant[i];
        }
    return variant;
}

const char *graph_variant_text(const Graph *g, uint32_t variant)
{
    const Variants *v = &g->variants;
    Text t = text_new(g->arena);
    for (uint32_t d = 0; v->n > 1 && d < v->n_dims; d++)
        text_printf(&t, "%s%s=%lld", d ? " " : "", v->dims[d],
                    (long long)v->sizes[variant * v->n_dims + d]);
    return t.data ? t.data : "";
}

bool graph_by_count(const Graph *g)
{
    const Variants *v = &g->variants;
    for (uint32_t d = 0; d < v->n_dims; d++) {
        uint32_t i = 0;
        while (i < inputs_each(g) &&
               (strcmp(g->inputs[i].name, v->dims[d]) != 0 || graph_bound(g, i) < 0))
            i++;
        if (i == inputs_each(g))
            return false;
    }
    return v->n > 1;
}

bool graph_add_smaller(Graph *g, Graph *other)
{
    for (uint32_t i = 0; i < other->n_outputs && i < g->n_outputs; i++) {
        Port *port = &other->outputs[i];
        const TensorType *t = type_of(g, g->outputs[i].value);
        for (uint32_t k = 0; k < port->n_counts && has_value(port->value); k++) {
            const RowCount c = port->counts[k];
            const int64_t size = t->dims[c.axis];
            if (size != type_of(other, port->value)->dims[c.axis])
                port->value =
                    graph_op(other, OP_TakeRows, def_of(other, port->value),
                             (ValueId[]){port->value, other->outputs[c.by].value}, 2,
                             (Attr[]){ATTR_I("axis", c.axis), ATTR_I("size", size), ATTR_END});
        }
        if (!has_value(port->value) || !type_equal(t, type_of(other, port->value)))
            return false;
    }
    return graph_add_variant(g, other);
}
