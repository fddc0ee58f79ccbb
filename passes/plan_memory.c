/* plan-memory: one arena for activations, scratch memory and reordered copies of the whole model.
 *
 * A buffer is alive from the step that writes it to the last step that reads it; views live with what they are views of.
 * Placement is greedy by size: the largest buffer first, each at the lowest offset where nothing that lives at the same time
 * stands (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020). Where that takes more than
 * what is alive at once, other orders are tried, and the best one is improved: the buffer that reaches highest is placed
 * before some that were placed before it, which is kept if it does not make things worse. The number of tries is limited by
 * the work in them, not by time, so that the same program always gets the same plan.
 *
 * Behind the arena stand the states, twice: what a run reads and what it writes; and, once, those that it appends to. */
#include "pass.h"

#include "../gen/program/loops.h"

#include <stdlib.h>

/* An empty tensor has an address of its own too: emitted functions take `restrict` pointers. */
static size_t extent(const Buffer *b)
{
    return b->bytes ? b->bytes : 1;
}

static void touch(Program *p, BufferId b, uint32_t step)
{
    if (b == NO_BUFFER)
        return;
    Buffer *root = &p->buffers[root_buffer(p, b, NULL)];
    if (step < root->first)
        root->first = step;
    if (step > root->last)
        root->last = step;
}

static void find_lifetimes(Program *p)
{
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        p->buffers[i].first = UINT32_MAX;
        p->buffers[i].last = 0;
    }
    for (uint32_t s = 0; s < p->n_steps; s++) {
        for (uint32_t k = 0; k < p->steps[s].n_in; k++)
            touch(p, p->steps[s].in[k], s);
        for (uint32_t k = 0; k < p->steps[s].n_out; k++)
            touch(p, p->steps[s].out[k], s);
        touch(p, p->steps[s].scratch, s);
        for (uint32_t k = 0; k < p->steps[s].n_guards; k++)
            touch(p, p->steps[s].guards[k].condition, s);
    }
    for (uint32_t i = 0; i < p->n_copies; i++) /* made after the last step */
        touch(p, p->copies[i].from, p->n_steps);
    const StepLoops loops = program_loops(p, p->arena);
    for (uint32_t i = 0; i < p->n_buffers; i++)
        p->buffers[i].last = loops_last_use(&loops, p->buffers[i].first, p->buffers[i].last);
}

static int by_size(const void *a, const void *b)
{
    const Buffer *x = *(const Buffer *const *)a, *y = *(const Buffer *const *)b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x < y ? -1 : 1;
}

static int by_offset(const void *a, const void *b)
{
    const Buffer *x = *(const Buffer *const *)a, *y = *(const Buffer *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset ? 1 : 0;
}

/* Which buffers are placed already, by the time they live in: those of each SPAN steps in a list, so that
 * one that lives shortly is compared with its contemporaries only. */
enum { SPAN = 64 };

typedef struct Placed {
    struct Span {
        Buffer **buffer;
        size_t n, cap;
    } * span;
    uint32_t *seen; /* by buffer: the last query that met it */
    uint32_t query;
    Buffer **rivals;
} Placed;

static void note_placed(Program *p, Placed *placed, Buffer *b)
{
    for (uint32_t i = b->first / SPAN; i <= b->last / SPAN; i++) {
        struct Span *s = &placed->span[i];
        ARENA_PUSH(p->arena, s->buffer, s->n, s->cap, b);
    }
}

static size_t find_rivals(const Program *p, Placed *placed, const Buffer *b)
{
    size_t n = 0;
    placed->query++;
    for (uint32_t i = b->first / SPAN; i <= b->last / SPAN; i++)
        for (size_t k = 0; k < placed->span[i].n; k++) {
            Buffer *other = placed->span[i].buffer[k];
            uint32_t *seen = &placed->seen[other - p->buffers];
            if (*seen == placed->query || other->first > b->last || b->first > other->last)
                continue;
            *seen = placed->query;
            placed->rivals[n++] = other;
        }
    return n;
}

/* The lowest gap among the placed buffers that live at the same time. */
static size_t lowest_gap(const Program *p, Placed *placed, const Buffer *b)
{
    size_t n = find_rivals(p, placed, b), at = 0;
    if (n)
        qsort(placed->rivals, n, sizeof *placed->rivals, by_offset);
    for (size_t i = 0; i < n; i++) {
        const Buffer *other = placed->rivals[i];
        if (at + extent(b) <= other->offset)
            break;
        size_t end = align_up(other->offset + extent(other));
        at = end > at ? end : at;
    }
    return at;
}

static int by_area(const void *a, const void *b)
{
    const Buffer *x = *(const Buffer *const *)a, *y = *(const Buffer *const *)b;
    double u = (double)x->bytes * (x->last - x->first + 1),
           v = (double)y->bytes * (y->last - y->first + 1);
    return u != v ? (u < v ? 1 : -1) : by_size(a, b);
}

static int by_lifetime(const void *a, const void *b)
{
    const Buffer *x = *(const Buffer *const *)a, *y = *(const Buffer *const *)b;
    uint32_t u = x->last - x->first, v = y->last - y->first;
    return u != v ? (u < v ? 1 : -1) : by_size(a, b);
}

typedef struct Search {
    Program *p;
    Placed placed;
    Buffer **order, **trial; /* n each */
    size_t n, best;          /* bytes of the best plan */
    size_t *offset;          /* of the best plan, by place in `kept` */
    Buffer **kept;           /* its order */
    size_t work, limit;      /* comparisons of two buffers */
} Search;

/* Places all in this order; returns the bytes that takes. */
static size_t place_all(Search *s, Buffer **order)
{
    size_t top = 0;
    for (size_t i = 0; i <= s->p->n_steps / SPAN; i++)
        s->placed.span[i].n = 0;
    for (size_t i = 0; i < s->n; i++) {
        order[i]->offset = lowest_gap(s->p, &s->placed, order[i]);
        note_placed(s->p, &s->placed, order[i]);
        size_t end = align_up(order[i]->offset + extent(order[i]));
        top = end > top ? end : top;
        for (uint32_t k = order[i]->first / SPAN; k <= order[i]->last / SPAN; k++)
            s->work += s->placed.span[k].n;
    }
    return top;
}

/* Keeps a plan that is not worse than the best so far. */
static bool consider(Search *s, Buffer **order)
{
    size_t top = place_all(s, order);
    if (top > s->best)
        return false;
    s->best = top;
    for (size_t i = 0; i < s->n; i++) {
        s->kept[i] = order[i];
        s->offset[i] = order[i]->offset;
    }
    return true;
}

static size_t highest(const Search *s)
{
    size_t at = 0;
    for (size_t i = 1; i < s->n; i++)
        if (s->offset[i] + extent(s->kept[i]) > s->offset[at] + extent(s->kept[at]))
            at = i;
    return at;
}

/* Pseudo-random, the same in every run. */
static size_t draw(uint64_t *state, size_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*state >> 33) % n;
}

/* Moves the buffer that reaches highest, or now and then any, to an earlier place in the order. */
static void improve(Search *s)
{
    uint64_t state = 1;
    while (s->best > s->p->live_bytes && s->work < s->limit) {
        size_t from = draw(&state, 4) ? highest(s) : draw(&state, s->n);
        size_t to = from ? draw(&state, from) : draw(&state, s->n);
        for (size_t i = 0; i < s->n; i++)
            s->trial[i] = s->kept[i];
        Buffer *moved = s->trial[from];
        for (size_t i = from; i > to; i--)
            s->trial[i] = s->trial[i - 1];
        for (size_t i = from; i < to; i++)
            s->trial[i] = s->trial[i + 1];
        s->trial[to] = moved;
        s->work += s->n;
        consider(s, s->trial);
    }
}

/* The most bytes that are alive during one step, in whole units of alignment. */
static size_t most_alive(const Program *p, Buffer **all, size_t n)
{
    size_t *change = ARENA_ARRAY(p->arena, size_t, (size_t)p->n_steps + 3), alive = 0, most = 0;
    for (size_t i = 0; i < n;
         i++) { /* unsigned: what is taken away wraps, and comes right in the sum */
        change[all[i]->first] += align_up(extent(all[i]));
        change[all[i]->last + 1] -= align_up(extent(all[i]));
    }
    for (uint32_t i = 0; i <= p->n_steps; i++) {
        alive += change[i];
        most = alive > most ? alive : most;
    }
    return most;
}

static void place_arena(Program *p)
{
    int (*const orders[])(const void *, const void *) = {by_size, by_area, by_lifetime};
    Search s = {.p = p, .best = SIZE_MAX, .limit = 100000000};
    s.order = ARENA_ARRAY(p->arena, Buffer *, p->n_buffers + 1);
    s.placed = (Placed){.span = ARENA_ARRAY(p->arena, struct Span, p->n_steps / SPAN + 1),
                        .seen = ARENA_ARRAY(p->arena, uint32_t, p->n_buffers + 1),
                        .rivals = ARENA_ARRAY(p->arena, Buffer *, p->n_buffers + 1)};
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUFFER_ARENA && p->buffers[i].base == NO_BUFFER &&
            p->buffers[i].first != UINT32_MAX)
            s.order[s.n++] = &p->buffers[i];
    if (!s.n)
        return;
    s.trial = ARENA_ARRAY(p->arena, Buffer *, s.n);
    s.kept = ARENA_ARRAY(p->arena, Buffer *, s.n);
    s.offset = ARENA_ARRAY(p->arena, size_t, s.n);
    p->live_bytes = most_alive(p, s.order, s.n);
    for (size_t i = 0; i < COUNT_OF(orders) && s.best > p->live_bytes; i++) {
        qsort(s.order, s.n, sizeof *s.order, orders[i]);
        consider(&s, s.order);
    }
    improve(&s);
    for (size_t i = 0; i < s.n; i++)
        s.kept[i]->offset = s.offset[i];
    p->workspace_bytes = s.best;
}

/* Constants that a step reads, in order of first use: a run walks through them forwards. */
static void place_constants(Program *p)
{
    size_t at = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        Buffer *b = &p->buffers[i];
        if (b->kind != BUFFER_CONST || b->base != NO_BUFFER)
            continue;
        b->offset = at;
        at = align_up(at + b->bytes);
    }
    p->weights_bytes = at ? at : align_up(1);
}

bool plan_memory(Program *p)
{
    find_lifetimes(p);
    place_arena(p);
    place_constants(p);
    const size_t states = graph_state_places(p->graph);
    p->workspace_bytes += states;
    p->live_bytes += states;
    p->placed = true;
    return true;
}

bool pass_plan_memory(Graph *g, Program *p, const PassOptions *options, const char **report)
{
    (void)options;
    bool ok = plan_memory(p);
    *report = arena_printf(g->arena, "workspace %zu bytes, %zu alive at once; weights %zu bytes",
                           p->workspace_bytes, p->live_bytes, p->weights_bytes);
    return ok;
}
