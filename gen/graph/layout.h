/* Physical layouts of activations: the order of the dimensions in memory and at most one blocked dimension.
 * This covers what oneDNN's forward primitives choose for activations (ncx, nxc, nCx4c, nCx8c, nCx16c). A tensor that is
 * a part of a wider one, along the innermost dimension, has its rows further apart than they are long: the pitch. */
#pragma once

#include "ir.h"

typedef struct Layout {
    int rank;
    int8_t order[MAX_RANK]; /* order[0] is the outermost dimension */
    int8_t block_dim; /* with block > 0: this dimension is split, `block` innermost elements */
    int8_t block;     /* 0: none */
    int64_t pitch;    /* elements from one innermost row to the next; 0: they follow each other */
} Layout;

Layout layout_plain(int rank); /* row-major */
Layout layout_nxc(int rank);   /* channels (dim 1) last */
Layout layout_nCxc(int rank, int block);
bool layout_equal(const Layout *a, const Layout *b);
bool layout_is_plain(const Layout *a);
/* Equal as far as a tensor of this shape is concerned (dimensions of size 1 may stand anywhere). */
bool layout_same_bytes(const Layout *a, const Layout *b, const TensorType *t);
/* The same order of dimensions, dense. */
Layout layout_dense(const Layout *l);
/* The layout of what `axis` of a tensor is cut into; false if the parts are no plain rectangles of memory. */
bool layout_of_part(const Layout *whole, const TensorType *t, int axis, Layout *part);
/* The layout in which y = Transpose(x, perm) is the same memory as x. */
Layout layout_transposed(const Layout *x, const int64_t *perm);
/* Elements between neighbours along each dimension. With a blocked dimension: between blocks. */
void layout_strides(const Layout *l, const TensorType *t, int64_t *strides);
/* From the first byte to the last, with the padding of a partial block and what lies between the rows of a pitched layout. */
size_t layout_bytes(const Layout *l, const TensorType *t);
/* oneDNN's name: "abcd", "acdb", "aBcd16b"; with the pitch behind it where there is one: "acdb/512" */
const char *layout_tag(Arena *arena, const Layout *l);
