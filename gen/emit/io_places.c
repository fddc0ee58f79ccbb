/* Inputs and outputs inside of the workspace: where one can stand without another byte of it, so that a caller who has little memory writes an input
 * where nothing is until it has been read, and reads an output where nothing is written any more.
 *
 * An input is alive from the first step to the last that reads it, an output from the first that writes it to the end; each takes the lowest place that no
 * buffer, input or output of its time has. In loops and with several plans that is more than lifetimes say: there are no such places. */
#include "../base/template.h"
#include "../program/loops.h"
#include "emit.h"

typedef struct Place {
    size_t offset, bytes;
    uint32_t first, last;
} Place;

typedef struct IoPlaces {
    const Program *p;
    Place *taken;
    uint32_t n;
    size_t end; /* of the workspace without states */
    bool none;  /* lifetimes do not say all */
} IoPlaces;

static size_t aligned(size_t offset)
{
    return (offset + 63) / 64 * 64;
}

/* What is in the way of a place; NULL: nothing. */
static const Place *obstacle(const IoPlaces *io, const Place *wanted)
{
    for (uint32_t i = 0; i < io->n; i++) {
        const Place *t = &io->taken[i];
        if (t->first <= wanted->last && wanted->first <= t->last &&
            t->offset < wanted->offset + wanted->bytes && wanted->offset < t->offset + t->bytes)
            return t;
    }
    return NULL;
}

/* "(size_t)64", or "NOWHERE". */
static void bind_place(const Emit *e, IoPlaces *io, Bindings *b, bool in, uint32_t port)
{
    const BufferKind kind = in ? BUFFER_INPUT : BUFFER_OUTPUT;
    Bindings *row = bind_row(b, in ? "input_places" : "output_places");
    const Buffer *buffer = NULL;
    for (uint32_t i = 0; i < io->p->n_buffers && !buffer; i++)
        if (io->p->buffers[i].kind == kind && io->p->buffers[i].base == NO_BUFFER &&
            io->p->buffers[i].port == port)
            buffer = &io->p->buffers[i];
    const Port *p = in ? &e->p->graph->inputs[port] : &e->p->graph->outputs[port];
    const bool used = buffer && buffer->first != UINT32_MAX;
    Place place = {.bytes = type_bytes(type_of(e->p->graph, p->value)),
                   .first = in || !used ? 0 : buffer->first,
                   .last = in && used ? buffer->last : io->p->n_steps};
    for (const Place *other; (other = obstacle(io, &place));)
        place.offset = aligned(other->offset + other->bytes);
    const bool fits = !io->none && place.bytes && place.offset + place.bytes <= io->end;
    if (fits)
        io->taken[io->n++] = place;
    bind(row, "at", fits ? "%zu" : "NOWHERE", place.offset);
}

void bind_io_places(const Emit *e, Bindings *b)
{
    const Graph *g = e->p->graph;
    const uint32_t most = e->p->n_buffers + g->n_inputs + g->n_outputs + 1;
    IoPlaces io = {.p = e->p,
                   .taken = ARENA_ARRAY(e->arena, Place, most),
                   .none = g->variants.n > 1 || program_loops(e->p, e->arena).n > 0};
    for (uint32_t i = 0; i < e->p->n_buffers; i++) {
        const Buffer *a = &e->p->buffers[i];
        if (a->kind != BUFFER_ARENA || a->base != NO_BUFFER || !a->bytes)
            continue;
        io.taken[io.n++] = (Place){a->offset, a->bytes, a->first, a->last};
        io.end = a->offset + a->bytes > io.end ? a->offset + a->bytes : io.end;
    }
    bind_list(b, "input_places", ", ");
    bind_list(b, "output_places", ", ");
    for (uint32_t i = 0; i < inputs_each(g); i++)
        if (!g->inputs[i].state)
            bind_place(e, &io, b, true, i);
    for (uint32_t i = 0; i < outputs_each(g); i++) {
        if (g->outputs[i].state || graph_is_count(g, i))
            continue;
        bind_place(e, &io, b, false, i);
        for (uint32_t k = 0; k < g->outputs[i].n_counts; k++)
            bind_place(e, &io, b, false, g->outputs[i].counts[k].by);
    }
    bind(bind_row(b, "input_places"), "at", "NOWHERE");
    bind(bind_row(b, "output_places"), "at", "NOWHERE");
}
