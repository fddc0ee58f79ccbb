/* What the portable-C emitters of the neural-network layers share. */
#pragma once

#include "../../base/template.h"
#include "../../eval/nn.h"
#include "helpers.h"

/* Writes the function that sums up the squares of a row less a number, for norms; binds size, full, lanes and block. */
void c_norm_square_sum(CKernel *k, Bindings *b, int64_t size);

/* Bindings every kernel has: signature, fn. */
Bindings *nn_bindings(CKernel *k);

/* Binds a size that is no enumerator: c_size of emit/c/algorithms.h. */
void nn_bind_size(CKernel *k, Bindings *b, const char *name, int64_t value);

/* For a template whose outermost loop goes from $from$ to $to$: `all` iterations, or those of one thread where they are shared. Its index
 * is a ptrdiff_t if is_signed. */
void nn_share(CKernel *k, Bindings *b, bool is_signed, const char *all);
/* Rows `folds`, by which so many partial sums become one: `half` is 8, 4, 2, 1 for 16, and `unroll` stands before the loop over as many. A loop over halves gcc
 * leaves a loop, through memory. */
void nn_bind_folds(Bindings *b, int64_t lanes);

/* Binds for element type t: T_x (as stored), A_x (as computed), and the functions ld_x and st_x: $ld_x$(src[i]) is element src[i]
 * in the type of computation, and dst[i] = $st_x$(v) converts back. The operand of ld must be a primary expression. */
void nn_type(CKernel *k, Bindings *b, const char *suffix, DType t);
/* The same for an operator that computes in another type than the elements': double for f32, uint32_t for i8. */
void nn_type_in(CKernel *k, Bindings *b, const char *suffix, DType t, const char *computed);
/* An element of type t as stored, widened to the type of computation; and a result in that type, to be stored. */
const char *nn_load(CKernel *k, DType t, const char *element);
const char *nn_store(CKernel *k, DType t, const char *value);
/* The type that t computes in. 32- and 64-bit integers compute in their unsigned types, which wrap. */
const char *nn_compute_type(DType t);
/* As render, without factors of 1 and summands of 0. */
void nn_render(CKernel *k, const char *path, const Bindings *b);

/* The type of input or output i of the kernel's node. */
const TensorType *nn_in(const CKernel *k, uint32_t i);
const TensorType *nn_out(const CKernel *k, uint32_t i);
bool nn_has_in(const CKernel *k, uint32_t i);
bool nn_has_out(const CKernel *k, uint32_t i);
/* A list "operands" of all parameters' names, each an `operand`. */
void nn_bind_operands(const CKernel *k, Bindings *b);
/* A function that does nothing. */
void nn_emit_nothing(CKernel *k);
/* No output has an element. */
bool nn_is_empty(const CKernel *k);
/* "i * 12", "i" or "0" */
const char *nn_times(Arena *arena, const char *index, int64_t factor);
/* base + index: "src + i * 12", "src + i", "src" */
const char *nn_plus(Arena *arena, const char *base, const char *index, int64_t factor);
/* Where the matrix of an operand stands for product number `index`, in matrices of so many elements: "batch / 4 * 64", "0". */
const char *nn_matrix_offset(Arena *arena, const MatMulShape *s, const int64_t *step, int64_t size,
                             const char *index);
/* fold.c: C without factors that are 1 and summands that are 0. */
const char *nn_folded(Arena *arena, const char *code);
/* A constant of the type t computes in. */
const char *nn_const(const CKernel *k, DType t, double v);
/* The name of a libm function or helper for the type t computes in, asking for the helper. */
const char *nn_math(CKernel *k, DType t, const char *name);
/* An index expression: the element of an operand of type `from` broadcast to `to`, given a linear index expression
 * of the dimensions [first, to->rank) of `to`. */
const char *nn_broadcast_index(Arena *arena, const TensorType *from, const TensorType *to,
                               int first, const char *index);
