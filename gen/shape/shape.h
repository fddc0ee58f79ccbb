/* What the shape functions share. A shape function is the only place that checks a node: whoever
 * comes after it (evaluator, emitters) relies on the attributes ops.def asks for being there with
 * the right kind, count and range, and on types, ranks and dimensions that agree.
 *
 * All checks return false after refuse_node, so that they chain with &&. `what` is the operand's
 * name in messages.
 *
 * The folder shape: in come a node and the types of its inputs, out go the types of its outputs, or a refusal. */
#pragma once

#include "../ops/ops.h"

/* Numbers of inputs and outputs as in the op's row, and the first min_in inputs present. With
 * all_present: every input. Each shape function calls this first. */
bool check_arity(const Graph *g, const Node *n, bool all_present);
/* The type of input k, NULL where absent. */
const TensorType *in_type(const Graph *g, const Node *n, uint32_t k);

/* Attributes. The _or forms give `missing` where there is none. */
bool int_attr(const Graph *g, const Node *n, const char *name, int64_t lo, int64_t hi, int64_t *v);
bool int_attr_or(const Graph *g, const Node *n, const char *name, int64_t lo, int64_t hi,
                 int64_t missing, int64_t *v);
bool float_attr(const Graph *g, const Node *n, const char *name, double *v); /* finite */
bool float_attr_or(const Graph *g, const Node *n, const char *name, double missing, double *v);
bool string_attr(const Graph *g, const Node *n, const char *name, const char **v);
/* One of the words of `allowed`, separated by '|'. */
bool choice_attr(const Graph *g, const Node *n, const char *name, const char *allowed);
bool ints_attr(const Graph *g, const Node *n, const char *name, size_t count, int64_t lo,
               int64_t hi, const int64_t **v);
bool floats_attr(const Graph *g, const Node *n, const char *name, size_t count, const double **v);

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

/* Sets one output type; refuses one that is too large. */
bool set_type(const Graph *g, const Node *n, TensorType *out, DType dtype, int rank,
              const int64_t *dims);
/* Widens acc to the numpy broadcast of acc and t. */
bool broadcast_into(const Graph *g, const Node *n, TensorType *acc, const TensorType *t);
/* Whether t broadcasts to exactly the shape of `to`. */
bool broadcasts_to(const TensorType *t, const TensorType *to);
const char *shape_text(const Graph *g, const TensorType *t); /* "[3,224,224]" */
