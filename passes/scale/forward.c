/* fold-scale-axis, forward: a factor of a value moves towards the outputs until the weights of
 * all its readers have taken it; a summand goes into the biases of the layers that read it. */
#include "scale.h"

#include "../common/util.h"

enum { DEPTH_MAX = 64 };

static bool supply(Folder *f, ValueId from, ValueId to, const Scale *s, bool dry, int depth);

/* A reader that multiplies by a constant anyway. */
static ValueId supply_product(Folder *f, const Node *n, ValueId src, const Scale *s, bool dry)
{
    ValueId x;
    Scale inner, both;
    if (n->op != OP_Mul || !affine_node(f, n, &x, &inner) || !scale_merge(f, &inner, s, '*', &both))
        return NO_VALUE;
    return dry ? x : scale_node(f, OP_Mul, n, src, &both);
}

static bool supply_through(Folder *f, const Node *n, ValueId src, const Scale *s, bool dry,
                           int depth)
{
    Scale below;
    if (!commutes_with_scale(n, non_negative(s)) || !scale_axis(f->g, n, true, s, &below))
        return false;
    if (dry)
        return supply(f, n->out[0], NO_VALUE, &below, true, depth + 1);
    ValueId in[2] = {src, resolved_in(&f->rw, n, 1)};
    ValueId to = graph_op_as(f->g, n->op, n, in, n->n_in);
    return has_value(to) && supply(f, n->out[0], to, &below, false, depth + 1);
}

/* n reads a value that loses its factor s: src stands for it now. */
static bool supply_reader(Folder *f, const Node *n, ValueId from, ValueId src, const Scale *s,
                          bool dry, int depth)
{
    if (!is_fresh(f, n) || !has_value(n->out[0]))
        return false;
    for (uint32_t k = 1; k < n->n_in; k++)
        if (same_value(n->in[k], from) && n->op != OP_Mul)
            return false;
    ValueId to = layer_scale_in(f, n, src, s, dry);
    if (!has_value(to))
        to = supply_product(f, n, src, s, dry);
    if (has_value(to) && !dry)
        rewrite_replace(&f->rw, n->out[0], to);
    bool taken = has_value(to) || (n->n_in <= 2 && same_value(n->in[0], from) &&
                                   supply_through(f, n, src, s, dry, depth));
    if (taken && !dry)
        touch(f, n);
    return taken;
}

/* All readers of `from` (which is s times `to`) read `to` and take the factor. */
static bool supply(Folder *f, ValueId from, ValueId to, const Scale *s, bool dry, int depth)
{
    uint32_t first = f->uses.start[from.i], last = f->uses.start[from.i + 1];
    if (depth > DEPTH_MAX || f->uses.is_output[from.i] || first == last)
        return false;
    for (uint32_t u = first; u < last; u++) {
        if (u > first && f->uses.node[u].i == f->uses.node[u - 1].i)
            return false;
        Node n = *node_at(f->g, f->uses.node[u]);
        if (!supply_reader(f, &n, from, to, s, dry, depth))
            return false;
    }
    return true;
}

static bool shift_readers(Folder *f, ValueId from, ValueId to, const Scale *s, bool dry)
{
    uint32_t first = f->uses.start[from.i], last = f->uses.start[from.i + 1];
    if (f->uses.is_output[from.i] || first == last)
        return false;
    for (uint32_t u = first; u < last; u++) {
        Node n = *node_at(f->g, f->uses.node[u]);
        bool only_src = same_value(n.in[0], from);
        for (uint32_t k = 1; k < n.n_in; k++)
            only_src = only_src && !same_value(n.in[k], from);
        if (!only_src || !has_value(n.out[0]) || !is_fresh(f, &n))
            return false;
        ValueId out = layer_shift_in(f, &n, to, s, dry);
        if (!has_value(out))
            return false;
        if (dry)
            continue;
        touch(f, &n);
        rewrite_replace(&f->rw, n.out[0], out);
    }
    return true;
}

bool fold_forward(Folder *f, const Node *n)
{
    ValueId x;
    Scale s;
    if (!is_fresh(f, n) || !affine_node(f, n, &x, &s))
        return false;
    bool taken = n->op == OP_Mul   ? supply(f, n->out[0], x, &s, true, 0)
                 : n->op == OP_Add ? shift_readers(f, n->out[0], x, &s, true)
                                   : false;
    if (!taken)
        return false;
    touch(f, n);
    if (n->op == OP_Mul)
        supply(f, n->out[0], x, &s, false, 0);
    else
        shift_readers(f, n->out[0], x, &s, false);
    f->n_forward++;
    return true;
}
