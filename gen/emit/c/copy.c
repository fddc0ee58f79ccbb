/* Strided copies: see emit/c/copy.h. */
#include "copy.h"
#include "nn.h"

#include <inttypes.h>

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

/* The dimension along which src's elements are neighbours. */
static int source_dim(const Loops *l)
{
    for (int d = 0; d < l->rank; d++)
        if (l->stride[1][d] == 1)
            return d;
    return -1;
}

typedef enum CopyVariant {
    COPY_ROWS,  /* both run along the innermost dimension: a memcpy for each row */
    COPY_TILES, /* src runs along another: squares of both, so that each cache line is used whole */
    COPY_ELEMENTS, /* one by one */
} CopyVariant;

static CopyVariant choose_variant(const CKernel *k, const Loops *l)
{
    int last = l->rank - 1, a = source_dim(l);
    bool contiguous = l->rank > 0 && l->stride[0][last] == 1;
    int64_t row = l->rank > 0 ? l->dims[last] * (int64_t)dtype_size(c_out(k, 0)->type.dtype) : 0;
    if (contiguous && a == last && row >= ROW_BYTES)
        return COPY_ROWS;
    bool tiles = contiguous && a >= 0 && a != last && l->dims[a] >= 8 && l->dims[last] >= 8;
    return tiles ? COPY_TILES : COPY_ELEMENTS;
}

static void simplify(Loops *l)
{
    loops_sort(l, 0);
    loops_coalesce(l);
}

/* Operations for one element and one byte. */
static double copy_operations(const CKernel *k, const Loops *l, CopyVariant variant)
{
    static const double element[] = {[COPY_ROWS] = 0, [COPY_TILES] = 3, [COPY_ELEMENTS] = 3};
    double n = 1;
    for (int d = 0; d < l->rank; d++)
        n *= (double)l->dims[d];
    return n * (element[variant] + 0.5 * (double)dtype_size(c_out(k, 0)->type.dtype));
}

/* Its outermost loop, or that over tiles, may be shared between threads. */
static void share_copy(CKernel *k, Loops *l)
{
    if (l->empty)
        return;
    simplify(l);
    const CopyVariant variant = choose_variant(k, l);
    const int a = source_dim(l), outer = variant == COPY_TILES && a == 0 && l->rank > 2 ? 1 : 0;
    if (l->rank == 0 || (variant == COPY_ROWS && l->rank == 1))
        return;
    const bool by_tile = variant == COPY_TILES && outer == a;
    const int64_t n = by_tile ? (l->dims[outer] + TILE - 1) / TILE : l->dims[outer];
    if (c_share(k, n, copy_operations(k, l, variant)))
        l->shared = outer;
}

/* The two loops of one dimension of the squares: over tiles from `begin` on, and over the elements of one up to `tile_end`. */
static void bind_tiled(Bindings *b, const char *list, const Loops *l, int d)
{
    Bindings *loop = bind_row(b, list);
    const bool shared = d == l->shared, whole = l->dims[d] % TILE == 0;
    bind(loop, "i", "i%d", d);
    bind(loop, "tile", "b%d", d);
    bind_int(loop, "step", TILE);
    if (shared)
        bind(loop, "begin", "from * %d", TILE);
    else
        bind(loop, "begin", "0");
    if (shared)
        bind(loop, "end", "to * %d", TILE);
    else
        bind_int(loop, "end", l->dims[d]);
    if (whole)
        bind(loop, "tile_end", "b%d + %d", d, TILE);
    else
        bind(loop, "tile_end", "(b%d + %d < %" PRId64 " ? b%d + %d : %" PRId64 ")", d, TILE,
             l->dims[d], d, TILE, l->dims[d]);
}

static void bind_tiles(Bindings *b, const Loops *l)
{
    const int a = source_dim(l), last = l->rank - 1;
    loops_bind(b, "dims", l, 0, a);
    loops_bind(b, "dims", l, a + 1, last);
    bind_tiled(b, "tiled", l, a);
    bind_tiled(b, "tiled", l, last);
}

void c_bind_copy(CKernel *k, Bindings *b, Loops *l, const char *dst, const char *src)
{
    simplify(l);
    Bindings *copy = bind_row(b, "copies");
    const CopyVariant variant = choose_variant(k, l);
    const int inner = variant == COPY_ROWS ? l->rank - 1 : l->rank;
    bind_int(copy, "by_rows", variant == COPY_ROWS);
    bind_int(copy, "by_tiles", variant == COPY_TILES);
    bind_int(copy, "by_elements", variant == COPY_ELEMENTS);
    bind(copy, "dst", "%s", dst);
    bind(copy, "src", "%s", src);
    bind(copy, "at_dst", "%s", loops_index(l, 0, 0, inner));
    bind(copy, "at_src", "%s", loops_index(l, 1, 0, inner));
    if (variant == COPY_TILES)
        bind_tiles(copy, l);
    else
        loops_bind(copy, "dims", l, 0, inner);
    if (variant == COPY_ROWS)
        bind_int(copy, "row", l->dims[inner]);
}

bool c_emit_copy(CKernel *k, Loops *l)
{
    share_copy(k, l);
    if (l->empty)
        return nn_emit_nothing(k);
    Bindings *b = nn_bindings(k);
    c_bind_copy(k, b, l, "dst0", "src0");
    nn_render(k, "c/copy.c", b);
    return true;
}
