/* simplify: ops that move elements. Reshapes and transposes are merged and dropped where they do nothing; reshapes sink
 * below elementwise nodes, where they meet their inverse and let the node above fuse with its activation. */
#include "simplify.h"

#include "../../gen/ops/ops.h"
#include "../common/util.h"

#include <string.h>

static const TensorType *out_type(const Simplify *s, const Node *n)
{
    return type_of(s->g, n->out[0]);
}

ValueId simplify_same_shape(Simplify *s, const Node *n)
{
    ValueId x = arg(s, n, 0);
    return same_shape(type_of(s->g, x), out_type(s, n)) ? x : NO_VALUE;
}

ValueId simplify_cast(Simplify *s, const Node *n)
{
    ValueId x = arg(s, n, 0);
    return type_of(s->g, x)->dtype == out_type(s, n)->dtype ? x : NO_VALUE;
}

/* A reshape that only adds and drops dimensions of size 1 goes before the transpose, so that the
 * transpose meets the next one: as dimensions of x, those of size 1 first. */
static ValueId swap_with_transpose(Simplify *s, const Node *n, const Node *transpose)
{
    const int64_t *perm = attr_ints(transpose, "perm", NULL);
    TensorType to = *out_type(s, n), mid = *type_of(s->g, transpose->out[0]);
    ValueId x = arg(s, transpose, 0);
    TensorType from = *type_of(s->g, x), before = {.dtype = to.dtype};
    int place[MAX_RANK]; /* by dimension of x: where it goes */
    int64_t permuted[MAX_RANK];
    for (int j = 0; j < to.rank; j++)
        if (to.dims[j] == 1) {
            permuted[j] = before.rank;
            before.dims[before.rank++] = 1;
        }
    for (int d = 0; d < from.rank; d++)
        if (from.dims[d] != 1) {
            if (before.rank == to.rank)
                return NO_VALUE;
            place[d] = before.rank;
            before.dims[before.rank++] = from.dims[d];
        }
    int i = 0;
    for (int j = 0; j < to.rank; j++) {
        if (to.dims[j] == 1)
            continue;
        while (i < mid.rank && mid.dims[i] == 1)
            i++;
        if (i == mid.rank || mid.dims[i] != to.dims[j])
            return NO_VALUE;
        permuted[j] = place[perm[i++]];
    }
    if (before.rank != to.rank)
        return NO_VALUE;
    return add_transpose(s->g, n, add_reshape(s->g, n, x, &before), permuted);
}

ValueId simplify_reshape(Simplify *s, const Node *n)
{
    TensorType t = *out_type(s, n);
    ValueId x = arg(s, n, 0);
    if (same_shape(type_of(s->g, x), &t))
        return x;
    const Node *inner = arg_node(s, n, 0, OP_Reshape), *transpose = arg_node(s, n, 0, OP_Transpose);
    if (transpose && arg_single(s, n, 0))
        return swap_with_transpose(s, n, transpose);
    return inner ? add_reshape(s->g, n, arg(s, inner, 0), &t) : NO_VALUE;
}

bool keeps_order(const TensorType *t, const int64_t *perm)
{
    int64_t last = -1;
    for (int i = 0; i < t->rank; i++) {
        if (t->dims[perm[i]] == 1)
            continue;
        if (perm[i] < last)
            return false;
        last = perm[i];
    }
    return true;
}

ValueId simplify_transpose(Simplify *s, const Node *n)
{
    size_t rank;
    const int64_t *perm = attr_ints(n, "perm", &rank);
    ValueId x = arg(s, n, 0);
    TensorType t = *out_type(s, n);
    if (keeps_order(type_of(s->g, x), perm))
        return add_reshape(s->g, n, x, &t);
    const Node *inner = arg_node(s, n, 0, OP_Transpose);
    if (!inner)
        return NO_VALUE;
    const int64_t *first = attr_ints(inner, "perm", NULL);
    int64_t both[MAX_RANK];
    for (size_t i = 0; i < rank; i++)
        both[i] = first[perm[i]];
    return add_transpose(s->g, n, arg(s, inner, 0), both);
}

ValueId simplify_slice(Simplify *s, const Node *n)
{
    size_t rank;
    const int64_t *steps = attr_ints(n, "steps", &rank);
    const TensorType *t = type_of(s->g, arg(s, n, 0)), *out = out_type(s, n);
    for (size_t i = 0; i < rank; i++)
        if (t->dims[i] != out->dims[i] || (steps[i] != 1 && t->dims[i] > 1))
            return simplify_sliced(s, n);
    return arg(s, n, 0);
}

ValueId simplify_pad(Simplify *s, const Node *n)
{
    size_t count;
    const int64_t *pads = attr_ints(n, "pads", &count);
    return all_equal(pads, count, 0) ? arg(s, n, 0) : NO_VALUE;
}

/* How many operands the other Concat has, if n begins with them; otherwise 0. */
static uint32_t prefix_length(const Simplify *s, const Node *n, const Node *other)
{
    if (other->op != OP_Concat || other->n_in < 2 || other->n_in >= n->n_in ||
        attr_int(other, "axis", 0) != attr_int(n, "axis", 0))
        return 0;
    for (uint32_t k = 0; k < other->n_in; k++)
        if (!same_value(arg(s, other, k), arg(s, n, k)))
            return 0;
    return other->n_in;
}

/* A Concat that begins with the operands of another is that one with the rest behind it: as DenseNets put all that came before
 * together again for each layer. The result then grows in one buffer. */
ValueId simplify_concat(Simplify *s, const Node *n)
{
    ValueId v = simplify_first(s, n), prefix = NO_VALUE;
    uint32_t longest = 0;
    for (uint32_t u = s->uses.start[n->in[0].i]; u < s->uses.start[n->in[0].i + 1]; u++) {
        const Node *other = node_at(s->g, s->uses.node[u]);
        uint32_t length = prefix_length(s, n, other);
        if (length > longest) {
            longest = length;
            prefix = resolved(&s->rw, other->out[0]);
        }
    }
    if (has_value(v) || longest == 0)
        return v;
    ValueId *args = ARENA_ARRAY(s->g->arena, ValueId, n->n_in);
    args[0] = prefix;
    for (uint32_t k = longest; k < n->n_in; k++)
        args[k - longest + 1] = arg(s, n, k);
    return add_concat(s->g, n, args, n->n_in - longest + 1, attr_int(n, "axis", 0));
}

/* Concat of one operand, Split into one. */
ValueId simplify_first(Simplify *s, const Node *n)
{
    return n->n_in == 1 ? simplify_same_shape(s, n) : NO_VALUE;
}

ValueId simplify_resize(Simplify *s, const Node *n)
{
    size_t count;
    const double *scales = attr_floats(n, "scales", &count);
    const char *coord = attr_string(n, "coordinate_transformation_mode", "half_pixel");
    for (size_t i = 0; i < count; i++)
        if (scales[i] != 1)
            return NO_VALUE;
    return strcmp(coord, "tf_crop_and_resize") ? simplify_same_shape(s, n) : NO_VALUE;
}

static ValueId add_softmax(Simplify *s, const Node *like, ValueId x, int64_t axis)
{
    const Attr attrs[] = {ATTR_I("axis", axis), ATTR_I("axis_end", axis + 1), ATTR_END};
    return graph_op(s->g, like->op, like, &x, 1, attrs);
}

/* Over several dimensions together: they are made one. Those of size 1 do not count. */
ValueId simplify_softmax(Simplify *s, const Node *n)
{
    int64_t first = attr_int(n, "axis", 0), end = attr_int(n, "axis_end", 0), last = -1;
    TensorType t = *out_type(s, n), merged = {.dtype = t.dtype};
    uint32_t larger = 0;
    if (end - first < 2 || end > t.rank)
        return NO_VALUE;
    for (int64_t i = first; i < end; i++) {
        larger += t.dims[i] != 1;
        last = t.dims[i] != 1 || last < 0 ? i : last;
    }
    if (larger <= 1)
        return add_softmax(s, n, arg(s, n, 0), last);
    for (int i = 0; i < t.rank; i++) {
        if (i > first && i < end)
            merged.dims[merged.rank - 1] *= t.dims[i];
        else
            merged.dims[merged.rank++] = t.dims[i];
    }
    ValueId y = add_softmax(s, n, add_reshape(s->g, n, arg(s, n, 0), &merged), first);
    return add_reshape(s->g, n, y, &t);
}

/* --- reshapes below elementwise nodes --------------------------------------------------------------------------- */

bool is_eltwise(const Node *n, int operands)
{
    const OpInfo *op = op_info(n->op);
    return op->class == CLASS_ELTWISE && op->min_in == operands && op->max_in == operands;
}

int varying_axis(const TensorType *c, int rank)
{
    int axis = -1;
    for (int i = 0; i < c->rank; i++) {
        if (c->dims[i] == 1)
            continue;
        if (axis >= 0)
            return -2;
        axis = rank - c->rank + i;
    }
    return axis;
}

/* Where `to` is a reshape of `from`: the shape of a constant that is broadcast to `to`, as it has to look above the reshape. Each
 * group of dimensions of `from` becomes one of `to`, along all of which the constant has to vary, or along none. */
static bool shape_above(const TensorType *c, const TensorType *from, const TensorType *to,
                        TensorType *above)
{
    int i = 0, j = 0;
    *above = (TensorType){.dtype = c->dtype, .rank = from->rank};
    while (i < from->rank || j < to->rank) {
        int i_end = i, j_end = j;
        int64_t a = 1, b = 1, own = 1;
        do {
            bool more = i_end < from->rank && (a <= b || j_end == to->rank);
            if (more)
                a *= from->dims[i_end++];
            else if (j_end < to->rank)
                b *= to->dims[j_end++];
            else
                return false;
        } while (a != b);
        for (; j < j_end; j++)
            own *= j < to->rank - c->rank ? 1 : c->dims[j - (to->rank - c->rank)];
        if (own != 1 && own != b)
            return false;
        for (; i < i_end; i++)
            above->dims[i] = own == b ? from->dims[i] : 1;
    }
    return true;
}

/* The constant operand of a binary node, as it has to look above a reshape. */
static ValueId constant_reshaped(Simplify *s, ValueId c, const TensorType *from,
                                 const TensorType *to)
{
    if (!is_const(s->g, c) || type_of(s->g, c)->rank > to->rank)
        return NO_VALUE;
    Value v = *value_at(s->g, c);
    TensorType t = {.dtype = v.type.dtype};
    if (type_count(&v.type) == 1)
        return v.type.rank <= from->rank ? c : graph_add_const(s->g, v.name, t, v.data);
    if (type_count(to) == 0 || !shape_above(&v.type, from, to, &t))
        return NO_VALUE;
    if (varying_axis(&v.type, to->rank) >= 0 && varying_axis(&t, from->rank) == -2)
        return NO_VALUE; /* one per channel is better than two dimensions that make a channel */
    return graph_add_const(s->g, v.name, t, v.data);
}

bool only_reader(const Simplify *s, const Node *n, uint32_t k)
{
    uint32_t own = 0;
    for (uint32_t i = 0; i < n->n_in; i++)
        own += same_value(n->in[i], n->in[k]);
    return use_count(&s->uses, n->in[k]) == own && !s->uses.is_output[n->in[k].i];
}

/* Both operands reshaped alike, or one of them a constant that can be. */
static bool operands_before_reshape(Simplify *s, const Node *n, ValueId *in)
{
    const Node *r[2] = {arg_node(s, n, 0, OP_Reshape), arg_node(s, n, 1, OP_Reshape)};
    uint32_t k = r[0] ? 0 : 1;
    if (!r[k] || !only_reader(s, n, k) || !same_shape(type_of(s->g, r[k]->out[0]), out_type(s, n)))
        return false;
    in[k] = arg(s, r[k], 0);
    ValueId other = arg(s, n, 1 - k);
    if (r[1 - k] && k == 0) {
        in[1] = arg(s, r[1], 0);
        return same_shape(type_of(s->g, in[0]), type_of(s->g, in[1])) &&
               same_shape(type_of(s->g, r[1]->out[0]), out_type(s, n)) && only_reader(s, n, 1);
    }
    TensorType from = *type_of(s->g, in[k]), to = *out_type(s, n);
    in[1 - k] = constant_reshaped(s, other, &from, &to);
    return has_value(in[1 - k]);
}

ValueId sink_reshape(Simplify *s, const Node *n)
{
    TensorType t = *out_type(s, n);
    ValueId in[2] = {NO_VALUE, NO_VALUE};
    if (is_eltwise(n, 1)) {
        const Node *reshape = arg_node(s, n, 0, OP_Reshape);
        if (!reshape || !arg_single(s, n, 0))
            return NO_VALUE;
        in[0] = arg(s, reshape, 0);
    } else if (!is_eltwise(n, 2) || !operands_before_reshape(s, n, in)) {
        return NO_VALUE;
    }
    return add_reshape(s->g, n, graph_op_as(s->g, n->op, n, in, 2), &t);
}
