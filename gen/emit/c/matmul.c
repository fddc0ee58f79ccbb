/* Portable C for MatMul and Gemm. Few rows times row-major weights stream the weights once (matmul_rows.c); few rows
 * times transposed weights are dot products (matmul_dot.c); everything else runs in register blocks (matmul.c). */
#include "../../kernel/layers.h"
#include "nn.h"
#include "tile.h"

#include <string.h>

/* A factor before x: "0.5f * x", or x itself for 1. */
static const char *scaled(CKernel *k, const Product *p, double factor, const char *x)
{
    return factor == 1 ? x : arena_printf(k->arena, "%s * %s", nn_const(k, p->type, factor), x);
}

/* Bindings of a whole: sizes, types, the third operand. */
static Bindings *product_bindings(CKernel *k, const Product *p)
{
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", p->type);
    bind_int(b, "M", p->s.m);
    bind_int(b, "K", p->s.k);
    bind_int(b, "N", p->s.n);
    bind_int(b, "batched", p->s.batch > 1);
    bind_int(b, "batch", p->s.batch);
    bind_int(b, "unused_c", nn_has_in(k, 2) && !p->has_c);
    return b;
}

/* Element [row, column] of the third operand, widened and scaled; "0" without one. In a tile it is called c. */
static const char *third(CKernel *k, const Product *p, const char *name, const char *row,
                         const char *column)
{
    if (!p->has_c)
        return "0";
    const char *c = *name == 'c' ? c_tile_element(k, name, row, p->c_row, column, p->c_column)
                                 : arena_printf(k->arena, "%s[%s]", name,
                                                nn_plus(k->arena, nn_times(k->arena, row, p->c_row),
                                                        column, p->c_column));
    if (!p->c_row && !p->c_column)
        c = arena_printf(k->arena, "%s[0]", name);
    return scaled(k, p, p->beta, nn_load(k, nn_in(k, 2)->dtype, c));
}

/* The offset of the matrix of one operand for product `index`: "batch * 64", or with a broadcast batch in mixed
 * radix. NULL: all products use the same. */
static const char *batch_offset(CKernel *k, const MatMulShape *s, const int64_t *step, int64_t size,
                                const char *index)
{
    int64_t dense = 1;
    bool whole = true, none = true;
    for (int d = s->rank - 1; d >= 0; d--) {
        whole = whole && (s->dims[d] == 1 || step[d] == dense);
        none = none && step[d] == 0;
        dense *= s->dims[d];
    }
    if (none)
        return NULL;
    if (whole)
        return nn_times(k->arena, index, size);
    return nn_matrix_offset(k->arena, s, step, size, index);
}

static const char *plus_offset(CKernel *k, const char *base, const char *offset)
{
    return offset ? arena_printf(k->arena, "%s + %s", base, offset) : base;
}

static void bind_batch(CKernel *k, Bindings *b, const Product *p)
{
    const MatMulShape *s = &p->s;
    const char *dst = nn_times(k->arena, "batch", s->m * s->n);
    bind(b, "base_a", "%s",
         plus_offset(k, "src", batch_offset(k, s, s->a_step, s->m * s->k, "batch")));
    bind(b, "base_b", "%s",
         plus_offset(k, "weights", batch_offset(k, s, s->b_step, s->k * s->n, "batch")));
    bind(b, "base_dst", "%s", plus_offset(k, "dst", dst));
}

/* n factors of a row, as x0, x1, ... */
static void bind_a(CKernel *k, Bindings *b, const Product *p, int n)
{
    for (int i = 0; i < n; i++) {
        const char *at = i ? arena_printf(k->arena, "a[k + %d]", i) : "a[k]";
        bind(b, arena_printf(k->arena, "x%d", i), "%s",
             scaled(k, p, p->alpha, nn_load(k, p->type, at)));
    }
}

static Tile product_tile(CKernel *k, const Product *p)
{
    const char *type = dtype_c(p->type);
    Tile t = {.type_a = type, .type_b = type, .type_dst = type, .m = p->s.m, .k = p->s.k};
    t.type_sum = nn_compute_type(p->type);
    t.a_row = p->trans_a ? 1 : p->s.k;
    t.a_k = p->trans_a ? p->s.m : 1;
    t.b_k = p->trans_b ? 1 : p->s.n;
    t.b_column = p->trans_b ? p->s.k : 1;
    t.dst_row = p->s.n;
    t.a = nn_load(k, p->type, c_tile_element(k, "a", "r", t.a_row, "k", t.a_k));
    const char *b = p->trans_b ? c_tile_element(k, "b", "j", p->s.k, "k", 1)
                               : c_tile_element(k, "b", "k", p->s.n, "j", 1);
    t.b = nn_load(k, p->type, b);
    if (k->plan->variant == C_matmul_packed) {
        t.packed = t.b;
        t.type_panel = t.type_sum;
        t.b = c_tile_element(k, "b", "k", k->plan->columns, "j", 1);
    }
    const char *sum = scaled(k, p, p->alpha, "sum[r][j]");
    if (p->has_c) {
        t.operand[t.n_operands++] =
            (TileOperand){dtype_c(nn_in(k, 2)->dtype), "c", p->c_row, p->c_column};
        sum = arena_printf(k->arena, "%s + %s", sum, third(k, p, "c", "r", "j"));
    }
    t.result = c_tile_result(k, &t, p->type, sum, false);
    return t;
}

static void emit_blocks(CKernel *k, const Product *p)
{
    Tile t = product_tile(k, p);
    Bindings *b = product_bindings(k, p);
    const char *c[TILE_OPERANDS_MAX] = {"bias"},
               *n = arena_printf(k->arena, "%lld", (long long)p->s.n);
    c_emit_tile(k, &t);
    bind_batch(k, b, p);
    c_tile_epilogue_arguments(k, &t, c, NULL, NULL);
    c_bind_tile_call(&t, b, "call", "src", "weights", c, "dst", n);
    c_tile_epilogue_arguments(k, &t, c, nn_times(k->arena, "batch", p->s.m * p->s.n), NULL);
    c_bind_tile_call(&t, b, "call_batch", "a", "b", c, "matrix", n);
    nn_render(k, "c/matmul.c", b);
}

static void bind_columns(Bindings *b, int64_t first, int64_t end, int64_t panels)
{
    Bindings *row = bind_row(b, "columns");
    bind_int(row, "first_column", first);
    bind_int(row, "end_column", end);
    bind(row, "at_once", panels > 1 ? "%lld * WIDTH" : "WIDTH", (long long)panels);
    bind_int(row, "several", panels);
    bind_int(row, "beside", panels - 1);
}

/* Weights as another variant of the model has packed them. Narrow panels are read side by side, as many as make WIDE columns: the sums of one would wait for each other. */
static void emit_panels(CKernel *k, const Product *p, int64_t width)
{
    enum { WIDE = 32 };
    const int64_t panels = (p->s.n + width - 1) / width, beside = width < WIDE ? WIDE / width : 1,
                  whole = panels / beside * beside * width;
    Bindings *b = product_bindings(k, p);
    bind_int(b, "rows", p->s.m);
    bind_int(b, "width", width);
    bind_int(b, "fours", p->s.k / 4);
    bind_int(b, "rest_k", p->s.k % 4);
    bind(b, "first", "%s", third(k, p, "bias", "row", "first + j"));
    nn_bind_result(k, b, p->type);
    bind_a(k, b, p, 4);
    if (whole)
        bind_columns(b, 0, whole < p->s.n ? whole : p->s.n, beside);
    if (whole < p->s.n)
        bind_columns(b, whole, p->s.n, 1);
    nn_share(k, b, false, "ROWS");
    nn_render(k, "c/matmul_panels.c", b);
}

static void share_rows_or_columns(CKernel *k, Bindings *b, const Product *p)
{
    const int64_t columns = product_columns_at_once(p, &k->program->buffers[k->step->in[1]].layout);
    const bool by_columns = k->shared && columns;
    bind_int(b, "by_columns", by_columns);
    bind_int(b, "columns", columns);
    bind(b, "begin", "%s", by_columns ? "begin" : "0");
    bind(b, "end", "%s", by_columns ? "end" : "N");
    if (by_columns) {
        bind(b, "from", "0");
        bind(b, "to", "ROWS");
    } else {
        nn_share(k, b, false, "ROWS");
    }
}

static void emit_rows(CKernel *k, const Product *p)
{
    const MatMulShape *s = &p->s;
    Bindings *b = product_bindings(k, p);
    const char *batch = s->m == 1 ? "row" : arena_printf(k->arena, "row / %lld", (long long)s->m);
    const char *a = plus_offset(k, "src", batch_offset(k, s, s->a_step, s->m * s->k, batch));
    if (s->batch == 1)
        a = "src + row * K";
    else if (s->m > 1)
        a = arena_printf(k->arena, "%s + row %% %lld * K", a, (long long)s->m);
    bind(b, "row_a", "%s", a);
    bind(b, "row_b", "%s",
         plus_offset(k, "weights", batch_offset(k, s, s->b_step, s->k * s->n, batch)));
    bind_int(b, "rows", s->batch * s->m);
    bind_int(b, "eights", s->k / 8);
    bind_int(b, "four", s->k % 8 / 4);
    bind_int(b, "rest_k", s->k % 4);
    bind(b, "first", "%s", third(k, p, "bias", "row", "j"));
    bind_int(b, "epilogue", nn_has_epilogue(k));
    nn_bind_result(k, b, p->type);
    bind_a(k, b, p, 8);
    share_rows_or_columns(k, b, p);
    nn_render(k, "c/matmul_rows.c", b);
}

static void emit_dots(CKernel *k, const Product *p)
{
    Bindings *b = product_bindings(k, p);
    const char *sum = scaled(k, p, p->alpha, "sum[r]");
    if (p->has_c)
        sum = arena_printf(k->arena, "%s + %s", sum, third(k, p, "bias", "i", "j + r"));
    bind(b, "sum", "%s", sum);
    bind_int(b, "epilogue", nn_has_epilogue(k));
    nn_bind_result(k, b, p->type);
    bind_int(b, "lanes", k->plan->lanes);
    bind_int(b, "full_lanes", p->s.k / k->plan->lanes);
    bind_int(b, "full", p->s.n - p->s.n % 4);
    bind_int(b, "rest", p->s.n % 4);
    nn_share(k, b, false, "M");
    nn_render(k, "c/matmul_dot.c", b);
}

void emit_c_matmul(CKernel *k)
{
    Product p = product_of(k->g, k->node);
    const int64_t width = k->program->buffers[k->step->in[1]].layout.block;
    if (width)
        emit_panels(k, &p, width);
    else if (k->plan->variant == C_matmul_rows)
        emit_rows(k, &p);
    else if (k->plan->variant == C_matmul_dots)
        emit_dots(k, &p);
    else
        emit_blocks(k, &p);
}
