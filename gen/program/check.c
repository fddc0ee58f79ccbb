/* The checker of programs: what emission relies on, checked again after each pass that makes or completes a program, and for
 * every program that is read from text. */
#include "checker.h"
#include "loops.h"

#include <ctype.h>

bool is_identifier(const char *s)
{
    return s && *s && !isdigit((unsigned char)*s) && !s[word_length(s)];
}

bool verify_program(const Program *p)
{
    Arena *arena = arena_new();
    Checker c = {.p = p, .arena = arena};
    c.is_written = ARENA_ARRAY(arena, bool, p->n_buffers + 1);
    c.first = ARENA_ARRAY(arena, uint32_t, p->n_buffers + 1);
    c.last = ARENA_ARRAY(arena, uint32_t, p->n_buffers + 1);
    StepLoops loops;
    bool ok = check_rows(&c) && check_loops(&c);
    if (ok) {
        loops = program_loops(p, arena);
        c.loops = &loops;
        find_lifetimes(&c);
    }
    ok = ok && (!p->placed || check_places(&c)) && follow_steps(&c);
    arena_free(arena);
    return ok;
}
