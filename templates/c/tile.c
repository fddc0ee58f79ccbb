/* Apache-2.0. A matrix product in blocks that stay in registers. */
#include <stddef.h>
#define NET_INLINE static inline
#define $tile_head$ NET_INLINE void s_tile(const float *restrict a, const float *restrict b, float *restrict dst, const size_t rows, const size_t columns)
#define $rows_head$ NET_INLINE void s_rows(const float *restrict a, const float *restrict b, float *restrict dst, const size_t columns)
#define $product_head$ NET_INLINE void s_product(const float *restrict a, const float *restrict b, float *restrict dst, float *restrict panel, const size_t columns)
#define $A_sum$ float
#define $a$ a[r * 64 + k]
#define $b$ b[k * 100 + j]
#define $store$ dst[r * 100 + j] = sum[r][j];
#define $value$
#define $K$ 64
#define $R$ 4
#define $C$ 24
#define $full_rows$ 8
#define $call_tile$ s_tile(a + i * 64, b, dst + i * 100, 4, columns);
#define $call_tile_rest$ s_tile(a + 8 * 64, b, dst + 8 * 100, 2, columns);
#define $call_rows$ s_rows(a, b + j, dst + j, 24);
#define $call_rows_rest$ s_rows(a, b + full, dst + full, columns - full);
#define $pack_head$ NET_INLINE void s_pack(const float *restrict b, float *restrict panel, const size_t columns)
#define $packed$ b[j * 64 + k]
#define $call_pack$ s_pack(b + j * 64, panel, 24);
#define $call_pack_rest$ s_pack(b + full * 64, panel, columns - full);
//@begin
/* One register block of dst = a * b: its sums stay in registers over all k. */
$tile_head$
{
    $A_sum$ sum[$R$][$C$] = {{0}};
    for (size_t k = 0; k < $K$; k++)
        for (size_t r = 0; r < rows; r++)
            for (size_t j = 0; j < columns; j++)
                sum[r][j] += $a$ * $b$;
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) {
            $value$
            $store$
        }
}

/* A block of columns, all rows: one register block below the other. */
$rows_head$
{
//@if full_rows
    for (size_t i = 0; i < $full_rows$; i += $R$)
        $call_tile$
//@end
//@if rest_rows
    $call_tile_rest$
//@end
}

//@if packed
/* Packs a block of columns of b, so that each row of the block is contiguous. */
$pack_head$
{
    for (size_t k = 0; k < $K$; k++)
        for (size_t j = 0; j < columns; j++)
            panel[k * $C$ + j] = $packed$;
}

//@end
/* All rows and any number of columns, a block of columns at a time. */
$product_head$
{
    const size_t full = columns - columns % $C$;
//@if packed
    for (size_t j = 0; j < full; j += $C$) {
        $call_pack$
        $call_rows$
    }
    if (full < columns) {
        $call_pack_rest$
        $call_rows_rest$
    }
//@else
    for (size_t j = 0; j < full; j += $C$)
        $call_rows$
    if (full < columns)
        $call_rows_rest$
//@end
}

