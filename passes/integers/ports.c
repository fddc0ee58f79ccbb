/* Inputs and outputs of a quantised model as bytes: an input that is quantised at once, with one scale, and an output that is dequantised
 * last. The caller's side of --no-float, before the first pass, which keep the types of inputs and outputs. */
#include "ports.h"

#include "integers.h"

/* Whether all who read v make such bytes of it; then, with `change`, it is bytes, as what it becomes on the way. */
static bool becomes_bytes(Integers *m, ValueId v, Step8 *s, bool change)
{
    Step8 here;
    bool any = false;
    if (m->uses.is_output[v.i])
        return false;
    for (uint32_t i = m->uses.start[v.i]; i < m->uses.start[v.i + 1]; i++) {
        const Node *n = node_at(m->g, m->uses.node[i]);
        if (keeps_steps(n) && n->n_out == 1) {
            if (!becomes_bytes(m, n->out[0], s, change))
                return false;
        } else if (n->op != OP_QuantizeLinear || !same_value(n->in[0], v) ||
                   !read_step(m, n, type_of(m->g, n->out[0])->dtype, &here) ||
                   (s->type != DT_NONE && !same_step(s, &here))) {
            return false;
        } else {
            *s = here;
            if (change)
                rewrite_replace(&m->rw, n->out[0], v);
        }
        any = true;
    }
    if (change)
        value_at(m->g, v)->type.dtype = s->type;
    return any;
}

static void say(Graph *g, Port *p, const char *kind, const Step8 *s, Text *notes)
{
    p->scale = (float)s->scale;
    p->zero_point = s->zero;
    text_printf(notes, "note: %s '%s' is %s, %s\n", kind, p->name, dtype_name(s->type),
                port_steps(g->arena, p));
}

void ports_in_bytes(Graph *g, Text *notes)
{
    Integers m = {.g = g};
    Arena *scratch = arena_new();
    m.rw = rewrite_begin(g);
    m.uses = graph_uses(g, scratch);
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        Step8 s;
        const ValueId v = moved_bytes(&m, g->outputs[k].value, &s);
        if (!has_value(v))
            continue;
        g->outputs[k].value = v;
        say(g, &g->outputs[k], "output", &s, notes);
    }
    for (uint32_t k = 0; k < g->n_inputs; k++) {
        Step8 s = {.type = DT_NONE};
        const ValueId v = g->inputs[k].value;
        if (!dtype_is_float(type_of(g, v)->dtype) || !becomes_bytes(&m, v, &s, false))
            continue;
        becomes_bytes(&m, v, &s, true);
        say(g, &g->inputs[k], "input", &s, notes);
    }
    graph_apply(&m.rw);
    arena_free(scratch);
}
