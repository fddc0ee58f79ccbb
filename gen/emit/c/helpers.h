/* What the emitters of the portable C target share: the helpers a unit may need, signatures,
 * literals. */
#pragma once

#include "emit_c.h"

/* Static functions that stand once at the head of a unit, if one of its kernels asks for them. Each
 * is a file of templates/c/. All are `static inline`, always inlined, and free of branches in the
 * float path so that loops over them vectorise. */
typedef enum CHelper {
#define HELPER(id, file, needs) CH_##id,
#include "helpers.def"
    CH_COUNT
} CHelper;

typedef struct CHelpers {
    bool need[CH_COUNT];
} CHelpers;

/* The unit gets this helper, and those it is made of. */
void c_need(CKernel *k, CHelper helper);
void c_helpers_need(CHelpers *helpers, CHelper helper);
/* Prints the helpers that were asked for. */
void emit_c_helpers(Text *out, Arena *arena, const CHelpers *helpers);

/* The head of the kernel's function, up to but without the opening brace:
 *
 *     void net_conv_3(const float *restrict src, const float *restrict weights, float *restrict dst,
 *                     void *restrict scratch)
 *
 * Parameters stand in the order of step->in and step->out, absent ones left out, and have the names of operand_names.c. Those that share
 * memory (an elementwise kernel working in place) are printed without `restrict`. */
const char *c_signature(const CKernel *k);
/* operand_names.c: names the parameters, k->input and k->output. */
void c_name_operands(CKernel *k);
/* Its parameters; there is room for all inputs and outputs of the step and two more. Returns their number. */
size_t c_parameters(const CKernel *k, const char **items);
/* The names of those that are operands. Returns their number. */
size_t c_operand_names(const CKernel *k, const char **names);
/* What follows in k->out is rendered from this template. */
void c_begin_part(CKernel *k, const char *path);
/* Behind the kernel, if k->shared: the function that calls it from all threads. */
void emit_c_shared(CKernel *k);
/* Input i and output o of the step start at the same address. */
bool c_in_place(const Program *p, const Step *s, uint32_t i, uint32_t o);

/* A number as a C expression of the type it is computed in: "0.5f", "-INFINITY", "NAN", "1e-05"
 * (f64). f16 and bf16 compute in float. It reads back as exactly `v` rounded to that type. Negative
 * numbers stand in parentheses. */
const char *c_float_literal(Arena *arena, DType t, double v);
/* An integer of type t: "7", "(-7)", "INT64_C(5000000000)", "UINT64_MAX" … */
const char *c_int_literal(Arena *arena, DType t, int64_t v);
/* The type elements of t are computed in: float for f32, f16, bf16; double; the type itself
 * otherwise. */
const char *c_compute_type(DType t);
/* `expr`, an element in memory, as a value of the compute type (and back): the f16/bf16
 * conversions, or `expr` itself. */
const char *c_load(CKernel *k, DType t, const char *expr);
const char *c_store(CKernel *k, DType t, const char *expr);

/* Writes the kernel of k->step, all of its functions, to k->out: a text of the template language (base/template.h) with the
 * placeholders below, since layers may share it and its name, and whether it is cloned for instruction sets, come later. */
void c_render_kernel(CKernel *k);
#define KERNEL_NAME "$kernel$"
#define KERNEL_CLONES "$clones$\n" /* a line NET_KERNEL, or nothing */
#define KERNEL_STATIC "$static$"   /* "static ", or nothing */
#define KERNEL_BODY "$body$"       /* ends the name of what a function that is not cloned calls */
