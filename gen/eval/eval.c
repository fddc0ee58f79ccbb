/* Evaluation of nodes and graphs: finds the operands, calls the op's row. */
#include "eval.h"

#include "../ops/ops.h"

#include <string.h>

bool eval_node(const Graph *g, const Node *n, const Tensor *const *in, Tensor *const *out,
               Arena *scratch)
{
    Eval e = {.g = g, .node = n, .in = in, .out = out, .scratch = scratch};
    return op_info(n->op)->eval(&e);
}

/* What is known while a graph is evaluated: one tensor per value, data NULL until there is some. */
typedef struct Run {
    const Graph *g;
    Tensor *values;
    Arena *arena;
} Run;

static bool run_node(Run *run, const Node *n)
{
    Arena *scratch = arena_new();
    const Tensor **in = ARENA_ARRAY(scratch, const Tensor *, n->n_in + 1);
    Tensor **out = ARENA_ARRAY(scratch, Tensor *, n->n_out + 1);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = has_value(n->in[k]) ? &run->values[n->in[k].i] : NULL;
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (!has_value(n->out[k]))
            continue;
        out[k] = &run->values[n->out[k].i];
        out[k]->data = arena_alloc(run->arena, type_bytes(&out[k]->type));
    }
    bool ok = eval_node(run->g, n, in, out, scratch);
    arena_free(scratch);
    return ok;
}

static bool run_graph(Run *run, const Tensor *inputs)
{
    const Graph *g = run->g;
    for (uint32_t v = 0; v < g->n_values; v++) {
        run->values[v].type = g->values[v].type;
        if (g->values[v].kind == VALUE_CONST)
            run->values[v].data = (void *)g->values[v].data; /* only read: it is never an output */
    }
    for (uint32_t k = 0; k < g->n_inputs; k++) {
        if (!type_equal(&inputs[k].type, type_of(g, g->inputs[k].value)))
            return refuse_graph(g, "input '%s' is %s, not %s", g->inputs[k].name,
                                type_text(g->arena, &inputs[k].type),
                                type_text(g->arena, type_of(g, g->inputs[k].value)));
        run->values[g->inputs[k].value.i].data = inputs[k].data;
    }
    for (uint32_t k = 0; k < g->n_nodes; k++)
        if (!run_node(run, &g->nodes[k]))
            return false;
    return true;
}

bool eval_graph(const Graph *g, const Tensor *inputs, Tensor *outputs, Arena *arena)
{
    Arena *own = arena_new();
    Run run = {.g = g, .values = ARENA_ARRAY(own, Tensor, g->n_values + 1), .arena = own};
    bool ok = run_graph(&run, inputs);
    for (uint32_t k = 0; ok && k < g->n_outputs; k++) {
        const Tensor *t = &run.values[g->outputs[k].value.i];
        outputs[k].type = t->type;
        outputs[k].data = arena_copy(arena, t->data, type_bytes(&t->type));
    }
    arena_free(own);
    return ok;
}
