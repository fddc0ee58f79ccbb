/* Loops of a program: see loops.h. */
#include "loops.h"

#include "checker.h"

#include <string.h>

bool step_is_loop_end(const Program *p, uint32_t step, Op op)
{
    const Step *s = &p->steps[step];
    return s->n_nodes == 1 && node_at(p->graph, s->node)->op == op;
}

static NodeId begin_node(const Program *p, const Step *end)
{
    return value_at(p->graph, node_at(p->graph, end->node)->in[LOOP_GOING_ON])->def;
}

/* False where they do not lie in each other. */
static bool find_loops(const Program *p, Arena *arena, StepLoops *l)
{
    size_t cap = 0;
    uint32_t open[MAX_LOOP_DEPTH], n_open = 0;
    *l = (StepLoops){.n = 0};
    for (uint32_t s = 0; s < p->n_steps; s++) {
        if (step_is_loop_end(p, s, OP_LoopBegin)) {
            if (n_open == MAX_LOOP_DEPTH)
                return false;
            open[n_open++] = s;
        }
        if (!step_is_loop_end(p, s, OP_LoopEnd))
            continue;
        if (!n_open || p->steps[open[n_open - 1]].node.i != begin_node(p, &p->steps[s]).i)
            return false;
        ARENA_PUSH(arena, l->loop, l->n, cap, ((StepLoop){open[--n_open], s}));
    }
    return !n_open;
}

StepLoops program_loops(const Program *p, Arena *arena)
{
    StepLoops l;
    if (!find_loops(p, arena, &l))
        bug("the program's loops do not lie in each other");
    return l;
}

uint32_t loops_last_use(const StepLoops *l, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (first <= l->loop[i].begin && last > l->loop[i].begin && last < l->loop[i].end)
            last = l->loop[i].end;
    return last;
}

/* Both ends of a loop: each is the last step of its unit, what is carried is one buffer, and so are results that are zeroed before. */
static bool check_ends(const Checker *c, const StepLoop *loop)
{
    const Program *p = c->p;
    const Step *begin = &p->steps[loop->begin], *end = &p->steps[loop->end];
    const Node *n = node_at(p->graph, begin->node);
    if (p->unit_start[begin->region + 1] != loop->begin + 1 ||
        p->unit_start[end->region + 1] != loop->end + 1 ||
        p->regions[begin->region].variant != p->regions[end->region].variant)
        return wrong(c, "%s is not the last of its unit", end->label);
    if (begin->n_out != n->n_out && begin->n_out != end->n_out)
        return wrong(c, "%s has more results than its loop", begin->label);
    for (uint32_t k = 0; k < begin->n_out; k++)
        if (begin->out[k] != end->out[k] ||
            (k == LOOP_GOING_ON && p->buffers[begin->out[k]].kind != BUFFER_ARENA))
            return wrong(c, "%s carries to another place than %s", end->label, begin->label);
    return true;
}

bool check_loops(const Checker *c)
{
    StepLoops l;
    if (!find_loops(c->p, c->arena, &l))
        return wrong(c, "the loops do not lie in each other");
    for (uint32_t i = 0; i < l.n; i++)
        if (!check_ends(c, &l.loop[i]))
            return false;
    return true;
}
