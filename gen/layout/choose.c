/* The layouts of a whole graph as one problem of least cost (layout/solve.h).
 *
 * Variables are the values with three dimensions or more, and the layers (nodes, or composites as one). A value has a few candidate
 * layouts: row-major, channels last, and what Reshape and Transpose make of their neighbours' candidates without moving a
 * byte. Its label says in which of them it is there: as its producer leaves it, and perhaps in a copy that all its readers share.
 * A layer's label is one of the alternatives in which it can be computed: the layouts it takes its operands in, and the one it leaves.
 * A alternative that is not the quickest of its layer costs the difference, a copy what reorder_ns says; the rest is what fits together. */
#include "choose.h"

#include "choosing.h"

#include <math.h>

/* --- the problem --------------------------------------------------------------------------------------------------- */

static void add_value(Choosing *s, ValueId v)
{
    Candidates *c = &s->value[v.i];
    double cost[MOST_CANDIDATES * MOST_CANDIDATES];
    for (uint32_t label = 0; label < c->n * c->n; label++) {
        const uint32_t first = first_of(c, label), second = second_of(c, label);
        const bool elsewhere = value_at(s->g, v)->kind == VALUE_INPUT && first != 0,
                   missing = s->l->uses.is_output[v.i] && first != 0 && second != 0;
        cost[label] = elsewhere || missing ? INFINITY
                      : first == second    ? 0
                                           : reorder_ns(s->l, v, &c->at[first], &c->at[second]);
    }
    c->variable = problem_variable(s->problem, c->n * c->n, cost);
    s->n_values++;
}

/* Layer and value have to agree: a result is left in the value's first layout, an operand is there in one that will do. */
static void add_agreement(const Choosing *s, const Layer *y, ValueId v, uint32_t k, bool result)
{
    double cost[MOST_ALTERNATIVES * MOST_CANDIDATES * MOST_CANDIDATES];
    if (!is_free(s, v))
        return;
    const Candidates *c = &s->value[v.i];
    for (uint32_t w = 0; w < y->n_alternatives; w++)
        for (uint32_t label = 0; label < c->n * c->n; label++) {
            const uint32_t first = first_of(c, label);
            const bool copy = result || k > 0 || !y->alternative[w].no_copy;
            const unsigned there = 1u << first | (copy ? 1u << second_of(c, label) : 0);
            bool agrees =
                result ? first == y->alternative[w].out[k] : there & y->alternative[w].in[k];
            cost[w * c->n * c->n + label] = agrees ? 0 : INFINITY;
        }
    problem_pair(s->problem, y->variable, c->variable, cost);
}

static bool touches_free(const Choosing *s, const Layer *y)
{
    bool free = false;
    for (uint32_t k = 0; k < y->n_in; k++)
        free = free || is_free(s, y->in[k]);
    for (uint32_t k = 0; k < y->n_out; k++)
        free = free || is_free(s, y->out[k]);
    return free;
}

static void add_layer(Choosing *s, NodeId id)
{
    const Composite *c = composite_of(s->l->g, id);
    const Node *root = node_at(s->g, id);
    double cost[MOST_ALTERNATIVES];
    if (c && c->root.i != id.i)
        return;
    Layer *y = &s->layer[s->n_layers];
    *y = (Layer){.id = id,
                 .n = c ? node_at(s->g, c->anchor) : root,
                 .c = c,
                 .in = c ? c->args : root->in,
                 .out = root->out,
                 .n_in = c ? c->n_args : root->n_in,
                 .n_out = c ? 1 : root->n_out};
    if (!touches_free(s, y))
        return;
    find_alternatives(s, y);
    for (uint32_t w = 0; w < y->n_alternatives; w++)
        cost[w] = y->alternative[w].ns;
    y->variable = problem_variable(s->problem, y->n_alternatives, cost);
    for (uint32_t k = 0; k < y->n_in; k++)
        add_agreement(s, y, y->in[k], k, false);
    for (uint32_t k = 0; k < y->n_out; k++)
        add_agreement(s, y, y->out[k], k, true);
    s->n_layers++;
}

static void build(Choosing *s)
{
    find_candidates(s);
    for (uint32_t v = 0; v < s->g->n_values; v++)
        if (is_free(s, (ValueId){v}))
            add_value(s, (ValueId){v});
    for (uint32_t i = 0; i < s->g->n_nodes; i++)
        add_layer(s, (NodeId){i});
}

/* Something to start from where the problem is too entangled to be solved at once: every layer in its first alternative. */
static void start(const Choosing *s, uint32_t *label)
{
    for (uint32_t v = 0; v < s->g->n_values; v++)
        if (is_free(s, (ValueId){v}) && s->value[v].n > 1)
            label[s->value[v].variable] = 1;
    for (uint32_t i = 0; i < s->n_layers; i++)
        for (uint32_t k = 0; k < s->layer[i].n_out; k++)
            if (is_free(s, s->layer[i].out[k])) {
                const Candidates *c = &s->value[s->layer[i].out[k].i];
                const uint32_t first = s->layer[i].alternative[0].out[k];
                label[c->variable] = first * c->n + (first == 0 && c->n > 1);
            }
}

/* --- the answer ---------------------------------------------------------------------------------------------------- */

/* If a composite is taken apart, its nodes work as it would have. */
static void read_inside(const Choosing *s, LayoutChoice *c, const Layer *y, NodeId inside)
{
    const ValueId v = node_at(s->g, inside)->out[0];
    c->reads[inside.i] = c->reads[y->id.i];
    if (inside.i != y->id.i && same_as_result(s, y, v))
        c->value[v.i] = c->value[y->out[0].i];
}

static void read_layer(const Choosing *s, const uint32_t *label, const Layer *y, LayoutChoice *c)
{
    const Alternative *w = &y->alternative[label[y->variable]];
    c->reads[y->id.i] = w->reads;
    c->as_it_is[y->id.i] = w->as_it_is;
    if (w->reads.rank == 0 && y->n_in && is_free(s, y->in[0])) {
        const Candidates *v = &s->value[y->in[0].i];
        const uint32_t first = first_of(v, label[v->variable]),
                       second = second_of(v, label[v->variable]);
        c->reads[y->id.i] = v->at[w->in[0] >> first & 1 ? first : second];
    }
    for (uint32_t k = 0; y->c && k < y->c->n_nodes; k++)
        read_inside(s, c, y, y->c->nodes[k]);
}

static LayoutChoice *read_choice(const Choosing *s, const uint32_t *label)
{
    LayoutChoice *c = ARENA_NEW(s->l->arena, LayoutChoice);
    c->value = ARENA_ARRAY(s->l->arena, Layout, s->g->n_values);
    c->reads = ARENA_ARRAY(s->l->arena, Layout, s->g->n_nodes);
    c->as_it_is = ARENA_ARRAY(s->l->arena, bool, s->g->n_nodes);
    for (uint32_t v = 0; v < s->g->n_values; v++) {
        const Candidates *of = &s->value[v];
        c->value[v] = of->n ? of->at[first_of(of, label[of->variable])]
                            : layout_plain(s->g->values[v].type.rank);
    }
    for (uint32_t i = 0; i < s->g->n_nodes; i++)
        c->reads[i] = s->g->nodes[i].n_in && has_value(s->g->nodes[i].in[0])
                          ? layout_plain(type_of(s->g, s->g->nodes[i].in[0])->rank)
                          : layout_plain(0);
    for (uint32_t i = 0; i < s->n_layers; i++)
        read_layer(s, label, &s->layer[i], c);
    return c;
}

/* What the best plan would cost in which as few values as possible are anything but row-major. Changes the problem. */
static double cost_of_plain(Choosing *s, uint32_t *label)
{
    const double none = 0, much = 1e7; /* ns */
    const uint32_t dummy = problem_variable(s->problem, 1, &none);
    double cost[MOST_CANDIDATES * MOST_CANDIDATES], paid = 0;
    label[dummy] = 0;
    for (uint32_t v = 0; v < s->g->n_values; v++) {
        const Candidates *c = &s->value[v];
        for (uint32_t k = 0; k < c->n * c->n; k++)
            cost[k] = first_of(c, k) ? much : 0;
        if (c->n)
            problem_pair(s->problem, c->variable, dummy, cost);
    }
    problem_solve(s->problem, label);
    for (uint32_t v = 0; v < s->g->n_values; v++)
        if (s->value[v].n && first_of(&s->value[v], label[s->value[v].variable]))
            paid += much;
    return problem_cost(s->problem, label) - paid;
}

static const char *say(const Choosing *s, bool exact, double ns, double plain_ns)
{
    return arena_printf(
        s->l->arena,
        "layouts: of %u values and %u layers chosen%s; copies, and layers not in their "
        "quickest alternative: %.1f us by %s; row-major wherever possible: %.1f us",
        s->n_values, s->n_layers, exact ? ", none is better" : " (too entangled to try everything)",
        ns / 1000, s->l->options.tune ? "measured times" : "estimation", plain_ns / 1000);
}

static LayoutChoice *choice_of(Lowering *l)
{
    Choosing s = {.l = l, .g = l->g, .problem = problem_new(l->arena)};
    s.value = ARENA_ARRAY(l->arena, Candidates, l->g->n_values);
    s.layer = ARENA_ARRAY(l->arena, Layer, l->g->n_nodes + 1);
    build(&s);
    uint32_t *label =
        ARENA_ARRAY(l->arena, uint32_t, s.n_values + s.n_layers + 1); /* and the dummy */
    start(&s, label);
    bool exact = problem_solve(s.problem, label);
    LayoutChoice *c = read_choice(&s, label);
    const double ns = problem_cost(s.problem, label), plain_ns = cost_of_plain(&s, label);
    c->said = s.n_values ? say(&s, exact, ns, plain_ns) : NULL;
    return c;
}

void choose_layouts(Graph *g, DnnlEngine *engine, const LowerOptions *options)
{
    Program none = {.graph = g, .arena = g->arena};
    Lowering l = lower_begin(g, &none, engine, options);
    g->columns->layouts = engine && g->columns->target ? choice_of(&l) : NULL;
}

Program *choose_and_lower(Graph *g, DnnlEngine *engine, const LowerOptions *options)
{
    Program *p = ARENA_NEW(g->arena, Program);
    choose_layouts(g, engine, options);
    return lower_program(g, p, engine, options) ? p : NULL;
}
