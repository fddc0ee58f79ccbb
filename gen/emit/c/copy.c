/* Strided copies: see emit/c/copy.h. */
#include "copy.h"

#include <inttypes.h>
#include <string.h>

enum {
    TILE = 16,      /* elements: a row of f32 is one cache line */
    ROW_BYTES = 64, /* shorter rows are copied by a loop */
};

const Buffer *c_in(const CKernel *k, uint32_t i)
{
    return &k->program->buffers[k->step->in[i]];
}

const Buffer *c_out(const CKernel *k, uint32_t i)
{
    return &k->program->buffers[k->step->out[i]];
}

bool emit_c_nothing(CKernel *k)
{
    const Step *s = k->step;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER)
            text_printf(k->out, "    (void)src%" PRIu32 ";\n", i);
    for (uint32_t i = 0; i < s->n_out; i++)
        if (s->out[i] != NO_BUFFER)
            text_printf(k->out, "    (void)dst%" PRIu32 ";\n", i);
    if (s->scratch != NO_BUFFER)
        text_puts(k->out, "    (void)scratch;\n");
    text_puts(k->out, "}\n");
    return true;
}

Cut c_cut(const TensorType *t, int64_t from, int64_t to)
{
    Cut c = {1, 1, 1};
    for (int d = 0; d < t->rank; d++)
        *(d < from ? &c.outer : d < to ? &c.size : &c.inner) *= t->dims[d];
    return c;
}

const char *c_element_literal(Arena *arena, DType t, double v)
{
    uint64_t element = 0;
    if (dtype_is_float(t) || t == DT_BOOL)
        elem_set_f64(t, &element, 0, v);
    else if (t == DT_U64 && v >= 0x1p63)
        element = v < 0x1p64 ? (uint64_t)v : 0;
    else if (t == DT_I64 || t == DT_U32 || t == DT_U64)
        elem_set_i64(t, &element, 0, v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN);
    else
        elem_set_i64(t, &element, 0, v >= -0x1p31 && v < 0x1p31 ? (int32_t)v : INT32_MIN);
    if (t == DT_F32 || t == DT_F64)
        return c_float_literal(arena, t, elem_f64(t, &element, 0));
    if (dtype_is_float(t))
        return arena_printf(arena, "0x%04x", (unsigned)element);
    return c_int_literal(arena, t, elem_i64(t, &element, 0));
}

/* Both run along the innermost dimension: a memcpy for each row. */
static void copy_rows(CKernel *k, const Loops *l, const char *dst, const char *src)
{
    int row = l->rank - 1, indent = loops_open(k->out, l, 0, row, 4, false);
    const char *to = loops_index(l, 0, 0, row), *from = loops_index(l, 1, 0, row);
    const char *items[] = {arena_printf(k->arena, "%s%s%s", dst, strcmp(to, "0") ? " + " : "",
                                        strcmp(to, "0") ? to : ""),
                           arena_printf(k->arena, "%s%s%s", src, strcmp(from, "0") ? " + " : "",
                                        strcmp(from, "0") ? from : ""),
                           arena_printf(k->arena, "%" PRId64 " * sizeof *%s", l->dims[row], dst)};
    c_put_list(k->out, arena_printf(k->arena, "%*smemcpy(", indent, ""), items, 3, ");\n");
}

static void put_element(CKernel *k, const Loops *l, int indent, const char *dst, const char *src)
{
    c_put_assign(k->out, indent,
                 arena_printf(k->arena, "%s[%s]", dst, loops_index(l, 0, 0, l->rank)),
                 arena_printf(k->arena, "%s[%s]", src, loops_index(l, 1, 0, l->rank)));
}

static void copy_elements(CKernel *k, const Loops *l, const char *dst, const char *src)
{
    int indent = loops_open(k->out, l, 0, l->rank, 4, false);
    put_element(k, l, indent, dst, src);
}

static void tile_loop(CKernel *k, const Loops *l, int indent, int d)
{
    if (d == l->shared)
        text_printf(k->out, "%*sfor (size_t b%d = from * %d; b%d < to * %d; b%d += %d)\n", indent,
                    "", d, TILE, d, TILE, d, TILE);
    else
        text_printf(k->out, "%*sfor (size_t b%d = 0; b%d < %" PRId64 "; b%d += %d)\n", indent, "",
                    d, d, l->dims[d], d, TILE);
}

static void element_loop(CKernel *k, int indent, int d, int64_t size)
{
    const char *end =
        size % TILE ? arena_printf(k->arena, "(b%d + %d < %" PRId64 " ? b%d + %d : %" PRId64 ")", d,
                                   TILE, size, d, TILE, size)
                    : arena_printf(k->arena, "b%d + %d", d, TILE);
    text_printf(k->out, "%*sfor (size_t i%d = b%d; i%d < %s; i%d++)\n", indent, "", d, d, d, end,
                d);
}

/* src runs along dimension `a`, dst along the last one: squares of both, so that each cache line is used whole. */
static void copy_tiles(CKernel *k, const Loops *l, int a, const char *dst, const char *src)
{
    int last = l->rank - 1, indent = 4;
    for (int d = 0; d < last; d++)
        if (d != a) {
            loops_open(k->out, l, d, d + 1, indent, false);
            indent += 4;
        }
    tile_loop(k, l, indent, a);
    tile_loop(k, l, indent + 4, last);
    element_loop(k, indent + 8, a, l->dims[a]);
    element_loop(k, indent + 12, last, l->dims[last]);
    put_element(k, l, indent + 16, dst, src);
}

static int source_dim(const Loops *l)
{
    for (int d = 0; d < l->rank; d++)
        if (l->stride[1][d] == 1)
            return d;
    return -1;
}

enum Way { BY_ROWS, BY_TILES, BY_ELEMENTS };

static enum Way choose_way(const CKernel *k, const Loops *l)
{
    int last = l->rank - 1, a = source_dim(l);
    bool contiguous = l->rank > 0 && l->stride[0][last] == 1;
    int64_t row = l->rank > 0 ? l->dims[last] * (int64_t)dtype_size(c_out(k, 0)->type.dtype) : 0;
    if (contiguous && a == last && row >= ROW_BYTES)
        return BY_ROWS;
    bool tiles = contiguous && a >= 0 && a != last && l->dims[a] >= 8 && l->dims[last] >= 8;
    return tiles ? BY_TILES : BY_ELEMENTS;
}

static void simplify(Loops *l)
{
    loops_sort(l, 0);
    loops_coalesce(l);
}

/* Operations for one element and one byte. */
static double copy_operations(const CKernel *k, const Loops *l, enum Way way)
{
    static const double element[] = {[BY_ROWS] = 0, [BY_TILES] = 3, [BY_ELEMENTS] = 3};
    double n = 1;
    for (int d = 0; d < l->rank; d++)
        n *= (double)l->dims[d];
    return n * (element[way] + 0.5 * (double)dtype_size(c_out(k, 0)->type.dtype));
}

void c_copy_share(CKernel *k, Loops *l)
{
    if (l->empty)
        return;
    simplify(l);
    const enum Way way = choose_way(k, l);
    const int a = source_dim(l), outer = way == BY_TILES && a == 0 && l->rank > 2 ? 1 : 0;
    if (l->rank == 0 || (way == BY_ROWS && l->rank == 1))
        return;
    const bool by_tile = way == BY_TILES && outer == a;
    const int64_t n = by_tile ? (l->dims[outer] + TILE - 1) / TILE : l->dims[outer];
    if (c_share(k, n, copy_operations(k, l, way)))
        l->shared = outer;
}

void emit_c_copy(CKernel *k, Loops *l, const char *dst, const char *src)
{
    if (l->empty)
        return;
    simplify(l);
    switch (choose_way(k, l)) {
    case BY_ROWS:
        copy_rows(k, l, dst, src);
        break;
    case BY_TILES:
        copy_tiles(k, l, source_dim(l), dst, src);
        break;
    case BY_ELEMENTS:
        copy_elements(k, l, dst, src);
        break;
    }
}
