/* The portable C target. An emitter gets one step and writes one static function for it.
 *
 * The emitted function takes, in this order: a `const T *restrict` for each present input buffer of the step (constants
 * too: they live in the weights section), a `T *restrict` for each wanted output buffer, and `void *restrict scratch`
 * if the op asked for scratch memory. Buffers are 64-byte aligned except the model's inputs and outputs.
 * Buffers may have any unblocked layout that the op accepted through emit_c_layouts; otherwise they are plain. */
#pragma once

#include "../../base/template.h"
#include "../../kernel/kernel.h"
#include "../../kernel/plan.h"
#include "../../program/program.h"

/* Where in the kernel's text a part begins, and the template that it is rendered from. */
typedef struct CTextStart {
    const char *path;
    size_t from;
} CTextStart;

typedef struct CKernel {
    const Graph *g;
    const Program *program;
    const Step *step;
    const CPlan *plan; /* step->c */
    const Node *node;  /* the anchor; for a fused group see step->nodes */
    Arena *arena;
    const char *fn;               /* the name of the function to write */
    const char **input, **output; /* names of its parameters, by input and output of the step */
    Text *out;                    /* the functions of the kernel … */
    CTextStart *starts;           /* … by template */
    size_t n_starts, cap_starts;
    int64_t
        shared; /* iterations of the outermost loop, between `from` and `to` of which the kernel goes; 0: it has no such parameters */
    struct CHelpers
        *helpers; /* which shared static helpers (exp, erf, f16 conversion …) the unit needs */
} CKernel;

/* Writes the function of a step. */
typedef void EmitCFn(CKernel *k);
/* For a node by itself, and what follows it where its kernel takes that. */
EmitCFn c_emit_node;

struct EmitNames; /* emit/unit.h */
struct KernelSet; /* emit/c/kernel_set.h */
struct Places;    /* emit/c/places.h */

/* A file with units of C, for c/units.c: banner and includes, and for each region a row of the list "units", its run function, which calls
 * the kernels of its steps:
 *     void NAME_c_K(const struct NAME_memory *m)    -- see emit/unit.h for how a buffer is spelled
 */
void bind_c_file(Bindings *b, const struct EmitNames *names);
void bind_c_unit(const Program *p, uint32_t region, const struct EmitNames *names,
                 const struct KernelSet *kernels, struct Places *places, Bindings *b);
