/* Reductions over every choice of axes, on every type; what goes along one axis; Einsum and Det. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../kernel_harness.h"

static const Op reductions[] = {
    OP_ReduceL1,   OP_ReduceL2,  OP_ReduceLogSum, OP_ReduceLogSumExp, OP_ReduceMax,
    OP_ReduceMean, OP_ReduceMin, OP_ReduceProd,   OP_ReduceSum,       OP_ReduceSumSquare};
static const DType types[] = {DT_F32, DT_F64, DT_F16, DT_I8,   DT_U8,
                              DT_I32, DT_I64, DT_U64, DT_BF16, DT_BOOL};

static void reduce(Harness *h, Op op, ValueId x, unsigned mask, int64_t keepdims)
{
    int64_t axes[MAX_RANK];
    size_t n = 0;
    for (int d = 0; d < type_of(harness_graph(h), x)->rank; d++)
        if (mask >> d & 1)
            axes[n++] = d;
    harness_try_node(h, op, &x, 1, 1,
                     (Attr[]){ATTR_IS("axes", axes, n), ATTR_I("keepdims", keepdims), ATTR_END});
}

static void test_every_reduction(void **state)
{
    (void)state;
    Harness *h = harness_new("reductions");
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        bool sign = dtype_is_float(types[t]) || dtype_is_signed_int(types[t]);
        for (size_t op = 0; op < COUNT_OF(reductions); op++) {
            bool log = reductions[op] == OP_ReduceLogSum || !sign;
            ValueId x = harness_input(h, types[t], 3, (int64_t[]){3, 5, 37}, log ? 0 : -1,
                                      types[t] == DT_BOOL ? 1 : 1.5);
            if (t < 2 || (t + op) % 2)
                reduce(h, reductions[op], x, 4, 0);
            if (t < 2 || (t + op) % 2 == 0)
                reduce(h, reductions[op], x, 1, 1);
        }
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_axes(void **state)
{
    (void)state;
    Harness *h = harness_new("axes");
    harness_optimise(h);
    ValueId x = harness_input(h, DT_F32, 4, (int64_t[]){3, 70, 5, 6}, -1, 1);
    ValueId empty = harness_input(h, DT_F32, 3, (int64_t[]){3, 0, 5}, -1, 1);
    ValueId ints = harness_input(h, DT_I32, 3, (int64_t[]){3, 0, 5}, -1, 1);
    ValueId one = harness_input(h, DT_F32, 4, (int64_t[]){1, 1, 1, 1}, -1, 1),
            scalar = harness_input(h, DT_F32, 0, NULL, -1, 1);
    for (unsigned mask = 0; mask < 16; mask++) {
        reduce(h, OP_ReduceSum, x, mask, mask & 1);
        reduce(h, OP_ReduceLogSumExp, x, mask, 0);
    }
    for (size_t op = 0; op < COUNT_OF(reductions); op++) {
        reduce(h, reductions[op], empty, 2, 0);
        reduce(h, reductions[op], ints, 2, 1);
        reduce(h, reductions[op], empty, 1, 1);
    }
    reduce(h, OP_ReduceL2, one, 5, 0);
    reduce(h, OP_ReduceMax, scalar, 0, 0);
    for (unsigned mask = 0; mask < 16; mask++) {
        ValueId y = harness_input(h, DT_F32, 4, (int64_t[]){2, 20, 5, 7}, -1, 1);
        harness_layout(h, y, layout_nxc(4));
        reduce(h, OP_ReduceMean, y, mask, 1);
    }
    assert_int_equal(harness_run(h), 0);
}

/* Long sums keep their accuracy: of all the same sign, where errors add up. */
static void test_long(void **state)
{
    (void)state;
    Harness *h = harness_new("long");
    harness_optimise(h);
    harness_tolerance(h, 2e-6, 0);
    ValueId row = harness_input(h, DT_F32, 2, (int64_t[]){2, 100003}, 0, 1),
            columns = harness_input(h, DT_F32, 2, (int64_t[]){50000, 3}, 0, 1);
    static const Op sums[] = {OP_ReduceSum, OP_ReduceMean, OP_ReduceSumSquare,
                              OP_ReduceL1,  OP_ReduceL2,   OP_ReduceLogSumExp};
    for (size_t op = 0; op < COUNT_OF(sums); op++) {
        reduce(h, sums[op], row, 2, 0);
        reduce(h, sums[op], columns, 1, 0);
        reduce(h, sums[op], row, 3, 0);
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_special_values(void **state)
{
    (void)state;
    Harness *h = harness_new("specials");
    float v[4][40];
    for (int i = 0; i < 160; i++)
        v[i / 40][i % 40] = (float)(i % 7) - 3;
    v[0][17] = NAN;
    v[1][3] = INFINITY;
    v[2][39] = -INFINITY;
    for (int i = 0; i < 40; i++)
        v[3][i] = -INFINITY;
    ValueId x = harness_data(h, type_make(DT_F32, 2, (int64_t[]){4, 40}), v);
    ValueId rows = harness_data(h, type_make(DT_F32, 2, (int64_t[]){40, 4}), v);
    static const Op ops[] = {OP_ReduceMax, OP_ReduceMin, OP_ReduceSum, OP_ReduceLogSumExp};
    for (size_t op = 0; op < COUNT_OF(ops); op++)
        for (unsigned mask = 1; mask < 4; mask++)
            reduce(h, ops[op], x, mask, 0);
    for (int64_t axis = 0; axis < 2; axis++)
        for (int64_t last = 0; last < 2; last++) {
            Attr a[] = {ATTR_I("axis", axis), ATTR_I("keepdims", 0),
                        ATTR_I("select_last_index", last), ATTR_END};
            harness_node(h, OP_ArgMax, &x, 1, 1, a);
            harness_node(h, OP_ArgMin, &x, 1, 1, a);
            harness_node(h, OP_ArgMax, &rows, 1, 1, a);
            harness_node(h, OP_ArgMin, &rows, 1, 1, a);
            for (int64_t k = 4; k <= (axis ? 36 : 4); k += 16) /* a few, and many */
                harness_node(h, OP_TopK, &x, 1, 2,
                             (Attr[]){ATTR_I("axis", axis), ATTR_I("k", k), ATTR_I("largest", last),
                                      ATTR_I("sorted", 1), ATTR_END});
        }
    assert_int_equal(harness_run(h), 0);
}

/* A NaN comes out wherever it stands in a row, of whatever length: in the lanes, in what is left of them, in a piece of a long one. */
static void test_nan_in_rows(void **state)
{
    (void)state;
    Harness *h = harness_new("nan_in_rows");
    static const int64_t sizes[] = {3, 8, 9, 35, 100, 131, 800, 5003};
    static const Op ops[] = {OP_ReduceMax, OP_ReduceMin, OP_ReduceLogSumExp};
    static float v[5][5003];
    static double w[5][5003];
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const int64_t n = sizes[i], where[] = {0, n / 2, n - 1, n > 4097 ? 4096 : 1, n};
        for (int64_t j = 0; j < 5 * n; j++)
            (&v[0][0])[j] = j % n == where[j / n] ? NAN : (float)(j * 37 % 101) - 50;
        for (int64_t j = 0; j < 5 * n; j++)
            (&w[0][0])[j] = (double)(&v[0][0])[j];
        ValueId x = harness_data(h, type_make(DT_F32, 2, (int64_t[]){5, n}), v),
                y = harness_data(h, type_make(DT_F64, 2, (int64_t[]){5, n}), w);
        for (size_t op = 0; op < COUNT_OF(ops); op++) {
            reduce(h, ops[op], x, 2, 0);
            reduce(h, ops[op], y, 2, 0);
        }
    }
    assert_int_equal(harness_run(h), 0);
}

/* Of long rows blocks are passed over in which no element is good enough; NaN comes before everything, and of equals the first. Rows that rise bring better ones to
 * their end; 0 and -0 are equal; all elements may be asked for, and those of columns. */
static void test_top_k_of_many(void **state)
{
    (void)state;
    Harness *h = harness_new("top_k_of_many");
    static float v[4][1000];
    for (int i = 0; i < 2000; i++)
        (&v[0][0])[i] = (float)(i * 7919 % 499) - 250;
    v[1][5] = v[1][700] = v[1][999] = NAN;
    v[1][6] = -INFINITY;
    v[1][7] = INFINITY;
    for (int i = 0; i < 1000; i++) {
        v[2][i] = (float)(i / 3) - 100;
        v[3][i] = i % 3 ? 0.0f : i % 2 ? -0.0f : (float)(i % 7) - 3;
    }
    ValueId x[] = {harness_data(h, type_make(DT_F32, 2, (int64_t[]){4, 1000}), v),
                   harness_data(h, type_make(DT_F32, 2, (int64_t[]){1000, 4}), v),
                   harness_input(h, DT_I32, 2, (int64_t[]){2, 1000}, -300, 300),
                   harness_input(h, DT_F16, 2, (int64_t[]){2, 101}, -3, 3),
                   harness_input(h, DT_F64, 2, (int64_t[]){2, 101}, -3, 3)};
    static const int64_t counts[] = {1, 33, 40, 64, 79, 101, 300, 1000};
    for (size_t i = 0; i < COUNT_OF(x); i++)
        for (size_t j = 0; j < COUNT_OF(counts); j++)
            for (int64_t largest = 0; largest < 2; largest++)
                harness_try_node(h, OP_TopK, &x[i], 1, 2,
                                 (Attr[]){ATTR_I("axis", i != 1), ATTR_I("k", counts[j]),
                                          ATTR_I("largest", largest), ATTR_I("sorted", 1),
                                          ATTR_END});
    assert_int_equal(harness_run(h), 0);
}

/* Rows by vectors: the first of equal elements, in whole vectors and behind them, and NaN before all, wherever they stand. */
static void test_arg_of_rows(void **state)
{
    (void)state;
    Harness *h = harness_new("arg_of_rows");
    static const int64_t sizes[] = {32, 33, 47, 80, 131, 1000};
    static float v[12][1000];
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const int64_t n = sizes[i], places[] = {0, 1, 15, 16, 31, n - 2, n - 1};
        float *x = &v[0][0];
        for (int64_t r = 0; r < 12; r++)
            for (int64_t j = 0; j < n; j++)
                x[r * n + j] = r == 11 ? -INFINITY : (float)((r * n + j) * 37 % 29) - 14;
        for (int64_t r = 0; r < 7; r++)
            x[r * n + places[r]] = r % 2 ? 20 : -20;
        x[7 * n + 9] = x[8 * n + n - 1] = x[9 * n] = x[10 * n + n / 2] = NAN;
        x[7 * n + 8] = x[7 * n + 10] = INFINITY;
        x[10 * n + n / 2 + 1] = NAN;
        const ValueId in = harness_data(h, type_make(DT_F32, 2, (int64_t[]){12, n}), v);
        for (int64_t last = 0; last < 2; last++)
            for (int most = 0; most < 2; most++)
                harness_node(h, most ? OP_ArgMax : OP_ArgMin, &in, 1, 1,
                             (Attr[]){ATTR_I("axis", 1), ATTR_I("keepdims", 0),
                                      ATTR_I("select_last_index", last), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_along_axis(void **state)
{
    (void)state;
    Harness *h = harness_new("along");
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int64_t axis = 0; axis < 3; axis++) {
            if (t && axis != (int64_t)t % 3)
                continue;
            int64_t dims[] = {3, 9, 5};
            if (axis == 1)
                dims[2] = 70;
            if (axis == 2)
                dims[0] = 30; /* rows that are taken across */
            ValueId x = harness_input(
                h, types[t], 3, dims,
                types[t] == DT_U8 || types[t] == DT_U64 || types[t] == DT_BOOL ? 0 : -4,
                types[t] == DT_BOOL ? 1 : 4);
            for (int64_t flag = 0; flag < 2; flag++) {
                Attr a[] = {ATTR_I("axis", axis), ATTR_I("keepdims", flag),
                            ATTR_I("select_last_index", flag), ATTR_END};
                harness_try_node(h, OP_ArgMax, &x, 1, 1, a);
                harness_try_node(h, OP_ArgMin, &x, 1, 1, a);
                for (int64_t k = 0; k <= dims[axis]; k += dims[axis] > 9 ? 35 : 4)
                    harness_try_node(h, OP_TopK, &x, 1, 2,
                                     (Attr[]){ATTR_I("axis", axis), ATTR_I("k", k),
                                              ATTR_I("largest", flag), ATTR_I("sorted", 1),
                                              ATTR_END});
                for (int64_t reverse = 0; reverse < 2; reverse++) {
                    Attr along[] = {ATTR_I("axis", axis), ATTR_I("exclusive", flag),
                                    ATTR_I("reverse", reverse), ATTR_END};
                    harness_try_node(h, OP_CumSum, &x, 1, 1, along);
                    if (types[t] != DT_F16 &&
                        types[t] != DT_BF16) /* one rounding is a step there */
                        harness_try_node(h, OP_CumProd, &x, 1, 1, along);
                }
            }
        }
    assert_int_equal(harness_run(h), 0);
}

static void test_einsum_det(void **state)
{
    (void)state;
    static const struct {
        const char *equation;
        const char *terms[3];
    } cases[] = {
        {"ij,jk->ik", {"ij", "jk"}},
        {"bij,bkj->bik", {"bij", "bkj"}},
        {"ii->i", {"ii"}},
        {"ii->", {"ii"}},
        {"i,i->", {"i", "i"}},
        {"ij->ji", {"ij"}},
        {"i,j->ij", {"i", "j"}},
        {"abc,cd,db->ad", {"abc", "cd", "db"}},
        {"bhij,bhjd->bihd", {"bhij", "bhjd"}},
        {"ij->", {"ij"}},
    };
    static const DType some[] = {DT_F32, DT_I32, DT_F16};
    Harness *h = harness_new("einsum");
    for (size_t c = 0; c < COUNT_OF(cases); c++)
        for (size_t t = 0; t < COUNT_OF(some); t++) {
            ValueId in[3];
            uint32_t n = 0;
            for (; n < 3 && cases[c].terms[n]; n++) {
                int64_t dims[MAX_RANK];
                int rank = 0;
                for (const char *s = cases[c].terms[n]; *s; s++)
                    dims[rank++] = *s == 'k' ? 70 : *s == 'b' ? 2 : 3 + *s % 4;
                in[n] = harness_input(h, some[t], rank, dims, -3, 3);
            }
            harness_node(h, OP_Einsum, in, n, 1,
                         (Attr[]){ATTR_S("equation", cases[c].equation), ATTR_END});
        }
    for (int64_t n = 0; n < 7; n++) {
        ValueId x = harness_input(h, n == 3 ? DT_F64 : DT_F32, 3, (int64_t[]){3, n, n}, -1, 1);
        harness_node(h, OP_Det, &x, 1, 1, NULL);
    }
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_reduction),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_nan_in_rows),
        cmocka_unit_test(test_top_k_of_many),
        cmocka_unit_test(test_arg_of_rows),
        cmocka_unit_test(test_along_axis),
        cmocka_unit_test(test_einsum_det),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
