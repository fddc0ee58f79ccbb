/* Small things several passes need. */
#pragma once

#include "../../gen/graph/columns.h"
#include "../../gen/graph/ir.h"

/* Input k of n, with what a replacement table says so far. */
ValueId resolved_in(const Rewrite *rw, const Node *n, uint32_t k);

/* What to call a node in a message: its name, else that of its first output. */
const char *node_label(const Graph *g, const Node *n);

bool is_const(const Graph *g, ValueId v);
/* A float constant of one element, or all of whose elements are equal: its value. */
bool splat_value(const Graph *g, ValueId v, double *x);
/* The same for any type, with one element only. */
bool scalar_value(const Graph *g, ValueId v, double *x);

/* A constant without dimensions. */
ValueId scalar_const(Graph *g, DType t, double x);

/* Nodes called like `like`, of one result. NO_VALUE, which a refusal leaves, makes another one. */
ValueId add_unary(Graph *g, Op op, const Node *like, ValueId x);
ValueId add_binary(Graph *g, Op op, const Node *like, ValueId a, ValueId b);
ValueId add_cast(Graph *g, const Node *like, ValueId x, DType to);
/* x itself where it has the shape of t. */
ValueId add_reshape(Graph *g, const Node *like, ValueId x, const TensorType *t);
ValueId add_transpose(Graph *g, const Node *like, ValueId x, const int64_t *perm);
/* Elements from … from + size - 1 along an axis. */
ValueId add_slice(Graph *g, const Node *like, ValueId x, int axis, int64_t from, int64_t size);
ValueId add_concat(Graph *g, const Node *like, const ValueId *in, uint32_t n, int64_t axis);
/* x [rows, depth] by weights [depth, columns], or [columns, depth] if transposed, and a bias [columns] or NO_VALUE. */
ValueId add_gemm(Graph *g, const Node *like, ValueId x, ValueId weights, ValueId bias,
                 bool transposed);
typedef struct ConvAttrs {
    size_t spatial;
    int64_t group;
    const int64_t *dilations, *pads, *strides;
} ConvAttrs;
ConvAttrs conv_attrs(const Node *conv);
/* `op`: with the operands of a Conv or QLinearConv; those at the end may be absent. */
ValueId add_conv(Graph *g, Op op, const Node *like, const ValueId *in, uint32_t n_in,
                 const ConvAttrs *attrs);
/* n with other operands and attributes, its results called as n's are with a suffix. */
NodeId add_like(Graph *g, const Node *n, const ValueId *in, const Attr *attr, uint32_t n_attr,
                const char *suffix);

/* The bytes of all that n makes. */
double bytes_made(const Graph *g, const Node *n);

/* Does a Round read v? */
bool is_rounded(const Graph *g, const Uses *uses, ValueId v);

/* All n numbers are the same as `to`. */
bool all_equal(const int64_t *v, size_t n, int64_t to);

/* A float constant with the same type as `like` but shape dims, from doubles. */
ValueId make_const(Graph *g, const char *name, DType dtype, int rank, const int64_t *dims,
                   const double *data);

/* The arguments of a composite, row `row` of its column, are all that its nodes read from outside, in their order. */
void collect_args(Graph *g, Composite *c, uint32_t row);

/* The same elements elsewhere, or the largest of some: such a node commutes with rounding to the steps of a scale. */
bool only_moves(const Node *n);
