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

#include "pass.h"

enum { ROUNDS_MAX = 64 };

static bool to_one_form(Folder *f, const Node *n)
{
    FoldFn *form = scale_roles[n->op].form;
    return form && form(f, n);
}

/* --- rounds ----------------------------------------------------------------------------------- */

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
        while (!g->diag->message && run_round(g, to_one_form, &total))
            ;
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
