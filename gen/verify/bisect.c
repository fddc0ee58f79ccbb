/* See bisect.h. A stage is the graph between two passes, with the tensors of all its values. */
#include "../eval/eval.h"
#include "bisect_say.h"
#include "roundings.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the largest element: what passes may change, and where they round to steps or to bf16. */
static const double FINE = 1e-4, COARSE = 0.1;

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
    if (eval_graph_watched(g, b->given, &watch))
        return s;
    arena_free(arena);
    return NULL;
}

static const Known *find_known(const Stage *s, const char *name)
{
    const Known key = {.name = name};
    return s->n_known ? bsearch(&key, s->known, s->n_known, sizeof key, in_order) : NULL;
}

/* --- the culprit ------------------------------------------------------------------------------------------------------ */

/* The first node whose result has the name and shape that it had before, and other contents. */
static OtherValue other_value(const Bisect *b, const Graph *g, const Stage *now)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_out; k++) {
            const Node *n = &g->nodes[i];
            const char *name = has_value(n->out[k]) ? value_at(g, n->out[k])->name : "";
            const Known *was = find_known(b->stage, name), *is = find_known(now, name);
            const double d = was && is && type_equal(&was->tensor.type, &is->tensor.type)
                                 ? tensor_difference(&was->tensor, &is->tensor)
                                 : 0;
            if (d > (b->coarse_bound ? COARSE : FINE))
                return (OtherValue){n, name, &is->tensor.type, d};
        }
    return (OtherValue){0};
}

static void find_culprit(Bisect *b, const Graph *g, const Stage *now, const char *pass)
{
    double *changes = ARENA_ARRAY(b->arena, double, g->n_outputs + 1);
    for (uint32_t k = 0; k < g->n_outputs; k++)
        changes[k] = tensor_difference(&b->stage->outputs[k], &now->outputs[k]);
    const OtherValue value = other_value(b, g, now);
    b->culprit = pass;
    bisect_say_culprit(b, g, pass, changes, &value);
}

/* The largest difference of all outputs; *beyond: one is beyond its bound. */
static double apart(const Bisect *b, const Graph *g, const Tensor *before, const Tensor *now,
                    bool *beyond)
{
    double most = 0;
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        const double d = tensor_difference(&before[k], &now[k]);
        most = fmax(most, d);
        *beyond = *beyond || !(d <= b->bounds[k]);
    }
    return most;
}

/* --- between passes --------------------------------------------------------------------------------------------------- */

/* What roundings may do to each output, if they go the other way, is not the passes' doing. */
static bool set_bounds(Bisect *b, const Graph *g)
{
    b->coarse_bound = b->coarse || graph_quantises(g);
    const double *moved = b->coarse_bound ? NULL : outputs_rounded(g, b->given, b->stage->outputs);
    if (!moved && !b->coarse_bound)
        return false;
    b->bounds = ARENA_ARRAY(b->arena, double, g->n_outputs + 1);
    for (uint32_t k = 0; k < g->n_outputs; k++)
        b->bounds[k] = moved ? FINE + ROUNDINGS_SAFETY * moved[k] : COARSE;
    return true;
}

static bool begin(Bisect *b, const Graph *g)
{
    b->given = b->inputs(b->user, g);
    b->stage = b->given ? evaluate(b, g) : NULL;
    if (!b->stage || !set_bounds(b, g))
        return false;
    b->first = ARENA_ARRAY(b->arena, Tensor, g->n_outputs + 1);
    for (uint32_t k = 0; k < g->n_outputs; k++)
        b->first[k] = tensor_copy(b->arena, &b->stage->outputs[k]);
    bisect_say_begin(b);
    return true;
}

static bool pass_begins(void *user, const Graph *g, const char *pass)
{
    Bisect *b = user;
    if (!b->stage && !begin(b, g))
        return false;
    b->say(b->user, pass);
    return true;
}

static bool pass_ended(void *user, const Graph *g, const char *pass)
{
    Bisect *b = user;
    Stage *now = evaluate(b, g);
    bool beyond = false;
    if (!now)
        return false;
    const double change = apart(b, g, b->stage->outputs, now->outputs, &beyond),
                 in_all = apart(b, g, b->first, now->outputs, &beyond);
    bisect_say_pass(b, pass, change, in_all);
    if (beyond)
        find_culprit(b, g, now, pass);
    free_stage(b->stage);
    b->stage = now;
    b->say(b->user, "");
    return !b->culprit;
}

PassWatch bisect_watch(Bisect *b)
{
    return (PassWatch){pass_begins, pass_ended, b};
}
