/* Evaluation of nodes and graphs: finds the operands, calls the op's row. */
#include "eval.h"

#include "../graph/columns.h"
#include "../graph/loops.h"
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
    Loops loops;
    uint64_t iterations;    /* of all loops together */
    const EvalWatch *watch; /* NULL: nobody */
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
        if (!out[k]->data) /* in later iterations of a loop it is there */
            out[k]->data = arena_alloc(run->arena, type_bytes(&out[k]->type));
    }
    bool ok = eval_node(run->g, n, in, out, scratch);
    arena_free(scratch);
    return ok;
}

static void copy_value(const Run *run, ValueId from, ValueId to)
{
    const size_t bytes = has_value(from) && has_value(to) ? type_bytes(type_of(run->g, to)) : 0;
    if (bytes)
        memcpy(run->values[to.i].data, run->values[from.i].data, bytes);
}

static bool run_nodes(Run *run, uint32_t loop, uint32_t first, uint32_t end);

/* What is stacked by an earlier run of the loop, inside of another one, is gone. */
static void clear_rows(const Run *run, const Node *end)
{
    for (uint32_t k = LOOP_CARRIED + loop_carried(end); k < end->n_out; k++)
        if (has_value(end->out[k]) && run->values[end->out[k].i].data)
            memset(run->values[end->out[k].i].data, 0, type_bytes(type_of(run->g, end->out[k])));
}

/* When all that it needs from outside is known, which is where its LoopEnd stands. The results are what both ends say in turn: without
 * an iteration, the first. */
static bool run_loop(Run *run, uint32_t loop)
{
    enum { ITERATIONS_MAX = 250000 };
    const Graph *g = run->g;
    const GraphLoop *l = &run->loops.loop[loop];
    const Node *begin = node_at(g, l->begin), *end = node_at(g, l->end);
    const uint8_t *going_on;
    for (uint32_t k = 0; k < end->n_out; k++)
        if (has_value(end->out[k]) && !run->values[end->out[k].i].data)
            run->values[end->out[k].i].data =
                arena_alloc(run->arena, type_bytes(type_of(g, end->out[k])));
    clear_rows(run, end);
    if (!run_node(run, begin))
        return false;
    going_on = run->values[begin->out[LOOP_GOING_ON].i].data;
    while (*going_on == LOOP_GOES_ON) {
        if (run->iterations++ == ITERATIONS_MAX)
            return refuse_node(g, end, "runs too often for the reference evaluator");
        if (!run_nodes(run, loop, l->begin.i + 1, l->end.i) || !run_node(run, end))
            return false;
        for (uint32_t k = 0; k < begin->n_out; k++)
            copy_value(run, end->out[k], begin->out[k]);
    }
    for (uint32_t k = 0; k < begin->n_out; k++)
        copy_value(run, begin->out[k], end->out[k]);
    return *going_on != LOOP_IS_FULL ||
           refuse_node(g, end, "makes more iterations than its results have rows");
}

static void show_results(const Run *run, uint32_t loop, const Node *n)
{
    for (uint32_t k = 0; run->watch && run->watch->made && loop == NO_ROW && k < n->n_out; k++)
        if (has_value(n->out[k]))
            run->watch->made(run->watch->user, n->out[k], &run->values[n->out[k].i]);
}

/* Those that belong to the loop; loops in it are run where they end. */
static bool run_nodes(Run *run, uint32_t loop, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const uint32_t of = loop_of_node(&run->loops, (NodeId){i});
        const bool ends = of != loop && of != NO_ROW && run->loops.loop[of].end.i == i &&
                          run->loops.loop[of].outer == loop;
        if (ends ? !run_loop(run, of) : of == loop && !run_node(run, &run->g->nodes[i]))
            return false;
        if (ends || of == loop)
            show_results(run, loop, &run->g->nodes[i]);
    }
    return true;
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
    run->loops = graph_loops(g, run->arena);
    return run_nodes(run, NO_ROW, 0, g->n_nodes);
}

bool eval_graph(const Graph *g, const Tensor *inputs, Tensor *outputs, Arena *arena)
{
    Arena *own = arena_new();
    Run run = {.g = g, .values = ARENA_ARRAY(own, Tensor, g->n_values + 1), .arena = own};
    bool ok = run_graph(&run, inputs);
    for (uint32_t k = 0; ok && k < g->n_outputs; k++)
        outputs[k] = tensor_copy(arena, &run.values[g->outputs[k].value.i]);
    arena_free(own);
    return ok;
}

bool eval_graph_watched(const Graph *g, const Tensor *inputs, const EvalWatch *watch)
{
    Arena *own = arena_new();
    Run run = {
        .g = g, .values = ARENA_ARRAY(own, Tensor, g->n_values + 1), .arena = own, .watch = watch};
    const bool ok = run_graph(&run, inputs);
    if (ok && watch->ended)
        watch->ended(watch->user, run.values);
    arena_free(own);
    return ok;
}
