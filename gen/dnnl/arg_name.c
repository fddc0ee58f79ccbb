/* Arguments of primitives as emitted C spells them. */
#include "plan.h"

static const struct ArgName {
    int arg;
    const char *name;
} arg_names[] = {
    {ARG_SRC, "DNNL_ARG_SRC"},           {ARG_SRC_1, "DNNL_ARG_SRC_1"},
    {ARG_DST, "DNNL_ARG_DST"},           {ARG_WEIGHTS, "DNNL_ARG_WEIGHTS"},
    {ARG_BIAS, "DNNL_ARG_BIAS"},         {ARG_MEAN, "DNNL_ARG_MEAN"},
    {ARG_VARIANCE, "DNNL_ARG_VARIANCE"}, {ARG_SCALE, "DNNL_ARG_SCALE"},
    {ARG_SHIFT, "DNNL_ARG_SHIFT"},
};

static const struct ArgFlag {
    int flag;
    const char *name;
} arg_flags[] = {
    {ARG_ATTR_POST_OP_DW, "DNNL_ARG_ATTR_POST_OP_DW"},
    {ARG_ATTR_SCALES, "DNNL_ARG_ATTR_SCALES"},
    {ARG_ATTR_ZERO_POINTS, "DNNL_ARG_ATTR_ZERO_POINTS"},
};

static const char *with(Arena *arena, const char *flag, int arg)
{
    const char *inner = onednn_arg_name(arena, arg);
    return inner ? arena_printf(arena, "%s | %s", flag, inner) : NULL;
}

const char *onednn_arg_name(Arena *arena, int arg)
{
    const int post = arg_of_post_op(0);
    if (arg < 0)
        return NULL;
    if (arg >= post)
        return with(arena,
                    arena_printf(arena, "DNNL_ARG_ATTR_MULTIPLE_POST_OP(%d)", arg / post - 1),
                    arg % post);
    for (size_t i = 0; i < COUNT_OF(arg_flags); i++)
        if (arg & arg_flags[i].flag)
            return with(arena, arg_flags[i].name, arg & ~arg_flags[i].flag);
    if (arg >= ARG_MULTIPLE_SRC)
        return arena_printf(arena, "DNNL_ARG_MULTIPLE_SRC + %d", arg - ARG_MULTIPLE_SRC);
    for (size_t i = 0; i < COUNT_OF(arg_names); i++)
        if (arg_names[i].arg == arg)
            return arg_names[i].name;
    return NULL;
}
