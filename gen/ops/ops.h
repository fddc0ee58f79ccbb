/* The op table: one row per operator in its normalised form (ops.def), with everything the stages know of it.
 *
 * The folder ops: in comes a node, out goes what the table and a few files beside it (windows, Resize, recurrent layers, trees, Einsum)
 * know of it, the same for every stage that asks. */
#pragma once

#include "../graph/ir.h"

/* Infers the output types of n, whose form is checked, from its input types and attributes; refuses what cannot be.
 * out has room for n->n_out types. */
typedef bool ShapeFn(Graph *g, const Node *n, TensorType *out);
/* Computes a node's outputs from its inputs: eval/eval.h. */
struct Eval;
typedef bool EvalFn(struct Eval *e);
typedef enum OpClass {
    CLASS_ELTWISE, /* every output element depends on the broadcast input elements at its place alone */
    CLASS_MOVE, /* copies elements: outputs are input elements, unchanged */
    CLASS_REDUCE,
    CLASS_ALONG, /* along an axis, whose size the result keeps */
    CLASS_CONV,
    CLASS_PRODUCT,
    CLASS_POOL,
    CLASS_RECURRENT,
    CLASS_OTHER,
} OpClass;

/* In which orders of dimensions an operator computes: what a stage that chooses or passes on layouts has to know. */
typedef enum OpOrder {
    ORDER_ROW_MAJOR, /* its operands and results are row-major */
    ORDER_ALIKE, /* any, in which operands and results agree: what it computes does not depend on it */
    ORDER_STRIDES, /* any, each operand and result its own: C walks along strides */
    ORDER_PERMUTES, /* as ORDER_STRIDES, and a view where the result has the operand's bytes: Transpose */
    ORDER_RESHAPES, /* a view where the operand's order of bytes is the result's: Reshape */
    ORDER_CHANNELS, /* row-major, or, where oneDNN computes it, with the channels last */
} OpOrder;

enum {
    TRAIT_COMMUTES = 1,        /* x op y is y op x, bit by bit */
    TRAIT_NEARLY_COMMUTES = 2, /* but for the sign of a zero */
    TRAIT_FUNCTION = 4,        /* of floats takes as long as a call of a function of math.h */
    TRAIT_NOT_NEGATIVE = 8,    /* none of its results is below zero */
    TRAIT_KEEPS_SIGN =
        16, /* … where none is in operand 0, or in all operands if there may be any number of them */
    TRAIT_SINKS =
        32, /* Transposes sink below it (simplify/sink.c): its attributes can be put into the operand's order */
    TRAIT_HALF = 64,            /* in bf16 it loses no more than storing in bf16 does */
    TRAIT_HALF_PRIMITIVE = 128, /* the same where oneDNN computes it */
    TRAIT_HALF_PRODUCT = 256,   /* gains by bf16 where there is enough arithmetic */
    TRAIT_QUANTISES = 512,      /* rounds to the steps of a scale */
    TRAIT_MONOTONE = 1024, /* of operands that are not negative: no less where one of them grows */
    TRAIT_LOOP = 2048,     /* one end of a loop: neither folded nor shared */
    TRAIT_KEEPS_STEPS = 4096, /* of a quantised operand: results are some of its elements, unless an
                                 attribute adds or mixes numbers (passes/integers/moves.c) */
};

/* Sets of element types. */
enum {
    TYPES_FLOAT = 1,
    TYPES_SIGNED = 2,
    TYPES_UNSIGNED = 4,
    TYPES_BOOL = 8,
    TYPES_BYTE = 16,  /* i8 or u8 */
    TYPES_INDEX = 32, /* i32 or i64 */
    TYPES_I32 = 64,
    TYPES_INT = TYPES_SIGNED | TYPES_UNSIGNED,
    TYPES_FLOAT_OR_SIGNED = TYPES_FLOAT | TYPES_SIGNED,
    TYPES_NUMERIC = TYPES_FLOAT | TYPES_INT,
    TYPES_ANY = TYPES_NUMERIC | TYPES_BOOL,
};

typedef struct OpInfo {
    const char *name;
    OpClass class;
    int min_in, max_in; /* max_in -1: any number */
    int min_out, max_out;
    const char *names; /* of inputs and outputs: op_input_name() */
    ShapeFn *shape;
    EvalFn *eval;
    const char *attrs; /* op_attrs.c reads them */
    OpOrder order;
    unsigned traits, types; /* sets of TRAIT_… and, of elementwise operators, of TYPES_… */
    const char *expr;       /* CLASS_ELTWISE: C expression in x, y, z; see ops.def */
} OpInfo;

extern const OpInfo op_table[OP_COUNT];
static inline const OpInfo *op_info(Op op)
{
    return &op_table[op];
}
static inline bool op_has(Op op, unsigned traits)
{
    return (op_table[op].traits & traits) != 0;
}
/* Computes or moves elements in any order of dimensions, as long as operands and results agree. */
static inline bool op_keeps_order(Op op)
{
    const OpInfo *info = op_info(op);
    return info->order == ORDER_ALIKE ||
           (info->order == ORDER_STRIDES && info->class == CLASS_MOVE);
}
/* Outputs may be the memory of operands, or the other way round. */
static inline bool op_may_be_view(Op op)
{
    return op == OP_Reshape || op == OP_Transpose || op == OP_Split || op == OP_Slice ||
           op == OP_Concat;
}
bool op_from_name(const char *name, Op *op);
/* What input or output i is called: "weights", "src2". */
const char *op_input_name(Arena *arena, Op op, uint32_t i);
const char *op_output_name(Arena *arena, Op op, uint32_t i);

/* op_attrs.c: has the node the attributes of its op, of the right kind, length and range; is
 * the number of inputs and outputs right? Refuses otherwise. Shape functions and later stages rely on it. */
bool check_node_form(const Graph *g, const Node *n);
/* A number of that name is from lo to hi; refuses otherwise. */
bool check_range(const Graph *g, const Node *n, const char *name, int64_t v, int64_t lo,
                 int64_t hi);
/* Attribute k of the op's normalised form; false after the last. */
typedef struct OpAttr {
    const char *name; /* size bytes */
    size_t size;
    AttrKind kind;
    bool optional, is_axis, is_flag; /* a flag is 0 or 1 */
} OpAttr;
bool op_attr(Op op, size_t k, OpAttr *attr);
bool op_attr_named(Op op, const char *name, OpAttr *attr);
