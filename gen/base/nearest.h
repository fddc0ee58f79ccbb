/* What somebody may have meant who mistyped a word. */
#pragma once

#include "base.h"

/* The best of the words that are tried. */
typedef struct Nearest {
    Arena *arena;
    const char *typed, *best; /* best NULL: none is near */
    size_t distance;
} Nearest;

/* Insertions, deletions, replacements, and neighbours that changed places, which make one word of the other; case counts for nothing. LONG_WORD for words that are longer than that. */
enum { LONG_WORD = 64 };
size_t edit_distance(const char *a, size_t na, const char *b, size_t nb);

Nearest nearest_to(Arena *arena, const char *typed);
/* A word of n bytes; of equally near ones the first stays. */
void nearest_try(Nearest *n, const char *word, size_t size);
/* Those of a list such as "dnnl|c". */
void nearest_try_list(Nearest *n, const char *list, char separator);
/* " (did you mean 'WORD'?)", or "". */
const char *did_you_mean(const Nearest *n);
