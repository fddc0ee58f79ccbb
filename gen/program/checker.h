/* The checker of programs, shared by its files: what a program says is followed with these. */
#pragma once

#include "program.h"

typedef struct Checker {
    const Program *p;
    Arena *arena;
    bool *is_written;       /* by buffer: some step writes it */
    struct Pieces *pieces;  /* by root buffer: follow.c */
    uint32_t *first, *last; /* by root buffer: the steps between which it is used */
    struct StepLoops *loops;
    uint32_t now;
} Checker;

static inline const Buffer *at(const Checker *c, BufferId b)
{
    return &c->p->buffers[b];
}
/* Refuses, naming the file. Returns false. */
#define wrong(c, ...) refuse_graph((c)->p->graph, "program: " __VA_ARGS__)

/* Of C; false where there is none. */
bool is_identifier(const char *s);
/* check_rows.c: steps and buffers by themselves. Everything that the others use as an index is one afterwards. */
bool check_rows(Checker *c);
/* check_kernels.c: the layouts and the scratch memory of a kernel of C, and the layouts of a loop over elementwise nodes. */
bool check_kernel(const Checker *c, const Step *s);
bool check_loop(const Checker *c, const Step *s);
/* How a kernel of C computes, and that it has the scratch memory for it. */
bool check_plan(const Checker *c, const Step *s);
/* check_dnnl.c: the primitive of a step by itself. */
bool check_primitive(const Checker *c, const Step *s);
/* check_places.c: lifetimes, and that nothing that is alive at once shares memory. */
void find_lifetimes(Checker *c);
bool check_places(const Checker *c);
/* loops.c: both ends of each loop belong together. */
bool check_loops(const Checker *c);
/* follow.c: every step reads what was written for it. */
bool follow_steps(Checker *c);
