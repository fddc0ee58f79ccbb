/* fold-scale-axis: what its files share. */
#pragma once

#include "../../gen/graph/ir.h"

/* One factor (or summand) per place along one dimension of a value; axis -1: the same
 * everywhere, n is 1. */
typedef struct Scale {
    int axis;
    int64_t n;
    const double *v;
} Scale;

typedef struct Folder {
    Graph *g;
    Arena *scratch;
    Rewrite rw;
    Uses uses;
    bool
        *touched; /* by node of the graph as the round began: it has been rewritten in this round */
    uint32_t n_touched;
    uint32_t n_back, n_forward;
} Folder;

/* Is c a float constant that, broadcast to `whole`, varies along one dimension at most? */
bool const_scale(Folder *f, ValueId c, const TensorType *whole, Scale *s);
/* n is an Op of a value of its result's type and such a constant: the value is *x. For Mul and
 * Add on either side, for Sub and Div as second operand. */
bool affine_node(Folder *f, const Node *n, ValueId *x, Scale *s);
double scale_at(const Scale *s, int64_t i);
bool non_negative(const Scale *s);
Scale scale_slice(const Scale *s, int64_t begin, int64_t n);
/* a and b along the same axis, or one of them the same everywhere; op is '*' or '+'. */
bool scale_merge(Folder *f, const Scale *a, const Scale *b, char op, Scale *out);
/* op(x, s) as a node. */
ValueId scale_node(Folder *f, Op op, const Node *like, ValueId x, const Scale *s);

/* A copy of constant c in which element i is multiplied by s[(i / inner) % s->n] (s->axis is not
 * looked at). */
ValueId scaled_const(Folder *f, ValueId c, int64_t inner, const Scale *s);
/* The constant c times s, broadcast to a value with s along s->axis. NO_VALUE if c is no float
 * constant. */
ValueId scaled_operand(Folder *f, ValueId c, int rank, const Scale *s);

/* Is the node untouched in this round? touch() says that it is not any more. */
bool is_fresh(const Folder *f, const Node *n);
void touch(Folder *f, const Node *n);

/* weights.c: a layer with constant weights takes a factor or a summand of its result
 * (out), or of its source (in). With `dry` nothing is changed and the result is any value;
 * NO_VALUE: it cannot. */
ValueId layer_scale_out(Folder *f, const Node *n, const Scale *s, bool dry);
ValueId layer_shift_out(Folder *f, const Node *n, const Scale *s, bool dry);
ValueId layer_scale_in(Folder *f, const Node *n, ValueId src, const Scale *s, bool dry);
ValueId layer_shift_in(Folder *f, const Node *n, ValueId src, const Scale *s, bool dry);

/* Where an axis of n's first input goes (`below`), or where an axis of its result comes from; false: there is no single one. s->axis
 * -1 stays. */
bool scale_axis(const Graph *g, const Node *n, bool below, const Scale *s, Scale *out);
/* What becomes of a factor of a node's result. */
typedef enum ScaleKind {
    SCALE_STOPS,
    SCALE_PASSES,  /* to its first input, where commutes_with_scale says so */
    SCALE_SUM,     /* to both of its operands */
    SCALE_CONCAT,  /* to each of them, the part that is its own */
    SCALE_PRODUCT, /* into its constant operand */
    SCALE_LAYER,   /* into its weights: weights.c */
} ScaleKind;
/* Whether n was replaced. */
typedef bool FoldFn(Folder *f, const Node *n);
/* What the column `scale` of ops.def says of an operator. */
typedef struct ScaleRole {
    ScaleKind kind;
    FoldFn *
        form; /* brings it to one form: all factors Mul, all summands Add, one after the other merged; NULL: nothing to bring */
    bool (*commutes)(const Node *n, bool positive);
    bool (*axis)(const Graph *g, const Node *n, bool below, const Scale *s,
                 Scale *out); /* NULL: it stays */
} ScaleRole;
extern const ScaleRole scale_roles[OP_COUNT];
/* form.c */
FoldFn form_batch_norm, form_inverse, form_affine, form_gemm;

/* Does n commute with a factor of its first input, of any sign or, if `positive`, of no negative
 * one? */
bool commutes_with_scale(const Node *n, bool positive);

/* backward.c, forward.c */
FoldFn fold_backward, fold_forward;
