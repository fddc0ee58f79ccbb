/* What would have to be bound for something to be known at compile time: for messages. */
#include "node.h"

enum { MOST_NAMED = 8 };

/* Marks the inputs that v is computed from. Nodes stand in topological order: one walk from v's own back to the first is enough. */
static void mark_sources(const Graph *g, ValueId v, bool *marked)
{
    marked[v.i] = true;
    if (value_at(g, v)->kind != VALUE_NODE)
        return;
    for (uint32_t i = value_at(g, v)->def.i + 1; i-- > 0;) {
        const Node *n = &g->nodes[i];
        bool wanted = false;
        for (uint32_t k = 0; k < n->n_out; k++)
            wanted |= has_value(n->out[k]) && marked[n->out[k].i];
        for (uint32_t k = 0; wanted && k < n->n_in; k++)
            if (has_value(n->in[k]))
                marked[n->in[k].i] = true;
    }
}

const char *how_to_know(OnnxNode *c, ValueId v)
{
    const Graph *g = c->g;
    bool *marked = ARENA_ARRAY(c->arena, bool, g->n_values);
    Text names, options;
    uint32_t n = 0;
    const char *typed = NULL;
    names = text_new(c->arena);
    options = text_new(c->arena);
    mark_sources(g, v, marked);
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        if (!marked[g->inputs[i].value.i] || n++ >= MOST_NAMED)
            continue;
        text_printf(&names, "%s'%s'", n > 1 ? ", " : "", g->inputs[i].name);
        text_printf(&options, " --bind %s=FILE", g->inputs[i].name);
        const TensorType *t = type_of(g, g->inputs[i].value);
        if (t->rank <= 1 && t->dtype != DT_U8) /* which strings are */
            typed =
                arena_printf(c->arena, t->rank ? " (or numbers: %s=1,3)" : " (or a number: %s=1)",
                             g->inputs[i].name);
    }
    text_puts(&options, typed ? typed : "");
    if (n == 0)
        return "it depends on data";
    if (n > MOST_NAMED)
        return arena_printf(c->arena, "it is computed from %u of the model's inputs", n);
    if (value_at(g, v)->kind == VALUE_INPUT)
        return arena_printf(c->arena, "give it with%s", options.data);
    return arena_printf(c->arena, "it is computed from the input%s %s; give %s with%s",
                        n > 1 ? "s" : "", names.data, n > 1 ? "them" : "it", options.data);
}
