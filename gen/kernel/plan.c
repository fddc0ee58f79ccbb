/* Plans of kernels, and which kernels are shared between threads: see plan.h. */
#include "plan.h"

#include "../tune/question.h"
#include "kernel.h"

const char *const c_variant_names[C_VARIANTS + 1] = {
#define VARIANT(name, family, scratch) #name,
#include "variants.def"
};

enum { ONE, EACH, EACH_LARGE };

static const struct {
    CFamily family;
    CFitFn *fit;
    int scratch;
} variants[C_VARIANTS] = {
#define VARIANT(name, family, scratch) {C_FAMILY_##family, fit_##name, scratch},
#include "variants.def"
};

static CChooseFn *const choosers[] = {
#define FAMILY(name, choose) [C_FAMILY_##name] = choose,
#include "variants.def"
};

static CStep step_of(const Program *p, const Step *s)
{
    return (CStep){p, s, p->graph, s->n_nodes ? node_at(p->graph, s->node) : NULL, s->c, 0, 0};
}

const struct SumNorm *c_sum_norm_of(const Graph *g, const Step *s)
{
    const Composite *c = s->n_nodes > 1 ? composite_of(g, s->node) : NULL;
    return c ? c->sum : NULL;
}

bool c_is_fused_group(const Graph *g, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (!c_can_fuse(g, node_at(g, s->nodes[i])))
            return false;
    return s->n_nodes > 1;
}

static CFamily family_of(const CStep *k)
{
    if (!k->n) /* a copy in another layout */
        return type_count(&k->p->buffers[k->s->out[0]].type) ? C_FAMILY_copy : C_FAMILY_NONE;
    if (c_sum_norm_of(k->g, k->s))
        return C_FAMILY_sum_norm;
    bool empty = true;
    for (uint32_t o = 0; o < k->n->n_out; o++)
        empty = empty && (!has_value(k->n->out[o]) || !type_count(type_of(k->g, k->n->out[o])));
    return empty                          ? C_FAMILY_NONE
           : c_is_fused_group(k->g, k->s) ? C_FAMILY_eltwise
                                          : c_kernels[k->n->op].family;
}

static bool fits_epilogue(const CStep *k, EpilogueOperands *operands)
{
    const Step *s = k->s;
    return s->n_nodes <= 1 || c_sum_norm_of(k->g, s) || c_is_fused_group(k->g, s) ||
           (c_takes_epilogue(k->g, s->node, s->nodes, s->n_nodes, s->nodes[s->n_nodes - 1]) &&
            c_epilogue_operands(k->g, s->node, s->nodes, s->n_nodes, operands));
}

static bool fits(CStep *k)
{
    k->plan->epilogue = (EpilogueOperands){.n = 0};
    k->plan->parts = NULL;
    k->plan->n_parts = 0;
    return variants[k->plan->variant].family == family_of(k) &&
           fits_epilogue(k, &k->plan->epilogue) && variants[k->plan->variant].fit(k);
}

/* Other variants that compute the step. */
static void search_variant(CStep *k, CPlan *plan)
{
    const CPlan usual = *plan;
    CPlan other[MAX_ALTERNATIVES] = {usual};
    const char *names[MAX_ALTERNATIVES] = {c_variant_names[usual.variant]};
    uint32_t n = 1;
    k->plan = &other[n];
    for (int v = 0; v < C_VARIANTS && n < MAX_ALTERNATIVES - 1; v++) {
        *k->plan = (CPlan){.variant = (CVariant)v};
        if (k->plan->variant == usual.variant || !fits(k))
            continue;
        names[n++] = c_variant_names[v];
        k->plan = &other[n];
    }
    *plan = other[search_ask(k->p->search, k->g, k->n, "kernel", names, n)];
    k->plan = plan;
}

/* Twice and half of each number that is free. */
static void search_numbers(CStep *k, CPlan *plan)
{
    static const struct {
        const char *name;
        size_t at;
    } numbers[] = {{"rows", offsetof(CPlan, rows)},
                   {"columns", offsetof(CPlan, columns)},
                   {"lanes", offsetof(CPlan, lanes)},
                   {"width", offsetof(CPlan, width)},
                   {"at_once", offsetof(CPlan, at_once)}};
    CPlan other[MAX_ALTERNATIVES] = {*plan};
    const char *names[MAX_ALTERNATIVES] = {"usual"};
    uint32_t n = 1;
    for (size_t i = 0; i < 2 * COUNT_OF(numbers) && n < MAX_ALTERNATIVES - 1; i++) {
        const size_t at = numbers[i / 2].at;
        const int64_t usual = *(int64_t *)(void *)((char *)plan + at),
                      number = i % 2 ? usual / 2 : 2 * usual;
        other[n] = (CPlan){.variant = plan->variant};
        *(int64_t *)(void *)((char *)&other[n] + at) = number;
        k->plan = &other[n];
        if (number && fits(k))
            names[n++] =
                arena_printf(k->p->arena, "%s=%lld", numbers[i / 2].name, (long long)number);
    }
    k->plan = plan;
    *plan = other[search_ask(
        k->p->search, k->g, k->n,
        arena_printf(k->p->arena, "numbers of %s", c_variant_names[plan->variant]), names, n)];
}

bool c_plan(const Program *p, Step *s)
{
    EpilogueOperands operands;
    CStep k = step_of(p, s);
    const CFamily family = family_of(&k);
    CChooseFn *choose = choosers[family];
    s->c = NULL;
    if (family == C_FAMILY_NONE || !fits_epilogue(&k, &operands))
        return fits_epilogue(&k, &operands);
    const CVariant chosen = choose ? choose(&k) : C_VARIANTS;
    k.plan = s->c = ARENA_NEW(p->arena, CPlan);
    for (int v = 0; v < C_VARIANTS; v++) {
        *k.plan = (CPlan){.variant = (CVariant)v};
        if ((!choose || k.plan->variant == chosen) && variants[v].family == family && fits(&k))
            break;
        if (v == C_VARIANTS - 1)
            bug("no kernel fits a step of a family that has some");
    }
    if (p->search && k.n) {
        search_variant(&k, s->c);
        search_numbers(&k, s->c);
    }
    return true;
}

bool c_free_tile_of(CPlan *plan, int64_t usual_rows, int64_t usual_columns)
{
    enum { MOST_ROWS = 16, MOST_COLUMNS = 128 };
    return c_free_number(&plan->rows, usual_rows, MOST_ROWS) &&
           c_free_number(&plan->columns, usual_columns, MOST_COLUMNS);
}

bool c_free_tile(CPlan *plan)
{
    return c_free_tile_of(plan, TILE_ROWS, TILE_COLUMNS);
}

bool c_free_lanes(CPlan *plan, int64_t usual)
{
    enum { MOST = 256 };
    return c_free_number(&plan->lanes, usual, MOST) && !(plan->lanes & (plan->lanes - 1));
}

int64_t c_summed(const CPlan *plan, int64_t size)
{
    enum { SHORT = 1 << 14, TERMS = 64 }; /* of each part */
    return size > SHORT ? TERMS * plan->lanes : 0;
}

bool c_scratch_for_each(const CPlan *plan, bool large)
{
    return variants[plan->variant].scratch == EACH ||
           (large && variants[plan->variant].scratch == EACH_LARGE);
}

/* --- threads ------------------------------------------------------------------------------------------------------------ */

/* The same memory: one buffer, or the caller's at one port. */
static bool is_same_memory(const Program *p, BufferId a, BufferId b)
{
    const Buffer *x = &p->buffers[a], *y = &p->buffers[b];
    return a == b || (x->kind == y->kind && x->port == y->port &&
                      (x->kind == BUFFER_INPUT || x->kind == BUFFER_OUTPUT));
}

bool c_same_memory(const Program *p, BufferId a, BufferId b, size_t *at_a, size_t *at_b)
{
    return is_same_memory(p, root_buffer(p, a, at_a), root_buffer(p, b, at_b));
}

static bool overlap_at(const Program *p, BufferId a, BufferId b, size_t *from, size_t *to)
{
    if (a == NO_BUFFER || b == NO_BUFFER || !c_same_memory(p, a, b, from, to))
        return false;
    return *from < *to + p->buffers[b].bytes && *to < *from + p->buffers[a].bytes;
}

bool c_overlap(const Program *p, BufferId a, BufferId b)
{
    size_t from, to;
    return overlap_at(p, a, b, &from, &to);
}

/* A result may stand in the place of an operand if every iteration writes what only it reads. */
static bool is_independent(const Program *p, const Step *s)
{
    size_t from, to;
    for (uint32_t i = 0; i < s->n_in; i++)
        for (uint32_t o = 0; o < s->n_out; o++)
            if (overlap_at(p, s->in[i], s->out[o], &from, &to) &&
                (from != to || p->buffers[s->in[i]].bytes != p->buffers[s->out[o]].bytes))
                return false;
    return s->scratch == NO_BUFFER || s->scratch_part;
}

/* n iterations of its outermost loop, in any order. */
static bool can_share(const Program *p, const Step *s, int64_t n)
{
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER && !p->buffers[s->out[o]].bytes)
            return false; /* no loop at all */
    return p->threads > 1 && n >= p->threads && is_independent(p, s);
}

int64_t c_shareable(const Program *p, const Step *s, double *operations)
{
    CStep k = step_of(p, s);
    if (!fits(&k))
        return 0;
    *operations = k.operations;
    return can_share(p, s, k.iterations) ? k.iterations : 0;
}

bool c_complete_plan(const Program *p, const Step *s, CPlan *plan)
{
    CStep k = step_of(p, s);
    k.plan = plan;
    if (!fits(&k))
        return false;
    plan->shared = plan->shared && can_share(p, s, k.iterations) ? k.iterations : 0;
    return true;
}
