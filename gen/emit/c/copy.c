/* Strided copies: see emit/c/copy.h. */
#include "copy.h"
#include "../../kernel/layers.h"
#include "algorithms.h"
#include "nn.h"

#include <inttypes.h>

const Buffer *c_in(const CKernel *k, uint32_t i)
{
    return &k->program->buffers[k->step->in[i]];
}

const Buffer *c_out(const CKernel *k, uint32_t i)
{
    return &k->program->buffers[k->step->out[i]];
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

static const char *tile_end(const Loops *l, int d, int64_t tile)
{
    return l->dims[d] % tile == 0
               ? arena_printf(l->arena, "b%d + %" PRId64, d, tile)
               : arena_printf(l->arena,
                              "(b%d + %" PRId64 " < %" PRId64 " ? b%d + %" PRId64 " : %" PRId64 ")",
                              d, tile, l->dims[d], d, tile, l->dims[d]);
}

/* The two loops of one dimension of the squares: over tiles from `begin` on, and over the elements of one up to `tile_end`. */
static void bind_tiled(Bindings *b, const char *list, const Loops *l, int d, int64_t tile)
{
    Bindings *loop = bind_row(b, list);
    const bool shared = d == l->shared;
    bind(loop, "i", "i%d", d);
    bind(loop, "tile", "b%d", d);
    bind_int(loop, "step", tile);
    if (shared)
        bind(loop, "begin", "from * %" PRId64, tile);
    else
        bind(loop, "begin", "0");
    if (shared)
        bind(loop, "end", "to * %" PRId64, tile);
    else
        bind_int(loop, "end", l->dims[d]);
    bind(loop, "tile_end", "%s", tile_end(l, d, tile));
}

static void bind_tiles(Bindings *b, const Loops *l, int64_t tile)
{
    const int a = copy_source_dim(l), last = l->rank - 1;
    loops_bind(b, "dims", l, 0, a);
    loops_bind(b, "dims", l, a + 1, last);
    bind_tiled(b, "tiled", l, a, tile);
    bind_tiled(b, "tiled", l, last, tile);
}

/* The first element of a block is where the loops over elements would begin. */
static void bind_blocks(Bindings *b, const Loops *l, DType type)
{
    const int a = copy_source_dim(l), last = l->rank - 1;
    bind_tiles(b, l, COPY_TILE);
    bind(b, "T", "%s", dtype_c(type));
    bind(b, "is_whole", "b%d + %d <= %" PRId64 " && b%d + %d <= %" PRId64, a, COPY_TILE, l->dims[a],
         last, COPY_TILE, l->dims[last]);
    bind(b, "i_rows", "i%d", a);
    bind(b, "i_columns", "i%d", last);
    bind(b, "at_rows", "b%d", a);
    bind(b, "at_columns", "b%d", last);
    bind(b, "pitch", "%s", c_size(l->arena, "src_pitch", l->stride[1][last]));
    bind(b, "dst_pitch", "%s", c_size(l->arena, "dst_pitch", l->stride[0][a]));
}

Transposition c_transposition(int64_t side, DType type)
{
    return dtype_size(type) == 1   ? (Transposition){CH_TRANSPOSE_BYTES, "dnnlc_transpose_bytes"}
           : dtype_size(type) == 2 ? (Transposition){CH_TRANSPOSE_HALVES, "dnnlc_transpose_halves"}
           : side == COPY_TILE     ? (Transposition){CH_TRANSPOSE_LINES, "dnnlc_transpose_lines"}
                                   : (Transposition){CH_TRANSPOSE, "dnnlc_transpose"};
}

/* Strips of the source's rows; the last square of a row of the result begins earlier, and its elements are written twice. */
static void bind_squares(CKernel *k, Bindings *b, const Loops *l, DType type, int64_t width)
{
    const int a = copy_source_dim(l), last = l->rank - 1;
    const int64_t side = copy_square(k->program, l, type);
    const Transposition square = c_transposition(side, type);
    c_need(k, square.helper);
    loops_bind(b, "dims", l, 0, a);
    loops_bind(b, "dims", l, a + 1, last);
    bind_tiled(b, "strips", l, a, width);
    bind(b, "transpose", "%s", square.function);
    bind_int(b, "side", side);
    bind(b, "at_rows", "b%d", a);
    bind(b, "strip_end", "%s", tile_end(l, a, width));
    bind_int(b, "rest", l->dims[a] % side != 0);
    bind(b, "i_rows", "i%d", a);
    bind(b, "i_columns", "i%d", last);
    bind(b, "at_columns", "b%d", last);
    if (l->shared == last) {
        bind(b, "first", "from * %" PRId64, side);
        bind(b, "columns", "to * %" PRId64, side);
    } else {
        bind(b, "first", "0");
        bind_int(b, "columns", l->dims[last]);
    }
    if (l->dims[last] % side)
        bind(b, "first_column", "b%d + %" PRId64 " <= %" PRId64 " ? b%d : %" PRId64, last, side,
             l->dims[last], last, l->dims[last] - side);
    else
        bind(b, "first_column", "b%d", last);
    bind(b, "pitch", "%s", c_size(l->arena, "src_pitch", l->stride[1][last]));
    bind(b, "dst_pitch", "%s", c_size(l->arena, "dst_pitch", l->stride[0][a]));
}

static void bind_planes(Bindings *b, const Loops *l)
{
    const int a = copy_source_dim(l);
    loops_bind(b, "dims", l, 0, a);
    loops_bind(b, "dims", l, a + 1, l->rank);
    loops_bind(b, "dims", l, a, a + 1);
}

static void bind_algorithm(Bindings *copy, CVariant variant)
{
    bind_int(copy, "by_rows", variant == C_copy_rows);
    bind_int(copy, "by_tiles", variant == C_copy_tiles);
    bind_int(copy, "by_blocks", variant == C_copy_blocks);
    bind_int(copy, "by_squares", variant == C_copy_squares);
    bind_int(copy, "by_elements", variant == C_copy_elements || variant == C_copy_planes);
    bind_int(copy, "by_parts", variant == C_parts_rows);
}

static void bind_copy(CKernel *k, Bindings *b, const Loops *l, CVariant variant, DType type,
                      int64_t tile, const char *dst, const char *src)
{
    Bindings *copy = bind_row(b, "copies");
    const int inner = variant == C_copy_rows ? l->rank - 1 : l->rank;
    bind_algorithm(copy, variant);
    bind(copy, "dst", "%s", dst);
    bind(copy, "src", "%s", src);
    bind(copy, "at_dst", "%s", loops_index(l, 0, dst, 0, inner));
    bind(copy, "at_src", "%s", loops_index(l, 1, src, 0, inner));
    if (variant == C_copy_tiles)
        bind_tiles(copy, l, tile);
    else if (variant == C_copy_blocks)
        bind_blocks(copy, l, type);
    else if (variant == C_copy_squares)
        bind_squares(k, copy, l, type, tile);
    else if (variant == C_copy_planes)
        bind_planes(copy, l);
    else
        loops_bind(copy, "dims", l, 0, inner);
    if (variant == C_copy_rows)
        bind(copy, "row", "%s", loops_size(l, inner));
}

void c_bind_parts(CKernel *k, Bindings *b)
{
    const Step *s = k->step;
    const CPlan *plan = k->plan;
    const bool joins = k->node->op != OP_Split;
    const uint32_t n = joins ? s->n_in : s->n_out;
    for (uint32_t i = 0, next = 0; i < n; i++) {
        const BufferId part = joins ? s->in[i] : s->out[i];
        const char *name = joins ? k->input[i] : k->output[i];
        if (next < plan->n_parts && plan->parts[next].part == i)
            bind_copy(k, b, part_loops_of(k->program, s, i), plan->parts[next++].variant,
                      c_out(k, 0)->type.dtype, COPY_TILE, joins ? "dst" : name,
                      joins ? name : "src");
        else if (part != NO_BUFFER)
            bind(bind_row(b,
                          type_count(&k->program->buffers[part].type) ? "in_place" : "no_elements"),
                 "operand", "%s", name);
    }
}

/* `size` elements, of which the first is number `from` of the part's row and `at` of the whole's. */
static void bind_piece(Bindings *copy, const CKernel *k, uint32_t part, const PartRows *r,
                       int64_t from, int64_t at, int64_t size)
{
    const bool joins = k->node->op != OP_Split;
    Bindings *b = bind_row(copy, "pieces");
    bind_int(b, "single", size == 1);
    bind_int(b, "row", size);
    bind(b, "dst", "%s", joins ? "dst" : k->output[part]);
    bind(b, "src", "%s", joins ? k->input[part] : "src");
    for (int side = 0; side < 2; side++) {
        const bool whole = joins == (side == 0);
        const int64_t offset = whole ? at : from, pitch = whole ? r->pitch : r->size;
        Text t = text_new(k->arena);
        if (offset)
            text_printf(&t, "%" PRId64 " + ", offset);
        text_puts(&t, "i0");
        if (pitch != 1)
            text_printf(&t, " * %" PRId64, pitch);
        bind(b, side ? "at_src" : "at_dst", "%s", t.data);
    }
}

/* Element by element where no more than a group of stores that compilers know how to vectorise, unless rows of the parts are as long as each
 * other: memcpy makes wider elements of these. */
void c_bind_part_rows(CKernel *k, Bindings *b)
{
    enum { GROUP = 4 };
    const uint32_t n = k->node->op == OP_Split ? k->step->n_out : k->step->n_in;
    PartRows r;
    Loops *l = loops_new(k->arena, 2);
    Bindings *copy = bind_row(b, "copies");
    bind_algorithm(copy, C_parts_rows);
    part_rows_of(k->program, k->step, 0, &r);
    loops_dim(l, r.rows, (int64_t[]){1, 1});
    l->shared = k->shared ? 0 : -1;
    loops_bind(copy, "dims", l, 0, 1);
    const bool whole = r.pitch > GROUP || r.size * n == r.pitch;
    for (uint32_t i = 0, at = 0; i < n; i++) {
        part_rows_of(k->program, k->step, i, &r);
        const int64_t size = whole ? r.size : 1;
        for (int64_t from = 0; from < r.size; from += size, at += (uint32_t)size)
            bind_piece(copy, k, i, &r, from, at, size);
    }
}

void c_bind_whole(CKernel *k, Bindings *b)
{
    Loops *l = loops_new(k->arena, 2);
    loops_dim(l, type_count(&c_out(k, 0)->type), (int64_t[]){1, 1});
    bind_copy(k, b, l, C_copy_rows, DT_F32, 0, "dst", "src");
}

void emit_c_copy(CKernel *k)
{
    const bool in_place =
        k->node && k->node->op == OP_Reshape && c_in_place(k->program, k->step, 0, 0);
    if (!k->plan || in_place) {
        nn_emit_nothing(k);
        return;
    }
    Loops *l = copy_loops_of(k->program, k->step);
    l->shared = k->shared ? copy_shared_dim(l, k->plan->variant) : -1;
    Bindings *b = nn_bindings(k);
    bind_copy(k, b, l, k->plan->variant, c_out(k, 0)->type.dtype, k->plan->width, "dst", "src");
    nn_render(k, "c/copy.c", b);
}
