/* Portable C for MatMulInteger and QLinearMatMul. */
#include "../../eval/nn.h"
#include "quant.h"
#include "tile.h"

/* Zero points and scales of a go by row, those of b by column, where they are not single numbers. */
typedef struct QProduct {
    CKernel *k;
    MatMulShape s;
    Tile tile;
    uint32_t a, b, a_zero, b_zero;
    const char *operand[TILE_OPERANDS_MAX];
} QProduct;

/* What one operand moves by per row or column of the matrix; and per matrix, as an expression of its index. */
static void add_operand(QProduct *q, uint32_t input, const char *name, bool by_row,
                        const char *matrix)
{
    Arena *a = q->k->arena;
    const TensorType *type = nn_in(q->k, input);
    int64_t count = type_count(type), size = by_row ? q->s.m : q->s.n, step = count > 1;
    Tile *t = &q->tile;
    q->operand[t->n_operands] = q->k->input[input];
    if (count > size && size > 0) /* one vector for each matrix */
        q->operand[t->n_operands] = nn_plus(a, q->operand[t->n_operands], matrix, size);
    t->operand[t->n_operands++] =
        (TileOperand){dtype_c(type->dtype), name, by_row ? step : 0, by_row ? 0 : step};
}

static const char *operand(const QProduct *q, const char *name)
{
    for (int i = 0; i < q->tile.n_operands; i++)
        if (q->tile.operand[i].name == name)
            return arena_printf(q->k->arena, "%s[%s]", name,
                                q->tile.operand[i].row      ? "r"
                                : q->tile.operand[i].column ? "j"
                                                            : "0");
    bug("no operand '%s'", name);
}

static const char *factor(QProduct *q, const char *element, uint32_t zero, const char *name,
                          bool by_row, const char *matrix)
{
    if (c_no_zero_point(q->k, zero))
        return arena_printf(q->k->arena, "(uint32_t)%s", element);
    add_operand(q, zero, name, by_row, matrix);
    return arena_printf(q->k->arena, "(uint32_t)(%s - %s)", element, operand(q, name));
}

/* A scale, which may be f16. */
static const char *scale_of(QProduct *q, uint32_t input, const char *name, bool by_row,
                            const char *matrix)
{
    add_operand(q, input, name, by_row, matrix);
    return nn_load(q->k, nn_in(q->k, input)->dtype, operand(q, name));
}

/* What QLinearMatMul stores; x is the sum in units of dst's scale. */
static const char *quantised_result(QProduct *q)
{
    CKernel *k = q->k;
    const char *a_scale = scale_of(q, 1, "a_scale", true, "matrix_a"),
               *b_scale = scale_of(q, 4, "b_scale", false, "matrix_b"),
               *dst_scale = scale_of(q, 6, "dst_scale", true, "matrix_a"),
               *scale = arena_printf(k->arena, "%s * %s / %s", a_scale, b_scale, dst_scale);
    const char *zero = "0";
    if (!c_no_zero_point(k, 7)) {
        add_operand(q, 7, "dst_zero", true, "matrix_a");
        zero = operand(q, "dst_zero");
    }
    q->tile.value = arena_printf(k->arena, "(float)(int32_t)sum[r][j] * (%s)", scale);
    c_emit_quantize(k, nn_out(k, 0)->dtype);
    return arena_printf(k->arena, "%s_quantize(x, %s)", k->fn, zero);
}

/* Operand i, if it is a zero point that is 0 everywhere: a parameter that nothing reads. */
static const char *unused(const QProduct *q, uint32_t i)
{
    const bool is_unused = nn_has_in(q->k, i) && c_no_zero_point(q->k, i);
    return is_unused ? q->k->input[i] : "";
}

static void emit(QProduct *q)
{
    CKernel *k = q->k;
    Arena *a = k->arena;
    Tile *t = &q->tile;
    MatMulShape *s = &q->s;
    *s = matmul_shape(nn_in(k, q->a), nn_in(k, q->b));
    *t = (Tile){.type_a = dtype_c(nn_in(k, q->a)->dtype),
                .type_b = dtype_c(nn_in(k, q->b)->dtype),
                .type_dst = dtype_c(k->program->buffers[k->step->out[0]].type.dtype),
                .type_sum = "uint32_t",
                .m = s->m,
                .k = s->k,
                .a_row = s->k,
                .a_k = 1,
                .b_k = s->n,
                .dst_row = s->n};
    t->a =
        factor(q, c_tile_element(k, "a", "r", s->k, "k", 1), q->a_zero, "a_zero", true, "matrix_a");
    t->b = factor(q, c_tile_element(k, "b", "k", s->n, "j", 1), q->b_zero, "b_zero", false,
                  "matrix_b");
    const bool quantised = k->node->op == OP_QLinearMatMul;
    const char *result = quantised ? quantised_result(q) : "sum[r][j]";
    t->result = c_tile_result(k, t, nn_out(k, 0)->dtype, result, false);
    c_tile_epilogue_arguments(k, t, q->operand, nn_times(a, "batch", s->m * s->n), NULL);
    c_emit_tile(k, t);
    Bindings *b = nn_bindings(k);
    bind_int(b, "batch", s->batch);
    bind(b, "T_a", "%s", t->type_a);
    bind(b, "T_b", "%s", t->type_b);
    bind(b, "T_dst", "%s", t->type_dst);
    bind_int(b, "size_a", s->m * s->k);
    bind_int(b, "size_b", s->k * s->n);
    bind_int(b, "size_dst", s->m * s->n);
    bind(b, "matrix_a", "%s", nn_matrix_offset(a, s, s->a_step, 1, "batch"));
    bind(b, "matrix_b", "%s", nn_matrix_offset(a, s, s->b_step, 1, "batch"));
    bind(b, "src_a", "%s", k->input[q->a]);
    bind(b, "src_b", "%s", k->input[q->b]);
    bind(b, "unused_a", "%s", unused(q, q->a_zero));
    bind(b, "unused_b", "%s", unused(q, q->b_zero));
    bind(b, "unused_dst", "%s", quantised ? unused(q, 7) : "");
    c_bind_tile_call(t, b, "call", "a", "b", q->operand, "matrix",
                     arena_printf(a, "%lld", (long long)s->n));
    nn_render(k, "c/matmul_integer.c", b);
}

void emit_c_matmul_integer(CKernel *k)
{
    QProduct q = {.k = k, .a = 0, .b = 1, .a_zero = 2, .b_zero = 3};
    emit(&q);
}

void emit_c_qlinear_matmul(CKernel *k)
{
    QProduct q = {.k = k, .a = 0, .b = 3, .a_zero = 2, .b_zero = 5};
    emit(&q);
}
