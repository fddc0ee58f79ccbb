/* Kernels whose outermost loop is shared between threads. The kernel gets a range of it, and a function around it hands the ranges
 * out. That one is not cloned for instruction sets, since what compilers make of a parallel loop in a clone differs. Every
 * iteration computes what it does on one thread: results are the same to the last bit. */
#include "../../base/template.h"
#include "helpers.h"

void emit_c_shared(CKernel *k)
{
    const Step *s = k->step;
    const char **items = ARENA_ARRAY(k->arena, const char *, s->n_in + s->n_out + 4);
    Bindings *b = bindings_new(k->arena, NULL);
    bind(b, "fn", "%s", k->fn);
    bind_items(b, "params", "param", items, c_parameters(k, items));
    bind_int(b, "parts", k->program->threads);
    bind_int(b, "all", k->shared);
    bind_items(b, "args", "arg", items, c_operand_names(k, items));
    if (s->scratch != NO_BUFFER)
        bind(bind_row(b, "args"), "arg", "(unsigned char *)scratch + part * %zu", s->scratch_part);
    c_begin_part(k, "c/shared.c");
    render(k->out, "c/shared.c", b);
}
