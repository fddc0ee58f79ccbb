/* Apache-2.0. The matrix products of a recurrent layer through which several sequences go together. */
#include <stddef.h>
#define NET_INLINE static inline
#define $gates$ 32
#define $width$ 16
#define $lanes$ 8
#define $bytes$ 32
#define $many$ 4
#define $rest$ 2
#define $fn$_vector sample_vector
#define $fn$_rows sample_rows
#define $fn$_product sample_product
//@begin
typedef float $fn$_vector __attribute__((vector_size($bytes$), aligned(4), may_alias));

/* Adds the products of `rows` rows, MANY at most, with a panel of weights [depth][WIDTH] to that many columns of their sums, which stay in registers. */
NET_INLINE void $fn$_rows(const float *restrict panel, const float *restrict x, float *restrict sum, const size_t rows, const size_t depth)
{
    enum { GATES = $gates$, WIDTH = $width$, LANES = $lanes$, VECTORS = WIDTH / LANES, MANY = $many$ };
    $fn$_vector s[MANY][VECTORS];
    for (size_t m = 0; m < rows; m++)
        for (size_t v = 0; v < VECTORS; v++)
            s[m][v] = *(const $fn$_vector *)(const void *)(sum + m * GATES + v * LANES);
    for (size_t k = 0; k < depth; k++) {
        const $fn$_vector *w = (const void *)(panel + k * WIDTH);
        for (size_t m = 0; m < rows; m++)
            for (size_t v = 0; v < VECTORS; v++)
                s[m][v] += x[m * depth + k] * w[v];
    }
    for (size_t m = 0; m < rows; m++)
        for (size_t v = 0; v < VECTORS; v++)
            *($fn$_vector *)(void *)(sum + m * GATES + v * LANES) = s[m][v];
}

/* sum[m][j] += x[m][k] w[k][j] for all k and the first columns j; the weights stand in panels of columns, [columns / WIDTH][depth][WIDTH], which the
 * first cache keeps for all rows. */
NET_INLINE void $fn$_product(const float *restrict w, const float *restrict x, float *restrict sum, const size_t rows, const size_t depth, const size_t columns)
{
    enum { GATES = $gates$, WIDTH = $width$, MANY = $many$ };
    for (size_t j = 0; j < columns; j += WIDTH) {
        size_t m = 0;
        for (; m + MANY <= rows; m += MANY)
            $fn$_rows(w + j * depth, x + m * depth, sum + m * GATES + j, MANY, depth);
//@if rest
        for (; m + $rest$ <= rows; m += $rest$)
            $fn$_rows(w + j * depth, x + m * depth, sum + m * GATES + j, $rest$, depth);
//@end
        for (; m < rows; m++)
            $fn$_rows(w + j * depth, x + m * depth, sum + m * GATES + j, 1, depth);
    }
}

