/* Products of f32 by the oneDNN that is linked, beside sums in double precision: all numbers of rows up to five blocks of 16, operands
 * transposed or not, added to what is there or not, sums of one block and of several. What runtime-stub/onednn-kernels edits computes them. */
#include <oneapi/dnnl/dnnl.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_ROWS = 81, MAX_COLUMNS = 33, MAX_TERMS = 300, UNALIGNED = 1 };

struct operands {
    float a[MAX_ROWS * MAX_TERMS + UNALIGNED], b[MAX_COLUMNS * MAX_TERMS];
    float before[MAX_ROWS * MAX_COLUMNS], c[MAX_ROWS * MAX_COLUMNS];
};

struct product {
    dnnl_dim_t rows, columns, terms;
    int transposed_a, transposed_b;
    float beta;
};

static double wanted(const struct operands *o, const float *a, const struct product *p,
                     dnnl_dim_t row, dnnl_dim_t column)
{
    double sum = (double)p->beta * (double)o->before[row * p->columns + column];
    for (dnnl_dim_t k = 0; k < p->terms; k++) {
        const float x = p->transposed_a ? a[k * p->rows + row] : a[row * p->terms + k];
        const float y =
            p->transposed_b ? o->b[column * p->terms + k] : o->b[k * p->columns + column];
        sum += (double)x * (double)y;
    }
    return sum;
}

static void check(struct operands *o, const float *a, const struct product *p)
{
    for (dnnl_dim_t i = 0; i < p->rows * p->columns; i++)
        o->c[i] = o->before[i];
    assert_int_equal(dnnl_sgemm(p->transposed_a ? 'T' : 'N', p->transposed_b ? 'T' : 'N', p->rows,
                                p->columns, p->terms, 1.0f, a, p->transposed_a ? p->rows : p->terms,
                                o->b, p->transposed_b ? p->terms : p->columns, p->beta, o->c,
                                p->columns),
                     dnnl_success);
    for (dnnl_dim_t row = 0; row < p->rows; row++)
        for (dnnl_dim_t column = 0; column < p->columns; column++) {
            const double want = wanted(o, a, p, row, column);
            const double got = (double)o->c[row * p->columns + column];
            if (!(fabs(got - want) <= 1e-4))
                fail_msg("%d x %d of %d terms, transposed %d %d, beta %g: [%d, %d] is %g, not %g",
                         (int)p->rows, (int)p->columns, (int)p->terms, p->transposed_a,
                         p->transposed_b, (double)p->beta, (int)row, (int)column, got, want);
        }
}

/* Between -1 and 1, the same always. */
static void fill(float *values, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
    }
}

static void each_number_of_rows(void **state)
{
    static const dnnl_dim_t terms[] = {1, 96, 97, MAX_TERMS}, columns[] = {2, 6, 23, MAX_COLUMNS};
    static const float betas[] = {0, 1, 0.5f};
    struct operands *o = malloc(sizeof *o);
    (void)state;
    assert_non_null(o);
    fill(o->a, sizeof o->a / sizeof *o->a, 1);
    fill(o->b, sizeof o->b / sizeof *o->b, 2);
    fill(o->before, sizeof o->before / sizeof *o->before, 3);
    for (int rows = 1; rows <= MAX_ROWS; rows++)
        for (size_t i = 0; i < 4 * 4 * 3; i++) {
            const struct product p = {rows,
                                      columns[(i + (size_t)rows) % 4],
                                      terms[i / 4 % 4],
                                      (int)(i & 1),
                                      (int)(i >> 1 & 1),
                                      betas[i / 16]};
            check(o, o->a + (rows % 2 ? UNALIGNED : 0), &p);
        }
    free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_number_of_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
