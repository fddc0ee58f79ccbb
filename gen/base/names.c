/* Open-addressing hash set of names; remembers the last suffix tried for each, so that n equal
 * names cost O(n). */
#include "names.h"

#include <string.h>

typedef struct Entry {
    const char *name;
    uint32_t suffix; /* the last one handed out for this name */
} Entry;

struct Names {
    Arena *arena;
    Entry *entries;
    size_t n, cap; /* cap is a power of two */
};

Names *names_new(Arena *arena)
{
    Names *s = ARENA_NEW(arena, Names);
    s->arena = arena;
    s->cap = 64;
    s->entries = ARENA_ARRAY(arena, Entry, s->cap);
    return s;
}

static Entry *find_name(Entry *entries, size_t cap, const char *name)
{
    size_t i = hash64(name, strlen(name), 0) & (cap - 1);
    while (entries[i].name && strcmp(entries[i].name, name))
        i = (i + 1) & (cap - 1);
    return &entries[i];
}

static void grow(Names *s)
{
    size_t cap = s->cap * 2;
    Entry *entries = ARENA_ARRAY(s->arena, Entry, cap);
    for (size_t i = 0; i < s->cap; i++)
        if (s->entries[i].name)
            *find_name(entries, cap, s->entries[i].name) = s->entries[i];
    s->entries = entries;
    s->cap = cap;
}

static const char *take(Names *s, const char *name)
{
    if (2 * (s->n + 1) > s->cap)
        grow(s);
    *find_name(s->entries, s->cap, name) = (Entry){.name = name};
    s->n++;
    return name;
}

const char *names_unique(Names *names, const char *name)
{
    if (!find_name(names->entries, names->cap, name)->name)
        return take(names, arena_strdup(names->arena, name));
    for (;;) {
        uint32_t suffix = ++find_name(names->entries, names->cap, name)->suffix;
        const char *candidate = arena_printf(names->arena, "%s_%u", name, suffix);
        if (!find_name(names->entries, names->cap, candidate)->name)
            return take(names, candidate);
    }
}
