/* The C expression of an elementwise node. */
#pragma once

#include "../../base/template.h"
#include "helpers.h"

/* `operands` are expressions without side effects that may stand beside any operator: names of locals, in the compute
 * types of the node's inputs. The result is of the compute type of the node's output, after the usual conversions. */
const char *c_eltwise_expr(CKernel *k, const Node *n, const char *const *operands);
/* `value`, the result of node j of the step: rounded, if it is a product that others add to and the step rounds those. */
const char *c_rounded(CKernel *k, uint32_t j, const char *value);
/* A row of the list "locals", of a value that is computed: its type `A_x`, its `name` and its `value`. */
void c_bind_local(Bindings *b, DType t, const char *name, const char *value);
/* The local "tJ", the result of node j of a group: `value` (c_eltwise_expr), rounded to the type of the node's output. */
void c_bind_made(CKernel *k, Bindings *b, const Node *n, uint32_t j, const char *value);
/* x and y of the compute type of t: '+' and '*' (integers wrap), '>' the greater and '<' the smaller one; NaN wins. */
const char *c_combine(Arena *arena, DType t, char op, const char *x, const char *y);
/* A float of type `from`, the name `x`, as an integer of type `to`: truncated; what does not fit becomes what x86 makes of it. */
const char *c_real_to_int(CKernel *k, DType from, DType to, const char *x);
/* A function of floats is libm's, except where that would keep a loop from being vectorised; those of integers are all helpers. */
const char *c_function(CKernel *k, const char *name, const char *suffix);
