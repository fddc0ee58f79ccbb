/* The affine loop-nest writer: see emit/c/loops.h. */
#include "loops.h"

#include <inttypes.h>

Loops *loops_new(Arena *arena, int n_operands)
{
    Loops *l = ARENA_NEW(arena, Loops);
    l->arena = arena;
    l->n = n_operands;
    l->shared = -1;
    l->stride = arena_alloc_array(arena, (size_t)n_operands, sizeof *l->stride);
    l->offset = ARENA_ARRAY(arena, int64_t, (size_t)n_operands);
    return l;
}

void loops_dim(Loops *l, int64_t size, const int64_t *strides)
{
    if (l->rank == LOOP_RANK)
        bug("more than %d loops", LOOP_RANK);
    l->dims[l->rank] = size;
    for (int o = 0; o < l->n; o++)
        l->stride[o][l->rank] = strides[o];
    l->empty |= size == 0;
    l->rank++;
}

static void swap_dims(Loops *l, int a, int b)
{
    int64_t size = l->dims[a];
    l->dims[a] = l->dims[b];
    l->dims[b] = size;
    for (int o = 0; o < l->n; o++) {
        int64_t stride = l->stride[o][a];
        l->stride[o][a] = l->stride[o][b];
        l->stride[o][b] = stride;
    }
}

void loops_sort(Loops *l, int operand)
{
    for (int i = 1; i < l->rank; i++)
        for (int j = i; j > 0 && l->stride[operand][j - 1] < l->stride[operand][j]; j--)
            swap_dims(l, j - 1, j);
}

static void drop_dim(Loops *l, int d)
{
    for (int i = d; i + 1 < l->rank; i++)
        swap_dims(l, i, i + 1);
    l->rank--;
}

static bool can_merge(const Loops *l, int outer)
{
    for (int o = 0; o < l->n; o++)
        if (l->stride[o][outer] != l->stride[o][outer + 1] * l->dims[outer + 1])
            return false;
    return true;
}

void loops_coalesce(Loops *l)
{
    if (l->empty)
        return;
    for (int d = l->rank - 1; d >= 0; d--)
        if (l->dims[d] == 1)
            drop_dim(l, d);
    for (int d = l->rank - 2; d >= 0; d--)
        if (can_merge(l, d)) {
            l->dims[d + 1] *= l->dims[d];
            drop_dim(l, d);
        }
}

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
