/* Small things several passes need. */
#pragma once

#include "../../gen/graph/ir.h"

/* The value v stands for while a replacement table is being filled. */
ValueId resolved(const Rewrite *rw, ValueId v);
/* Input k of n, resolved. */
ValueId resolved_in(const Rewrite *rw, const Node *n, uint32_t k);

/* What to call a node in a message: its name, else that of its first output. */
const char *node_label(const Graph *g, const Node *n);

bool is_const(const Graph *g, ValueId v);
/* A float constant of one element, or all of whose elements are equal: its value. */
bool splat_value(const Graph *g, ValueId v, double *x);
/* The same for any type, with one element only. */
bool scalar_value(const Graph *g, ValueId v, double *x);

/* All n numbers are the same as `to`. */
bool all_equal(const int64_t *v, size_t n, int64_t to);

/* A float constant with the same type as `like` but shape dims, from doubles. */
ValueId make_const(Graph *g, const char *name, DType dtype, int rank, const int64_t *dims,
                   const double *data);
