/* The kernels of C as data: which nodes they take, in which layouts, how they compute them (plan.h) and which form of constants they want,
 * which nodes behind a layer they compute as well. Asked by the passes, by choosing layouts, by lowering and by the program's checker, which
 * agree for that reason.
 *
 * In come nodes of a graph and layouts, steps of a program with their buffers; out go yes and no with a reason, layouts, and the plans of
 * kernels. Nothing here writes C: emit/c/ does, and computes no sizes. No stage before emission includes a header of gen/emit/. */
#pragma once

#include "../graph/layout.h"
#include "../ops/ops.h"
#include "plan.h"

/* The places of a convolution's operands in the node's inputs; NO_INPUT where the operator has none. */
#define NO_INPUT UINT32_MAX
typedef struct ConvInputs {
    uint32_t weights, bias, src_zero, weights_zero;
} ConvInputs;

/* The kernel of an operator. The shape functions have checked all that is not said here. */
typedef struct CKernelRow {
    bool (*supports)(const Graph *g, const Node *n, const char **why); /* NULL: every node */
    CFamily family;
    ConvInputs inputs; /* of convolutions */
    bool is_layer;     /* it computes sizes as ints, and wants something in each input */
    bool epilogue;     /* takes elementwise nodes behind it */
    bool keeps_sums;   /* where the result goes, so that these may not be of another type */
} CKernelRow;
extern const CKernelRow c_kernels[OP_COUNT];

/* Vectors of so many floats compute this pool row-major: whole planes, or by blocks of rows. */
bool c_pools_quickly(const Graph *g, const Node *n, int lanes, bool *global);
/* It can be had with source and result channels last. */
bool c_pools_last(const Graph *g, const Node *n);
/* Does the C target take this node? False with a reason otherwise (static text or in the graph's arena). */
bool c_target_supports(const Graph *g, const Node *n, const char **why);
/* Whether the kernel of this step can work on the given layouts in place of plain ones (layouts by node input and
 * output; the caller has set them all to what it would like). */
bool c_accepts_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out);
/* Its operands and results may lie in any order, each in its own. */
bool c_works_by_strides(Op op);
/* The layout that the kernel wants its constant input k in, if not row-major, with its first input and its result in layouts src and dst. */
bool c_wants_constant(const Graph *g, const Node *n, int lanes, const Layout *src,
                      const Layout *dst, uint32_t k, Layout *layout);
/* Whether the kernel of a product reads its weights, operand 1, also in blocks of `width` columns, the layout c_panels(g, n, width). */
bool c_takes_panels(const Graph *g, const Node *n);
Layout c_panels(const Graph *g, const Node *n, int64_t width);
/* Whether the kernel reads constant input k in a form of its own: *packed, or not at all, where that has no data. */
bool c_packs_constant(const Graph *g, const Node *n, uint32_t k, Arena *arena, Tensor *packed);

/* Which nodes may be fused into one elementwise loop: the C target's own composites. A node joins when it is
 * elementwise on the same output shape. */
bool c_can_fuse(const Graph *g, const Node *n);

/* --- epilogues --------------------------------------------------------------------------------------------------------- */

/* Whether the kernel of `anchor` can compute these elementwise nodes behind it, all of its result's shape, the last of which makes
 * the result. `nodes` may contain the anchor itself. */
bool c_takes_epilogue(const Graph *g, NodeId anchor, const NodeId *nodes, uint32_t n, NodeId root);
/* What the nodes of a epilogue read besides what they and the anchor make; false if these are too many. */
bool c_epilogue_operands(const Graph *g, NodeId anchor, const NodeId *nodes, uint32_t n,
                         EpilogueOperands *operands);
/* A constant of one number, which is written into the expression that reads it. */
bool c_is_literal(const Graph *g, ValueId v);
/* The number, where it is known. */
bool c_literal(const Graph *g, ValueId v, double *number);
/* Operand i, 0 or 1, of a product: those of QLinearMatMul have scales between them. */
ValueId c_factor(const Node *n, int i);
/* The expression does not read operand `i` (a constant that is written into it). */
bool c_expr_ignores(const Graph *g, const Node *n, uint32_t i);
/* The exponent of a Pow, if it is one of the constants that need no pow(). */
bool c_easy_exponent(const Graph *g, const Node *n, double *e);

/* --- rounding: kernel/rounding.c ---------------------------------------------------------------------------------------- */

/* Of these nodes, one kernel of C, number i makes a product of f32 that another one adds something to. */
bool c_may_contract(const Graph *g, const NodeId *nodes, uint32_t n, uint32_t i);

/* --- quantisation: kernel/quotient.c ------------------------------------------------------------------------------------ */

/* x / scale, rounded to whole numbers and limited, is the same for all x where templates/c/quotient.c takes the place of the division. */
bool c_quotient_is_product(double scale, double low, double high);
/* templates/c/limited.c takes these. */
bool c_limits_by_bits(double low, double high);

/* --- single families ----------------------------------------------------------------------------------------------------- */

enum {
    C_STACK_BYTES = 4096, /* larger local arrays go to scratch memory */
    C_LANES = 16,         /* partial sums of a reduction over contiguous elements */
    /* Four rows of 24 sums fill the vector registers of AVX2, and gcc and clang both keep them there (measured: about 100
     * of 130 GFLOP/s; blocks of 16 columns get 40 from gcc). */
    TILE_ROWS = 4,
    TILE_COLUMNS = 24,
};

bool c_resize_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out);
/* Channels last at both ends; there may be a row pitch between pixels. */
bool c_pool_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out);

/* Convolutions that can be had with source and result channels last (those with few filters also leave a row-major result; those of an image
 * read it row-major); the weights are then constants in a layout of their own, and no scratch memory is needed. */
typedef enum ConvLast {
    CONV_LAST_NONE,
    CONV_LAST_DEPTHWISE,
    CONV_LAST_GROUPS,
    CONV_LAST_FEW,
    CONV_LAST_IMAGE,
    CONV_LAST_TRANSPOSED
} ConvLast;
ConvLast c_conv_last(const Graph *g, const Node *n);
Layout c_conv_weights_last(const Graph *g, const Node *n);
/* Whether the weights of a recurrent layer are constants that are transposed at compile time, one row per input. */
bool c_rnn_transposes_weights(const Graph *g, const Node *n);
/* Whether these weights then stand in panels of so many columns: where several sequences go through the layer together, with AVX2 or AVX-512. */
enum { RNN_PANEL = 16 };
bool c_rnn_takes_panels(const Graph *g, const Node *n, int lanes);
