/* The op table: one row per operator in its normalised form (ops.def), with everything the stages know of it. */
#ifndef DNNLC_OPS_H
#define DNNLC_OPS_H

#include "eval/eval.h"
#include "ir.h"

struct CKernel; /* emit/c/emit_c.h */

/* Infers the output types of n from its input types and attributes; refuses what cannot be.
 * out has room for n->n_out types. */
typedef bool ShapeFn(Graph *g, const Node *n, TensorType *out);
/* Writes portable C for a node: see emit/c/emit_c.h. */
typedef bool EmitCFn(struct CKernel *k);

typedef enum OpClass {
    CLASS_OTHER,
    CLASS_ELTWISE, /* every output element depends on the broadcast input elements at its place alone */
    CLASS_MOVE, /* copies elements: outputs are input elements, unchanged */
    CLASS_REDUCE,
} OpClass;

typedef struct OpInfo {
    const char *name;
    OpClass class;
    int min_in, max_in; /* max_in -1: any number */
    int min_out, max_out;
    ShapeFn *shape;
    EvalFn *eval;
    EmitCFn *emit_c;
    const char *expr; /* CLASS_ELTWISE: C expression in x, y, z and $attr; see ops.def */
} OpInfo;

extern const OpInfo op_table[OP_COUNT];
static inline const OpInfo *op_info(Op op)
{
    return &op_table[op];
}
bool op_from_name(const char *name, Op *op);

#endif
