/* Kernels whose outermost loop is shared between threads. The kernel gets a range of it, and a function around it hands the ranges
 * out. That one is not cloned for instruction sets, since what compilers make of a parallel loop in a clone differs. Every
 * iteration computes what it does on one thread: results are the same to the last bit. */
#include "helpers.h"

#include <inttypes.h>

bool c_share(CKernel *k, int64_t n, double operations)
{
    if (!k->plan && c_pays_to_share(k->program, k->step, n, operations))
        k->shared = n;
    return k->shared != 0;
}

void emit_c_shared(const CKernel *k)
{
    const Step *s = k->step;
    const char **items = ARENA_ARRAY(k->arena, const char *, s->n_in + s->n_out + 4);
    size_t n = c_parameters(k, items);
    text_puts(k->out, "\n/* The same, shared between threads. */\n");
    c_put_list(k->out, arena_printf(k->arena, "void %s(", k->fn), items, n, ")\n");
    text_printf(k->out,
                "{\n    enum { PARTS = %d, ALL = %" PRId64 " };\n"
                "#ifdef _OPENMP\n#pragma omp parallel for schedule(static)\n#endif\n"
                "    for (size_t part = 0; part < PARTS; part++)\n",
                k->program->threads, k->shared);
    n = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER)
            items[n++] = arena_printf(k->arena, "src%" PRIu32, i);
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER)
            items[n++] = arena_printf(k->arena, "dst%" PRIu32, o);
    if (s->scratch != NO_BUFFER)
        items[n++] =
            arena_printf(k->arena, "(unsigned char *)scratch + part * %zu", s->scratch_part);
    items[n++] = "part * ALL / PARTS";
    items[n++] = "(part + 1) * ALL / PARTS";
    c_put_list(k->out, arena_printf(k->arena, "        %s_part(", k->fn), items, n, ");\n");
    text_puts(k->out, "}\n");
}
