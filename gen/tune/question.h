/* --tune=SECONDS: what planners ask a search, and what it answers.
 *
 * Where a layer can be computed in several ways, its planner lists them, the usual one first, and takes the one it is told. While candidates are tried that
 * is one whose time is not known yet (search.c times the program), in the end the quickest. Times are kept with those of --tune. */
#pragma once

#include "../graph/ir.h"
#include "tune.h"

typedef struct Answer {
    uint32_t node;
    const char *what, *key; /* of its times, without the alternative */
    const char *const *names;
    uint32_t n, chosen;
    bool explored; /* chosen in order to be timed */
} Answer;

/* For one compilation; lives in its arena. */
typedef struct Search {
    Arena *arena;
    Tune *tune;
    bool explores, says; /* what is not as usual, for --explain */
    Answer *answers;
    size_t n, cap;
} Search;

enum { MAX_ALTERNATIVES = 16 };

/* Which of n alternatives node is to have. `what` is chosen, of which all that matters besides shapes and attributes is part. Asked again, the answer is the same.
 * 0, the usual one, where s is NULL. Of one node one answer is explored at a time. */
uint32_t search_ask(Search *s, const Graph *g, const Node *node, const char *what,
                    const char *const *names, uint32_t n);
/* Nanoseconds of an alternative, from the cache or measured. */
bool search_known(const Search *s, const Answer *a, uint32_t i, double *ns);
void search_learn(const Search *s, const Answer *a, uint32_t i, double ns);
