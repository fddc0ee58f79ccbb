/* Pad. Constant padding is a fill and a copied box; the other modes read every element from where the mode says. */
#include "copy.h"
#include "ops.h"

#include <inttypes.h>

static bool is_zero(DType t, double v)
{
    uint64_t element = 0;
    if (dtype_is_float(t))
        elem_set_f64(t, &element, 0, v);
    return dtype_is_float(t) ? element == 0 : v == 0;
}

/* What lies between the rows of a pitched layout is not dst's. */
static void fill_rows(CKernel *k, double value)
{
    const Buffer *dst = c_out(k, 0);
    int64_t to[MAX_RANK];
    Loops *l = loops_new(k->arena, 1);
    layout_strides(&dst->layout, &dst->type, to);
    for (int d = 0; d < dst->type.rank; d++)
        loops_dim(l, dst->type.dims[d], &to[d]);
    loops_sort(l, 0);
    loops_coalesce(l);
    int indent = loops_open(k->out, l, 0, l->rank, 4, false);
    c_put_assign(k->out, indent, arena_printf(k->arena, "dst0[%s]", loops_index(l, 0, 0, l->rank)),
                 c_element_literal(k->arena, dst->type.dtype, value));
}

static void fill(CKernel *k, double value)
{
    const Buffer *dst = c_out(k, 0);
    if (dst->layout.pitch) {
        fill_rows(k, value);
        return;
    }
    if (is_zero(dst->type.dtype, value))
        text_printf(k->out, "    memset(dst0, 0, %zu);\n", type_bytes(&dst->type));
    else
        text_printf(k->out, "    for (size_t i = 0; i < %" PRId64 "; i++)\n        dst0[i] = %s;\n",
                    type_count(&dst->type), c_element_literal(k->arena, dst->type.dtype, value));
}

static bool pad_constant(CKernel *k, const int64_t *pads)
{
    const Buffer *src = c_in(k, 0), *dst = c_out(k, 0);
    int64_t to[MAX_RANK], from[MAX_RANK];
    Loops *l = loops_new(k->arena, 2);
    layout_strides(&dst->layout, &dst->type, to);
    layout_strides(&src->layout, &src->type, from);
    for (int d = 0; d < src->type.rank; d++) {
        loops_dim(l, src->type.dims[d], (int64_t[]){to[d], from[d]});
        l->offset[0] += pads[d] * to[d];
    }
    if (type_count(&src->type) < type_count(&dst->type))
        fill(k, attr_float(k->node, "value", 0));
    if (l->empty)
        return emit_c_nothing(k);
    emit_c_copy(k, l, "dst0", "src0");
    text_puts(k->out, "}\n");
    return true;
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

/* The dimensions as they follow each other in dst, with what each of them adds on both sides; those of one element are left out. */
typedef struct PadLoops {
    Loops *l; /* operand 0 is dst, 1 src */
    int64_t before[MAX_RANK], after[MAX_RANK];
} PadLoops;

static PadLoops pad_loops(CKernel *k, const int64_t *pads)
{
    const Buffer *src = c_in(k, 0), *dst = c_out(k, 0);
    int rank = src->type.rank;
    int64_t to[MAX_RANK], from[MAX_RANK];
    PadLoops p = {.l = loops_new(k->arena, 4)};
    layout_strides(&dst->layout, &dst->type, to);
    layout_strides(&src->layout, &src->type, from);
    for (int d = 0; d < rank; d++)
        if (dst->type.dims[d] != 1 || pads[d] || pads[rank + d])
            loops_dim(p.l, dst->type.dims[d], (int64_t[]){to[d], from[d], pads[d], pads[rank + d]});
    if (p.l->rank == 0)
        loops_dim(p.l, 1, (int64_t[]){0, 0, 0, 0});
    loops_sort(p.l, 0);
    for (int d = 0; d < p.l->rank; d++) {
        p.before[d] = p.l->stride[2][d];
        p.after[d] = p.l->stride[3][d];
    }
    return p;
}

/* One dimension inside the others, its elements neighbours in both: the middle is copied. */
static void put_row(CKernel *k, const PadLoops *p, const Mirror *m, int indent)
{
    int d = p->l->rank - 1;
    const char *dst = arena_printf(k->arena, "dst0[%s]", loops_index(p->l, 0, 0, d + 1));
    const struct {
        const char *at;
        int64_t from, to;
    } part[] = {
        {m->near, 0, m->begin}, {m->inside, m->begin, m->end}, {m->far, m->end, p->l->dims[d]}};
    for (size_t i = 0; i < COUNT_OF(part); i++) {
        if (part[i].from == part[i].to)
            continue;
        text_printf(k->out, "%*sfor (size_t i%d = %" PRId64 "; i%d < %" PRId64 "; i%d++)\n", indent,
                    "", d, part[i].from, d, part[i].to, d);
        const char *at = d ? arena_printf(k->arena, "s%d + %s", d - 1, part[i].at) : part[i].at;
        c_put_assign(k->out, indent + 4, dst, arena_printf(k->arena, "src0[%s]", at));
    }
}

static bool pad_mirrored(CKernel *k, const PadLoops *p, const char *mode)
{
    Loops *l = p->l;
    int last = l->rank - 1, indent = 4;
    for (int d = 0; d <= last; d++, indent += 4) {
        bool mapped = p->before[d] || p->after[d];
        const Mirror m = mirror(k, mode, d, p->before[d], l->dims[d] - p->before[d] - p->after[d]);
        if (mapped && d == last && d != l->shared && l->stride[0][d] == 1 && l->stride[1][d] == 1 &&
            p->before[d] >= 0 && p->after[d] >= 0) {
            put_row(k, p, &m, indent);
            break;
        }
        loops_open(k->out, l, d, d + 1, indent, true);
        const char *at = arena_printf(k->arena, "i%d", d);
        if (mapped) {
            at = arena_printf(k->arena, "p%d", d);
            c_put_assign(k->out, indent + 4, arena_printf(k->arena, "const size_t p%d", d),
                         mirrored(k, &m, d));
        }
        if (l->stride[1][d] != 1)
            at = arena_printf(k->arena, "%s * %" PRId64, at, l->stride[1][d]);
        if (d)
            at = arena_printf(k->arena, "s%d + %s", d - 1, at);
        if (d < last)
            c_put_assign(k->out, indent + 4, arena_printf(k->arena, "const size_t s%d", d), at);
        else
            c_put_assign(k->out, indent + 4,
                         arena_printf(k->arena, "dst0[%s]", loops_index(l, 0, 0, last + 1)),
                         arena_printf(k->arena, "src0[%s]", at));
    }
    while (indent > 4)
        text_printf(k->out, "%*s}\n", indent -= 4, "");
    text_puts(k->out, "}\n");
    return true;
}

bool emit_c_pad(CKernel *k)
{
    size_t n;
    const int64_t *pads = attr_ints(k->node, "pads", &n);
    const char *mode = attr_string(k->node, "mode", "constant");
    const bool constant = mode[0] == 'c' || n == 0;
    const int64_t count = type_count(&c_out(k, 0)->type);
    PadLoops p = {0};
    if (!constant && count) {
        p = pad_loops(k, pads);
        if (c_share(k, p.l->dims[0], (double)count))
            p.l->shared = 0;
    }
    text_printf(k->out, "%s{\n", c_signature(k));
    if (count == 0)
        return emit_c_nothing(k);
    return constant ? pad_constant(k, pads) : pad_mirrored(k, &p, mode);
}
