/* Pad. Constant padding is a fill and a copied box; the other modes read every element from where the mode says. */
#include "../../kernel/layers.h"
#include "copy.h"
#include "nn.h"
#include "ops.h"

#include <inttypes.h>

static bool is_zero(DType t, double v)
{
    uint64_t element = 0;
    if (dtype_is_float(t))
        elem_set_f64(t, &element, 0, v);
    return dtype_is_float(t) ? element == 0 : v == 0;
}

/* Everything, before the copy: what lies between the rows of a pitched layout is not dst's. */
static void bind_fill(CKernel *k, Bindings *b, double value)
{
    const Buffer *dst = c_out(k, 0);
    int64_t to[MAX_RANK];
    if (!dst->layout.pitch && is_zero(dst->type.dtype, value)) {
        Bindings *zeros = bind_row(b, "zeros");
        bind(zeros, "dst", "dst");
        bind(zeros, "bytes", "%zu", type_bytes(&dst->type));
        return;
    }
    Loops *l = loops_new(k->arena, 1);
    layout_strides(&dst->layout, &dst->type, to);
    for (int d = 0; d < dst->type.rank; d++)
        loops_dim(l, dst->type.dims[d], &to[d]);
    loops_sort(l, 0);
    loops_coalesce(l);
    Bindings *fill = bind_row(b, "fills");
    loops_bind(fill, "dims", l, 0, l->rank);
    bind(fill, "dst", "dst");
    bind(fill, "at_dst", "%s", loops_index(l, 0, "dst", 0, l->rank));
    bind(fill, "value", "%s", c_element_literal(k->arena, dst->type.dtype, value));
}

static void pad_constant(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    if (type_count(&c_in(k, 0)->type) < type_count(&c_out(k, 0)->type))
        bind_fill(k, b, attr_float(k->node, "value", 0));
    c_bind_parts(k, b);
    nn_render(k, "c/copy.c", b);
}

/* A padded dimension: position i of dst as the position in src that it shows, before the middle, in it, and behind it. Unsigned
 * arithmetic would do for most, but not for what stands before the beginning. */
typedef struct Mirror {
    const char *near, *inside, *far;
    int64_t begin, end; /* of the middle */
} Mirror;

static Mirror mirror(CKernel *k, const char *mode, int i, int64_t before, int64_t size)
{
    Arena *a = k->arena;
    Mirror m = {.near = "0", .begin = before, .end = before + size};
    m.inside = before ? arena_printf(a, "i%d - %" PRId64, i, before) : arena_printf(a, "i%d", i);
    m.far = arena_printf(a, "%" PRId64, size - 1);
    if (mode[0] == 'r') {
        m.near = arena_printf(a, "%" PRId64 " - i%d", before, i);
        m.far = arena_printf(a, "%" PRId64 " - i%d", 2 * (size - 1) + before, i);
    }
    if (mode[0] == 'w')
        m.near = m.far = arena_printf(a, "(i%d + %" PRId64 ") %% %" PRId64, i,
                                      (size - before % size) % size, size);
    return m;
}

/* The three as one expression. */
static const char *mirrored(CKernel *k, const Mirror *m, int i)
{
    if (m->near == m->far)
        return m->near;
    const char *rest =
        arena_printf(k->arena, "i%d < %" PRId64 " ? %s : %s", i, m->end, m->inside, m->far);
    return m->begin
               ? arena_printf(k->arena, "i%d < %" PRId64 " ? %s : %s", i, m->begin, m->near, rest)
               : rest;
}

static Mirror mirror_of(CKernel *k, const PadLoops *p, const char *mode, int d)
{
    return mirror(k, mode, d, p->before[d], p->l->dims[d] - p->before[d] - p->after[d]);
}

static bool is_padded(const PadLoops *p, int d)
{
    return p->before[d] || p->after[d];
}

/* Where the dimensions around the innermost one lead to in src: "p0 * 64 + i1 * 8". */
static const char *row_in_src(CKernel *k, const PadLoops *p)
{
    Text t = text_new(k->arena);
    for (int d = 0; d + 1 < p->l->rank; d++) {
        const char *at = arena_printf(k->arena, is_padded(p, d) ? "p%d" : "i%d", d);
        text_printf(&t, "%s%s", d ? " + " : "", nn_times(k->arena, at, p->l->stride[1][d]));
    }
    return t.data;
}

/* Positions `begin` to `end` - 1 of the innermost dimension. */
static void bind_piece(CKernel *k, Bindings *b, const PadLoops *p, const char *begin,
                       const char *end, const char *source)
{
    const int last = p->l->rank - 1;
    Bindings *piece = bind_row(b, "pieces");
    const char *at = nn_times(k->arena, source, p->l->stride[1][last]);
    bind(piece, "i", "i%d", last);
    bind(piece, "begin", "%s", begin);
    bind(piece, "end", "%s", end);
    bind(piece, "at_dst", "%s", loops_index(p->l, 0, "dst", 0, last + 1));
    bind(piece, "at_src", last ? "row + %s" : "%s", at);
}

/* Elements that are neighbours in both are taken in three pieces, of which the middle one is a copy. */
static void bind_pieces(CKernel *k, Bindings *b, const PadLoops *p, const char *mode)
{
    const Loops *l = p->l;
    const int d = l->rank - 1;
    const bool shared = d == l->shared;
    const char *size = arena_printf(k->arena, "%" PRId64, l->dims[d]);
    const Mirror m = mirror_of(k, p, mode, d);
    const bool in_pieces = is_padded(p, d) && !shared && l->stride[0][d] == 1 &&
                           l->stride[1][d] == 1 && p->before[d] >= 0 && p->after[d] >= 0;
    if (!in_pieces) {
        const char *source = is_padded(p, d) ? arena_printf(k->arena, "(%s)", mirrored(k, &m, d))
                                             : arena_printf(k->arena, "i%d", d);
        bind_piece(k, b, p, shared ? "from" : "0", shared ? "to" : size, source);
        return;
    }
    const char *begin = arena_printf(k->arena, "%" PRId64, m.begin),
               *end = arena_printf(k->arena, "%" PRId64, m.end);
    if (m.begin)
        bind_piece(k, b, p, "0", begin, m.near);
    if (m.end > m.begin)
        bind_piece(k, b, p, begin, end, m.inside);
    if (l->dims[d] > m.end)
        bind_piece(k, b, p, end, size, m.far);
}

static void pad_mirrored(CKernel *k, const PadLoops *p, const char *mode)
{
    const int last = p->l->rank - 1;
    Bindings *b = nn_bindings(k);
    loops_bind(b, "outer", p->l, 0, last);
    for (int d = 0; d < last; d++)
        if (is_padded(p, d)) {
            const Mirror m = mirror_of(k, p, mode, d);
            Bindings *row = bind_row(b, "padded");
            bind(row, "p", "p%d", d);
            bind(row, "source", "%s", mirrored(k, &m, d));
        }
    bind_int(b, "has_row", last > 0);
    bind(b, "row", "%s", last > 0 ? row_in_src(k, p) : "");
    bind_pieces(k, b, p, mode);
    nn_render(k, "c/pad.c", b);
}

void emit_c_pad(CKernel *k)
{
    if (k->plan->variant == C_pad_constant) {
        pad_constant(k);
        return;
    }
    const PadLoops p = pad_loops_of(k->program, k->step);
    p.l->shared = k->shared ? 0 : -1;
    pad_mirrored(k, &p, attr_string(k->node, "mode", "constant"));
}
