/* The verifier: what every stage may rely on. It runs after every pass and on every text that is
 * read. */
#include "verify.h"

#include "../base/names.h"
#include "../graph/loops.h"
#include "../ops/ops.h"
#include "columns.h"

#include <string.h>

static bool verify_values(const Graph *g, Arena *scratch)
{
    Names *names = names_new(scratch);
    for (uint32_t i = 0; i < g->n_values; i++) {
        const Value *v = &g->values[i];
        if (!v->name || !*v->name)
            return refuse_graph(g, "value %u has no name", i);
        /* names_unique gives back an equal text exactly when the name was free */
        if (strcmp(names_unique(names, v->name), v->name) != 0)
            return refuse_graph(g, "two values are called '%s'", v->name);
        if (!type_valid(&v->type))
            return refuse_graph(g, "value '%s' has a type that cannot be", v->name);
        if (v->kind == VALUE_CONST && !v->data && type_bytes(&v->type))
            return refuse_graph(g, "constant '%s' has no contents", v->name);
        if (v->kind != VALUE_NODE)
            continue;
        if (v->def.i >= g->n_nodes || v->def_out >= node_at(g, v->def)->n_out ||
            node_at(g, v->def)->out[v->def_out].i != i)
            return refuse_graph(g, "value '%s' is not an output of its node", v->name);
    }
    return true;
}

static bool verify_input(const Graph *g, uint32_t node, ValueId v)
{
    const Node *n = &g->nodes[node];
    if (!has_value(v))
        return true;
    if (v.i >= g->n_values)
        return refuse_node(g, n, "reads a value that does not exist");
    if (value_at(g, v)->kind == VALUE_NODE && value_at(g, v)->def.i >= node)
        return refuse_node(g, n, "reads '%s' before it is made", value_at(g, v)->name);
    return true;
}

static bool verify_types(const Graph *g, const Node *n, Arena *scratch)
{
    TensorType *types = ARENA_ARRAY(scratch, TensorType, n->n_out);
    if (!op_info(n->op)->shape((Graph *)g, n, types))
        return false;
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k]) && !type_equal(&types[k], type_of(g, n->out[k])))
            return refuse_node(
                g, n, "output '%s' has type %s, inferred is %s", value_at(g, n->out[k])->name,
                type_text(scratch, type_of(g, n->out[k])), type_text(scratch, &types[k]));
    return true;
}

static bool verify_node(const Graph *g, uint32_t i, Arena *scratch)
{
    const Node *n = &g->nodes[i];
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!verify_input(g, i, n->in[k]))
            return false;
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (!has_value(n->out[k]))
            continue;
        if (n->out[k].i >= g->n_values)
            return refuse_node(g, n, "makes a value that does not exist");
        const Value *v = value_at(g, n->out[k]);
        if (v->kind != VALUE_NODE || v->def.i != i || v->def_out != k)
            return refuse_node(g, n, "output '%s' has two definitions", v->name);
    }
    for (uint32_t k = 1; k < n->n_attr; k++)
        if (strcmp(n->attr[k - 1].name, n->attr[k].name) >= 0)
            return refuse_node(g, n, "attributes are not sorted");
    return check_node_form(g, n) && verify_types(g, n, scratch);
}

/* Whether `by` is a port behind `port`, of the same variant, that can count rows along an axis of it. */
static bool may_count(const Graph *g, const Port *ports, uint32_t port, uint32_t end, RowCount c)
{
    const TensorType *t = type_of(g, ports[port].value);
    return c.by > port && c.by < end && c.axis >= 0 && c.axis < t->rank && !ports[c.by].n_counts &&
           type_of(g, ports[c.by].value)->rank == 0 &&
           type_of(g, ports[c.by].value)->dtype == DT_I64;
}

/* By outputs of its own, among the last ones. */
static bool verify_count(const Graph *g, uint32_t output)
{
    const Port *p = &g->outputs[output];
    const uint32_t each = outputs_each(g), first = output / each * each, end = first + each;
    uint32_t counted = 0;
    for (uint32_t i = first; i < end; i++)
        counted += g->outputs[i].n_counts;
    for (uint32_t k = 0; k < p->n_counts; k++) {
        uint32_t same = 0;
        for (uint32_t i = first; i < end; i++)
            for (uint32_t c = 0; c < g->outputs[i].n_counts; c++)
                same += g->outputs[i].counts[c].by == p->counts[k].by;
        if (same != 1 || p->counts[k].by < end - counted ||
            !may_count(g, g->outputs, output, end, p->counts[k]))
            return false;
    }
    return true;
}

/* By inputs behind it, of the same variant. */
static bool verify_bound(const Graph *g, uint32_t input)
{
    const Port *p = &g->inputs[input];
    const uint32_t each = inputs_each(g), end = input / each * each + each;
    if (p->most && graph_bound(g, input) < 0)
        return false;
    for (uint32_t k = 0; k < p->n_counts; k++) {
        if (!may_count(g, g->inputs, input, end, p->counts[k]))
            return false;
        const bool kept = g->inputs[p->counts[k].by].state != 0;
        if (p->state ? !kept || p->n_counts > 1 || g->variants.n > 1
                     : kept && !graph_is_sum(g, input, p->counts[k].axis))
            return false;
    }
    return true;
}

static bool verify_ports(const Graph *g, Arena *scratch)
{
    const Variants *v = &g->variants;
    Names *in = NULL, *out = NULL;
    if (!v->n || g->n_inputs % v->n || g->n_outputs % v->n || (v->n > 1 && !v->n_dims))
        return refuse_graph(g, "not as many inputs and outputs for each variant");
    bool *seen = ARENA_ARRAY(scratch, bool, g->n_values);
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        const Port *p = &g->inputs[i];
        if (i % inputs_each(g) == 0)
            in = names_new(scratch); /* those of variants are alike */
        if (p->value.i >= g->n_values || value_at(g, p->value)->kind != VALUE_INPUT)
            return refuse_graph(g, "input '%s' is not an input value", p->name);
        if (seen[p->value.i] || strcmp(names_unique(in, p->name), p->name) != 0)
            return refuse_graph(g, "input '%s' stands twice among the inputs", p->name);
        if (p->state && (p->state > g->n_outputs || g->outputs[p->state - 1].state != i + 1))
            return refuse_graph(g, "input '%s' is a state without a next value", p->name);
        if (!verify_bound(g, i))
            return refuse_graph(g, "input '%s' is counted wrongly", p->name);
        seen[p->value.i] = true;
    }
    for (uint32_t i = 0; i < g->n_values; i++)
        if (g->values[i].kind == VALUE_INPUT && !seen[i])
            return refuse_graph(g, "value '%s' is an input without a port", g->values[i].name);
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const Port *p = &g->outputs[i];
        if (i % outputs_each(g) == 0)
            out = names_new(scratch);
        if (p->value.i >= g->n_values)
            return refuse_graph(g, "output '%s' does not exist", p->name);
        if (strcmp(names_unique(out, p->name), p->name) != 0)
            return refuse_graph(g, "two outputs are called '%s'", p->name);
        if (!verify_count(g, i))
            return refuse_graph(g, "output '%s' is counted wrongly", p->name);
        if (p->state && (p->state > g->n_inputs || g->inputs[p->state - 1].state != i + 1))
            return refuse_graph(g, "output '%s' is no state's next value", p->name);
    }
    return true;
}

/* Rows are written over a state that nobody else reads. */
static bool verify_appended(const Graph *g, Arena *scratch)
{
    const Uses uses = graph_uses(g, scratch);
    for (uint32_t i = 0; i < g->n_inputs; i++)
        if (graph_is_appended(g, i) && !single_use(&uses, g->inputs[i].value))
            return refuse_graph(g, "input '%s' is a state that is written over while it is read",
                                g->inputs[i].name);
    return true;
}

static bool verify_all(const Graph *g, Arena *scratch)
{
    if (!verify_values(g, scratch) || !verify_ports(g, scratch))
        return false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!verify_node(g, i, scratch))
            return false;
    if (!verify_appended(g, scratch))
        return false;
    Loops loops;
    NodeId at;
    const char *why = graph_find_loops(g, scratch, &loops, &at);
    if (why)
        return refuse_node(g, node_at(g, at), "%s", why);
    return !g->columns || verify_columns(g, scratch);
}

bool verify_graph(const Graph *g)
{
    Arena *scratch = arena_new();
    bool good = verify_all(g, scratch);
    arena_free(scratch);
    return good;
}
