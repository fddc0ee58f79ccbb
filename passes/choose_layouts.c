/* choose-layouts: the layout of every value, before the graph is lowered. The problem and its costs are in gen/layout/. */
#include "../gen/layout/choose.h"
#include "pass.h"

bool pass_choose_layouts(Graph *g, const PassOptions *options, const char **report)
{
    const LowerOptions defaults = {.conv = CONV_WHERE_FASTER};
    choose_layouts(g, options->engine, options->lowering ? options->lowering : &defaults);
    const LayoutChoice *c = g->columns->layouts;
    *report = c && c->said ? c->said : "all values are row-major";
    return true;
}
