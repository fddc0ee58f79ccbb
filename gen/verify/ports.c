/* The ports of a graph: their names, order and types are the model's, whatever passes do. */
#include "verify.h"

#include <string.h>

struct Ports {
    uint32_t n_inputs, n_outputs;
    const char **name; /* inputs, then outputs */
    TensorType *type;
    uint32_t *count; /* of outputs: which one counts their rows, and along which axis */
    int *axis;
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
    p->name = ARENA_ARRAY(g->arena, const char *, (size_t)n + 1);
    p->type = ARENA_ARRAY(g->arena, TensorType, (size_t)n + 1);
    p->count = ARENA_ARRAY(g->arena, uint32_t, (size_t)n + 1);
    p->axis = ARENA_ARRAY(g->arena, int, (size_t)n + 1);
    for (uint32_t k = 0; k < n; k++) {
        p->count[k] = port_at(g, k)->count;
        p->axis[k] = port_at(g, k)->axis;
        p->name[k] = port_at(g, k)->name;
        p->type[k] = *type_of(g, port_at(g, k)->value);
    }
    return p;
}

bool ports_kept(const Graph *g, const Ports *p)
{
    if (g->n_inputs != p->n_inputs || g->n_outputs != p->n_outputs)
        return refuse(g->diag, "%s: inputs or outputs were lost", g->file);
    for (uint32_t k = 0; k < g->n_inputs + g->n_outputs; k++)
        if (strcmp(port_at(g, k)->name, p->name[k]) != 0 ||
            !type_equal(type_of(g, port_at(g, k)->value), &p->type[k]) ||
            port_at(g, k)->count != p->count[k] || port_at(g, k)->axis != p->axis[k])
            return refuse(g->diag, "%s: input or output '%s' has changed", g->file, p->name[k]);
    return true;
}
