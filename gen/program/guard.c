/* Steps that need not be made at each run.
 *
 * Both branches of an If whose condition is not known before the run are computed, and a Where takes one of the results (so do
 * models that were freed of their Ifs). What only the other one is made of is work for nothing. A step is guarded by a
 * condition if all that is made of its results is read on that side of such a Where, or by steps with the same guard; it is then
 * emitted in an `if`. Its results hold anything where it was left out: nobody looks at them.
 *
 * Backwards over the steps, so that the guards of all readers are known. Memory is told apart by whole buffers, the roots of
 * views, whoever else writes to them: a reader of any part counts. */
#include "guard.h"

#include "../ops/ops.h"
#include "step.h"

#include <string.h>

enum { GUARDS_MAX = 4 }; /* Ifs in each other; any less is right as well */

typedef struct GuardSet {
    StepGuard guard[GUARDS_MAX];
    uint32_t n;
} GuardSet;

/* A step that reads a buffer, as its input `input`; or the end of the model, which reads unconditionally. */
typedef struct Reader {
    uint32_t step, input, next;
} Reader;

typedef struct Guards {
    const Program *p;
    GuardSet *of;     /* by step */
    uint32_t *reader; /* by root buffer: the first of its readers in `readers`, NO_ROW: none */
    Reader *readers;
    uint32_t n_readers;
    uint32_t
        *writer; /* by root buffer: the only step that writes there; NO_ROW: none, MANY: several */
} Guards;

static const uint32_t MANY = UINT32_MAX - 1;

ValueId step_value_read(const Program *p, const Step *s, uint32_t k)
{
    const Graph *g = p->graph;
    if (s->n_nodes == 1)
        return node_in(node_at(g, s->node), k);
    const Composite *c = composite_of(g, s->node);
    return c ? c->args[k] : p->buffers[s->in[k]].value;
}

/* The condition of a Where, if it is one bool for all elements and an operand of the step. */
static BufferId condition_of(const Program *p, const Step *s, const Node *where)
{
    if (type_count(type_of(p->graph, where->in[0])) != 1)
        return NO_BUFFER;
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k] != NO_BUFFER && same_value(step_value_read(p, s, k), where->in[0]))
            return s->in[k];
    return NO_BUFFER;
}

/* All that the step does with its input k is to choose it, or not, by one condition. */
static bool only_chosen(const Program *p, const Step *s, uint32_t k, StepGuard *guard)
{
    bool chosen = false;
    if (s->target != TARGET_C || !s->n_nodes)
        return false; /* a sum in place, whose operand is no input, is oneDNN's */
    const ValueId v = step_value_read(p, s, k);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(p->graph, s->nodes[i]);
        for (uint32_t j = 0; j < n->n_in; j++) {
            if (!same_value(n->in[j], v))
                continue;
            const BufferId condition =
                n->op == OP_Where && j > 0 ? condition_of(p, s, n) : NO_BUFFER;
            const StepGuard found = {condition, j == 1};
            if (condition == NO_BUFFER ||
                (chosen && (found.condition != guard->condition || found.when != guard->when)))
                return false;
            *guard = found;
            chosen = true;
        }
    }
    return chosen;
}

static bool same_guard(StepGuard a, StepGuard b)
{
    return a.condition == b.condition && a.when == b.when;
}

static void add(GuardSet *set, StepGuard guard)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (same_guard(set->guard[i], guard))
            return;
    if (set->n < GUARDS_MAX)
        set->guard[set->n++] = guard;
}

static void intersect(GuardSet *set, const GuardSet *with)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->n; i++)
        for (uint32_t j = 0; j < with->n; j++)
            if (same_guard(set->guard[i], with->guard[j])) {
                set->guard[kept++] = set->guard[i];
                break;
            }
    set->n = kept;
}

static void note_reader(Guards *g, BufferId b, uint32_t step, uint32_t input)
{
    if (b == NO_BUFFER)
        return;
    const BufferId root = root_buffer(g->p, b, NULL);
    g->readers[g->n_readers] = (Reader){step, input, g->reader[root]};
    g->reader[root] = g->n_readers++;
}

static void note_steps(Guards *g)
{
    const Program *p = g->p;
    for (uint32_t s = 0; s < p->n_steps; s++) {
        for (uint32_t k = 0; k < p->steps[s].n_in; k++)
            note_reader(g, p->steps[s].in[k], s, k);
        if (step_adds_to_destination(&p->steps[s]))
            note_reader(g, p->steps[s].out[0], s, p->steps[s].n_in);
        for (uint32_t k = 0; k < p->steps[s].n_out; k++) {
            if (p->steps[s].out[k] == NO_BUFFER)
                continue;
            uint32_t *writer = &g->writer[root_buffer(p, p->steps[s].out[k], NULL)];
            *writer = *writer == NO_ROW || *writer == s ? s : MANY;
        }
    }
    for (uint32_t i = 0; i < p->n_copies; i++)
        note_reader(g, p->copies[i].from, p->n_steps, 0);
}

/* The condition is there when step `s` would start, and stays. */
static bool is_known_before(const Guards *g, StepGuard guard, uint32_t s)
{
    const BufferId root = root_buffer(g->p, guard.condition, NULL);
    const uint32_t writer = g->writer[root];
    return g->p->buffers[root].kind == BUFFER_ARENA ? writer < s : writer == NO_ROW;
}

/* The first step behind s that writes to the whole of this memory: later readers get what that one makes. */
static uint32_t overwritten_at(const Program *p, uint32_t s, BufferId root)
{
    for (uint32_t t = s + 1; t < p->n_steps; t++)
        for (uint32_t k = 0; k < p->steps[t].n_out; k++) {
            const BufferId b = p->steps[t].out[k];
            if (b != NO_BUFFER && root_buffer(p, b, NULL) == root &&
                p->buffers[b].bytes >= p->buffers[root].bytes)
                return t;
        }
    return p->n_steps;
}

/* Guards under which somebody needs what step s writes into this memory: those that all readers have. */
static void restrict_to_readers(const Guards *g, uint32_t s, BufferId root, bool *any,
                                GuardSet *set)
{
    const uint32_t end = g->writer[root] == MANY ? overwritten_at(g->p, s, root) : g->p->n_steps;
    for (uint32_t r = g->reader[root]; r != NO_ROW; r = g->readers[r].next) {
        const Reader *reader = &g->readers[r];
        GuardSet needed = {.n = 0};
        StepGuard chosen = {NO_BUFFER, false};
        if (reader->step <= s || reader->step > end)
            continue; /* s itself works in place */
        if (reader->step < g->p->n_steps)
            needed = g->of[reader->step];
        if (reader->step < g->p->n_steps &&
            only_chosen(g->p, &g->p->steps[reader->step], reader->input, &chosen))
            add(&needed, chosen);
        if (*any)
            intersect(set, &needed);
        else
            *set = needed;
        *any = true;
    }
}

static void guard_step(Guards *g, uint32_t s)
{
    const Step *step = &g->p->steps[s];
    GuardSet set = {.n = 0};
    bool any = false;
    if (step->n_nodes == 1 && op_has(node_at(g->p->graph, step->node)->op, TRAIT_LOOP))
        return; /* what it makes of that is not looked at, but the driver asks it whether to go on */
    for (uint32_t k = 0; k < step->n_out; k++) {
        if (step->out[k] == NO_BUFFER)
            continue;
        const BufferId root = root_buffer(g->p, step->out[k], NULL);
        if (g->p->buffers[root].kind != BUFFER_ARENA)
            return; /* an output of the model */
        restrict_to_readers(g, s, root, &any, &set);
    }
    for (uint32_t i = 0; any && i < set.n; i++)
        if (is_known_before(g, set.guard[i], s))
            add(&g->of[s], set.guard[i]);
}

static bool has_condition(const Program *p)
{
    for (uint32_t i = 0; i < p->graph->n_nodes; i++) {
        const Node *n = &p->graph->nodes[i];
        if (n->op == OP_Where && type_count(type_of(p->graph, n->in[0])) == 1)
            return true;
    }
    return false;
}

void guard_steps(Program *p)
{
    Guards g = {.p = p};
    size_t reads = p->n_copies;
    if (!has_condition(p))
        return;
    for (uint32_t s = 0; s < p->n_steps; s++)
        reads += p->steps[s].n_in + 1;
    g.of = ARENA_ARRAY(p->arena, GuardSet, p->n_steps);
    g.readers = ARENA_ARRAY(p->arena, Reader, reads);
    g.reader = ARENA_ARRAY(p->arena, uint32_t, p->n_buffers);
    g.writer = ARENA_ARRAY(p->arena, uint32_t, p->n_buffers);
    memset(g.reader, 0xff, p->n_buffers * sizeof *g.reader);
    memset(g.writer, 0xff, p->n_buffers * sizeof *g.writer);
    note_steps(&g);
    for (uint32_t s = p->n_steps; s-- > 0;) {
        guard_step(&g, s);
        p->steps[s].guards = g.of[s].guard;
        p->steps[s].n_guards = g.of[s].n;
    }
}

/* --- emission ----------------------------------------------------------------------------------------------------- */

bool guard_same_block(const Step *a, const Step *b)
{
    if (!a || !b || a->n_guards != b->n_guards)
        return false;
    for (uint32_t i = 0; i < a->n_guards; i++)
        if (!same_guard(a->guards[i], b->guards[i]))
            return false;
    return true;
}
