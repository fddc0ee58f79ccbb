/* See bisect.h. A stage is the graph between two passes, with the tensors of all its values. */
#include "bisect.h"

#include "../base/line.h"
#include "../eval/eval.h"
#include "../ops/ops.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Known {
    const char *name;
    Tensor tensor;
} Known;

typedef struct Stage {
    Arena *arena;
    Known *known; /* by name */
    uint32_t n_known;
    Tensor *outputs;
} Stage;

/* --- evaluation ------------------------------------------------------------------------------------------------------- */

typedef struct Collector {
    const Graph *g;
    Stage *stage;
} Collector;

static int in_order(const void *a, const void *b)
{
    return strcmp(((const Known *)a)->name, ((const Known *)b)->name);
}

static void collect(void *user, const Tensor *values)
{
    const Collector *c = user;
    Stage *s = c->stage;
    for (uint32_t v = 0; v < c->g->n_values; v++)
        if (c->g->values[v].kind == VALUE_NODE && values[v].data)
            s->known[s->n_known++] = (Known){arena_strdup(s->arena, c->g->values[v].name),
                                             tensor_copy(s->arena, &values[v])};
    qsort(s->known, s->n_known, sizeof *s->known, in_order);
    for (uint32_t k = 0; k < c->g->n_outputs; k++)
        s->outputs[k] = tensor_copy(s->arena, &values[c->g->outputs[k].value.i]);
}

static void free_stage(Stage *s)
{
    if (s)
        arena_free(s->arena);
}

static Stage *evaluate(const Bisect *b, const Graph *g)
{
    Arena *arena = arena_new();
    Stage *s = ARENA_NEW(arena, Stage);
    *s = (Stage){.arena = arena,
                 .known = ARENA_ARRAY(arena, Known, g->n_values + 1),
                 .outputs = ARENA_ARRAY(arena, Tensor, g->n_outputs + 1)};
    Collector c = {g, s};
    const EvalWatch watch = {NULL, collect, &c};
    if (eval_graph_watched(g, b->inputs, &watch))
        return s;
    arena_free(arena);
    return NULL;
}

/* --- what is said ----------------------------------------------------------------------------------------------------- */

static const char *part(Arena *arena, double difference)
{
    return isinf(difference) ? "infinite"
           : difference > 0  ? arena_printf(arena, "%.1e", difference)
                             : "equal";
}

static const Known *find_known(const Stage *s, const char *name)
{
    const Known key = {.name = name};
    return s->n_known ? bsearch(&key, s->known, s->n_known, sizeof key, in_order) : NULL;
}

/* The first node whose result has the name and shape that it had before, and other contents. */
static void say_value(Bisect *b, const Graph *g, const Stage *now)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_out; k++) {
            const Node *n = &g->nodes[i];
            const char *name = has_value(n->out[k]) ? value_at(g, n->out[k])->name : "";
            const Known *was = find_known(b->stage, name), *is = find_known(now, name);
            const double d = was && is && type_equal(&was->tensor.type, &is->tensor.type)
                                 ? tensor_difference(&was->tensor, &is->tensor)
                                 : 0;
            if (!(d > b->bound))
                continue;
            line_printf(b->out, b->width, 2,
                        "the first value that is another: '%s' %s of %s '%s', by %s of "
                        "its largest element",
                        name, type_text(b->arena, &is->tensor.type), op_info(n->op)->name, n->name,
                        part(b->arena, d));
            return;
        }
    line_words(
        b->out, b->width, 2,
        "all values that were there before are what they were: it is in what the pass has made");
}

static void say_culprit(Bisect *b, const Graph *g, const Stage *now, const char *pass)
{
    b->culprit = pass;
    text_puts(b->out, "\n");
    line_printf(b->out, b->width, 0,
                "pass '%s' is the first that changes an output by more than %.0e of its "
                "largest element",
                pass, b->bound);
    for (uint32_t k = 0; k < g->n_outputs; k++)
        line_printf(b->out, b->width, 2, "output '%s': %s", g->outputs[k].name,
                    part(b->arena, tensor_difference(&b->stage->outputs[k], &now->outputs[k])));
    say_value(b, g, now);
}

/* The largest of all outputs. */
static double apart(const Graph *g, const Tensor *a, const Tensor *b)
{
    double most = 0;
    for (uint32_t k = 0; k < g->n_outputs; k++)
        most = fmax(most, tensor_difference(&a[k], &b[k]));
    return most;
}

/* --- between passes --------------------------------------------------------------------------------------------------- */

static bool pass_begins(void *user, const Graph *g, const char *pass)
{
    Bisect *b = user;
    if (!b->stage) {
        b->inputs = random_inputs(g, b->seed);
        b->bound = b->coarse || graph_quantises(g) ? 0.1 : 1e-4;
        b->stage = evaluate(b, g);
        if (!b->stage)
            return false;
        b->first = ARENA_ARRAY(b->arena, Tensor, g->n_outputs + 1);
        for (uint32_t k = 0; k < g->n_outputs; k++)
            b->first[k] = tensor_copy(b->arena, &b->stage->outputs[k]);
        text_printf(b->out, "%-20s %10s %10s\n", "pass", "change", "in all");
    }
    b->say(b->user, pass);
    return true;
}

static bool pass_ended(void *user, const Graph *g, const char *pass)
{
    Bisect *b = user;
    Stage *now = evaluate(b, g);
    if (!now)
        return false;
    const double change = apart(g, b->stage->outputs, now->outputs),
                 in_all = apart(g, b->first, now->outputs);
    text_printf(b->out, "%-20s %10s %10s\n", pass, part(b->arena, change), part(b->arena, in_all));
    if (!(change <= b->bound && in_all <= b->bound))
        say_culprit(b, g, now, pass);
    free_stage(b->stage);
    b->stage = now;
    b->say(b->user, "");
    return !b->culprit;
}

PassWatch bisect_watch(Bisect *b)
{
    return (PassWatch){pass_begins, pass_ended, b};
}
