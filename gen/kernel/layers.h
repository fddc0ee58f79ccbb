/* Shapes of layers as their kernels see them: for planning, and for the emitters that print what was planned. */
#pragma once

#include "../eval/nn.h"
#include "../graph/layout.h"
#include "../ops/resize.h"
#include "../program/program.h"
#include "kernel.h"
#include "loops.h"
#include "plan.h"

ConvShape conv_shape_of(const Graph *g, const Node *n);
/* How many lines of results of a filter over one plane are computed as one line, with `pitch` elements from one to the next; 1: each by itself. */
int64_t conv_taps_rows(const ConvShape *s, int64_t pitch);

/* ConvTranspose. The window runs from the result, its source, to the input. */
typedef struct Transposed {
    Window w;
    DType type;
    int64_t n, group, c, m; /* c and m: channels of one group */
} Transposed;
Transposed transposed_of(const Graph *g, const Node *n);
/* With the channels last, in vectors of filters (templates/c/conv_transpose_last.c). The product goes `made` rows of the source ahead, of which `kept`
 * are in scratch memory. */
enum { TRANSPOSED_LANES = 8 };
int64_t conv_transpose_kept(const Transposed *t, int64_t made);

/* MatMul and Gemm. */
typedef struct Product {
    MatMulShape s;
    DType type;
    bool trans_a, trans_b;
    double alpha, beta;
    int64_t c_row, c_column; /* steps of the third operand */
    bool has_c;
} Product;
Product product_of(const Graph *g, const Node *n);
/* How many columns of its result a kernel that streams weights of this layout makes in one iteration; 0: its iterations are rows. */
int64_t product_columns_at_once(const Product *p, const Layout *weights);

/* TopK: how many better elements are collected before they are sorted, and how many are asked at once whether they are better. */
enum { TOP_K_BLOCK = 32 };
int64_t top_k_room(int64_t k);

Window pool_window(const Graph *g, const Node *n);
/* Where the positions end that an average counts along dimension d. */
int64_t pool_counted_end(const Node *n, const Window *w, int d);
/* Floats from one row to the next where the border is around them. */
int64_t pool_row_pitch(const Window *w);
/* Not every output of this average has the same divisor. */
bool pool_counts(const Node *n, const Window *w);

/* Resize. Source and destination have one order of dimensions in memory; the kernel sees them in that order. */
typedef struct ResizeAxes {
    int first, last; /* the resized axes and those between them: first … last */
    ResizeAxis axis[MAX_RANK];
    int64_t inner;
    TensorType src, dst; /* dimensions as they stand in memory, outermost first */
} ResizeAxes;
ResizeAxes resize_axes_of(const Graph *g, const Node *n, const Layout *layout, Arena *arena);

/* Softmax, its logarithm and Hardmax: of each of outer * inner vectors. */
typedef struct SoftmaxShape {
    int64_t outer, size, inner;
} SoftmaxShape;
SoftmaxShape softmax_shape(const Graph *g, const Node *n);

/* Norms that go row by row: layer, RMS, group and instance norm. */
typedef struct NormRows {
    int64_t rows, size;
} NormRows;
NormRows norm_rows_of(const Graph *g, const Node *n);

/* A reduction as loops: operand 0 is the result, operand 1 the source; the kept dimensions stand before the reduced ones. */
typedef struct ReduceLoops {
    Loops *loops;
    int kept;
    int64_t group; /* elements of a result */
} ReduceLoops;
ReduceLoops reduce_loops_of(const Program *p, const Step *s);

/* Elementwise nodes. Operands are the step's inputs, then its outputs. */
Loops *eltwise_loops_of(const Program *p, const Step *s);

/* Copies: operand 0 is the result, 1 the source; of a step that is one copy, and any in the order of the result's elements. */
enum {
    COPY_TILE = 16,      /* elements: a row of f32 is one cache line */
    COPY_ROW_BYTES = 64, /* shorter rows are copied by a loop */
};
Loops *copy_loops_of(const Program *p, const Step *s);
Loops *copy_simplified(Loops *l);
/* Part i of a Concat, Split or constant Pad, which is copied to or from the whole; NULL: nothing is. */
Loops *part_loops_of(const Program *p, const Step *s, uint32_t i);
/* Rows of part i, which lie side by side in those of the whole. */
typedef struct PartRows {
    int64_t rows, size, pitch; /* size: elements of a row of the part; pitch: of the whole */
} PartRows;
bool part_rows_of(const Program *p, const Step *s, uint32_t i, PartRows *r);
/* Elements along a side of the squares that are transposed in registers; 0: there are none. */
int64_t copy_square(const Program *p, const Loops *l, DType t);
/* The dimension along which the source's elements are neighbours; -1: none. */
int copy_source_dim(const Loops *l);
CVariant copy_variant(const Loops *l, DType t);
/* The dimension that threads share. */
int copy_shared_dim(const Loops *l, CVariant variant);
/* The loops over indices, and (with the axis standing still) the elements of the data, whose step along the axis is *along. */
Loops *gather_loops_of(const Graph *g, const Node *n, Arena *arena, int64_t *along);

/* Pads with elements of the source. */
bool pad_mirrors(const Node *n);
/* The dimensions as they follow each other in the result, with what each of them adds on both sides; those of one element are left out. */
typedef struct PadLoops {
    Loops *l; /* operand 0 is the result, 1 the source */
    int64_t before[MAX_RANK], after[MAX_RANK];
} PadLoops;
PadLoops pad_loops_of(const Program *p, const Step *s);

/* Whether v is a constant whose elements are all zero. */
bool is_all_zero(const Graph *g, ValueId v);

static inline bool is_half(DType t)
{
    return t == DT_F16 || t == DT_BF16;
}
