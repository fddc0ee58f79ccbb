/* Pooling by rows, by rows and columns, of whole planes and with places; paddings of every kind. */
#include "nn.h"

typedef struct PoolCase {
    int spatial;
    int64_t src[3], kernel[3], stride[3], dilation[3], pads[6], ceil_pads[3];
} PoolCase;

static const PoolCase cases[] = {
    {2, {8, 9}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, {0}},
    {2, {8, 9}, {2, 3}, {1, 2}, {1, 1}, {0, 0, 0, 0}, {0}},
    {2, {7, 7}, {3, 3}, {2, 2}, {1, 1}, {1, 0, 2, 1}, {1, 1}},
    {2, {9, 11}, {2, 3}, {1, 1}, {3, 2}, {1, 2, 1, 2}, {0}},
    {2, {7, 5}, {7, 5}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {0}},
    {2, {2, 3}, {2, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}, {0}},
    /* rows first, then columns */
    {2, {12, 60}, {5, 5}, {1, 1}, {1, 1}, {2, 2, 2, 2}, {0}},
    {2, {12, 60}, {3, 5}, {1, 1}, {2, 3}, {2, 6, 2, 6}, {0}},
    {2, {20, 90}, {5, 5}, {5, 5}, {1, 1}, {0, 0, 0, 0}, {0}},
    {2, {13, 62}, {7, 7}, {2, 3}, {1, 1}, {3, 3, 2, 4}, {1, 1}},
    {2, {4, 2200}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {0}},
    {3, {4, 9, 40}, {3, 3, 3}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1, 1, 1, 1}, {0}},
    /* several blocks of rows of a plane, the last one shorter */
    {2, {31, 45}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {0}},
    {2, {23, 130}, {2, 4}, {2, 3}, {1, 2}, {0, 0, 0, 0}, {0}},
    {2, {9, 1100}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {0}},
    {2, {6, 5}, {3, 2}, {1, 1}, {4, 1}, {4, 0, 4, 1}, {0}},
    {1, {20}, {4}, {3}, {1}, {2, 1}, {0}},
    {1, {2200}, {3}, {1}, {1}, {1, 1}, {0}},
    {1, {37}, {37}, {1}, {1}, {0, 0}, {0}},
    {3, {5, 6, 7}, {2, 3, 2}, {1, 2, 2}, {1, 1, 1}, {0, 1, 0, 1, 1, 1}, {1, 0, 0}},
    {3, {4, 4, 4}, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {0}},
};

static void pool(Harness *h, Op op, DType t, const PoolCase *c, bool places, Attr extra)
{
    size_t n = (size_t)c->spatial;
    int64_t x[5] = {2, 3};
    memcpy(x + 2, c->src, n * sizeof *x);
    Attr a[8] = {ATTR_IS("dilations", c->dilation, n), ATTR_IS("kernel_shape", c->kernel, n),
                 ATTR_IS("pads", c->pads, 2 * n), ATTR_IS("strides", c->stride, n), extra};
    if (op == OP_AveragePool)
        a[5] = ATTR_IS("ceil_pads", c->ceil_pads, n);
    ValueId in = harness_input(h, t, c->spatial + 2, x, t == DT_U8 ? 0 : -9, 9);
    harness_node(h, op, &in, 1, places ? 2 : 1, a);
}

static void test_pools(const char *name, int lanes)
{
    Harness *h = harness_new(name);
    harness_lanes(h, lanes);
    static const DType types[] = {DT_F32, DT_F16, DT_F64, DT_U8, DT_I8};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const PoolCase *c = &cases[i];
        pool(h, OP_MaxPool, DT_F32, c, false, ATTR_I("storage_order", 0));
        pool(h, OP_MaxPool, types[i % COUNT_OF(types)], c, false, ATTR_I("storage_order", 0));
        pool(h, OP_MaxPool, types[i % COUNT_OF(types)], c, true, ATTR_I("storage_order", i % 2));
        pool(h, OP_AveragePool, DT_F32, c, false, ATTR_I("count_include_pad", 0));
        pool(h, OP_AveragePool, DT_F32, c, false, ATTR_I("count_include_pad", 1));
        pool(h, OP_AveragePool, i % 2 ? DT_F16 : DT_F64, c, false, ATTR_I("count_include_pad", 0));
        pool(h, OP_LpPool, i % 2 ? DT_F32 : DT_F16, c, false, ATTR_I("p", (int64_t)i % 3 + 1));
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_pool(void **state)
{
    (void)state;
    test_pools("pool", 0);
}

static void test_blocks(void **state)
{
    (void)state;
    test_pools("pool_blocks", 8);
}

static void test_unpool(void **state)
{
    (void)state;
    Harness *h = harness_new("unpool");
    ValueId x = INPUT(h, DT_F32, -1, 1, 1, 1, 2, 2);
    ValueId i = harness_data(h, type_make(DT_I64, 4, DIMS(1, 1, 2, 2)), DIMS(5, 7, 13, 15));
    NODE(h, OP_MaxUnpool, 1, ATTRS(INTS("shape", 1, 1, 4, 4)), x, i);
    ValueId x16 = INPUT(h, DT_F16, -1, 1, 1, 1, 2, 2);
    NODE(h, OP_MaxUnpool, 1, ATTRS(INTS("shape", 1, 1, 5, 5)), x16, i);
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pool), cmocka_unit_test(test_blocks),
                                       cmocka_unit_test(test_unpool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
