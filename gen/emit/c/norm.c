/* Portable C for normalisations. */
#include "../../kernel/layers.h"
#include "nn.h"

#include <string.h>

static const char *at(CKernel *k, uint32_t input, const char *index)
{
    return nn_load(k, nn_in(k, input)->dtype,
                   arena_printf(k->arena, "%s[%s]", k->input[input], index));
}

void emit_c_batch_norm(CKernel *k)
{
    const TensorType *t = nn_in(k, 0);
    int64_t channels = t->rank > 1 ? t->dims[1] : 1, plane = dims_product(t, 2, t->rank);
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", t->dtype);
    bind_int(b, "images", t->rank > 0 ? t->dims[0] : 1);
    bind_int(b, "channels", channels);
    bind_int(b, "plane", plane);
    bind_int(b, "planes", plane > 1);
    bind(b, "sqrt", "%s", nn_math(k, t->dtype, "sqrt"));
    bind(b, "epsilon", "%s", nn_const(k, t->dtype, attr_float(k->node, "epsilon", 1e-5)));
    static const char *const names[] = {"scale", "shift", "mean", "variance"};
    for (uint32_t i = 0; i < 4; i++)
        bind(b, names[i], "%s", at(k, i + 1, "c"));
    const char *x = nn_load(k, t->dtype, "src_plane[j]");
    const char *y = arena_printf(k->arena, "a * %s + b", x);
    bind(b, "result", "%s", nn_store(k, t->dtype, y));
    bind(b, "source_c", "%s", nn_load(k, t->dtype, "src[i * CHANNELS + c]"));
    nn_render(k, "c/batch_norm.c", b);
}

/* FN_square_sum, for rows of `size` elements. */
void c_norm_square_sum(CKernel *k, Bindings *b, int64_t size)
{
    bind_int(b, "size", size);
    bind_int(b, "full", size - size % k->plan->lanes);
    bind_int(b, "lanes", k->plan->lanes);
    bind_int(b, "block", k->plan->summed);
    nn_bind_folds(b, k->plan->lanes);
    nn_render(k, "c/norm_square_sum.c", b);
    text_puts(k->out, "\n");
}

/* Rows that are normalised one by one; `centred`: less their mean. */
static Bindings *row_bindings(CKernel *k, bool centred)
{
    const NormRows s = norm_rows_of(k->g, k->node);
    const DType t = nn_in(k, 0)->dtype;
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", t);
    bind_int(b, "rows", s.rows);
    bind_int(b, "centred", centred);
    bind(b, "sqrt", "%s", nn_math(k, t, "sqrt"));
    bind(b, "epsilon", "%s", nn_const(k, t, attr_float(k->node, "epsilon", 1e-5)));
    bind(b, "mean_of", centred ? "%s_sum(src_row) / SIZE" : "0", k->fn);
    bind(b, "store_mean", "%s", "");
    bind(b, "store_dev", "%s", "");
    bind_int(b, "channels", 0);
    nn_share(k, b, false, "ROWS");
    c_norm_square_sum(k, b, s.size);
    return b;
}

static void normalise_groups(CKernel *k, int64_t groups)
{
    const TensorType *t = nn_in(k, 0);
    int64_t channels = t->dims[1] / groups, plane = dims_product(t, 2, t->rank);
    Bindings *b = row_bindings(k, true);
    bind_int(b, "channels", t->dims[1]);
    bind_int(b, "group_channels", channels);
    bind_int(b, "plane", plane);
    bind(b, "first_channel", channels == 1 ? "row %% GROUPS" : "row %% GROUPS * CHANNELS");
    bind(b, "scale", "%s", at(k, 1, "c"));
    bind(b, "shift", "%s", at(k, 2, "c"));
    const char *x = nn_load(k, t->dtype, "s[j]");
    bind(b, "affine", "%s", nn_store(k, t->dtype, arena_printf(k->arena, "a * %s + shift", x)));
    nn_render(k, "c/norm_rows.c", b);
}

void emit_c_instance_norm(CKernel *k)
{
    normalise_groups(k, nn_in(k, 0)->dims[1]);
}

void emit_c_group_norm(CKernel *k)
{
    normalise_groups(k, attr_int(k->node, "num_groups", 1));
}

/* An operand broadcast to the row's elements, which may also depend on the row. */
static const char *row_operand(CKernel *k, uint32_t input, int axis)
{
    const TensorType *t = nn_in(k, 0), *from = nn_in(k, input);
    bool by_row =
        dims_product(from, 0,
                     from->rank - (t->rank - axis) > 0 ? from->rank - (t->rank - axis) : 0) > 1;
    const char *index = by_row ? nn_broadcast_index(k->arena, from, t, 0, "(row * SIZE + i)")
                               : nn_broadcast_index(k->arena, from, t, axis, "i");
    return at(k, input, index);
}

/* One number of each row, computed in the type that elements are computed in, is a result of its own. */
static void bind_row_result(CKernel *k, Bindings *b, uint32_t output, const char *name,
                            const char *value)
{
    const DType type = nn_out(k, output)->dtype;
    if (nn_in(k, 0)->dtype == DT_F64 && type != DT_F64)
        value = arena_printf(k->arena, "(float)%s", value);
    bind(b, name, "%s", nn_store(k, type, value));
}

static void normalise_rows(CKernel *k, bool centred)
{
    const TensorType *t = nn_in(k, 0);
    int axis = (int)attr_int(k->node, "axis", t->rank - 1);
    Bindings *b = row_bindings(k, centred);
    const char *x = nn_load(k, t->dtype, "src_row[i]");
    bind(b, "normalised", centred ? "(%s - mean) * inv_dev" : "%s * inv_dev", x);
    x = arena_printf(k->arena, "x * %s", row_operand(k, 1, axis));
    if (centred && nn_has_in(k, 2))
        x = arena_printf(k->arena, "%s + %s", x, row_operand(k, 2, axis));
    bind(b, "result", "%s", nn_store(k, t->dtype, x));
    if (nn_has_out(k, 1))
        bind_row_result(k, b, 1, "store_mean", "mean");
    if (nn_has_out(k, 2))
        bind_row_result(k, b, 2, "store_dev", "inv_dev");
    nn_render(k, "c/norm_rows.c", b);
}

void emit_c_layer_norm(CKernel *k)
{
    normalise_rows(k, true);
}

void emit_c_rms_norm(CKernel *k)
{
    normalise_rows(k, false);
}

void emit_c_lp_norm(CKernel *k)
{
    enum { PIECE = 256 };
    const TensorType *t = nn_in(k, 0);
    int axis = (int)attr_int(k->node, "axis", t->rank - 1);
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", t->dtype);
    const int64_t size = t->dims[axis], after = dims_product(t, axis + 1, t->rank),
                  before = dims_product(t, 0, axis), inner = after > 1 ? after : before;
    const bool rows = after == 1; /* taken across as well */
    bind_int(b, "outer", rows ? 1 : before);
    bind_int(b, "size", size);
    bind_int(b, "inner", inner);
    bind_int(b, "piece", inner < PIECE ? inner : PIECE);
    bind(b, "at", rows ? "c * SIZE + i" : "(o * SIZE + i) * INNER + c");
    bind(b, "j", rows ? "j * SIZE" : "j");
    bool absolute = attr_int(k->node, "p", 2) == 1;
    const char *x = nn_load(k, t->dtype, rows ? "src[at + j * SIZE]" : "src[at + j]");
    bind(b, "source", "%s", x);
    bind(b, "take", absolute ? "%s(v)" : "v * v", nn_math(k, t->dtype, "fabs"));
    bind(b, "norm", absolute ? "sum[j]" : "%s(sum[j])", nn_math(k, t->dtype, "sqrt"));
    bind(b, "result", "%s", nn_store(k, t->dtype, arena_printf(k->arena, "%s * sum[j]", x)));
    nn_render(k, "c/lp_norm.c", b);
}

void emit_c_lrn(CKernel *k)
{
    const TensorType *t = nn_in(k, 0);
    int64_t size = attr_int(k->node, "size", 1), channels = t->dims[1];
    double alpha = attr_float(k->node, "alpha", 1e-4), beta = attr_float(k->node, "beta", 0.75);
    int64_t before = (size - 1) / 2, after = size / 2;
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", t->dtype);
    bind_int(b, "images", t->dims[0]);
    bind_int(b, "channels", channels);
    bind_int(b, "before", before < channels ? before : channels);
    bind_int(b, "after", after < channels ? after : channels);
    bind_int(b, "plane", dims_product(t, 2, t->rank));
    bind_int(b, "stretch", k->plan->width);
    bind(b, "alpha", "%s", nn_const(k, t->dtype, alpha / (double)size));
    bind(b, "bias", "%s", nn_const(k, t->dtype, attr_float(k->node, "bias", 1)));
    const char *x = nn_load(k, t->dtype, "src_rows[c * PLANE + i]"),
               *sqrt = nn_math(k, t->dtype, "sqrt");
    if (beta == 0.75) /* two square roots, which vectorise */
        x = arena_printf(k->arena, "%s / (%s(base) * %s(%s(base)))", x, sqrt, sqrt, sqrt);
    else
        x = arena_printf(k->arena, "%s * %s(base, %s)", x, nn_math(k, t->dtype, "pow"),
                         nn_const(k, t->dtype, -beta));
    bind(b, "result", "%s", x);
    nn_render(k, "c/lrn.c", b);
}
