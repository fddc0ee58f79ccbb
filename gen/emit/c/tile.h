/* Register-blocked products, the core of the C kernels of MatMul, Gemm and the convolutions: dst = result(a * b) with
 * a [m][k], b [k][columns]. */
#pragma once

#include "epilogue.h"

enum { TILE_OPERANDS_MAX = 6 + EPILOGUE_OPERANDS_MAX };

/* An operand of the result besides the sum: a vector or matrix that moves with the rows and columns. */
typedef struct TileOperand {
    const char *type, *name;
    int64_t row, column; /* elements to move for the next row, and column; 0: stays */
} TileOperand;

typedef struct Tile {
    const char *type_a, *type_b, *type_dst, *type_sum;
    int64_t m, k;
    int64_t a_row, a_k;   /* strides of a */
    int64_t b_k, dst_row; /* columns of dst are contiguous */
    const char *a,
        *b; /* what is multiplied: expressions in a[r, k] and b[k, j], see emit/c/tile.c */
    const char *result; /* the element to store, from sum[r][j] */
    const char *value;  /* not NULL: a declaration before it that it uses */
    const char *
        packed; /* not NULL: b is copied in blocks of columns, [k][columns of a block], to a panel first; this is
                               the element at [k, j], and FN_product takes the panel before `columns` */
    const char *type_panel;
    int64_t b_column; /* elements from one column of b to the next; 0 is 1 */
    TileOperand operand[TILE_OPERANDS_MAX];
    int n_operands, n_own; /* those behind n_own are the epilogue's, if there is one */
} Tile;

/* The element to store for `value`, of type `type`: with a epilogue, its operands become the last ones of the tile. Rows are the
 * channels of a convolution, or else columns are. */
const char *c_tile_result(CKernel *k, Tile *t, DType type, const char *value,
                          bool channels_are_rows);
/* What to pass for them, for the elements of the result and the channels that start at these offsets (NULL: 0). */
void c_tile_epilogue_arguments(CKernel *k, const Tile *t, const char **argument,
                               const char *element, const char *channel);

/* Writes the inline functions FN_tile, FN_rows and FN_product. */
void c_emit_tile(CKernel *k, const Tile *t);
/* "name[i * NAME_ROW + j]", without what is not needed, for i that is r or k and j that is j or k: rows and columns of the result and what is
 * summed. Steps other than 0 and 1 are enumerators NAME_ROW, NAME_K and NAME_COLUMN. */
const char *c_tile_element(CKernel *k, const char *name, const char *i, int64_t i_step,
                           const char *j, int64_t j_step);
/* The arguments of FN_product(a, b, operands…, dst, columns) as the list `call`, each an `arg`; a panel is taken from `scratch`. */
void c_bind_tile_call(const Tile *t, Bindings *bindings, const char *call, const char *a,
                      const char *b, const char *const *operands, const char *dst,
                      const char *columns);
