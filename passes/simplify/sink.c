/* simplify: Transposes sink below nodes that do their work in any order of dimensions: elementwise ones, and Concat, Split, Slice, Pad,
 * Resize and reductions, whose attributes are put into the order of the operand. There they meet their inverse, and what is
 * left computes with the channels where the layers around have them. A network that was written with its channels last becomes the one
 * that was written with its channels first. */
#include "simplify.h"

#include "../../gen/ops/ops.h"
#include "../common/util.h"

#include <string.h>

/* y = Transpose(x): dimension k of y is perm[k] of x. */
typedef struct Permutation {
    int rank;
    int64_t perm[MAX_RANK], inverse[MAX_RANK];
} Permutation;

static Permutation permutation_of(const Node *transpose)
{
    size_t rank;
    const int64_t *perm = attr_ints(transpose, "perm", &rank);
    Permutation t = {.rank = (int)rank};
    for (int k = 0; k < t.rank; k++) {
        t.perm[k] = perm[k];
        t.inverse[perm[k]] = k;
    }
    return t;
}

static bool same_permutation(const Node *transpose, const Permutation *t)
{
    size_t rank;
    const int64_t *perm = attr_ints(transpose, "perm", &rank);
    return (int)rank == t->rank && !memcmp(perm, t->perm, rank * sizeof *perm);
}

/* Channels from the first place behind the batch to the last, or back: a view of the memory that the layers around it use. */
static bool moves_channels(const Permutation *t)
{
    bool to_last = t->perm[0] == 0, to_first = to_last;
    for (int k = 1; k < t->rank; k++) {
        to_last = to_last && t->perm[k] == (k == t->rank - 1 ? 1 : k + 1);
        to_first = to_first && t->perm[k] == (k == 1 ? t->rank - 1 : k - 1);
    }
    return t->rank > 3 && (to_last || to_first);
}

/* --- operands -------------------------------------------------------------------------------------------------- */

/* A constant that is broadcast to the Transpose's result, as it has to look above: a scalar as it is, a vector along one axis moved to
 * the axis it comes from. NO_VALUE: anything else. */
static ValueId constant_above(Simplify *s, ValueId c, const Permutation *permutation)
{
    Value v = *value_at(s->g, c);
    const int axis = varying_axis(&v.type, permutation->rank);
    if (v.type.rank > permutation->rank || axis == -2)
        return NO_VALUE;
    if (axis == -1)
        return c;
    TensorType t = {.dtype = v.type.dtype, .rank = permutation->rank};
    for (int i = 0; i < t.rank; i++)
        t.dims[i] = 1;
    t.dims[permutation->perm[axis]] = v.type.dims[axis - t.rank + v.type.rank];
    return graph_add_const(s->g, v.name, t, v.data);
}

/* What is small enough (a factor per channel, as squeeze and excitation has) for the inverse Transpose to be a Reshape. */
static ValueId view_above(Simplify *s, const Node *n, ValueId v, const Permutation *permutation)
{
    const TensorType *t = type_of(s->g, v);
    TensorType above = {.dtype = t->dtype, .rank = permutation->rank};
    if (type_count(t) == 1 && t->rank <= permutation->rank) /* the condition of an If among them */
        return v;
    if (t->rank != permutation->rank || !keeps_order(t, permutation->inverse))
        return NO_VALUE;
    for (int d = 0; d < above.rank; d++)
        above.dims[d] = t->dims[permutation->inverse[d]];
    return add_reshape(s->g, n, v, &above);
}

/* What stands above the Transpose in place of operand k; NO_VALUE if there is no such thing. */
static ValueId operand_above(Simplify *s, const Node *n, uint32_t k, const Permutation *permutation)
{
    const Node *t = arg_node(s, n, k, OP_Transpose);
    const bool eltwise = op_info(n->op)->class == CLASS_ELTWISE;
    if (t)
        return same_permutation(t, permutation) &&
                       (only_reader(s, n, k) || moves_channels(permutation))
                   ? arg(s, t, 0)
                   : NO_VALUE;
    ValueId v = eltwise ? arg(s, n, k) : NO_VALUE;
    return !has_value(v)       ? NO_VALUE
           : is_const(s->g, v) ? constant_above(s, v, permutation)
                               : view_above(s, n, v, permutation);
}

/* All operands, and the Transpose that they are behind; false if not all of them can be had. */
static bool operands_above(Simplify *s, const Node *n, ValueId *in, Permutation *permutation)
{
    const Node *t = NULL;
    for (uint32_t k = 0; k < n->n_in && !t; k++)
        t = arg_node(s, n, k, OP_Transpose);
    if (!t)
        return false;
    *permutation = permutation_of(t);
    for (uint32_t k = 0; k < n->n_in; k++) {
        in[k] = operand_above(s, n, k, permutation);
        if (!has_value(in[k]))
            return false;
    }
    return true;
}

/* --- nodes ------------------------------------------------------------------------------------------------------- */

/* Its only reader is the inverse of the Transpose before it. A softmax over channels that stand last is better left as it is otherwise. */
static bool is_between_inverses(const Simplify *s, const Node *n)
{
    const Node *t = arg_node(s, n, 0, OP_Transpose);
    if (!t || !single_use(&s->uses, n->out[0]))
        return false;
    const Node *reader = node_at(s->g, s->uses.node[s->uses.start[n->out[0].i]]);
    const Permutation permutation = permutation_of(t);
    return reader->op == OP_Transpose &&
           !memcmp(attr_ints(reader, "perm", NULL), permutation.inverse,
                   (size_t)permutation.rank * sizeof *permutation.inverse);
}

static bool can_sink_below(const Simplify *s, const Node *n)
{
    const OpInfo *op = op_info(n->op);
    if (!op_has(n->op, TRAIT_SINKS) || node_attr(n, "roi") || attr_int(n, "keepdims", 1) == 0)
        return op->class == CLASS_ELTWISE;
    return !node_attr(n, "axis_end") ||
           (attr_int(n, "axis_end", 0) == attr_int(n, "axis", 0) + 1 && is_between_inverses(s, n));
}

/* Lists with one number for each dimension, or with two as Pad has them. */
static bool is_by_dimension(const char *name)
{
    static const char *const names[] = {"starts", "steps", "sizes", "scales", "pads"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static Attr by_dimension(Arena *arena, const Attr *a, const Permutation *permutation)
{
    Attr to = *a;
    int64_t *ints = ARENA_ARRAY(arena, int64_t, a->n);
    double *floats = ARENA_ARRAY(arena, double, a->n);
    for (size_t i = 0; i < a->n; i++) {
        const size_t rank = (size_t)permutation->rank, half = i / rank * rank,
                     at = half + (size_t)permutation->perm[i - half];
        if (a->kind == ATTR_INTS)
            ints[at] = a->ints[i];
        else
            floats[at] = a->floats[i];
    }
    to.ints = ints;
    to.floats = floats;
    return to;
}

/* A sorted list of dimensions. */
static Attr axes_above(Arena *arena, const Attr *a, const Permutation *permutation)
{
    Attr to = *a;
    bool on[MAX_RANK] = {false};
    int64_t *ints = ARENA_ARRAY(arena, int64_t, a->n), n = 0;
    for (size_t i = 0; i < a->n; i++)
        on[permutation->perm[a->ints[i]]] = true;
    for (int d = 0; d < permutation->rank; d++)
        if (on[d])
            ints[n++] = d;
    to.ints = ints;
    return to;
}

/* n's attributes where dimension k of its operands is dimension perm[k]. */
static Attr *attrs_above(Arena *arena, const Node *n, const Permutation *permutation)
{
    Attr *attr = arena_copy(arena, n->attr, n->n_attr * sizeof *attr);
    for (uint32_t i = 0; i < n->n_attr && op_info(n->op)->class != CLASS_ELTWISE; i++) {
        if (!strcmp(attr[i].name, "axis"))
            attr[i].i = permutation->perm[attr[i].i];
        else if (!strcmp(attr[i].name, "axis_end"))
            attr[i].i = permutation->perm[attr[i].i - 1] + 1;
        else if (!strcmp(attr[i].name, "axes"))
            attr[i] = axes_above(arena, &attr[i], permutation);
        else if (is_by_dimension(attr[i].name))
            attr[i] = by_dimension(arena, &attr[i], permutation);
    }
    return attr;
}

static NodeId node_above(Simplify *s, const Node *n, const ValueId *in,
                         const Permutation *permutation)
{
    const Attr *attr = attrs_above(s->g->arena, n, permutation);
    return graph_add_node(s->g, n->op, n->name, n->model_index, in, n->n_in, n->n_out, NULL, attr,
                          n->n_attr);
}

/* A matrix product, with elementwise nodes behind that have one operand beside constants. */
static bool is_from_product(const Simplify *s, ValueId v)
{
    enum { MOST = 8 };
    const Node *n = def_of(s->g, v);
    for (int i = 0; n && i < MOST && (is_eltwise(n, 1) || is_eltwise(n, 2)); i++) {
        const uint32_t k = n->n_in == 2 && is_const(s->g, arg(s, n, 0)) ? 1 : 0;
        if (n->n_in == 2 && !is_const(s->g, arg(s, n, 1 - k)))
            return false;
        n = def_of(s->g, arg(s, n, k));
    }
    return n && (n->op == OP_MatMul || n->op == OP_Gemm);
}

/* x + Transpose(product), channels last to first: the sum is made where the product is, so that it becomes a part of it, and x comes
 * there by the inverse. In networks of such blocks (ConvNeXt) x is the Transpose of the sum before. */
static ValueId sink_below_residual(Simplify *s, const Node *n)
{
    ValueId in[2];
    for (uint32_t k = 0; n->op == OP_Add && k < 2; k++) {
        const Node *t = arg_node(s, n, k, OP_Transpose);
        const ValueId x = arg(s, n, 1 - k);
        if (!t || !only_reader(s, n, k) || !def_of(s->g, x) ||
            def_of(s->g, x)->op == OP_Transpose ||
            !same_shape(type_of(s->g, x), type_of(s->g, n->out[0])))
            continue;
        const Permutation permutation = permutation_of(t);
        in[k] = arg(s, t, 0);
        if (!moves_channels(&permutation) || !is_from_product(s, in[k]) || is_from_product(s, x))
            continue;
        in[1 - k] = add_transpose(s->g, n, x, permutation.inverse);
        const NodeId y = node_above(s, n, in, &permutation);
        return y.i == NO_NODE.i
                   ? NO_VALUE
                   : add_transpose(s->g, n, node_at(s->g, y)->out[0], permutation.perm);
    }
    return NO_VALUE;
}

ValueId sink_transpose(Simplify *s, const Node *n)
{
    ValueId *in = ARENA_ARRAY(s->g->arena, ValueId, n->n_in + 1);
    Permutation permutation;
    if (!can_sink_below(s, n))
        return NO_VALUE;
    if (!operands_above(s, n, in, &permutation))
        return sink_below_residual(s, n);
    const NodeId y = node_above(s, n, in, &permutation);
    return y.i == NO_NODE.i ? NO_VALUE
                            : add_transpose(s->g, n, node_at(s->g, y)->out[0], permutation.perm);
}

bool sink_below_split(Simplify *s, const Node *n)
{
    ValueId in[1];
    Permutation permutation;
    if (!operands_above(s, n, in, &permutation))
        return false;
    const NodeId y = node_above(s, n, in, &permutation);
    for (uint32_t k = 0; y.i != NO_NODE.i && k < n->n_out; k++)
        if (has_value(n->out[k]))
            rewrite_replace(&s->rw, n->out[k],
                            add_transpose(s->g, n, node_at(s->g, y)->out[k], permutation.perm));
    return y.i != NO_NODE.i;
}
