/* The memory map at the head of the driver: what lies where in the workspace, from which layer to which. */
#include "emit.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 40, NAME_COLUMNS = 40 };

/* A buffer that has workspace memory of its own. */
typedef struct Piece {
    const Buffer *buffer;
    BufferId id;
} Piece;

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_size(const void *x, const void *y)
{
    const Piece *a = x, *b = y;
    const int order = compare(b->buffer->bytes, a->buffer->bytes);
    return order ? order : compare(a->id, b->id);
}

static int by_place(const void *x, const void *y)
{
    const Piece *a = x, *b = y;
    int order = compare(a->buffer->offset, b->buffer->offset);
    order = order ? order : compare(a->buffer->first, b->buffer->first);
    return order ? order : compare(a->id, b->id);
}

static uint32_t collect(const Program *p, Piece *pieces)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        if (b->kind == BUFFER_ARENA && b->base == NO_BUFFER && b->bytes)
            pieces[n++] = (Piece){b, i};
    }
    return n;
}

/* The value that is in the buffer; of several that share its memory, as parts of it, the first. */
static const Buffer *value_in(const Program *p, BufferId id)
{
    size_t offset;
    if (has_value(p->buffers[id].value))
        return &p->buffers[id];
    for (uint32_t i = 0; i < p->n_buffers; i++)
        if (has_value(p->buffers[i].value) && buffer_root(p, i, &offset) == &p->buffers[id])
            return &p->buffers[i];
    return NULL;
}

static const char *contents(const Emit *e, BufferId id)
{
    const Buffer *b = value_in(e->p, id);
    if (!b)
        return "scratch";
    const char *name = c_safe_text(e->arena, value_at(e->p->graph, b->value)->name);
    const size_t length = strlen(name);
    if (length > NAME_COLUMNS) /* the end of a long name says more than its beginning */
        name = arena_printf(e->arena, "...%s", name + length - (NAME_COLUMNS - 3));
    return arena_printf(e->arena, "'%s', %s%s", name, type_text(e->arena, &b->type),
                        b->base == NO_BUFFER ? "" : ", is a part of it");
}

void bind_memory_map(const Emit *e, Bindings *b)
{
    const Program *p = e->p;
    Piece *pieces = ARENA_ARRAY(e->arena, Piece, p->n_buffers + 1);
    const uint32_t n = collect(p, pieces), shown = n < MOST_ROWS ? n : MOST_ROWS;
    qsort(pieces, n, sizeof *pieces, by_size);
    qsort(pieces, shown, sizeof *pieces, by_place);
    for (uint32_t i = 0; i < shown; i++) {
        const Buffer *piece = pieces[i].buffer;
        const char *layers = arena_printf(e->arena, "%u-%u", piece->first, piece->last);
        bind(bind_row(b, "places"), "place", "%10zu %10zu %9s  %s", piece->offset, piece->bytes,
             layers, contents(e, pieces[i].id));
    }
    bind(b, "map", "%d", n > 0);
    bind_int(b, "smaller", n - shown);
}
