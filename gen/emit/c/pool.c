/* Portable C for pooling: rows of outputs (pool.c; pool_blocks.c), pixels with their channels last (pool_last.c), whole planes (pool_global.c), maxima with
 * their places. */
#include "../../kernel/layers.h"
#include "epilogue.h"
#include "window.h"

#include <string.h>

typedef struct PoolOp {
    const char *first;
    const char *take; /* how $v$ joins the accumulator $acc$ */
    const char *mean; /* the result of an accumulator */
} PoolOp;

static PoolOp max_op(DType t)
{
    const char *first = t == DT_I8 ? "INT8_MIN" : dtype_is_float(t) ? "-INFINITY" : "0";
    return (PoolOp){first, "$acc$ = $v$ > $acc$ ? $v$ : $acc$", "$acc$"};
}

static PoolOp lp_op(CKernel *k, DType t)
{
    Arena *a = k->arena;
    double p = (double)attr_int(k->node, "p", 2);
    const char *zero = nn_const(k, t, 0), *fabs = nn_math(k, t, "fabs");
    if (p == 1)
        return (PoolOp){zero, arena_printf(a, "$acc$ += %s($v$)", fabs), "$acc$"};
    if (p == 2)
        return (PoolOp){zero, "$acc$ += $v$ * $v$",
                        arena_printf(a, "%s($acc$)", nn_math(k, t, "sqrt"))};
    const char *pow = nn_math(k, t, "pow");
    return (PoolOp){zero, arena_printf(a, "$acc$ += %s(%s($v$), %s)", pow, fabs, nn_const(k, t, p)),
                    arena_printf(a, "%s($acc$, %s)", pow, nn_const(k, t, 1 / p))};
}

static PoolOp pool_op(CKernel *k, DType t, const Window *w)
{
    if (k->node->op == OP_MaxPool)
        return max_op(t);
    if (k->node->op == OP_LpPool)
        return lp_op(k, t);
    PoolOp op = {nn_const(k, t, 0), "$acc$ += $v$",
                 "rows * count[x] > 0 ? $acc$ / (rows * count[x]) : 0"};
    if (!pool_counts(k->node, w))
        op.mean = arena_printf(k->arena, "$acc$ / %s", nn_const(k, t, (double)w->kernel_size));
    return op;
}

/* What the kernels of rows and of planes have in common. */
static void bind_op(CKernel *k, Bindings *b, DType t, const PoolOp *op)
{
    nn_type(k, b, "x", t);
    nn_bind_result(k, b, t);
    bind(b, "first", "%s", op->first);
    bind_macro(b, "take", "acc, v", op->take);
    bind_macro(b, "join", "acc, v", k->node->op == OP_MaxPool ? op->take : "$acc$ += $v$");
    bind_macro(b, "mean", "acc", op->mean);
    bind_int(b, "channels", nn_out(k, 0)->dims[1]);
}

static void emit_global(CKernel *k, DType t, const Window *w)
{
    Bindings *b = nn_bindings(k);
    PoolOp op = pool_op(k, t, w);
    int64_t size = w->src_size, full = size - size % k->plan->lanes;
    bind_op(k, b, t, &op);
    bind_int(b, "planes", type_count(nn_out(k, 0)));
    bind_int(b, "size", size);
    bind_int(b, "full", full);
    bind_int(b, "rest", size - full);
    bind_int(b, "lanes", k->plan->lanes);
    bind_int(b, "block", k->plan->summed);
    nn_share(k, b, false, "PLANES");
    nn_render(k, "c/pool_global.c", b);
}

static void bind_counts(CKernel *k, Bindings *b, const Window *w)
{
    static const char *const axis[] = {"sx", "sy", "sz"};
    bool include = attr_int(k->node, "count_include_pad", 0);
    const char *counts[3] = {"", "", ""};
    for (int i = 0; i < w->n; i++) {
        long long end = pool_counted_end(k->node, w, w->n - 1 - i);
        counts[i] = include ? arena_printf(k->arena, "%s < %lld", axis[i], end)
                            : arena_printf(k->arena, "%s >= 0 && %s < %lld", axis[i], axis[i], end);
    }
    bind(b, "counts_x", "%s", counts[0]);
    bind(b, "counts_y", w->n > 2 ? "%s && %s" : "%s", w->n > 1 ? counts[1] : "sy == 0", counts[2]);
}

/* What the kernels of rows and of blocks of rows have in common. */
static Bindings *row_bindings(CKernel *k, DType t, const Window *w)
{
    Bindings *b = nn_bindings(k);
    PoolOp op = pool_op(k, t, w);
    bind_op(k, b, t, &op);
    c_bind_window(b, w);
    bind_int(b, "counted", pool_counts(k->node, w));
    bind_int(b, "padded", window_padded(w));
    bind_int(b, "deep", w->n > 2);
    bind_counts(k, b, w);
    bind_int(b, "planes", type_count(nn_out(k, 0)) / w->dst_size);
    bind_int(b, "rows", w->dst_size / w->dst[w->n - 1]);
    bind(b, "y", "%s", w->n > 2 ? "row % OH" : "row");
    bind(b, "ky", "%s", w->n > 2 ? "tap % KH" : "tap");
    bind_int(b, "taps", w->kernel_size / w->kernel[w->n - 1]); /* of a column */
    bind(b, "source", "%s", w->n > 2 ? "((plane * D + sz) * H + sy) * W" : "(plane * H + sy) * W");
    return b;
}

static void emit_rows(CKernel *k, DType t, const Window *w)
{
    Bindings *b = row_bindings(k, t, w);
    const bool counted = pool_counts(k->node, w), padded = window_padded(w),
               on_stack = !k->plan->scratch_bytes;
    bind(b, "sum_row", on_stack ? "sum[OW]" : "*restrict sum = scratch");
    bind(b, "count_row", on_stack ? "count[OW]" : "*restrict count = sum + OW");
    bind(b, "column_row",
         on_stack  ? "column[W]"
         : counted ? "*restrict column = sum + 2 * OW"
                   : "*restrict column = sum + OW");
    bind_int(b, "columns", k->plan->variant == C_pool_columns);
    const bool bytes = k->program->lanes == 1 && k->node->op == OP_MaxPool && dtype_size(t) == 1;
    bind_int(b, "bytes", bytes); /* on a small core, which may have vectors of them */
    bind_int(b, "is_signed", t == DT_I8);
    if (bytes)
        c_need(k, CH_GREATEST);
    bind(b, "lo", padded ? "lo" : "0");
    bind(b, "hi", padded ? "hi" : "OW");
    nn_share(k, b, true, "PLANES * ROWS");
    nn_render(k, "c/pool.c", b);
}

static void emit_blocks(CKernel *k, const Window *w)
{
    Bindings *b = row_bindings(k, DT_F32, w);
    const int64_t rows = w->dst_size / w->dst[w->n - 1], at_once = k->plan->at_once;
    const bool on_stack = !k->plan->scratch_bytes;
    bind(b, "column_rows", on_stack ? "column[AT_ONCE * PITCH]" : "*restrict column = scratch");
    bind(b, "outside_row",
         on_stack ? "outside[W]" : "*restrict outside = column + AT_ONCE * PITCH");
    bind(b, "count_row",
         on_stack           ? "count[OW]"
         : window_padded(w) ? "*restrict count = outside + W"
                            : "*restrict count = column + AT_ONCE * PITCH");
    bind(b, "inside", "sy >= 0 && sy < H%s", w->n > 2 ? " && sz >= 0 && sz < D" : "");
    bind_int(b, "at_once", at_once);
    bind_int(b, "blocks", divide_up(rows, at_once));
    bind_int(b, "pitch", pool_row_pitch(w));
    nn_share(k, b, true, "PLANES * BLOCKS");
    nn_render(k, "c/pool_blocks.c", b);
}

static void emit_last(CKernel *k, DType t, const Window *w)
{
    Bindings *b = nn_bindings(k);
    const PoolOp op = pool_op(k, t, w);
    const int64_t channels = nn_out(k, 0)->dims[1],
                  src = k->program->buffers[k->step->in[0]].layout.pitch,
                  dst = k->program->buffers[k->step->out[0]].layout.pitch;
    bind_op(k, b, t, &op);
    c_bind_window(b, w);
    bind_int(b, "padded", window_padded(w));
    bind_int(b, "images", nn_out(k, 0)->dims[0]);
    bind_int(b, "C", channels);
    bind_int(b, "src_pitch", src ? src : channels);
    bind_int(b, "dst_pitch", dst ? dst : channels);
    bind_int(b, "lanes", k->plan->lanes);
    bind_int(b, "rest", channels % k->plan->lanes);
    nn_share(k, b, true, "IMAGES * OH");
    nn_render(k, "c/pool_last.c", b);
}

static void emit_places(CKernel *k, DType t, const Window *w)
{
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", t);
    c_bind_window(b, w);
    bind(b, "first", "%s", max_op(t).first);
    bind_int(b, "planes", type_count(nn_out(k, 1)) / w->dst_size);
    bind_int(b, "outputs", w->dst_size);
    bind_int(b, "taps", w->kernel_size);
    bind_int(b, "src_plane", w->src_size);
    bind_int(b, "has_values", nn_has_out(k, 0));
    bind(b, "index", "%s",
         attr_int(k->node, "storage_order", 0) ? "(x * H + y) * D + z" : "(z * H + y) * W + x");
    nn_render(k, "c/pool_index.c", b);
}

void emit_c_max_pool(CKernel *k)
{
    const Window w = pool_window(k->g, k->node);
    DType t = nn_in(k, 0)->dtype;
    if (k->plan->variant == C_pool_places)
        emit_places(k, t, &w);
    else if (k->plan->variant == C_pool_last)
        emit_last(k, t, &w);
    else if (k->plan->variant == C_pool_global)
        emit_global(k, t, &w);
    else if (k->plan->variant == C_pool_blocks)
        emit_blocks(k, &w);
    else
        emit_rows(k, t, &w);
}

void emit_c_max_unpool(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    bind_int(b, "size", type_count(nn_in(k, 0)));
    bind_int(b, "outputs", type_count(nn_out(k, 0)));
    nn_render(k, "c/max_unpool.c", b);
}
