/* The ports of a graph: their names, order and types are the model's, whatever passes do. */
#include "verify.h"

#include <string.h>

struct Ports {
    uint32_t n_inputs, n_outputs;
    Port *port; /* inputs, then outputs */
    TensorType *type;
};

static const Port *port_at(const Graph *g, uint32_t k)
{
    return k < g->n_inputs ? &g->inputs[k] : &g->outputs[k - g->n_inputs];
}

Ports *ports_of(const Graph *g)
{
    Ports *p = ARENA_NEW(g->arena, Ports);
    p->n_inputs = g->n_inputs;
    p->n_outputs = g->n_outputs;
    uint32_t n = g->n_inputs + g->n_outputs;
    p->port = ARENA_ARRAY(g->arena, Port, (size_t)n + 1);
    p->type = ARENA_ARRAY(g->arena, TensorType, (size_t)n + 1);
    for (uint32_t k = 0; k < n; k++) {
        p->port[k] = *port_at(g, k);
        p->type[k] = *type_of(g, port_at(g, k)->value);
    }
    return p;
}

bool ports_kept(const Graph *g, const Ports *p)
{
    if (g->n_inputs != p->n_inputs || g->n_outputs != p->n_outputs)
        return refuse_graph(g, "inputs or outputs were lost");
    for (uint32_t k = 0; k < g->n_inputs + g->n_outputs; k++) {
        const Port *now = port_at(g, k), *old = &p->port[k];
        if (strcmp(now->name, old->name) || now->n_counts != old->n_counts ||
            memcmp(now->counts, old->counts, old->n_counts * sizeof *old->counts) != 0 ||
            now->state != old->state || now->most != old->most ||
            !type_equal(type_of(g, now->value), &p->type[k]))
            return refuse_graph(g, "input or output '%s' has changed", old->name);
    }
    return true;
}
