/* Matrix products with operands as they come: constants, transposed, divided into heads. */
#include "maker.h"

#include <math.h>

static ValueId matmul(Maker *m, ValueId a, ValueId b)
{
    return op(m, OP_MatMul, (ValueId[]){a, b}, 2, NULL);
}

static ValueId with_bias(Maker *m, ValueId y)
{
    const TensorType t = *shape_in(m, y);
    ValueId bias = constant(m, 1, &t.dims[t.rank - 1], 1, 0);
    bool swap = chance(m, 2);
    return op(m, OP_Add, (ValueId[]){swap ? bias : y, swap ? y : bias}, 2, NULL);
}

static ValueId dense(Maker *m, ValueId x, int64_t n)
{
    const TensorType t = *shape_in(m, x);
    int64_t dims[] = {t.dims[t.rank - 1], n};
    return matmul(m, x, constant(m, 2, dims, 1.7 / sqrt((double)dims[0]), 0));
}

ValueId make_matmul(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    int64_t k = t.dims[t.rank - 1], n = 1 + below(m, 9);
    ValueId y;
    if (chance(m, 5) && t.rank > 2) { /* a batch of constants */
        int64_t dims[] = {chance(m, 2) ? 1 : t.dims[t.rank - 3], k, n};
        y = matmul(m, x, constant(m, 3, dims, 1.7 / sqrt((double)k), 0));
    } else if (chance(m, 6) && t.rank > 1) { /* a constant from the left, or a vector */
        int64_t dims[] = {n, t.dims[t.rank - 2]};
        y = chance(m, 3) ? matmul(m, x, constant(m, 1, &k, 1, 0))
                         : matmul(m, constant(m, 2, dims, 1, 0), x);
    } else
        y = dense(m, x, n);
    if (shape_in(m, y)->rank == 0)
        return NO_VALUE;
    if (chance(m, 2))
        y = with_bias(m, y);
    if (chance(m, 3))
        y = make_unary(m, y);
    ValueId like = chance(m, 3) ? pick_like(m, y) : NO_VALUE;
    if (has_value(like))
        y = op(m, OP_Add, (ValueId[]){y, like}, 2, NULL);
    return chance(m, 3) && shape_in(m, y)->rank > 1 ? random_transpose(m, y) : y;
}

ValueId make_gemm(Maker *m, ValueId x)
{
    const TensorType t = *shape_in(m, x);
    bool trans_a = chance(m, 3), trans_b = chance(m, 2), by_value = false;
    int64_t rows = t.dims[trans_a ? 1 : 0], k = t.dims[trans_a ? 0 : 1], n = 1 + below(m, 7);
    int64_t dims[] = {trans_b ? n : k, trans_b ? k : n};
    ValueId in[3] = {x, NO_VALUE, NO_VALUE};
    for (uint32_t tries = 0; tries < 10 && chance(m, 2) && !by_value; tries++) {
        ValueId y = m->value[below(m, m->n)];
        const TensorType *u = shape_in(m, y);
        if (u->rank != 2 || u->dims[trans_b ? 1 : 0] != k)
            continue;
        in[1] = y;
        n = u->dims[trans_b ? 0 : 1];
        by_value = true;
    }
    if (!by_value)
        in[1] = constant(m, 2, dims, 1.7 / sqrt((double)k), 0);
    const int64_t full[] = {rows, n}, row[] = {1, n}, column[] = {rows, 1};
    switch (below(m, 7)) {
    case 0:
    case 1:
        in[2] = constant(m, 1, &n, 1, 0);
        break;
    case 2:
        in[2] = constant(m, 2, row, 1, 0);
        break;
    case 3:
        in[2] = constant(m, 2, column, 1, 0);
        break;
    case 4:
        in[2] = constant(m, 2, full, 1, 0);
        break;
    case 5:
        in[2] = constant(m, 0, full, 1, 0);
        break;
    default:
        break;
    }
    double alpha = chance(m, 3) ? 0.5 : 1, beta = chance(m, 4) ? 2 : chance(m, 8) ? 0 : 1;
    ValueId y = op(m, OP_Gemm, in, 3,
                   (Attr[]){ATTR_F("alpha", alpha), ATTR_F("beta", beta), ATTR_I("transA", trans_a),
                            ATTR_I("transB", trans_b), ATTR_END});
    return has_value(y) && chance(m, 2) ? make_unary(m, y) : y;
}

static ValueId swap_last(Maker *m, ValueId x)
{
    int64_t perm[MAX_RANK], rank = shape_in(m, x)->rank;
    for (int64_t i = 0; i < rank; i++)
        perm[i] = i < rank - 2 ? i : rank - 2 + rank - 1 - i;
    return transposed(m, x, perm);
}

static ValueId halve(Maker *m, ValueId x)
{
    float *half = ARENA_NEW(m->g->arena, float);
    *half = 0.5f;
    ValueId c = graph_add_const(m->g, "half", type_make(DT_F32, 0, NULL), half);
    return op(m, OP_Mul, (ValueId[]){x, c}, 2, NULL);
}

/* x times its own transpose, or that of a value of its shape; from either side. */
ValueId make_self_product(Maker *m, ValueId x)
{
    ValueId y = chance(m, 2) ? pick_like(m, x) : x;
    if (!has_value(y) || type_count(shape_in(m, x)) > 600)
        return NO_VALUE;
    ValueId t = swap_last(m, y);
    ValueId z = chance(m, 2) ? matmul(m, x, t) : matmul(m, t, x);
    return chance(m, 2) ? halve(m, z) : z;
}

/* [b, s, e] to [b, h, s, e/h] or, where `keys`, [b, h, e/h, s]. */
static ValueId heads(Maker *m, ValueId x, int64_t h, bool keys)
{
    static const int64_t perm[] = {0, 2, 1, 3}, perm_keys[] = {0, 2, 3, 1};
    const TensorType t = *shape_in(m, x);
    const int64_t dims[] = {t.dims[0], t.dims[1], h, t.dims[2] / h};
    ValueId y = reshaped(m, x, 4, dims);
    if (!keys)
        return transposed(m, y, perm);
    return chance(m, 2) ? transposed(m, y, perm_keys) : swap_last(m, transposed(m, y, perm));
}

ValueId make_attention(Maker *m, ValueId x)
{
    static const int64_t perm[] = {0, 2, 1, 3};
    const TensorType t = *shape_in(m, x);
    int64_t h = t.dims[2] % 2 ? 1 : 2;
    bool one_product = chance(m, 3);
    ValueId q, k, v;
    if (one_product) { /* one product, then three parts */
        const int64_t e = t.dims[2], sizes[] = {e, e, e};
        ValueId all = with_bias(m, dense(m, x, 3 * e));
        NodeId parts = graph_add_node(m->g, OP_Split, "", UINT32_MAX, &all, 1, 3, NULL,
                                      (Attr[]){ATTR_I("axis", 2), ATTR_IS("split", sizes, 3)}, 2);
        q = node_at(m->g, parts)->out[0];
        k = node_at(m->g, parts)->out[1];
        v = node_at(m->g, parts)->out[2];
    } else {
        q = dense(m, x, t.dims[2]);
        k = chance(m, 2) ? with_bias(m, dense(m, x, t.dims[2])) : dense(m, x, t.dims[2]);
        v = chance(m, 3) ? x : dense(m, x, t.dims[2]);
    }
    ValueId scores = halve(m, matmul(m, heads(m, q, h, false), heads(m, k, h, true)));
    if (chance(m, 3)) {
        const int64_t mask[] = {1, 1, t.dims[1], t.dims[1]};
        scores = op(m, OP_Add, (ValueId[]){scores, constant(m, 4, mask, 1, 0)}, 2, NULL);
    }
    scores =
        op1(m, OP_Softmax, scores, (Attr[]){ATTR_I("axis", 3), ATTR_I("axis_end", 4), ATTR_END});
    ValueId y = transposed(m, matmul(m, scores, heads(m, v, h, false)), perm);
    y = reshaped(m, y, 3, t.dims);
    if (chance(m, 2))
        y = with_bias(m, dense(m, y, t.dims[2]));
    return chance(m, 2) ? op(m, OP_Add, (ValueId[]){x, y}, 2, NULL) : y;
}
