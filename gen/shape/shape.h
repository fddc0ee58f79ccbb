/* What the shape functions share. The op's row has been checked before one is called (check_node_form): the inputs and
 * attributes that ops.def asks for are there with the right kind, count and range. A shape function checks what is left; whoever
 * comes after it (evaluator, emitters) relies on types, ranks and dimensions that agree.
 *
 * All checks return false after refuse_node, so that they chain with &&. `what` is the operand's
 * name in messages.
 *
 * The folder shape: in come a node and the types of its inputs, out go the types of its outputs, or a refusal. */
#pragma once

#include "../ops/ops.h"

/* The type of input k, NULL where absent. */
const TensorType *in_type(const Graph *g, const Node *n, uint32_t k);

/* Attributes, beyond what the op's row says of them: a list of `count` numbers from lo to hi; as many floats. */
bool ints_attr(const Graph *g, const Node *n, const char *name, size_t count, int64_t lo,
               int64_t hi, const int64_t **v);
bool need_floats(const Graph *g, const Node *n, const char *name, size_t count);

/* Operands; all are true for an absent one. */
bool check_kind(const Graph *g, const Node *n, uint32_t k, const char *what, unsigned kinds);
bool check_rank(const Graph *g, const Node *n, uint32_t k, const char *what, int lo, int hi);
bool check_dims(const Graph *g, const Node *n, uint32_t k, const char *what, int rank,
                const int64_t *dims);
bool check_dtype(const Graph *g, const Node *n, uint32_t k, const char *what, DType dtype);
/* What goes with data of this type: the same one, or f32 beside bf16. */
bool check_parameter(const Graph *g, const Node *n, uint32_t k, const char *what, DType data);
/* A scalar or [1]; or, if len >= 0, a vector [len] as well. */
bool check_scalar_or_vector(const Graph *g, const Node *n, uint32_t k, const char *what,
                            int64_t len);

/* Scale k, and the zero point of this type behind it, each one number or `len` of them. */
bool check_scale_and_zero(const Graph *g, const Node *n, uint32_t k, const char *what, DType zero,
                          int64_t len);
/* What a dilated kernel covers of a spatial dimension, (kernel - 1) * dilation + 1; and that it is no more than there is. */
bool kernel_extent(const Graph *g, const Node *n, int64_t kernel, int64_t dilation,
                   int64_t *extent);
bool kernel_fits(const Graph *g, const Node *n, int k, int64_t extent, int64_t padded);

/* Sets one output type; refuses one that is too large. */
bool set_type(const Graph *g, const Node *n, TensorType *out, DType dtype, int rank,
              const int64_t *dims);
/* The output is as input 0 is. */
bool like_src(const Graph *g, const Node *n, TensorType *out);
/* Widens acc to the numpy broadcast of acc and t. */
bool broadcast_into(const Graph *g, const Node *n, TensorType *acc, const TensorType *t);
/* Whether t broadcasts to exactly the shape of `to`. */
bool broadcasts_to(const TensorType *t, const TensorType *to);
const char *shape_text(const Graph *g, const TensorType *t); /* "[3,224,224]" */
