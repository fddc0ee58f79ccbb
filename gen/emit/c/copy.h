/* Copies between strided arrangements, and the small texts that the moving operators share. */
#pragma once

#include "helpers.h"
#include "loops.h"

/* What transposes a square in registers, of so many elements a side, of that type: a helper and its function (dst, pitch, src, pitch). */
typedef struct Transposition {
    CHelper helper;
    const char *function;
} Transposition;
Transposition c_transposition(int64_t side, DType type);

/* The copies of a kernel's parts as they are planned, rows of the list "copies" of c/copy.c; operands that need none are rows of "in_place" or
 * "no_elements". */
void c_bind_parts(CKernel *k, Bindings *b);
/* The same where their rows are copied together. */
void c_bind_part_rows(CKernel *k, Bindings *b);
/* The copy of all of src to dst, which lies as it does. */
void c_bind_whole(CKernel *k, Bindings *b);

/* The buffer behind input or output i of the kernel's step. */
const Buffer *c_in(const CKernel *k, uint32_t i);
const Buffer *c_out(const CKernel *k, uint32_t i);
/* An element of type t in memory, as a literal; f16 and bf16 as their bits. Rounds and wraps as the evaluator does. */
const char *c_element_literal(Arena *arena, DType t, double v);
