/* Operators that place elements by index. An index outside writes nothing: clamped, it would overwrite somebody else's element. */
#include "copy.h"
#include "expr.h"
#include "ops.h"

#include <inttypes.h>
#include <string.h>

/* dst starts as a copy of the data; indices, then updates are inputs 1 and 2. */
static bool begin(CKernel *k)
{
    text_printf(k->out, "%s{\n", c_signature(k));
    if (type_count(&c_out(k, 0)->type) == 0)
        return false;
    if (c_in_place(k->program, k->step, 0, 0))
        text_puts(k->out, "    (void)src0;\n");
    else
        text_printf(k->out, "    memcpy(dst0, src0, %zu);\n", type_bytes(&c_out(k, 0)->type));
    return true;
}

/* "dst0[to] = update", combined with what is there if there is a reduction. */
static void put_update(CKernel *k, int indent, const char *to, const char *update)
{
    DType t = c_out(k, 0)->type.dtype;
    const char *reduction = attr_string(k->node, "reduction", "none");
    char op = !strcmp(reduction, "add")   ? '+'
              : !strcmp(reduction, "mul") ? '*'
              : !strcmp(reduction, "max") ? '>'
                                          : '<';
    if (!strcmp(reduction, "none")) {
        c_put_assign(k->out, indent, arena_printf(k->arena, "dst0[%s]", to),
                     arena_printf(k->arena, "src2[%s]", update));
        return;
    }
    const char *type = c_compute_type(t);
    const char *x = c_load(k, t, arena_printf(k->arena, "dst0[%s]", to));
    const char *y = c_load(k, t, arena_printf(k->arena, "src2[%s]", update));
    c_put_assign(k->out, indent, arena_printf(k->arena, "const %s x", type), x);
    c_put_assign(k->out, indent, arena_printf(k->arena, "const %s y", type), y);
    c_put_assign(k->out, indent, arena_printf(k->arena, "dst0[%s]", to),
                 c_store(k, t, c_combine(k->arena, t, op, "x", "y")));
}

bool emit_c_scatter_elements(CKernel *k)
{
    const TensorType *data = &c_in(k, 0)->type, *indices = &c_in(k, 1)->type;
    int64_t axis = attr_int(k->node, "axis", 0), is[MAX_RANK], ds[MAX_RANK];
    Layout plain = layout_plain(data->rank);
    if (!begin(k))
        return emit_c_nothing(k);
    if (type_count(indices) == 0) {
        text_puts(k->out, "    (void)src1, (void)src2;\n}\n");
        return true;
    }
    layout_strides(&plain, indices, is);
    layout_strides(&plain, data, ds);
    int64_t along = ds[axis];
    ds[axis] = 0;
    Loops *l = loops_new(k->arena, 2);
    for (int d = 0; d < data->rank; d++)
        loops_dim(l, indices->dims[d], (int64_t[]){is[d], ds[d]});
    loops_coalesce(l);
    const char *i = loops_index(l, 0, 0, l->rank);
    int indent = loops_open(k->out, l, 0, l->rank, 4, true);
    text_printf(k->out, "%*sint64_t at = src1[%s];\n%*sat += at < 0 ? %" PRId64 " : 0;\n", indent,
                "", i, indent, "", data->dims[axis]);
    text_printf(k->out, "%*sif (at >= 0 && at < %" PRId64 ") {\n", indent, "", data->dims[axis]);
    put_update(
        k, indent + 4,
        arena_printf(k->arena, "%s + (size_t)at * %" PRId64, loops_index(l, 1, 0, l->rank), along),
        i);
    text_printf(k->out, "%*s}\n", indent, "");
    loops_close(k->out, l, 0, l->rank, 4);
    text_puts(k->out, "}\n");
    return true;
}

bool emit_c_scatter_nd(CKernel *k)
{
    const TensorType *data = &c_in(k, 0)->type, *indices = &c_in(k, 1)->type;
    int64_t length = indices->dims[indices->rank - 1];
    Cut c = c_cut(data, 0, length);
    if (!begin(k))
        return emit_c_nothing(k);
    if (type_count(indices) == 0 || c.inner == 0) {
        text_puts(k->out, "    (void)src1, (void)src2;\n}\n");
        return true;
    }
    text_printf(k->out, "    static const int64_t dims[%" PRId64 "] = {", length);
    for (int64_t d = 0; d < length; d++)
        text_printf(k->out, "%s%" PRId64, d ? ", " : "", data->dims[d]);
    text_printf(k->out,
                "};\n"
                "    for (size_t i = 0; i < %" PRId64 "; i++) {\n"
                "        size_t at = 0, d = 0;\n"
                "        for (; d < %" PRId64 "; d++) {\n"
                "            int64_t index = src1[i * %" PRId64 " + d];\n"
                "            index += index < 0 ? dims[d] : 0;\n"
                "            if (index < 0 || index >= dims[d])\n"
                "                break;\n"
                "            at = at * (size_t)dims[d] + (size_t)index;\n"
                "        }\n"
                "        for (size_t j = 0; d == %" PRId64 " && j < %" PRId64 "; j++) {\n",
                type_count(indices) / length, length, length, length, c.inner);
    put_update(k, 12, arena_printf(k->arena, "at * %" PRId64 " + j", c.inner),
               arena_printf(k->arena, "i * %" PRId64 " + j", c.inner));
    text_puts(k->out, "        }\n    }\n}\n");
    return true;
}
