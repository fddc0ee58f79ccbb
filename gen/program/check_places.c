/* Places of buffers: within the workspace or the weights, and shared by nothing that is alive at once. */
#include "checker.h"
#include "loops.h"

#include <string.h>

static void touch(Checker *c, BufferId b, uint32_t step)
{
    if (b == NO_BUFFER)
        return;
    const BufferId root = root_buffer(c->p, b, NULL);
    c->first[root] = step < c->first[root] ? step : c->first[root];
    c->last[root] = step > c->last[root] ? step : c->last[root];
}

void find_lifetimes(Checker *c)
{
    const Program *p = c->p;
    memset(c->first, 0xff, p->n_buffers * sizeof *c->first);
    for (uint32_t s = 0; s < p->n_steps; s++) {
        const Step *step = &p->steps[s];
        for (uint32_t k = 0; k < step->n_in; k++)
            touch(c, step->in[k], s);
        for (uint32_t k = 0; k < step->n_out; k++) {
            touch(c, step->out[k], s);
            if (step->out[k] != NO_BUFFER)
                c->is_written[step->out[k]] = true;
        }
        touch(c, step->scratch, s);
        for (uint32_t k = 0; k < step->n_guards; k++)
            touch(c, step->guards[k].condition, s);
    }
    for (uint32_t i = 0; i < p->n_copies; i++)
        touch(c, p->copies[i].from, p->n_steps);
    for (BufferId i = 0; i < p->n_buffers; i++)
        c->last[i] = loops_last_use(c->loops, c->first[i], c->last[i]);
}

static bool check_overlap(const Checker *c)
{
    const Program *p = c->p;
    BufferId *used = ARENA_ARRAY(c->arena, BufferId, p->n_buffers + 1);
    size_t n = 0;
    for (BufferId i = 0; i < p->n_buffers; i++)
        if (at(c, i)->kind == BUFFER_ARENA && at(c, i)->base == NO_BUFFER &&
            c->first[i] != UINT32_MAX && at(c, i)->bytes)
            used[n++] = i;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const Buffer *a = at(c, used[i]), *b = at(c, used[j]);
            bool together =
                c->first[used[i]] <= c->last[used[j]] && c->first[used[j]] <= c->last[used[i]];
            if (together && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                return wrong(c, "buffers %u and %u are alive together in the same place", used[i],
                             used[j]);
        }
    return true;
}

/* Constants never leave their place: they stand in the weights one after the other. */
static bool check_constants(const Checker *c)
{
    size_t end = 0;
    for (BufferId i = 0; i < c->p->n_buffers; i++) {
        const Buffer *b = at(c, i);
        if (b->kind != BUFFER_CONST || b->base != NO_BUFFER || !b->bytes)
            continue;
        if (b->offset < end)
            return wrong(c, "buffer %u lies in the weights where another constant is", i);
        end = b->offset + b->bytes;
    }
    return true;
}

/* states: bytes of the workspace that are no arena. */
static bool check_place(const Checker *c, BufferId id, size_t states)
{
    const Buffer *b = at(c, id);
    const size_t limit =
        b->kind == BUFFER_ARENA ? c->p->workspace_bytes - states : c->p->weights_bytes;
    const bool used = c->first[id] != UINT32_MAX;
    if (b->base != NO_BUFFER)
        return true;
    if (b->kind != BUFFER_CONST && used && (b->first != c->first[id] || b->last != c->last[id]))
        return wrong(c, "buffer %u is said to be used by steps %u to %u, and is by %u to %u", id,
                     b->first, b->last, c->first[id], c->last[id]);
    if (b->kind != BUFFER_CONST && (!used || b->kind != BUFFER_ARENA))
        return true; /* it has no place */
    return (b->offset % 64 == 0 && b->offset <= limit && b->bytes <= limit - b->offset) ||
           wrong(c, "buffer %u: %zu bytes at %zu do not fit", id, b->bytes, b->offset);
}

/* A state that rows are appended to is in the place that they are written to: one step reads it, and none has written there before. */
static bool check_appended(const Checker *c)
{
    const Graph *g = c->p->graph;
    for (BufferId i = 0; i < c->p->n_buffers; i++) {
        const Buffer *in = at(c, i);
        if (in->kind != BUFFER_INPUT || in->base != NO_BUFFER || !graph_is_appended(g, in->port) ||
            c->first[i] == UINT32_MAX)
            continue;
        for (BufferId o = 0; o < c->p->n_buffers; o++)
            if (at(c, o)->kind == BUFFER_OUTPUT && at(c, o)->base == NO_BUFFER &&
                at(c, o)->port == g->inputs[in->port].state - 1 &&
                (c->first[i] != c->last[i] || c->first[o] < c->first[i]))
                return wrong(c, "state '%s' is written over before it is read",
                             g->inputs[in->port].name);
    }
    return true;
}

bool check_places(const Checker *c)
{
    const size_t states = graph_state_places(c->p->graph);
    if (states > c->p->workspace_bytes)
        return wrong(c, "the workspace is smaller than the states in it");
    for (BufferId i = 0; i < c->p->n_buffers; i++)
        if (!check_place(c, i, states))
            return false;
    return check_overlap(c) && check_constants(c) && check_appended(c);
}
