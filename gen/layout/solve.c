/* Elimination of variables: the one whose costs involve the fewest others is minimised over, for all labels of those others, which
 * leaves a problem with a variable less; afterwards the labels are read off backwards. On trees and chains every step involves
 * one other variable, and the whole is dynamic programming; residual blocks and the like involve a few. Where every variable
 * left is entangled with too many, one of them keeps the label it has: the solution is then the best for that label, and
 * several rounds keep different ones. */
#include "solve.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MOST_ENTRIES = 1 << 16, ROUNDS = 8 };

typedef struct Factor {
    uint32_t n;
    const uint32_t *var;
    const double *cost; /* the last variable's label varies fastest */
} Factor;

typedef struct List {
    uint32_t *at;
    size_t n, cap;
} List;

struct Problem {
    Arena *arena;
    uint32_t *labels; /* by variable: how many */
    size_t n, cap;
    Factor *factor;
    size_t n_factors, cap_factors;
};

/* Variables in the order in which they went: the labels of `scope` determine that of `var`. */
typedef struct Gone {
    uint32_t var, n_scope;
    const uint32_t *scope;
    const unsigned char *best;
} Gone;

typedef struct Work {
    const Problem *p;
    Arena *arena; /* for one round */
    Factor *factor;
    size_t n_factors, cap_factors;
    bool *used_up;   /* by variable */
    List *in;        /* by variable: its factors that are left */
    double *entries; /* by variable: of the table that eliminating it makes */
    bool *mark;      /* by variable; false between uses */
    uint32_t *scope; /* room for one */
    uint32_t *label; /* by variable, while a table is made; 0 between uses */
    Gone *gone;
    uint32_t n_gone, n_kept;
} Work;

Problem *problem_new(Arena *arena)
{
    Problem *p = ARENA_NEW(arena, Problem);
    p->arena = arena;
    return p;
}

static void add_factor(Problem *p, uint32_t n, const uint32_t *var, const double *cost,
                       size_t entries)
{
    ARENA_PUSH(p->arena, p->factor, p->n_factors, p->cap_factors,
               (Factor){n, arena_copy(p->arena, var, n * sizeof *var),
                        arena_copy(p->arena, cost, entries * sizeof *cost)});
}

uint32_t problem_variable(Problem *p, uint32_t n_labels, const double *cost)
{
    const uint32_t var = (uint32_t)p->n;
    if (n_labels == 0 || n_labels > UCHAR_MAX)
        bug("a variable of %u labels", n_labels);
    ARENA_PUSH(p->arena, p->labels, p->n, p->cap, n_labels);
    add_factor(p, 1, &var, cost, n_labels);
    return var;
}

void problem_pair(Problem *p, uint32_t a, uint32_t b, const double *cost)
{
    const uint32_t var[2] = {a, b};
    if (a >= p->n || b >= p->n || a == b)
        bug("no pair: variables %u and %u of %zu", a, b, p->n);
    add_factor(p, 2, var, cost, (size_t)p->labels[a] * p->labels[b]);
}

static double entry(const Problem *p, const Factor *f, const uint32_t *label)
{
    size_t at = 0;
    for (uint32_t k = 0; k < f->n; k++)
        at = at * p->labels[f->var[k]] + label[f->var[k]];
    return f->cost[at];
}

double problem_cost(const Problem *p, const uint32_t *label)
{
    double sum = 0;
    for (size_t i = 0; i < p->n_factors; i++)
        sum += entry(p, &p->factor[i], label);
    return sum;
}

/* --- one round --------------------------------------------------------------------------------------------------- */

static void put_factor(Work *w, Factor f)
{
    w->factor = arena_grow(w->arena, w->factor, w->n_factors, &w->cap_factors, sizeof *w->factor);
    for (uint32_t k = 0; k < f.n; k++) {
        List *l = &w->in[f.var[k]];
        ARENA_PUSH(w->arena, l->at, l->n, l->cap, (uint32_t)w->n_factors);
    }
    w->factor[w->n_factors++] = f;
}

/* The other variables in the factors of `var`, into w->scope. */
static uint32_t scope_of(Work *w, uint32_t var)
{
    uint32_t n = 0;
    for (size_t i = 0; i < w->in[var].n; i++) {
        const Factor *f = &w->factor[w->in[var].at[i]];
        for (uint32_t k = 0; k < f->n; k++)
            if (f->var[k] != var && !w->mark[f->var[k]]) {
                w->mark[f->var[k]] = true;
                w->scope[n++] = f->var[k];
            }
    }
    for (uint32_t k = 0; k < n; k++)
        w->mark[w->scope[k]] = false;
    return n;
}

static double count_entries(Work *w, uint32_t var)
{
    double entries = 1;
    for (uint32_t k = 0, n = scope_of(w, var); k < n; k++)
        entries *= w->p->labels[w->scope[k]];
    return entries;
}

static void drop_from(List *l, uint32_t factor)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i] != factor)
            l->at[n++] = l->at[i];
    l->n = n;
}

/* `var` is done: its factors leave the lists of the other variables. */
static void drop_factors(Work *w, uint32_t var)
{
    for (size_t i = 0; i < w->in[var].n; i++) {
        const uint32_t f = w->in[var].at[i];
        for (uint32_t k = 0; k < w->factor[f].n; k++)
            if (w->factor[f].var[k] != var)
                drop_from(&w->in[w->factor[f].var[k]], f);
    }
    w->in[var].n = 0;
    w->used_up[var] = true;
}

/* The least sum of var's factors for every combination of labels of the scope, and which label gives it. */
static void minimise(Work *w, uint32_t var, const uint32_t *scope, uint32_t n, size_t entries,
                     double *cost, unsigned char *best)
{
    uint32_t *label = w->label;
    for (size_t e = 0; e < entries; e++) {
        cost[e] = INFINITY;
        for (label[var] = 0; label[var] < w->p->labels[var]; label[var]++) {
            double sum = 0;
            for (size_t i = 0; i < w->in[var].n; i++)
                sum += entry(w->p, &w->factor[w->in[var].at[i]], label);
            if (sum < cost[e]) {
                cost[e] = sum;
                best[e] = (unsigned char)label[var];
            }
        }
        for (uint32_t k = n; k-- > 0 && ++label[scope[k]] == w->p->labels[scope[k]];)
            label[scope[k]] = 0;
    }
    label[var] = 0;
}

static void eliminate(Work *w, uint32_t var)
{
    uint32_t n = scope_of(w, var);
    const uint32_t *scope = arena_copy(w->arena, w->scope, n * sizeof *scope);
    const size_t entries = (size_t)count_entries(w, var);
    double *cost = ARENA_ARRAY(w->arena, double, entries);
    unsigned char *best = ARENA_ARRAY(w->arena, unsigned char, entries);
    minimise(w, var, scope, n, entries, cost, best);
    drop_factors(w, var);
    w->gone[w->n_gone++] = (Gone){var, n, scope, best};
    if (n)
        put_factor(w, (Factor){n, scope, cost});
    for (uint32_t k = 0; k < n; k++)
        w->entries[scope[k]] = count_entries(w, scope[k]);
}

/* f where `var` has this label. */
static Factor restricted(Work *w, const Factor *f, uint32_t var, uint32_t label)
{
    size_t inner = 1, outer = 1, k = 0, n = 0;
    uint32_t *rest = ARENA_ARRAY(w->arena, uint32_t, f->n);
    while (f->var[k] != var)
        outer *= w->p->labels[f->var[k++]];
    for (size_t i = k + 1; i < f->n; i++)
        inner *= w->p->labels[f->var[i]];
    for (size_t i = 0; i < f->n; i++)
        if (i != k)
            rest[n++] = f->var[i];
    double *cost = ARENA_ARRAY(w->arena, double, outer *inner);
    for (size_t o = 0; o < outer; o++)
        memcpy(cost + o * inner, f->cost + (o * w->p->labels[var] + label) * inner,
               inner * sizeof *cost);
    return (Factor){(uint32_t)n, rest, cost};
}

/* `var` keeps its label; what it costs with others becomes their own. */
static void keep(Work *w, uint32_t var, uint32_t label)
{
    uint32_t n = scope_of(w, var);
    const uint32_t *scope = arena_copy(w->arena, w->scope, n * sizeof *scope);
    const List in = w->in[var];
    uint32_t *at = arena_copy(w->arena, in.at, in.n * sizeof *at);
    drop_factors(w, var);
    for (size_t i = 0; i < in.n; i++)
        if (w->factor[at[i]].n > 1)
            put_factor(w, restricted(w, &w->factor[at[i]], var, label));
    for (uint32_t k = 0; k < n; k++)
        w->entries[scope[k]] = count_entries(w, scope[k]);
    w->n_kept++;
}

/* The variable that is cheapest to eliminate; or, where that is too much, the most entangled one of those that were kept least
 * often before. */
static uint32_t next_variable(const Work *w, const uint32_t *times_kept, bool *too_much)
{
    uint32_t least = UINT32_MAX, most = UINT32_MAX;
    for (uint32_t v = 0; v < w->p->n; v++) {
        if (w->used_up[v])
            continue;
        if (least == UINT32_MAX || w->entries[v] < w->entries[least])
            least = v;
        if (most == UINT32_MAX || times_kept[v] < times_kept[most] ||
            (times_kept[v] == times_kept[most] && w->entries[v] > w->entries[most]))
            most = v;
    }
    *too_much = least != UINT32_MAX && w->entries[least] > MOST_ENTRIES;
    return *too_much ? most : least;
}

static void read_labels(const Work *w, uint32_t *label)
{
    for (uint32_t g = w->n_gone; g-- > 0;) {
        size_t at = 0;
        for (uint32_t k = 0; k < w->gone[g].n_scope; k++)
            at = at * w->p->labels[w->gone[g].scope[k]] + label[w->gone[g].scope[k]];
        label[w->gone[g].var] = w->gone[g].best[at];
    }
}

static uint32_t solve_round(const Problem *p, uint32_t *label, uint32_t *times_kept)
{
    Arena *arena = arena_new();
    Work w = {.p = p, .arena = arena};
    w.used_up = ARENA_ARRAY(arena, bool, p->n);
    w.in = ARENA_ARRAY(arena, List, p->n);
    w.entries = ARENA_ARRAY(arena, double, p->n);
    w.mark = ARENA_ARRAY(arena, bool, p->n);
    w.scope = ARENA_ARRAY(arena, uint32_t, p->n);
    w.label = ARENA_ARRAY(arena, uint32_t, p->n);
    w.gone = ARENA_ARRAY(arena, Gone, p->n);
    for (size_t i = 0; i < p->n_factors; i++)
        put_factor(&w, p->factor[i]);
    for (uint32_t v = 0; v < p->n; v++)
        w.entries[v] = count_entries(&w, v);
    bool too_much;
    for (uint32_t v; (v = next_variable(&w, times_kept, &too_much)) != UINT32_MAX;)
        if (too_much) {
            times_kept[v]++;
            keep(&w, v, label[v]);
        } else
            eliminate(&w, v);
    read_labels(&w, label);
    uint32_t kept = w.n_kept;
    arena_free(arena);
    return kept;
}

/* By variable: the factors it is in. */
static List *factors_of(const Problem *p, Arena *arena)
{
    List *in = ARENA_ARRAY(arena, List, p->n);
    for (uint32_t f = 0; f < p->n_factors; f++)
        for (uint32_t k = 0; k < p->factor[f].n; k++) {
            List *l = &in[p->factor[f].var[k]];
            ARENA_PUSH(arena, l->at, l->n, l->cap, f);
        }
    return in;
}

static double cost_around(const Problem *p, const List *in, const uint32_t *label)
{
    double sum = 0;
    for (size_t i = 0; i < in->n; i++)
        sum += entry(p, &p->factor[in->at[i]], label);
    return sum;
}

/* The best label of each variable by itself, again and again: for what a round has left. */
static void descend(const Problem *p, const List *in, uint32_t *label)
{
    for (bool better = true; better;) {
        better = false;
        for (uint32_t v = 0; v < p->n; v++) {
            uint32_t best = label[v];
            double least = cost_around(p, &in[v], label);
            for (label[v] = 0; label[v] < p->labels[v]; label[v]++) {
                double cost = cost_around(p, &in[v], label);
                if (cost < least) {
                    least = cost;
                    best = label[v];
                    better = true;
                }
            }
            label[v] = best;
        }
    }
}

bool problem_solve(const Problem *p, uint32_t *label)
{
    Arena *arena = arena_new();
    uint32_t *times_kept = ARENA_ARRAY(arena, uint32_t, p->n);
    const List *in = factors_of(p, arena);
    uint32_t kept = 1;
    for (int round = 0; round < ROUNDS && kept; round++) {
        kept = solve_round(p, label, times_kept);
        if (kept)
            descend(p, in, label);
    }
    arena_free(arena);
    return kept == 0;
}
