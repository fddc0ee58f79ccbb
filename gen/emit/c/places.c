/* Names of places in the workspace: see emit/c/places.h. */
#include "places.h"

#include "../../ops/ops.h"
#include "../unit.h"

#include <limits.h>

struct Places {
    const Program *p;
    const char **name; /* by buffer; NULL: no step writes it */
    bool *used;
};

/* "CONV_3_DST": the label of a step is its own. */
static const char *place_name(Arena *arena, const Step *s, const char *operand)
{
    return arena_upper(arena, arena_printf(arena, "%s_%s", s->label, operand));
}

const char *step_output_name(const Program *p, const Step *s, uint32_t o)
{
    if (s->n_nodes == 1)
        return op_output_name(p->arena, node_at(p->graph, s->node)->op, o);
    return o ? arena_printf(p->arena, "dst%u", o + 1) : "dst";
}

/* What has no writer because its parts have, and begins with this step's: "CONV_3_CONCAT". */
static void name_whole(Places *places, const Step *s, BufferId part)
{
    const Program *p = places->p;
    size_t offset = 0;
    while (part != NO_BUFFER && !offset) {
        offset += p->buffers[part].base_offset;
        part = p->buffers[part].base;
        if (part == NO_BUFFER || offset || places->name[part])
            continue;
        places->name[part] = place_name(p->arena, s, "concat");
        return;
    }
}

Places *places_new(const Program *p)
{
    Places *places = ARENA_NEW(p->arena, Places);
    *places = (Places){.p = p,
                       .name = ARENA_ARRAY(p->arena, const char *, p->n_buffers + 1),
                       .used = ARENA_ARRAY(p->arena, bool, p->n_buffers + 1)};
    if (p->workspace_bytes > INT_MAX)
        return places; /* too large for enumerators */
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const Step *s = &p->steps[i];
        for (uint32_t o = 0; o < s->n_out; o++)
            if (s->out[o] != NO_BUFFER && !places->name[s->out[o]])
                places->name[s->out[o]] = place_name(p->arena, s, step_output_name(p, s, o));
        if (s->scratch != NO_BUFFER && !places->name[s->scratch])
            places->name[s->scratch] = place_name(p->arena, s, "scratch");
    }
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].n_out && p->steps[i].out[0] != NO_BUFFER)
            name_whole(places, &p->steps[i], p->steps[i].out[0]);
    return places;
}

const char *place_of(Places *places, BufferId id)
{
    size_t offset = 0;
    for (; id != NO_BUFFER; id = places->p->buffers[id].base) {
        if (places->name[id]) {
            places->used[id] = true;
            return offset ? arena_printf(places->p->arena, "%s + %zu", places->name[id], offset)
                          : places->name[id];
        }
        offset += places->p->buffers[id].base_offset;
    }
    return NULL;
}

void bind_places(const Places *places, Bindings *b)
{
    bind_list(b, "places", "");
    for (uint32_t i = 0; i < places->p->n_buffers; i++) {
        if (!places->used[i])
            continue;
        Bindings *place = bind_row(b, "places");
        bind(place, "place", "%s", places->name[i]);
        bind(place, "offset", "%zu", buffer_offset(places->p, i));
    }
}
