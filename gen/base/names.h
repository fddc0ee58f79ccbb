/* A map from names to numbers, and a set of names that hands out unique ones. */
#pragma once

#include "base.h"

typedef struct NameMap {
    Arena *arena;
    struct NameEntry *entries;
    size_t n, cap; /* cap is a power of two */
} NameMap;

NameMap name_map_new(Arena *arena);
/* 0: nothing is known of the name. */
uint32_t name_map_find(const NameMap *m, const char *name);
/* The name is kept, not copied, when it is new. */
void name_map_put(NameMap *m, const char *name, uint32_t number);

typedef struct Names Names;
Names *names_new(Arena *arena);
/* `name` if it is free, else `name` + "_1", "_2", …; it is taken afterwards. */
const char *names_unique(Names *names, const char *name);
