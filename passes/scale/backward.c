/* fold-scale-axis, backward: a factor of a value moves towards the inputs until weights take it. */
#include "scale.h"

#include "../common/util.h"

enum { DEPTH_MAX = 64, CONCAT_MAX = 1024 };

static ValueId demand(Folder *f, ValueId v, const Scale *s, bool dry, int depth);

/* An operand of a sum: a constant is scaled, anything else has to take the factor. */
static ValueId demand_operand(Folder *f, ValueId v, const TensorType *whole, const Scale *s,
                              bool dry, int depth)
{
    ValueId now = resolved(&f->rw, v);
    if (is_const(f->g, now))
        return dry ? now : scaled_operand(f, now, whole->rank, s);
    if (!same_shape(type_of(f->g, v), whole))
        return NO_VALUE;
    return demand(f, v, s, dry, depth + 1);
}

static ValueId demand_sum(Folder *f, const Node *n, const Scale *s, bool dry, int depth)
{
    TensorType whole = *type_of(f->g, n->out[0]);
    ValueId in[2];
    if (same_value(n->in[0], n->in[1]))
        return NO_VALUE;
    for (int k = 0; k < 2; k++) {
        in[k] = demand_operand(f, n->in[k], &whole, s, dry, depth);
        if (!has_value(in[k]))
            return NO_VALUE;
    }
    return dry ? n->out[0] : graph_op_as(f->g, n->op, n, in, 2);
}

static ValueId demand_concat(Folder *f, const Node *n, const Scale *s, bool dry, int depth)
{
    int64_t axis = attr_int(n, "axis", 0), begin = 0;
    if (n->n_in > CONCAT_MAX)
        return NO_VALUE;
    ValueId *in = ARENA_ARRAY(f->scratch, ValueId, n->n_in);
    for (uint32_t k = 0; k < n->n_in; k++) {
        TensorType t = *type_of(f->g, n->in[k]);
        Scale part = s->axis == axis ? scale_slice(s, begin, t.dims[axis]) : *s;
        begin += t.dims[axis];
        in[k] = demand_operand(f, n->in[k], &t, &part, dry, depth);
        if (!has_value(in[k]))
            return NO_VALUE;
        for (uint32_t j = 0; j < k; j++)
            if (same_value(n->in[j], n->in[k]))
                return NO_VALUE;
    }
    return dry ? n->out[0] : graph_op_as(f->g, n->op, n, in, n->n_in);
}

/* Its other operand is constant: that one takes the factor. */
static ValueId demand_product(Folder *f, const Node *n, const Scale *s, bool dry)
{
    ValueId x;
    Scale inner, both;
    if (!affine_node(f, n, &x, &inner) || !scale_merge(f, &inner, s, '*', &both))
        return NO_VALUE;
    return dry ? x : scale_node(f, OP_Mul, n, x, &both);
}

static ValueId demand_through(Folder *f, const Node *n, const Scale *s, bool dry, int depth)
{
    Scale above;
    if (!commutes_with_scale(n, non_negative(s)) || !scale_axis(f->g, n, false, s, &above))
        return NO_VALUE;
    ValueId x = demand(f, n->in[0], &above, dry, depth + 1);
    if (!has_value(x) || dry)
        return x;
    ValueId in[2] = {x, resolved_in(&f->rw, n, 1)};
    return graph_op_as(f->g, n->op, n, in, n->n_in);
}

/* A value that is v times s, made by changing what makes v; v has no other reader. */
static ValueId demand(Folder *f, ValueId v, const Scale *s, bool dry, int depth)
{
    if (depth > DEPTH_MAX || value_at(f->g, v)->kind != VALUE_NODE || !single_use(&f->uses, v))
        return NO_VALUE;
    Node n = *def_of(f->g, v);
    if (!has_value(n.out[0]) || !same_value(n.out[0], v) || !is_fresh(f, &n))
        return NO_VALUE;
    ValueId to = NO_VALUE;
    switch (scale_roles[n.op].kind) {
    case SCALE_SUM:
        to = demand_sum(f, &n, s, dry, depth);
        break;
    case SCALE_CONCAT:
        to = demand_concat(f, &n, s, dry, depth);
        break;
    case SCALE_PRODUCT:
        to = demand_product(f, &n, s, dry);
        break;
    case SCALE_PASSES:
        to = demand_through(f, &n, s, dry, depth);
        break;
    case SCALE_LAYER:
        to = layer_scale_out(f, &n, s, dry);
        break;
    case SCALE_STOPS:
        return NO_VALUE;
    }
    if (has_value(to) && !dry)
        touch(f, &n);
    return to;
}

/* A value that is v plus s, made by changing what makes v. Of a sum's operands one is enough. */
static ValueId demand_shift(Folder *f, ValueId v, const Scale *s, bool dry, int depth)
{
    if (depth > DEPTH_MAX || value_at(f->g, v)->kind != VALUE_NODE || !single_use(&f->uses, v))
        return NO_VALUE;
    Node n = *def_of(f->g, v);
    if (!has_value(n.out[0]) || !is_fresh(f, &n))
        return NO_VALUE;
    ValueId to = NO_VALUE;
    Scale above;
    if ((n.op == OP_Add && !same_value(n.in[0], n.in[1])) || n.op == OP_Sub) {
        ValueId in[2] = {resolved_in(&f->rw, &n, 0), resolved_in(&f->rw, &n, 1)};
        for (int k = 0; k < (n.op == OP_Add ? 2 : 1) && !has_value(to); k++) {
            if (!same_shape(type_of(f->g, n.in[k]), type_of(f->g, v)))
                continue;
            ValueId x = demand_shift(f, n.in[k], s, dry, depth + 1);
            if (!has_value(x))
                continue;
            in[k] = x;
            to = dry ? v : graph_op_as(f->g, n.op, &n, in, 2);
        }
    } else if (n.op == OP_Transpose || n.op == OP_Reshape) {
        ValueId x = scale_axis(f->g, &n, false, s, &above)
                        ? demand_shift(f, n.in[0], &above, dry, depth + 1)
                        : NO_VALUE;
        to = has_value(x) && !dry ? graph_op_as(f->g, n.op, &n, &x, 1) : x;
    } else {
        to = layer_shift_out(f, &n, s, dry);
    }
    if (has_value(to) && !dry)
        touch(f, &n);
    return to;
}

bool fold_backward(Folder *f, const Node *n)
{
    ValueId x;
    Scale s;
    if (!is_fresh(f, n) || !affine_node(f, n, &x, &s))
        return false;
    ValueId v = n->in[same_value(resolved(&f->rw, n->in[0]), x) ? 0 : 1];
    if (n->op == OP_Mul && has_value(demand(f, v, &s, true, 0)))
        rewrite_replace(&f->rw, n->out[0], demand(f, v, &s, false, 0));
    else if (n->op == OP_Add && has_value(demand_shift(f, v, &s, true, 0)))
        rewrite_replace(&f->rw, n->out[0], demand_shift(f, v, &s, false, 0));
    else
        return false;
    touch(f, n);
    f->n_back++;
    return true;
}
