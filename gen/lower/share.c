/* Constants that stand in others: a table of positions for 16 words is the beginning of that for 64, weights packed for one primitive may be what
 * another one reads. Only where a model has variants: those of one size have few, and they stand in the order in which a run reads them. */
#include "lower.h"

#include <string.h>

enum { UNIT = 64 }; /* bytes that places are multiples of */

typedef struct Beginnings {
    BufferId *first, *next; /* by the hash of the first unit; by buffer */
    size_t mask;
} Beginnings;

static bool has_place(const Buffer *b)
{
    return b->kind == BUFFER_CONST && b->base == NO_BUFFER && b->bytes >= UNIT;
}

static BufferId *those_like(const Beginnings *t, const unsigned char *unit)
{
    return &t->first[hash64(unit, UNIT, 0) & t->mask];
}

static Beginnings list_beginnings(const Program *p, Arena *scratch)
{
    Beginnings t = {.mask = 1};
    while (t.mask < p->n_buffers)
        t.mask = 2 * t.mask + 1;
    t.first = ARENA_ARRAY(scratch, BufferId, t.mask + 1);
    t.next = ARENA_ARRAY(scratch, BufferId, p->n_buffers);
    memset(t.first, 0xff, (t.mask + 1) * sizeof *t.first); /* NO_BUFFER */
    for (BufferId i = p->n_buffers; i-- > 0;)
        if (has_place(&p->buffers[i])) {
            BufferId *list = those_like(&t, p->buffers[i].data);
            t.next[i] = *list;
            *list = i;
        }
    return t;
}

/* Whether b is what stands so far from the start of `whole`: its end is compared first, since much that begins alike is zero. */
static bool stands_at(const Buffer *b, const Buffer *whole, size_t offset)
{
    const unsigned char *data = b->data, *there = (const unsigned char *)whole->data + offset;
    const size_t last = b->bytes - UNIT;
    return b->bytes <= whole->bytes - offset && !memcmp(data + last, there + last, UNIT) &&
           !memcmp(data, there, last);
}

/* Buffer k becomes a part of an earlier one; an earlier one with whose bytes it begins becomes as long as it is. */
static void place_in(Program *p, BufferId k, BufferId whole, size_t offset)
{
    if (k < whole) {
        p->buffers[k].data = p->buffers[whole].data;
        p->buffers[k].bytes = p->buffers[whole].bytes;
    }
    Buffer *part = &p->buffers[k < whole ? whole : k];
    part->base = k < whole ? k : whole;
    part->base_offset = offset;
}

/* Places what stands in constant i; returns the constant that is to be looked at next. */
static BufferId place_parts(Program *p, const Beginnings *t, BufferId i)
{
    const Buffer *whole = &p->buffers[i];
    for (size_t at = 0; has_place(whole) && at + UNIT <= whole->bytes; at += UNIT)
        for (BufferId k = *those_like(t, (const unsigned char *)whole->data + at); k != NO_BUFFER;
             k = t->next[k]) {
            if (k == i || (k < i && at) || !has_place(&p->buffers[k]) ||
                !stands_at(&p->buffers[k], whole, at))
                continue;
            place_in(p, k, i, at);
            if (k < i)
                return k;
        }
    return i + 1;
}

void lower_share_constants(Program *p)
{
    Arena *scratch = arena_new();
    const Beginnings t = list_beginnings(p, scratch);
    for (BufferId i = 0; i < p->n_buffers;)
        i = place_parts(p, &t, i);
    arena_free(scratch);
}
