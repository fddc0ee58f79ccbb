/* Plans of kernels, and which kernels are shared between threads: see plan.h. */
#include "plan.h"

#include "kernel.h"

#define VARIANT(name, family, scratch)
#define ONLY(name, scratch)                                                                        \
    CVariant plan_##name(const CStep *k)                                                           \
    {                                                                                              \
        (void)k;                                                                                   \
        return C_##name;                                                                           \
    }
#include "variants.def"

const char *const c_variant_names[C_VARIANTS + 1] = {
#define VARIANT(name, family, scratch) #name,
#include "variants.def"
};

enum { ONE, EACH, EACH_LARGE };

static const struct {
    CPlanFn *plan;
    CFitFn *fit;
    int scratch;
} variants[C_VARIANTS] = {
#define VARIANT(name, family, scratch) {plan_##family, fit_##name, scratch},
#include "variants.def"
};

static CStep step_of(const Program *p, const Step *s)
{
    return (CStep){p, s, p->graph, s->n_nodes ? node_at(p->graph, s->node) : NULL};
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

/* Who chooses for a step; NULL where there is nothing to choose. */
static CPlanFn *planner_of(const CStep *k)
{
    if (!k->n) /* a copy in another layout */
        return type_count(&k->p->buffers[k->s->out[0]].type) ? plan_copy : NULL;
    if (c_sum_norm_of(k->g, k->s))
        return plan_sum_norm;
    bool empty = true;
    for (uint32_t o = 0; o < k->n->n_out; o++)
        empty = empty && (!has_value(k->n->out[o]) || !type_count(type_of(k->g, k->n->out[o])));
    return empty ? NULL : c_is_fused_group(k->g, k->s) ? plan_eltwise : c_planner(k->n->op);
}

static bool fits_epilogue(const CStep *k, EpilogueOperands *operands)
{
    const Step *s = k->s;
    return s->n_nodes <= 1 || c_sum_norm_of(k->g, s) || c_is_fused_group(k->g, s) ||
           (c_takes_epilogue(k->g, s->node, s->nodes, s->n_nodes, s->nodes[s->n_nodes - 1]) &&
            c_epilogue_operands(k->g, s->node, s->nodes, s->n_nodes, operands));
}

static bool fits(const CStep *k, CPlan *plan, CWork *work)
{
    *work = (CWork){0, 0};
    plan->epilogue = (EpilogueOperands){.n = 0};
    plan->parts = NULL;
    plan->n_parts = 0;
    return variants[plan->variant].plan == planner_of(k) && fits_epilogue(k, &plan->epilogue) &&
           variants[plan->variant].fit(k, plan, work);
}

bool c_plan(const Program *p, Step *s)
{
    CWork work;
    EpilogueOperands operands;
    const CStep k = step_of(p, s);
    CPlanFn *choose = planner_of(&k);
    s->c = NULL;
    if (!choose || !fits_epilogue(&k, &operands))
        return !choose && fits_epilogue(&k, &operands);
    s->c = ARENA_NEW(p->arena, CPlan);
    s->c->variant = choose(&k);
    if (!fits(&k, s->c, &work))
        bug("%s does not fit its node", c_variant_names[s->c->variant]);
    return true;
}

bool c_free_tile(CPlan *plan)
{
    enum { MOST_ROWS = 16, MOST_COLUMNS = 64 };
    return c_free_number(&plan->rows, TILE_ROWS, MOST_ROWS) &&
           c_free_number(&plan->columns, TILE_COLUMNS, MOST_COLUMNS);
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

bool c_scratch_for_each(const CPlan *plan)
{
    return variants[plan->variant].scratch == EACH;
}

bool c_scratch_for_large(const CPlan *plan)
{
    return variants[plan->variant].scratch == EACH_LARGE;
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

void c_share_kernels(Program *p)
{
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const CStep k = step_of(p, &p->steps[i]);
        CWork work;
        if (p->steps[i].c && fits(&k, p->steps[i].c, &work))
            p->steps[i].c->shared =
                work.operations >= p->share_operations && can_share(p, k.s, work.iterations)
                    ? work.iterations
                    : 0;
    }
}

bool c_complete_plan(const Program *p, const Step *s, CPlan *plan)
{
    CWork work;
    const CStep k = step_of(p, s);
    if (!fits(&k, plan, &work))
        return false;
    plan->shared = plan->shared && can_share(p, s, work.iterations) ? work.iterations : 0;
    return true;
}
