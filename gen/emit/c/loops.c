/* Prints affine loop nests: see emit/c/loops.h. */
#include "loops.h"

#include <inttypes.h>

void loops_bind(Bindings *b, const char *list, const Loops *l, int from, int to)
{
    bind_list(b, list, "");
    for (int d = from; d < to; d++) {
        Bindings *row = bind_row(b, list);
        bind(row, "i", "i%d", d);
        bind(row, "begin", d == l->shared ? "from" : "0");
        bind(row, "end", d == l->shared ? "to" : "%" PRId64, l->dims[d]);
    }
}

int loops_open(Text *out, const Loops *l, int from, int to, int indent, bool braces)
{
    for (int d = from; d < to; d++, indent += 4) {
        text_printf(out,
                    d == l->shared ? "%*sfor (size_t i%d = from; i%d < to; "
                                   : "%*sfor (size_t i%d = 0; i%d < ",
                    indent, "", d, d);
        if (d != l->shared)
            text_printf(out, "%" PRId64 "; ", l->dims[d]);
        text_printf(out, "i%d++)%s\n", d, braces && d + 1 == to ? " {" : "");
    }
    return indent;
}

void loops_close(Text *out, const Loops *l, int from, int to, int indent)
{
    (void)l;
    if (to > from)
        text_printf(out, "%*s}\n", indent + 4 * (to - from - 1), "");
}

const char *loops_index(const Loops *l, int operand, int from, int to)
{
    Text t;
    text_init(&t, l->arena);
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
            text_printf(&t, " * %" PRId64, s < 0 ? -s : s);
    }
    return t.size ? t.data : "0";
}
