/* Arguments of primitives as emitted C spells them. */
#include "plan.h"

typedef struct ArgName {
    int arg;
    const char *name;
} ArgName;

#define X(name, number) {number, "DNNL_ARG_" #name},
static const ArgName arg_names[] = {ARGUMENTS(X)}, arg_flags[] = {ARGUMENT_FLAGS(X)};
#undef X

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
        if (arg & arg_flags[i].arg)
            return with(arena, arg_flags[i].name, arg & ~arg_flags[i].arg);
    if (arg >= ARG_MULTIPLE_SRC)
        return arena_printf(arena, "DNNL_ARG_MULTIPLE_SRC + %d", arg - ARG_MULTIPLE_SRC);
    for (size_t i = 0; i < COUNT_OF(arg_names); i++)
        if (arg_names[i].arg == arg)
            return arg_names[i].name;
    return NULL;
}
