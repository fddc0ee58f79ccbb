/* Prints affine loop nests: see emit/c/loops.h. */
#include "loops.h"
#include "algorithms.h"

#include <inttypes.h>
#include <stdlib.h>

const char *loops_size(const Loops *l, int d)
{
    return c_size(l->arena, arena_printf(l->arena, "n%d", d), l->dims[d]);
}

void loops_bind(Bindings *b, const char *list, const Loops *l, int from, int to)
{
    bind_list(b, list, "");
    for (int d = from; d < to; d++) {
        Bindings *row = bind_row(b, list);
        bind(row, "i", "i%d", d);
        bind(row, "begin", d == l->shared ? "from" : "0");
        bind(row, "end", "%s", d == l->shared ? "to" : loops_size(l, d));
    }
}

const char *loops_index(const Loops *l, int operand, const char *name, int from, int to)
{
    Text t = text_new(l->arena);
    if (from == 0 && l->offset[operand])
        text_printf(&t, "%" PRId64, l->offset[operand]);
    for (int d = from; d < to; d++) {
        int64_t s = l->stride[operand][d];
        if (!s)
            continue;
        if (t.size)
            text_puts(&t, s < 0 ? " - " : " + ");
        else if (s < 0)
            text_puts(&t, "0 - "); /* unsigned: comes right when the rest of the sum is added */
        text_printf(&t, "i%d", d);
        if (s != 1 && s != -1)
            text_printf(&t, " * %s",
                        c_size(l->arena, arena_printf(l->arena, "%s_stride%d", name, d), llabs(s)));
    }
    return t.size ? t.data : "0";
}
