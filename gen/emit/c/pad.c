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

/* What lies in the gaps between rows is not dst's. */
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

/* Position i of a padded dimension, as the position in src that it shows. Unsigned arithmetic would do for most, but not
 * for what stands before the beginning. */
static const char *source_index(CKernel *k, const char *mode, int d, int64_t before, int64_t size)
{
    if (mode[0] == 'w')
        return arena_printf(k->arena, "(i%d + %" PRId64 ") %% %" PRId64, d,
                            (size - before % size) % size, size);
    const char *far = mode[0] == 'r'
                          ? arena_printf(k->arena, "%" PRId64 " - i%d", 2 * (size - 1) + before, d)
                          : arena_printf(k->arena, "%" PRId64, size - 1);
    const char *near =
        mode[0] == 'r' ? arena_printf(k->arena, "%" PRId64 " - i%d", before, d) : "0";
    const char *inside = before ? arena_printf(k->arena, "i%d - %" PRId64, d, before)
                                : arena_printf(k->arena, "i%d", d);
    const char *rest =
        arena_printf(k->arena, "i%d < %" PRId64 " ? %s : %s", d, before + size, inside, far);
    return before ? arena_printf(k->arena, "i%d < %" PRId64 " ? %s : %s", d, before, near, rest)
                  : rest;
}

/* Operand 0 is dst, 1 src. Dimensions without padding stand as they are. */
static bool pad_mirrored(CKernel *k, const char *mode, const int64_t *pads)
{
    const Buffer *src = c_in(k, 0), *dst = c_out(k, 0);
    int rank = src->type.rank, indent = 4;
    int64_t to[MAX_RANK], from[MAX_RANK];
    Text index;
    text_init(&index, k->arena);
    Loops *l = loops_new(k->arena, 2);
    layout_strides(&dst->layout, &dst->type, to);
    layout_strides(&src->layout, &src->type, from);
    for (int d = 0; d < rank; d++)
        loops_dim(l, dst->type.dims[d], (int64_t[]){to[d], from[d]});
    for (int d = 0; d < rank; d++, indent += 4) {
        loops_open(k->out, l, d, d + 1, indent, true);
        bool mapped = pads[d] || pads[rank + d];
        const char *at = arena_printf(k->arena, "i%d", d);
        if (mapped) {
            at = arena_printf(k->arena, "p%d", d);
            c_put_assign(k->out, indent + 4, arena_printf(k->arena, "const size_t p%d", d),
                         source_index(k, mode, d, pads[d], src->type.dims[d]));
        }
        if (from[d] != 1)
            at = arena_printf(k->arena, "%s * %" PRId64, at, from[d]);
        if (d)
            at = arena_printf(k->arena, "s%d + %s", d - 1, at);
        c_put_assign(k->out, indent + 4, arena_printf(k->arena, "const size_t s%d", d), at);
    }
    c_put_assign(k->out, indent, arena_printf(k->arena, "dst0[%s]", loops_index(l, 0, 0, rank)),
                 arena_printf(k->arena, "src0[s%d]", rank - 1));
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
    text_printf(k->out, "%s{\n", c_signature(k));
    if (type_count(&c_out(k, 0)->type) == 0)
        return emit_c_nothing(k);
    if (mode[0] == 'c' || n == 0)
        return pad_constant(k, pads);
    return pad_mirrored(k, mode, pads);
}
