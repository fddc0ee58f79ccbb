/* One node, its operands and what should come of it, as text:
 *
 *     check_eval("ReduceSum", "f32[2,3] 1 2 3 4 5 6", "axes=[1] keepdims=0", "f32[2] 6 15");
 *
 * Operands and results are separated by ';', an absent operand is '_'. Elements that are not written are 0.
 * Attributes tell their kind by their looks: 1 int, 1.0 or inf float, word string, [1,2] ints, [1.0] floats. */
#pragma once

/* The result has these types and, up to rounding in the element type, these elements. */
void check_eval(const char *op, const char *operands, const char *attrs, const char *results);
/* The shape function infers these types ("f32[2]; i64[2]"); nothing is evaluated. */
void check_shape(const char *op, const char *operands, const char *attrs, const char *types);
/* The shape function, or failing that the evaluator, refuses with a message that contains this text. */
void check_refusal(const char *op, const char *operands, const char *attrs, const char *message);
