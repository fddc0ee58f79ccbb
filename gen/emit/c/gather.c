/* Operators that pick elements by index. Indices are data and not trusted: dnnlc_index clamps them. */
#include "copy.h"
#include "ops.h"

#include <inttypes.h>
#include <string.h>

static bool begin(CKernel *k)
{
    text_printf(k->out, "%s{\n", c_signature(k));
    return type_count(&c_out(k, 0)->type) > 0;
}

/* Copies a row of n elements. */
static void put_row(CKernel *k, int indent, const char *to, const char *from, int64_t n)
{
    if (n == 1) {
        c_put_assign(k->out, indent, arena_printf(k->arena, "dst0[%s]", to),
                     arena_printf(k->arena, "src0[%s]", from));
        return;
    }
    const char *items[] = {
        arena_printf(k->arena, "dst0 + (%s) * %" PRId64, to, n),
        arena_printf(k->arena,
                     strchr(from, ' ') ? "src0 + (%s) * %" PRId64 : "src0 + %s * %" PRId64, from,
                     n),
        arena_printf(k->arena, "%" PRId64 " * sizeof *dst0", n)};
    c_put_list(k->out, arena_printf(k->arena, "%*smemcpy(", indent, ""), items, 3, ");\n");
}

bool emit_c_gather(CKernel *k)
{
    int64_t axis = attr_int(k->node, "axis", 0);
    Cut c = c_cut(&c_in(k, 0)->type, axis, axis + 1);
    int64_t n = type_count(&c_in(k, 1)->type);
    const double operations = (double)(c.outer * n) * (10 + (double)c.inner);
    const bool by_index = c.outer == 1 && c_share(k, n, operations);
    const bool by_outer = !by_index && c_share(k, c.outer, operations);
    if (!begin(k))
        return emit_c_nothing(k);
    c_need(k, CH_INDEX);
    text_printf(
        k->out,
        "    for (size_t i = %s; i < %s; i++)\n"
        "        for (size_t j = %s; j < %s; j++) {\n"
        "            const size_t at = dnnlc_index(src1[j], %" PRId64 ");\n",
        by_outer ? "from" : "0", by_outer ? "to" : arena_printf(k->arena, "%" PRId64, c.outer),
        by_index ? "from" : "0", by_index ? "to" : arena_printf(k->arena, "%" PRId64, n), c.size);
    put_row(k, 12, arena_printf(k->arena, "i * %" PRId64 " + j", n),
            arena_printf(k->arena, "i * %" PRId64 " + at", c.size), c.inner);
    text_puts(k->out, "        }\n}\n");
    return true;
}

/* The loops over indices, updates and (with the axis standing still) the elements of `data`. */
static Loops *element_loops(CKernel *k, const TensorType *indices, const TensorType *data,
                            int64_t axis, int64_t *along)
{
    int64_t is[MAX_RANK], ds[MAX_RANK];
    Layout plain = layout_plain(data->rank);
    layout_strides(&plain, indices, is);
    layout_strides(&plain, data, ds);
    *along = ds[axis];
    ds[axis] = 0;
    Loops *l = loops_new(k->arena, 2);
    for (int d = 0; d < data->rank; d++)
        loops_dim(l, indices->dims[d], (int64_t[]){is[d], ds[d]});
    loops_coalesce(l);
    return l;
}

static const char *element_at(CKernel *k, const Loops *l, const char *i, int64_t size,
                              int64_t along)
{
    const char *at = arena_printf(k->arena, "dnnlc_index(src1[%s], %" PRId64 ")", i, size),
               *rest = loops_index(l, 1, 0, l->rank);
    if (along != 1)
        at = arena_printf(k->arena, "%s * %" PRId64, at, along);
    return strcmp(rest, "0") ? arena_printf(k->arena, "src0[%s + %s]", rest, at)
                             : arena_printf(k->arena, "src0[%s]", at);
}

bool emit_c_gather_elements(CKernel *k)
{
    const TensorType *data = &c_in(k, 0)->type;
    int64_t axis = attr_int(k->node, "axis", 0), along;
    Loops *l = element_loops(k, &c_in(k, 1)->type, data, axis, &along);
    if (l->rank > 0 && c_share(k, l->dims[0], 10 * (double)type_count(&c_out(k, 0)->type)))
        l->shared = 0;
    if (!begin(k))
        return emit_c_nothing(k);
    c_need(k, CH_INDEX);
    int indent = loops_open(k->out, l, 0, l->rank, 4, false);
    const char *i = loops_index(l, 0, 0, l->rank);
    c_put_assign(k->out, indent, arena_printf(k->arena, "dst0[%s]", i),
                 element_at(k, l, i, data->dims[axis], along));
    text_puts(k->out, "}\n");
    return true;
}

/* "b * 12 + dnnlc_index(tuple[0], 3) * 4 + …": a row number. */
static const char *tuple_address(CKernel *k, const TensorType *data, int from, int64_t length,
                                 const Cut *c)
{
    Text t;
    int64_t step = c->size;
    text_init(&t, k->arena);
    text_printf(&t, "b * %" PRId64, step);
    for (int64_t d = 0; d < length; d++) {
        step /= data->dims[from + d];
        text_printf(&t, " + dnnlc_index(tuple[%" PRId64 "], %" PRId64 ")", d, data->dims[from + d]);
        if (step != 1)
            text_printf(&t, " * %" PRId64, step);
    }
    return t.data;
}

bool emit_c_gather_nd(CKernel *k)
{
    const TensorType *data = &c_in(k, 0)->type, *indices = &c_in(k, 1)->type;
    int batch = (int)attr_int(k->node, "batch_dims", 0);
    int64_t length = indices->dims[indices->rank - 1];
    Cut c = c_cut(data, batch, batch + length);
    if (!begin(k))
        return emit_c_nothing(k);
    c_need(k, CH_INDEX);
    int64_t tuples = type_count(indices) / length / c.outer; /* of each batch */
    text_printf(k->out,
                "    for (size_t b = 0; b < %" PRId64 "; b++)\n"
                "        for (size_t i = 0; i < %" PRId64 "; i++) {\n"
                "            const %s *const tuple = src1 + (b * %" PRId64 " + i) * %" PRId64 ";\n",
                c.outer, tuples, dtype_c(indices->dtype), tuples, length);
    c_put_assign(k->out, 12, "const size_t at", tuple_address(k, data, batch, length, &c));
    put_row(k, 12, arena_printf(k->arena, "b * %" PRId64 " + i", tuples), "at", c.inner);
    text_puts(k->out, "        }\n}\n");
    return true;
}

/* --- one_hot, reverse_sequence ----------------------------------------------------------------------------------------- */

/* An index outside -depth … depth - 1 gives a row of `off`. Indices may be floats, which truncate. */
bool emit_c_one_hot(CKernel *k)
{
    DType t = c_in(k, 0)->type.dtype;
    int64_t axis = attr_int(k->node, "axis", 0);
    Cut c = c_cut(&c_out(k, 0)->type, axis, axis + 1);
    if (!begin(k))
        return emit_c_nothing(k);
    const char *index = arena_printf(k->arena, "src0[i * %" PRId64 " + j]", c.inner);
    text_printf(k->out,
                "    for (size_t i = 0; i < %" PRId64 "; i++)\n"
                "        dst0[i] = src1[0];\n"
                "    for (size_t i = 0; i < %" PRId64 "; i++)\n"
                "        for (size_t j = 0; j < %" PRId64 "; j++) {\n",
                c.outer * c.size * c.inner, c.outer, c.inner);
    if (dtype_is_float(t))
        text_printf(k->out,
                    "            const %s v = %s;\n            int64_t at = v >= -0x1p62%s && v < "
                    "0x1p62%s ? (int64_t)v : -1 - INT64_C(%" PRId64 ");\n",
                    c_compute_type(t), c_load(k, t, index), t == DT_F64 ? "" : "f",
                    t == DT_F64 ? "" : "f", c.size);
    else
        text_printf(k->out, "            int64_t at = (int64_t)%s;\n", index);
    text_printf(k->out,
                "            at += at < 0 ? %" PRId64 " : 0;\n"
                "            if (at >= 0 && at < %" PRId64 ")\n"
                "                dst0[(i * %" PRId64 " + (size_t)at) * %" PRId64
                " + j] = src1[1];\n"
                "        }\n}\n",
                c.size, c.size, c.size, c.inner);
    return true;
}

/* The two axes, whichever comes first, cut the tensor into [outer, first, middle, second, inner]. */
bool emit_c_reverse_sequence(CKernel *k)
{
    const TensorType *t = &c_in(k, 0)->type;
    int64_t batch = attr_int(k->node, "batch_axis", 1), time = attr_int(k->node, "time_axis", 0);
    int64_t first = batch < time ? batch : time, second = batch < time ? time : batch,
            steps = t->dims[time];
    if (!begin(k))
        return emit_c_nothing(k);
    Cut a = c_cut(t, first, first + 1), b = c_cut(t, second, second + 1);
    int64_t middle = a.inner / (b.size * b.inner);
    const char *bi = batch < time ? "i" : "j", *ti = batch < time ? "j" : "i";
    text_printf(k->out,
                "    for (size_t o = 0; o < %" PRId64 "; o++)\n"
                "        for (size_t i = 0; i < %" PRId64 "; i++)\n"
                "            for (size_t m = 0; m < %" PRId64 "; m++)\n"
                "                for (size_t j = 0; j < %" PRId64 "; j++) {\n"
                "                    const int64_t len = src1[%s];\n"
                "                    const size_t n = (size_t)(len < 0 ? 0 : len > %" PRId64
                " ? %" PRId64 " : len);\n"
                "                    const size_t t = %s < n ? n - 1 - %s : %s;\n",
                a.outer, a.size, middle, b.size, bi, steps, steps, ti, ti, ti);
    const char *to =
        arena_printf(k->arena, "((o * %" PRId64 " + i) * %" PRId64 " + m) * %" PRId64 " + j",
                     a.size, middle, b.size);
    const char *from =
        arena_printf(k->arena, "((o * %" PRId64 " + %s) * %" PRId64 " + m) * %" PRId64 " + %s",
                     a.size, batch < time ? "i" : "t", middle, b.size, batch < time ? "t" : "j");
    put_row(k, 20, to, from, b.inner);
    text_puts(k->out, "                }\n}\n");
    return true;
}
