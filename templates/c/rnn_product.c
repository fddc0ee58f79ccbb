/* Apache-2.0. The matrix products of a recurrent layer. */
#include <stddef.h>
#define NET_INLINE static inline
#define $A_x$ float
#define $gates$ 20
#define $fn$_product sample_product
//@begin
/* sum[m][j] += x[m][k] w[k][j] for all k and the first columns j: the weights are read from start to end, by two rows at
 * a time. */
NET_INLINE void $fn$_product(const $A_x$ *restrict w, const $A_x$ *restrict x, $A_x$ *restrict sum, const size_t rows, const size_t depth, const size_t columns)
{
    enum { GATES = $gates$ };
    size_t m = 0;
    for (; m + 2 <= rows; m += 2) {
        const $A_x$ *restrict x0 = x + m * depth, *restrict x1 = x0 + depth;
        $A_x$ *restrict s0 = sum + m * GATES, *restrict s1 = s0 + GATES;
        const $A_x$ *restrict row = w;
        size_t k = 0;
        for (; k + 4 <= depth; k += 4, row += 4 * GATES)
            for (size_t j = 0; j < columns; j++) {
                const $A_x$ w0 = row[j], w1 = row[GATES + j];
                const $A_x$ w2 = row[2 * GATES + j], w3 = row[3 * GATES + j];
                s0[j] += (x0[k] * w0 + x0[k + 1] * w1) + (x0[k + 2] * w2 + x0[k + 3] * w3);
                s1[j] += (x1[k] * w0 + x1[k + 1] * w1) + (x1[k + 2] * w2 + x1[k + 3] * w3);
            }
        for (; k < depth; k++, row += GATES)
            for (size_t j = 0; j < columns; j++) {
                s0[j] += x0[k] * row[j];
                s1[j] += x1[k] * row[j];
            }
    }
    for (; m < rows; m++) {
        const $A_x$ *restrict v = x + m * depth, *restrict row = w;
        $A_x$ *restrict s = sum + m * GATES;
        size_t k = 0;
        for (; k + 4 <= depth; k += 4, row += 4 * GATES)
            for (size_t j = 0; j < columns; j++)
                s[j] += (v[k] * row[j] + v[k + 1] * row[GATES + j]) +
                        (v[k + 2] * row[2 * GATES + j] + v[k + 3] * row[3 * GATES + j]);
        for (; k < depth; k++, row += GATES)
            for (size_t j = 0; j < columns; j++)
                s[j] += v[k] * row[j];
    }
}

