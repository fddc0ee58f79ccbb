/* The portable C target. An emitter gets one step and writes one static function for it.
 *
 * The emitted function takes, in this order: a `const T *restrict` for each present input buffer of the step (constants
 * too: they live in the weights section), a `T *restrict` for each wanted output buffer, and `void *restrict scratch`
 * if the op asked for scratch memory. Buffers are 64-byte aligned except the model's inputs and outputs.
 * Buffers may have any unblocked layout that the op accepted through emit_c_layouts; otherwise they are plain. */
#ifndef DNNLC_EMIT_C_H
#define DNNLC_EMIT_C_H

#include "../../ops/ops.h"
#include "../../program/program.h"

typedef struct CKernel {
    const Graph *g;
    const Program *program;
    const Step *step;
    const Node *node; /* the anchor; for a fused group see step->nodes */
    Arena *arena;
    const char *fn; /* the name of the function to write */
    Text *out;      /* the translation unit, below the helpers */
    int64_t
        shared; /* c_share: iterations of the outermost loop, which threads share; 0: they do not */
    struct CHelpers
        *helpers; /* which shared static helpers (exp, erf, f16 conversion …) the unit needs */
} CKernel;

/* Writes the function of a step. */
typedef bool EmitCFn(CKernel *k);
/* For a node by itself, and what follows it where c_has_epilogue says that its kernel takes that. */
EmitCFn c_emit_node;
bool c_has_epilogue(Op op);
/* The kernel keeps its sums where the result goes, in the node's own type. */
bool c_keeps_sums(Op op);

/* Does the C target take this node? False with a reason otherwise (static text or in the graph's arena). */
bool c_target_supports(const Graph *g, const Node *n, const char **why);
/* Bytes of scratch memory that the emitted kernel for n needs, 0 for most; `in` is the layout of its first input. */
size_t c_scratch_bytes(const Graph *g, const Node *n, const Layout *in);
/* Whether the threads that share this kernel may have scratch memory of their own. */
bool c_scratch_by_threads(const Graph *g, const Node *n);
/* Whether the kernel of this step can work on the given layouts in place of plain ones (layouts by node input and
 * output; the caller has set them all to what it would like). */
bool c_accepts_layouts(const Graph *g, const Node *n, const Layout *in, const Layout *out);
/* Its operands and results may lie in any order, each in its own. */
bool c_works_by_strides(Op op);
/* The layout that the kernel wants its constant input k in, if not row-major, with its first input in layout src. */
bool c_wants_constant(const Graph *g, const Node *n, const Layout *src, uint32_t k, Layout *layout);
/* Whether the kernel reads constant input k in a form of its own: *packed, or not at all, where that has no data. */
bool c_packs_constant(const Graph *g, const Node *n, uint32_t k, Arena *arena, Tensor *packed);

/* Which nodes may be fused into one elementwise loop: the C target's own composites. A node joins when it is
 * elementwise on the same output shape. */
bool c_can_fuse(const Graph *g, const Node *n);

struct EmitNames; /* emit/unit.h */
struct KernelSet; /* emit/c/kernel_set.h */

/* What stands at the head of a file with units of C: banner and includes. */
void emit_c_unit_head(const struct EmitNames *names, Text *out);
/* Writes the run function of one region, which calls the kernels of its steps:
 *     void NAME_c_K(const struct NAME_memory *m)    -- see emit/unit.h for how a buffer is spelled
 */
void emit_c_unit(const Program *p, uint32_t region, const struct EmitNames *names,
                 const struct KernelSet *kernels, Text *out);

#endif
