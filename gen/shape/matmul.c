/* Shapes of matrix multiplications. */
#include "shape.h"

#include <inttypes.h>

/* NumPy's rules. m and n_cols are the matrix sizes of the result, 1 for a vector operand. */
static bool matmul_dst(const Graph *g, const Node *n, const TensorType *a, const TensorType *b,
                       TensorType *out, int64_t *m, int64_t *n_cols)
{
    if (a->rank < 1 || b->rank < 1)
        return refuse_node(g, n, "operands of shape %s and %s: a scalar cannot be multiplied",
                           shape_text(g, a), shape_text(g, b));
    int64_t k = a->dims[a->rank - 1], b_k = b->dims[b->rank > 1 ? b->rank - 2 : 0];
    if (k != b_k)
        return refuse_node(
            g, n, "operands of shape %s and %s: the inner dimensions are %" PRId64 " and %" PRId64,
            shape_text(g, a), shape_text(g, b), k, b_k);
    *m = a->rank > 1 ? a->dims[a->rank - 2] : 1;
    *n_cols = b->rank > 1 ? b->dims[b->rank - 1] : 1;
    TensorType batch = type_make(a->dtype, a->rank > 1 ? a->rank - 2 : 0, a->dims);
    TensorType b_batch = type_make(a->dtype, b->rank > 1 ? b->rank - 2 : 0, b->dims);
    if (!broadcast_into(g, n, &batch, &b_batch))
        return false;
    if (a->rank > 1)
        batch.dims[batch.rank++] = *m;
    if (b->rank > 1)
        batch.dims[batch.rank++] = *n_cols;
    *out = batch;
    return true;
}

bool shape_matmul(Graph *g, const Node *n, TensorType *out)
{
    TensorType t;
    int64_t m, n_cols;
    const TensorType *a = in_type(g, n, 0);
    return check_kind(g, n, 0, "operand 0", TYPES_NUMERIC) &&
           check_dtype(g, n, 1, "operand 1", a->dtype) &&
           matmul_dst(g, n, a, in_type(g, n, 1), &t, &m, &n_cols) &&
           set_type(g, n, out, a->dtype, t.rank, t.dims);
}

bool shape_gemm(Graph *g, const Node *n, TensorType *out)
{
    const int64_t trans_a = attr_int(n, "transA", 0), trans_b = attr_int(n, "transB", 0);
    if (!check_kind(g, n, 0, "A", TYPES_NUMERIC) || !check_rank(g, n, 0, "A", 2, 2) ||
        !check_rank(g, n, 1, "B", 2, 2))
        return false;
    const TensorType *a = in_type(g, n, 0), *b = in_type(g, n, 1), *c = in_type(g, n, 2);
    if (!check_dtype(g, n, 1, "B", a->dtype) || !check_parameter(g, n, 2, "C", a->dtype))
        return false;
    if (a->dims[!trans_a] != b->dims[trans_b])
        return refuse_node(g, n, "the inner dimensions are %" PRId64 " in A and %" PRId64 " in B",
                           a->dims[!trans_a], b->dims[trans_b]);
    int64_t dims[2] = {a->dims[trans_a], b->dims[!trans_b]};
    if (!set_type(g, n, out, a->dtype, 2, dims))
        return false;
    if (c && !broadcasts_to(c, out))
        return refuse_node(g, n, "C of shape %s does not broadcast to %s", shape_text(g, c),
                           shape_text(g, out));
    return true;
}

/* Zero points: one number, one per row of A, one per column of B. */
bool shape_matmul_integer(Graph *g, const Node *n, TensorType *out)
{
    TensorType t;
    int64_t m, n_cols;
    const TensorType *a = in_type(g, n, 0), *b = in_type(g, n, 1);
    return check_kind(g, n, 0, "A", TYPES_BYTE) && check_kind(g, n, 1, "B", TYPES_BYTE) &&
           matmul_dst(g, n, a, b, &t, &m, &n_cols) &&
           check_dtype(g, n, 2, "zero point of A", a->dtype) &&
           check_scalar_or_vector(g, n, 2, "zero point of A", m) &&
           check_dtype(g, n, 3, "zero point of B", b->dtype) &&
           check_scalar_or_vector(g, n, 3, "zero point of B", n_cols) &&
           set_type(g, n, out, DT_I32, t.rank, t.dims);
}

/* a, scale, zero point; b, scale, zero point; dst scale, zero point */
bool shape_qlinear_matmul(Graph *g, const Node *n, TensorType *out)
{
    TensorType t;
    int64_t m, n_cols;
    const TensorType *a = in_type(g, n, 0), *b = in_type(g, n, 3);
    return check_kind(g, n, 0, "A", TYPES_BYTE) && check_kind(g, n, 3, "B", TYPES_BYTE) &&
           check_kind(g, n, 7, "dst zero point", TYPES_BYTE) &&
           matmul_dst(g, n, a, b, &t, &m, &n_cols) &&
           check_scale_and_zero(g, n, 1, "A", a->dtype, m) &&
           check_scale_and_zero(g, n, 4, "B", b->dtype, n_cols) &&
           check_scale_and_zero(g, n, 6, "dst", in_type(g, n, 7)->dtype, -1) &&
           set_type(g, n, out, in_type(g, n, 7)->dtype, t.rank, t.dims);
}
