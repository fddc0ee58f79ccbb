/* The evaluator goes through the graph that the passes have left, three times in all: once on the model as it was read, once on the graph, and once
 * on what the layers were given: there a node's result is compared with what the program has made, and that is what later nodes read. So a layer's
 * error is its own, and the first layer beyond its bound is the one that is wrong, whatever it has done to those behind it. */
#include "../eval/eval.h"
#include "../graph/loops.h"
#include "../verify/roundings.h"
#include "layers.h"

#include <math.h>
#include <string.h>

const char *check_state_word(CheckState state)
{
    static const char *const words[] = {[CHECK_NOT_RUN] = "not run",
                                        [CHECK_IN_LOOP] = "in a loop",
                                        [CHECK_COMPARED] = "compared",
                                        [CHECK_UNKNOWN] = "unknown"};
    return words[state];
}

/* Of roundings that may go either way few do: half of them is a wrong sum, or a wrong rounding. */
static Checked checked(const Tensor *reference, const Tensor *got, const LayerBound *by)
{
    enum { MANY = 32 };
    Checked c = {.own = difference_of(reference, got, by->step / 2)};
    c.bound = by->relative * c.own.largest + by->absolute;
    c.often = by->step > 0 && c.own.elements >= MANY && c.own.off > c.own.elements / 2;
    c.beyond = c.often || !(c.own.absolute <= c.bound);
    return c;
}

static const Step *step_of(const LayersCheck *c, const LayerCheck *l)
{
    return &c->p->steps[l->made->step];
}

static ValueId value_of(const LayersCheck *c, const LayerCheck *l)
{
    return c->p->buffers[l->made->buffer].value;
}

static void compare_layer(LayersCheck *c, LayerCheck *l, const Tensor *reference)
{
    l->by = layer_bound(c->p, step_of(c, l), value_of(c, l));
    l->layer = checked(reference, &l->got, &l->by);
    l->state = CHECK_COMPARED;
}

/* A node has made v: the layer that did so first is judged, those behind it only move what that has made. */
static void value_is_made(void *user, ValueId v, Tensor *t)
{
    LayersCheck *c = user;
    const LayerCheck *first = NULL;
    for (uint32_t i = 0; i < c->n_layers; i++) {
        LayerCheck *l = &c->layers[i];
        if (l->state != CHECK_UNKNOWN || !same_value(value_of(c, l), v))
            continue;
        compare_layer(c, l, first ? &first->got : t);
        if (!first)
            first = l;
    }
    if (first)
        memcpy(t->data, first->got.data, type_bytes(&t->type));
}

/* Copies of inputs and constants. */
static void inputs_are_moved(void *user, const Tensor *values)
{
    LayersCheck *c = user;
    for (uint32_t i = 0; i < c->n_layers; i++) {
        const ValueId v = value_of(c, &c->layers[i]);
        if (c->layers[i].state == CHECK_UNKNOWN && !def_of(c->p->graph, v))
            compare_layer(c, &c->layers[i], &values[v.i]);
    }
}

/* The evaluator on the graph that the passes have left. */
typedef struct Whole {
    LayersCheck *c;
    Tensor *outputs;
} Whole;

static void whole_is_computed(void *user, const Tensor *values)
{
    const Whole *whole = user;
    LayersCheck *c = whole->c;
    for (uint32_t k = 0; k < c->p->graph->n_outputs; k++)
        whole->outputs[k] = tensor_copy(c->arena, &values[c->p->graph->outputs[k].value.i]);
    for (uint32_t i = 0; i < c->n_layers; i++) {
        LayerCheck *l = &c->layers[i];
        const ValueId v = value_of(c, l);
        const Node *n = def_of(c->p->graph, v);
        /* What the evaluator's LoopBegin holds in the end is for an iteration that is not made. */
        l->has_all = l->state != CHECK_NOT_RUN && !(n && n->op == OP_LoopBegin);
        if (l->has_all)
            l->in_all = difference_of(&values[v.i], &l->got, 0);
    }
}

static void mark_loops(LayersCheck *c)
{
    const Graph *g = c->p->graph;
    const Loops loops = graph_loops(g, c->arena);
    for (uint32_t i = 0; i < c->n_layers; i++) {
        LayerCheck *l = &c->layers[i];
        if (l->state == CHECK_UNKNOWN && loop_of_value(g, &loops, value_of(c, l)) != NO_ROW)
            l->state = CHECK_IN_LOOP;
    }
}

static void find_culprit(LayersCheck *c)
{
    c->culprit = NULL;
    for (uint32_t i = 0; i < c->n_layers && !c->culprit; i++)
        if (c->layers[i].layer.beyond)
            c->culprit = &c->layers[i];
}

/* Where a layer is wrong, the evaluator may not be able to go on with what it has made: an index that is out of range. */
static bool compare_layers(LayersCheck *c, const Tensor *inputs)
{
    Graph *g = (Graph *)c->p->graph;
    Diag *diag = g->diag, aside = {.arena = c->arena};
    const EvalWatch watch = {value_is_made, inputs_are_moved, c};
    g->diag = &aside;
    const bool done = eval_graph_watched(g, inputs, &watch);
    g->diag = diag;
    find_culprit(c);
    return done || c->culprit || refuse(diag, "%s", aside.message);
}

/* --- what the model makes of errors --------------------------------------------------------------------------------------- */

/* The evaluator's values get errors like those of the layers that make them. */
static void add_error(void *user, ValueId v, Tensor *t)
{
    const LayersCheck *c = user;
    for (uint32_t i = 0; i < c->n_layers; i++) {
        const LayerCheck *l = &c->layers[i];
        const Difference *d = &l->layer.own;
        if (l->state != CHECK_COMPARED || !same_value(value_of(c, l), v))
            continue;
        if (d->different)
            disturb(t, d->absolute, (double)d->different / (double)d->elements, v.i);
        return;
    }
}

static void widen(Checked *c, double moved)
{
    c->bound += ROUNDINGS_SAFETY * moved * c->own.largest;
    c->beyond = !(c->own.absolute <= c->bound);
}

/* Where each layer is right and an output is not, a step may have gone the other way, and another element been the largest: an output may be off by as much as errors like the layers' own make
 * it. An evaluator that can not go on with them says nothing. */
static void widen_outputs(LayersCheck *c, const Tensor *inputs, const Tensor *passed)
{
    Graph *g = (Graph *)c->p->graph;
    Diag *diag = g->diag, aside = {.arena = c->arena};
    bool any = false;
    for (uint32_t k = 0; k < c->n_outputs; k++)
        any = any || ((c->outputs[k].model.beyond || c->outputs[k].runtime.beyond) &&
                      !c->outputs[k].passes.beyond);
    if (!any || c->culprit)
        return;
    g->diag = &aside;
    const double *moved = outputs_moved(g, inputs, passed, add_error, c);
    g->diag = diag;
    for (uint32_t k = 0; moved && k < c->n_outputs; k++) {
        OutputCheck *o = &c->outputs[k];
        o->probed = (o->model.beyond || o->runtime.beyond) && !o->passes.beyond;
        o->moved = moved[o->port];
        if (o->probed)
            widen(&o->model, o->moved);
        if (o->probed && c->runtime)
            widen(&o->runtime, o->moved);
    }
}

/* Output k, of all variants': of the model, of the graph that the passes have left, of the program. */
static OutputCheck check_output(const LayersCheck *c, uint32_t k, const Tensor *wanted,
                                const Tensor *passed, const Tensor *outputs)
{
    const Graph *g = c->p->graph;
    const LayerBound by = output_bound(c->p, outputs[k].type.dtype);
    OutputCheck o = {.name = g->outputs[k].name,
                     .variant = k / outputs_each(g),
                     .port = k,
                     .model = checked(&wanted[k], &outputs[k], &by),
                     .passes = checked(&wanted[k], &passed[k], &by)};
    if (c->runtime) {
        o.runtime = checked(&c->runtime[k], &outputs[k], &by);
        o.runtime_evaluated = checked(&wanted[k], &c->runtime[k], &by);
    }
    return o;
}

bool layers_compare(LayersCheck *c, const Graph *model, const Tensor *inputs, const Tensor *outputs)
{
    const Graph *g = c->p->graph;
    Tensor *wanted = ARENA_ARRAY(c->arena, Tensor, g->n_outputs + 1),
           *passed = ARENA_ARRAY(c->arena, Tensor, g->n_outputs + 1);
    Whole whole = {c, passed};
    const EvalWatch watch = {NULL, whole_is_computed, &whole};
    mark_loops(c);
    if (!eval_graph(model, inputs, wanted, c->arena) || !eval_graph_watched(g, inputs, &watch) ||
        !compare_layers(c, inputs))
        return false;
    c->outputs = ARENA_ARRAY(c->arena, OutputCheck, g->n_outputs + 1);
    for (uint32_t v = 0; v < g->variants.n; v++)
        for (uint32_t k = 0; c->dirs[v] && k < made_outputs(g); k++)
            c->outputs[c->n_outputs++] =
                check_output(c, v * outputs_each(g) + k, wanted, passed, outputs);
    widen_outputs(c, inputs, passed);
    return true;
}

bool layers_agree(const LayersCheck *c)
{
    bool agree = !c->culprit;
    for (uint32_t k = 0; k < c->n_outputs; k++)
        agree = agree && !c->outputs[k].model.beyond && !c->outputs[k].runtime.beyond;
    return agree;
}
