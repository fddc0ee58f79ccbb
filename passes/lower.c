/* lower: the program of a graph, with its layouts. How is in gen/lower/. */
#include "../gen/lower/lower.h"
#include "pass.h"

bool pass_lower(Graph *g, Program *p, const PassOptions *options, const char **report)
{
    const LowerOptions defaults = {.conv = CONV_WHERE_FASTER};
    if (!lower_program(g, p, options->engine, options->lowering ? options->lowering : &defaults))
        return false;
    *report =
        arena_printf(g->arena, "%u steps in %u units, %u buffers, %u outputs copied at the end",
                     p->n_steps, p->n_regions, p->n_buffers, p->n_copies);
    return true;
}
