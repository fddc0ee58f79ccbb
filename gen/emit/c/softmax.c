/* Portable C for Softmax, LogSoftmax and Hardmax over dims axis … axis_end - 1 taken together. */
#include "../../kernel/layers.h"
#include "nn.h"

#include <string.h>

/* As many rows as stay in the nearest cache with their results; more than a few gain nothing. */
static int64_t rows_together(SoftmaxShape s)
{
    enum { MOST = 8, ELEMENTS = 4096 };
    const int64_t most = s.outer < MOST ? s.outer : MOST;
    return most * s.size <= ELEMENTS ? most : ELEMENTS > s.size ? ELEMENTS / s.size : 1;
}

static Bindings *softmax_bindings(CKernel *k)
{
    const SoftmaxShape s = softmax_shape(k->g, k->node);
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", nn_in(k, 0)->dtype);
    bind_int(b, "outer", s.outer);
    bind_int(b, "rows", s.outer);
    bind_int(b, "size", s.size);
    bind_int(b, "inner", s.inner);
    int64_t lanes = k->plan->lanes;
    if (k->plan->variant == C_softmax_rows) {
        while (lanes > s.size && lanes > 1)
            lanes /= 2;
        bind_int(b, "full", s.size - s.size % lanes);
        bind_int(b, "last", s.size - lanes);
        bind_int(b, "rest", s.size % lanes);
        bind_int(b, "block", rows_together(s));
        nn_bind_folds(b, lanes);
    }
    bind_int(b, "lanes", lanes);
    bind_int(b, "stretch", k->plan->width);
    bind(b, "lowest", "-INFINITY");
    return b;
}

static void emit_exponential(CKernel *k, Bindings *b)
{
    const bool rows = k->plan->variant == C_softmax_rows,
               across = k->plan->variant == C_softmax_across;
    DType t = nn_in(k, 0)->dtype;
    bool log = k->node->op == OP_LogSoftmax, keep = !log && (across || t == DT_F32 || t == DT_F64);
    const char *exp = nn_math(k, t, t == DT_F64 ? "exp" : "exp_negative"), *factor, *result, *again;
    const char *dst = rows ? "dst_row[i]" : across ? "x[i][j]" : "dst_block[i * INNER + j]";
    const char *max = rows ? "max[r]" : "max[j]", *sum = rows ? "sum[r]" : "sum[j]";
    const char *x = across ? dst : nn_load(k, t, rows ? "src_row[i]" : "src_block[i * INNER + j]");
    if (log) {
        factor = arena_printf(k->arena, "%s + %s(%s)", max, nn_math(k, t, "log"), sum);
        result = arena_printf(k->arena, "e - %s", sum);
        again = x;
    } else {
        factor = arena_printf(k->arena, "1 / %s", sum);
        result = arena_printf(k->arena, "e * %s", sum);
        again = keep ? dst : arena_printf(k->arena, "%s(%s - %s)", exp, x, max);
    }
    bind(b, "exp", "%s", exp);
    bind_int(b, "keep", keep);
    bind_int(b, "of_src", log || !keep);
    bind(b, "factor", "%s", factor);
    bind(b, "again", "%s", again);
    bind(b, "result", "%s", result);
    nn_share(k, b, false, rows || across ? "ROWS" : "OUTER");
    nn_render(k,
              rows     ? "c/softmax_rows.c"
              : across ? "c/softmax_across.c"
                       : "c/softmax_planes.c",
              b);
}

void emit_c_softmax(CKernel *k)
{
    Bindings *b = softmax_bindings(k);
    if (k->plan->variant != C_hardmax) {
        emit_exponential(k, b);
        return;
    }
    bind(b, "one", "%s", nn_store(k, nn_in(k, 0)->dtype, "1"));
    nn_render(k, "c/hardmax.c", b);
}
