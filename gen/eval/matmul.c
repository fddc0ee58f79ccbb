/* Reference matrix products: MatMul and Gemm. Integers wrap modulo 2^64 and then to their own
 * width. */
#include "nn.h"

MatMulShape matmul_shape(const TensorType *a, const TensorType *b)
{
    MatMulShape s = {.batch = 1, .m = 1, .n = 1, .k = a->dims[a->rank - 1]};
    int a_batch = a->rank > 2 ? a->rank - 2 : 0, b_batch = b->rank > 2 ? b->rank - 2 : 0;
    if (a->rank > 1)
        s.m = a->dims[a->rank - 2];
    if (b->rank > 1)
        s.n = b->dims[b->rank - 1];
    s.rank = a_batch > b_batch ? a_batch : b_batch;
    int64_t a_step = 1, b_step = 1;
    for (int d = s.rank - 1; d >= 0; d--) {
        int da = d - (s.rank - a_batch), db = d - (s.rank - b_batch);
        int64_t a_dim = da >= 0 ? a->dims[da] : 1, b_dim = db >= 0 ? b->dims[db] : 1;
        s.dims[d] = a_dim == 1 ? b_dim : a_dim;
        s.a_step[d] = a_dim == 1 ? 0 : a_step;
        s.b_step[d] = b_dim == 1 ? 0 : b_step;
        a_step *= a_dim;
        b_step *= b_dim;
        s.batch *= s.dims[d];
    }
    return s;
}

void matmul_operands(const MatMulShape *s, int64_t i, int64_t *a, int64_t *b)
{
    *a = *b = 0;
    for (int d = s->rank - 1; d >= 0; d--) {
        *a += i % s->dims[d] * s->a_step[d];
        *b += i % s->dims[d] * s->b_step[d];
        i /= s->dims[d];
    }
}

static void product(const MatMulShape *s, const double *a, const double *b, double *dst)
{
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t k = 0; k < s->k; k++)
            for (int64_t j = 0; j < s->n; j++)
                dst[i * s->n + j] += a[i * s->k + k] * b[k * s->n + j];
}

static void products(const MatMulShape *s, const double *a, const double *b, double *dst)
{
    for (int64_t i = 0; i < s->batch; i++) {
        int64_t at_a, at_b;
        matmul_operands(s, i, &at_a, &at_b);
        product(s, a + at_a * s->m * s->k, b + at_b * s->k * s->n, dst + i * s->m * s->n);
    }
}

/* dst wraps, so the sum is taken in unsigned arithmetic. */
static void integer_products(const MatMulShape *s, const Tensor *a, const Tensor *b, Tensor *dst)
{
    for (int64_t i = 0; i < s->batch * s->m * s->n; i++) {
        int64_t at_a, at_b, row = i / s->n % s->m, column = i % s->n;
        uint64_t sum = 0;
        matmul_operands(s, i / (s->m * s->n), &at_a, &at_b);
        for (int64_t k = 0; k < s->k; k++) {
            size_t x = (size_t)((at_a * s->m + row) * s->k + k);
            size_t y = (size_t)((at_b * s->k + k) * s->n + column);
            sum += (uint64_t)elem_i64(a->type.dtype, a->data, x) *
                   (uint64_t)elem_i64(b->type.dtype, b->data, y);
        }
        elem_set_i64(dst->type.dtype, dst->data, (size_t)i, (int64_t)sum);
    }
}

bool eval_matmul(Eval *e)
{
    MatMulShape s = matmul_shape(&e->in[0]->type, &e->in[1]->type);
    if (!dtype_is_float(e->out[0]->type.dtype)) {
        integer_products(&s, e->in[0], e->in[1], e->out[0]);
        return true;
    }
    double *dst = eval_zeros(e, s.batch * s.m * s.n);
    products(&s, eval_wide(e, 0), eval_wide(e, 1), dst);
    eval_store(e, 0, dst);
    return true;
}

static double *transposed(const Eval *e, const double *a, int64_t rows, int64_t columns)
{
    double *t = eval_zeros(e, rows * columns);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            t[j * rows + i] = a[i * columns + j];
    return t;
}

/* dst = alpha * A' * B' + beta * C, with C broadcast to [m, n]. */
bool eval_gemm(Eval *e)
{
    const int64_t *a_dims = e->in[0]->type.dims, *out = e->out[0]->type.dims;
    bool trans_a = attr_int(e->node, "transA", 0), trans_b = attr_int(e->node, "transB", 0);
    double alpha = attr_float(e->node, "alpha", 1), beta = attr_float(e->node, "beta", 1);
    MatMulShape s = {.batch = 1, .m = out[0], .n = out[1], .k = a_dims[trans_a ? 0 : 1]};
    double *a = eval_wide(e, 0), *b = eval_wide(e, 1), *c = eval_wide(e, 2);
    double *dst = eval_zeros(e, s.m * s.n);
    product(&s, trans_a ? transposed(e, a, s.k, s.m) : a, trans_b ? transposed(e, b, s.n, s.k) : b,
            dst);
    const TensorType *ct = c ? &e->in[2]->type : NULL;
    int64_t c_cols = ct && ct->rank > 0 ? ct->dims[ct->rank - 1] : 1;
    int64_t c_rows = ct && ct->rank > 1 ? ct->dims[ct->rank - 2] : 1;
    for (int64_t i = 0; i < s.m * s.n; i++) {
        int64_t row = c_rows == 1 ? 0 : i / s.n, column = c_cols == 1 ? 0 : i % s.n;
        dst[i] = alpha * dst[i] + (c ? beta * c[row * c_cols + column] : 0);
    }
    eval_store(e, 0, dst);
    return true;
}
