/* --tune=SECONDS: programs are compiled, built and timed here until the time is over or nothing is left to be tried. */
#pragma once

#include "../program/program.h"
#include "question.h"

/* Which plan of a model was the quickest as a whole: by estimation, or by measured primitives; with what a search has found. */
enum { PLAN_MEASURED = 1, PLAN_SEARCHED = 2, PLANS = 4 };

typedef struct SearchRequest {
    const char *model;    /* names the model and all options that shape its program */
    const char *isa;      /* to limit oneDNN to; NULL: to nothing */
    const char *name;     /* of the executable */
    int seconds, threads; /* threads 0: as many as compiled for */
    /* Compiles the model into a folder, by measured times where `measured`; the program, which lives in the arena, or NULL after a refusal. */
    const Program *(*compile)(void *user, Arena *arena, Search *s, bool measured, const char *dir,
                              Diag *diag);
    void *user;
    bool quiet; /* nothing is said of what was found */
} SearchRequest;

/* Which plan is to be taken, with all times known; false after a refusal. Once the seconds have been spent on a model, they are not again. */
bool search_plan(Arena *arena, Diag *diag, Tune *tune, const SearchRequest *r, int *plan);
