/* Apache-2.0. A matrix product in blocks that stay in registers. */
#include <stddef.h>
#define NET_INLINE static inline
#define NET_LANES
#define $fn$_tile s_tile
#define $tile_params$(x) const float *restrict a, const float *restrict b, float *restrict dst, const size_t rows, const size_t columns
#define $fn$_rows s_rows
#define $rows_params$(x) const float *restrict a, const float *restrict b, float *restrict dst, const size_t columns
#define $fn$_product s_product
#define $product_params$(x) const float *restrict a, const float *restrict b, float *restrict dst, float *restrict panel, const size_t columns
#define $A_sum$ float
#define $a$ a[r * 64 + k]
#define $b$ b[k * 100 + j]
#define $value$ sum[r][j]
#define $dst$ dst[r * 100 + j]
#define $result$ x
#define $a_rows$ a + i * 64
#define $row$ dst + i * 100
#define $column$ dst + j
#define $columns$ b + j * 64
#define $panel$ panel
#define $fn$_pack s_pack
#define $pack_params$(x) const float *restrict b, float *restrict panel, const size_t columns
#define $packed$ b[j * 64 + k]
#define $size$ K = 64, M = 10, ROWS = 4, COLUMNS = 24
#define $step$ A_ROW = 64, B_K = 100, DST_ROW = 100
#define $tile_steps$(item) item
#define $rows_steps$(item) item
#define $tile_sizes$(item) item
#define $rows_sizes$(item) item
#define $product_sizes$(item) item
#define $pack_sizes$(item) item
//@begin
/* One register block of dst = a * b: its sums stay in registers over all k. */
NET_INLINE void $fn$_tile($tile_params$($param$))
{
    enum { $tile_sizes$($size$) };
//@if tile_has_steps
    enum { $tile_steps$($step$) };
//@end
    $A_sum$ sum[ROWS][COLUMNS] = {{0}};
    /* Factors are read beforehand: gcc would otherwise make k the innermost loop, and the sums would go to memory and back. */
    for (size_t k = 0; k < K; k++) {
        $A_sum$ x[ROWS];
        for (size_t r = 0; r < rows; r++)
            x[r] = $a$;
        /* gcc finds vectors in a whole block once it has unrolled it, in a narrower one only if it has not. */
        for (size_t r = 0; r < rows; r++)
            if (columns == COLUMNS) {
                for (size_t j = 0; j < COLUMNS; j++)
                    sum[r][j] += $b$ * x[r];
            } else {
                NET_LANES
                for (size_t j = 0; j < columns; j++)
                    sum[r][j] += $b$ * x[r];
            }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) {
//@if value
            const float x = $value$;
//@end
            $dst$ = $result$;
        }
}

/* A block of columns, all rows: one register block below the other. */
NET_INLINE void $fn$_rows($rows_params$($param$))
{
    enum { $rows_sizes$($size$) };
//@if rows_has_steps
    enum { $rows_steps$($step$) };
//@end
    for (size_t i = 0; i + ROWS <= M; i += ROWS)
        $fn$_tile($a_rows$, b, $row$, ROWS, columns);
    if (M % ROWS != 0) {
        const size_t i = M - M % ROWS;
        $fn$_tile($a_rows$, b, $row$, M % ROWS, columns);
    }
}

//@if packed
/* Packs a block of columns of b, so that each row of the block is contiguous. */
NET_INLINE void $fn$_pack($pack_params$($param$))
{
    enum { $pack_sizes$($size$) };
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < columns; j++)
            panel[k * COLUMNS + j] = $packed$;
}

//@end
/* All rows and any number of columns, a block of columns at a time. */
NET_INLINE void $fn$_product($product_params$($param$))
{
    enum { $product_sizes$($size$) };
    const size_t full = columns - columns % COLUMNS;
    for (size_t j = 0; j < full; j += COLUMNS) {
//@if packed
        $fn$_pack($columns$, panel, COLUMNS);
//@end
        $fn$_rows(a, $panel$, $column$, COLUMNS);
    }
    if (full < columns) {
        const size_t j = full;
//@if packed
        $fn$_pack($columns$, panel, columns - full);
//@end
        $fn$_rows(a, $panel$, $column$, columns - full);
    }
}

