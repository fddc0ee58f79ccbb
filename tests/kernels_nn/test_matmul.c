/* MatMul and Gemm: every strategy (rows, dots, blocks, packed blocks), tails, broadcasting, element types. */
#include "nn.h"

static const DType types[] = {DT_F32, DT_F64, DT_F16, DT_BF16, DT_I32, DT_I64, DT_U32, DT_U64};

static void matmul(Harness *h, DType t, int ra, const int64_t *a, int rb, const int64_t *b)
{
    double lo = dtype_is_unsigned_int(t) ? 0 : -2;
    ValueId x = harness_input(h, t, ra, a, lo, 2), y = harness_input(h, t, rb, b, lo, 2);
    NODE(h, OP_MatMul, 1, NULL, x, y);
}

#define MATMUL(t, a, b) matmul(h, t, COUNT a, DIMS a, COUNT b, DIMS b)

static void test_matmul(void **state)
{
    (void)state;
    Harness *h = harness_new("matmul");
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        MATMUL(types[i], (1, 37), (37, 50));
        MATMUL(types[i], (9, 37), (37, 50));
    }
    MATMUL(DT_F32, (64), (64, 10));
    MATMUL(DT_F32, (10, 64), (64));
    MATMUL(DT_F32, (7), (7));
    MATMUL(DT_F32, (1, 3), (3, 5));
    MATMUL(DT_F32, (3, 2), (2, 5));
    MATMUL(DT_F32, (3, 1), (1, 1));
    MATMUL(DT_F32, (4, 8), (8, 24));
    MATMUL(DT_F32, (6, 8), (8, 49));
    MATMUL(DT_F32, (2, 3, 5, 7), (7, 9));
    MATMUL(DT_F32, (2, 3, 5, 7), (2, 3, 7, 9));
    MATMUL(DT_F32, (2, 1, 5, 7), (3, 7, 9));
    MATMUL(DT_F32, (2, 3, 1, 7), (3, 7, 9));
    MATMUL(DT_F32, (2, 3, 2, 7), (2, 1, 7, 9));
    MATMUL(DT_F32, (5, 7), (4, 7, 9));
    MATMUL(DT_F32, (2, 7), (4, 7, 9));
    MATMUL(DT_F32, (7), (4, 7, 9));
    MATMUL(DT_F16, (2, 10, 7), (2, 7, 9));
    assert_int_equal(harness_run(h), 0);
}

static void gemm(Harness *h, DType t, int64_t m, int64_t n, int64_t k, int trans, double alpha,
                 double beta, int rank_c, const int64_t *c)
{
    bool ta = trans & 1, tb = trans & 2;
    ValueId in[3] = {harness_input(h, t, 2, ta ? DIMS(k, m) : DIMS(m, k), -1, 1),
                     harness_input(h, t, 2, tb ? DIMS(n, k) : DIMS(k, n), -1, 1), NO_VALUE};
    if (rank_c >= 0)
        in[2] = harness_input(h, t, rank_c, c, -1, 1);
    harness_node(h, OP_Gemm, in, rank_c >= 0 ? 3 : 2, 1,
                 ATTRS(ATTR_F("alpha", alpha), ATTR_F("beta", beta), ATTR_I("transA", ta),
                       ATTR_I("transB", tb)));
}

static void test_gemm(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 10, 64}, {2, 33, 71}, {5, 24, 8}, {13, 55, 9}};
    Harness *h = harness_new("gemm");
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (int trans = 0; trans < 4; trans++) {
            int64_t m = sizes[i][0], n = sizes[i][1], k = sizes[i][2];
            gemm(h, DT_F32, m, n, k, trans, 1, 1, 1, DIMS(n));
            gemm(h, DT_F32, m, n, k, trans, 0.5, 2, 2, DIMS(m, n));
            gemm(h, DT_F16, m, n, k, trans, 1, 0.25, 2, DIMS(m, 1));
        }
    for (int trans = 0; trans < 4; trans++) {
        gemm(h, DT_F32, 9, 5, 33, trans, -1.5, 1, -1, NULL);
        gemm(h, DT_F32, 9, 5, 33, trans, 1, 0, 1, DIMS(5));
        gemm(h, DT_F64, 3, 7, 33, trans, 1, 3, 0, NULL);
        gemm(h, DT_BF16, 9, 7, 33, trans, 1, 1, 2, DIMS(1, 7));
        gemm(h, DT_I32, 9, 7, 33, trans, 1, 1, 2, DIMS(1, 7));
    }
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matmul), cmocka_unit_test(test_gemm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
