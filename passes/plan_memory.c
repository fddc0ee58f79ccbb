/* plan-memory: one arena for activations, scratch memory and reordered copies of the whole model.
 *
 * A buffer is alive from the step that writes it to the last step that reads it; views live with what they are views of.
 * Placement is greedy by size: the largest buffer first, each at the lowest offset where nothing that lives at the same time
 * stands (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020). */
#include "plan_memory.h"

#include <stdlib.h>

enum { ALIGN = 64 };

static size_t round_up(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* An empty tensor has an address of its own too: emitted functions take `restrict` pointers. */
static size_t extent(const Buffer *b)
{
    return b->bytes ? b->bytes : 1;
}

static BufferId root_of(const Program *p, BufferId b)
{
    while (p->buffers[b].base != NO_BUFFER)
        b = p->buffers[b].base;
    return b;
}

static void touch(Program *p, BufferId b, uint32_t step)
{
    if (b == NO_BUFFER)
        return;
    Buffer *root = &p->buffers[root_of(p, b)];
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
    }
    for (uint32_t i = 0; i < p->n_copies; i++) /* made after the last step */
        touch(p, p->copies[i].from, p->n_steps);
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
        s->buffer = arena_grow(p->arena, s->buffer, s->n, &s->cap, sizeof *s->buffer);
        s->buffer[s->n++] = b;
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
static size_t place(const Program *p, Placed *placed, const Buffer *b)
{
    size_t n = find_rivals(p, placed, b), at = 0;
    if (n)
        qsort(placed->rivals, n, sizeof *placed->rivals, by_offset);
    for (size_t i = 0; i < n; i++) {
        const Buffer *other = placed->rivals[i];
        if (at + extent(b) <= other->offset)
            break;
        size_t end = round_up(other->offset + extent(other));
        at = end > at ? end : at;
    }
    return at;
}

static void place_arena(Program *p)
{
    Buffer **all = ARENA_ARRAY(p->arena, Buffer *, p->n_buffers + 1);
    Placed placed = {.span = ARENA_ARRAY(p->arena, struct Span, p->n_steps / SPAN + 1),
                     .seen = ARENA_ARRAY(p->arena, uint32_t, p->n_buffers + 1),
                     .rivals = ARENA_ARRAY(p->arena, Buffer *, p->n_buffers + 1)};
    size_t n = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (p->buffers[i].kind == BUFFER_ARENA && p->buffers[i].base == NO_BUFFER &&
            p->buffers[i].first != UINT32_MAX)
            all[n++] = &p->buffers[i];
    if (n)
        qsort(all, n, sizeof *all, by_size);
    for (size_t i = 0; i < n; i++) {
        all[i]->offset = place(p, &placed, all[i]);
        note_placed(p, &placed, all[i]);
        size_t end = round_up(all[i]->offset + extent(all[i]));
        p->workspace_bytes = end > p->workspace_bytes ? end : p->workspace_bytes;
    }
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
        at = round_up(at + b->bytes);
    }
    p->weights_bytes = at ? at : ALIGN;
}

bool plan_memory(Program *p)
{
    find_lifetimes(p);
    place_arena(p);
    place_constants(p);
    return true;
}
