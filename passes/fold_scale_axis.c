/* fold-scale-axis: constant factors and summands per channel go into the weights and biases of the
 * layers around them.
 *
 * Needs nothing, kills all columns. Run it after fold-constant and simplify.
 *
 * What it is about. A batch normalisation at inference is x * scale + shift with one scale and one
 * shift per channel; so are the remains of input normalisation and of quantisation-aware training.
 * A layer with constant weights (Conv, ConvTranspose, Gemm, MatMul) can take such a factor on
 * either side:
 *
 *     after it    (W x + b) * s  =  (s W) x + s b    scales rows of W, and the bias
 *     before it   W (x * s)      =  (W s) x          scales columns of W
 *     after it    (W x + b) + t  =  W x + (b + t)
 *     before it   W (x + t)      =  W x + W t        only without zero padding: that is not shifted
 *
 * Between the factor and the layer there may be nodes that commute with it: transposes and reshapes
 * (the axis moves), pooling by average, padding with zeros, negation always; ReLU, LeakyReLU, PReLU
 * and pooling by maximum only if no factor is negative (a negative one turns a maximum into a
 * minimum). A sum or concatenation commutes if every operand takes the factor (or its part of it):
 * constants do, by being multiplied.
 *
 * How it goes. TVM's pass of this name sends demands one way through the whole graph and scales
 * back the other. Here each factor goes on its way alone, which finds the same foldings and is
 * easier to see through:
 *
 *     backward (scale/backward.c). From the node x * s a demand "can you come out s times as
 *     large?" goes up to what makes x, node by node. A layer with constant weights says yes; a node
 *     that commutes passes the demand on to its operand, a sum to all of its operands; everything
 *     else says no, and so does a value that has another reader (which would then see the factor
 *     too). The question is asked dry first. Only if every branch says yes is it asked again in
 *     earnest, and each node on the way is built anew; the old ones die. So nothing has to be
 *     undone.
 *
 *     forward (scale/forward.c). What could not go up goes down: all readers of x * s are asked
 *     whether they could read x and make up for it. A layer scales its columns, a node that
 *     commutes asks its own readers. If one says no, or the value is an output of the model,
 *     nothing happens.
 *
 * Before that, everything is brought to one form: BatchNormalization with constant parameters
 * becomes Mul and Add; Sub and Div by a constant become Add and Mul; neighbouring factors are
 * merged, and so are neighbouring summands; (x + t) * s becomes x * s + t * s, so that factors
 * meet. alpha and beta of a Gemm are multiplied into its constants. What finds no layer stays
 * behind as one Mul and one Add.
 *
 * Weights. Constants are copied, never edited, because another layer may use them; each layer that
 * folds gets its own copy. Groups: row m of a convolution's weights belongs to group m / (M /
 * group) and sees that group's source channels only; a transposed convolution has it the other way
 * round (scale/weights.c). Products are computed in double and rounded once.
 *
 * Rounds. Within a round every node is rebuilt at most once: nodes that have been are "touched"
 * and are left alone until the next round. Each round takes at least one Mul or Add away or
 * moves one up in a chain of affine nodes, so rounds end; a limit guards against mistakes. */
#include "scale/scale.h"

#include "../gen/ops/ops.h"
#include "common/util.h"
#include "pass.h"

#include <math.h>

enum { ROUNDS_MAX = 64 };

/* --- one form --------------------------------------------------------------------------------- */

static bool normalise_batch_norm(Folder *f, const Node *n)
{
    TensorType t = *type_of(f->g, n->out[0]);
    int64_t channels = t.rank > 1 ? t.dims[1] : 1;
    TensorType row = type_make(t.dtype, 1, &channels);
    Scale p[4]; /* scale, B, mean, var */
    for (uint32_t k = 0; k < 4; k++)
        if (!const_scale(f, resolved_in(&f->rw, n, k + 1), &row, &p[k]))
            return false;
    if (t.rank < 2 || channels == 0 || !dtype_is_float(t.dtype))
        return false;
    double *scale = ARENA_ARRAY(f->scratch, double, (size_t)channels);
    double *shift = ARENA_ARRAY(f->scratch, double, (size_t)channels);
    for (int64_t i = 0; i < channels; i++) {
        scale[i] = scale_at(&p[0], i) / sqrt(scale_at(&p[3], i) + attr_float(n, "epsilon", 1e-5));
        shift[i] = scale_at(&p[1], i) - scale_at(&p[2], i) * scale[i];
        if (!isfinite(scale[i]) || !isfinite(shift[i]))
            return false;
    }
    Scale s = {.axis = 1, .n = channels, .v = scale}, b = {.axis = 1, .n = channels, .v = shift};
    ValueId y = scale_node(f, OP_Mul, n, resolved_in(&f->rw, n, 0), &s);
    rewrite_replace(&f->rw, n->out[0], scale_node(f, OP_Add, n, y, &b));
    return true;
}

/* x - c becomes x + -c, x / c becomes x * (1 / c). */
static bool normalise_inverse(Folder *f, const Node *n)
{
    ValueId x;
    Scale s;
    if (!affine_node(f, n, &x, &s))
        return false;
    double *v = ARENA_ARRAY(f->scratch, double, (size_t)s.n);
    for (int64_t i = 0; i < s.n; i++) {
        v[i] = n->op == OP_Sub ? -s.v[i] : 1 / s.v[i];
        if (n->op == OP_Div && !isnormal((float)v[i]))
            return false;
    }
    s.v = v;
    rewrite_replace(&f->rw, n->out[0], scale_node(f, n->op == OP_Sub ? OP_Add : OP_Mul, n, x, &s));
    return true;
}

/* Mul of Mul, Add of Add, Mul of Add. */
static bool merge_affine(Folder *f, const Node *n)
{
    ValueId x, below;
    Scale s, t, both;
    if (!affine_node(f, n, &below, &s))
        return false;
    const Node *def = def_of(f->g, below);
    ValueId original = n->in[same_value(resolved(&f->rw, n->in[0]), below) ? 0 : 1];
    if (!def || !single_use(&f->uses, original))
        return false;
    Node inner = *def;
    if (!affine_node(f, &inner, &x, &t))
        return false;
    if (inner.op == n->op) {
        if (!scale_merge(f, &s, &t, n->op == OP_Mul ? '*' : '+', &both))
            return false;
        rewrite_replace(&f->rw, n->out[0], scale_node(f, n->op, n, x, &both));
        return true;
    }
    if (n->op != OP_Mul || inner.op != OP_Add || !scale_merge(f, &s, &t, '*', &both))
        return false;
    ValueId scaled = scale_node(f, OP_Mul, n, x, &s);
    rewrite_replace(&f->rw, n->out[0], scale_node(f, OP_Add, &inner, scaled, &both));
    return true;
}

static bool normalise_gemm(Folder *f, const Node *n)
{
    double alpha = attr_float(n, "alpha", 1), beta = attr_float(n, "beta", 1);
    ValueId in[3] = {resolved_in(&f->rw, n, 0), resolved_in(&f->rw, n, 1),
                     resolved_in(&f->rw, n, 2)};
    bool has_c = has_value(in[2]);
    if ((alpha == 1 && (beta == 1 || !has_c)) || !is_const(f->g, in[1]) ||
        (has_c && !is_const(f->g, in[2])) || !dtype_is_float(type_of(f->g, n->out[0])->dtype))
        return false;
    Scale a = {.axis = -1, .n = 1, .v = &alpha}, b = {.axis = -1, .n = 1, .v = &beta};
    in[1] = scaled_const(f, in[1], 1, &a);
    if (has_c)
        in[2] = scaled_const(f, in[2], 1, &b);
    const Attr attrs[] = {ATTR_F("alpha", 1), ATTR_F("beta", 1),
                          ATTR_I("transA", attr_int(n, "transA", 0)),
                          ATTR_I("transB", attr_int(n, "transB", 0)), ATTR_END};
    rewrite_replace(&f->rw, n->out[0], graph_op(f->g, OP_Gemm, n, in, has_c ? 3 : 2, attrs));
    return true;
}

static bool normalise(Folder *f, const Node *n)
{
    switch (n->op) {
    case OP_BatchNormalization:
        return normalise_batch_norm(f, n);
    case OP_Sub:
    case OP_Div:
        return normalise_inverse(f, n);
    case OP_Mul:
    case OP_Add:
        return merge_affine(f, n);
    case OP_Gemm:
        return normalise_gemm(f, n);
    default:
        return false;
    }
}

/* --- rounds ----------------------------------------------------------------------------------- */

typedef bool FoldFn(Folder *f, const Node *n);

static uint32_t run_round(Graph *g, FoldFn *fold, Folder *total)
{
    Folder f = {.g = g, .scratch = arena_new(), .rw = rewrite_begin(g), .n_touched = g->n_nodes};
    f.uses = graph_uses(g, f.scratch);
    f.touched = ARENA_ARRAY(f.scratch, bool, g->n_nodes);
    uint32_t count = 0, n_nodes = g->n_nodes;
    for (uint32_t i = 0; i < n_nodes && !g->diag->message; i++) {
        Node n = g->nodes[i];
        if (n.n_out >= 1 && has_value(n.out[0]) && fold(&f, &n))
            count++;
    }
    if (count)
        graph_apply(&f.rw);
    total->n_back += f.n_back;
    total->n_forward += f.n_forward;
    arena_free(f.scratch);
    return count;
}

bool pass_fold_scale_axis(Graph *g, const PassOptions *options, const char **report)
{
    (void)options;
    Folder total = {0};
    for (int round = 0; round < ROUNDS_MAX && !g->diag->message; round++) {
        uint32_t changed = 0;
        while (!g->diag->message && run_round(g, normalise, &total))
            total.n_merged++;
        changed += run_round(g, fold_backward, &total);
        if (!changed)
            changed += run_round(g, fold_forward, &total);
        if (!changed)
            break;
    }
    *g->columns = (Columns){0};
    *report =
        arena_printf(g->arena, "%u folded backward, %u forward", total.n_back, total.n_forward);
    return !g->diag->message;
}
