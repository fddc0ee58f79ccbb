/* Names by open addressing. The set keeps the last suffix tried for each name, so that n equal names cost O(n). */
#include "names.h"

#include <string.h>

typedef struct NameEntry {
    const char *name; /* NULL: free */
    uint32_t number;
} NameEntry;

struct Names {
    NameMap map; /* the next suffix for a name that is taken; from 1 */
};

NameMap name_map_new(Arena *arena)
{
    enum { FIRST = 16 };
    return (NameMap){.arena = arena, .entries = ARENA_ARRAY(arena, NameEntry, FIRST), .cap = FIRST};
}

static NameEntry *entry_of(const NameMap *m, const char *name)
{
    size_t i = hash64(name, strlen(name), 0) & (m->cap - 1);
    while (m->entries[i].name && strcmp(m->entries[i].name, name))
        i = (i + 1) & (m->cap - 1);
    return &m->entries[i];
}

uint32_t name_map_find(const NameMap *m, const char *name)
{
    return entry_of(m, name)->number;
}

static void grow(NameMap *m)
{
    const NameMap old = *m;
    m->cap *= 2;
    m->entries = ARENA_ARRAY(m->arena, NameEntry, m->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.entries[i].name)
            *entry_of(m, old.entries[i].name) = old.entries[i];
}

void name_map_put(NameMap *m, const char *name, uint32_t number)
{
    if (2 * (m->n + 1) > m->cap)
        grow(m);
    NameEntry *e = entry_of(m, name);
    if (!e->name) {
        e->name = name;
        m->n++;
    }
    e->number = number;
}

Names *names_new(Arena *arena)
{
    Names *names = ARENA_NEW(arena, Names);
    names->map = name_map_new(arena);
    return names;
}

const char *names_unique(Names *names, const char *name)
{
    NameMap *m = &names->map;
    uint32_t suffix = name_map_find(m, name);
    const char *candidate = suffix ? name : arena_strdup(m->arena, name);
    while (name_map_find(m, candidate)) {
        candidate = arena_printf(m->arena, "%s_%u", name, suffix);
        name_map_put(m, name, ++suffix);
    }
    name_map_put(m, candidate, 1);
    return candidate;
}
