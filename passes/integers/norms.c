/* Norms of bytes whose scale depends on data, by sums of integers and their root.
 *
 * Let c be a byte less its zero point, n the elements that are normalised together, and s the step. What LayerNormalization makes of
 * them is d / root(w) with d = n c - sum(c) and w = n sum(c^2) - sum(c)^2 + epsilon n^2 / s^2: s has gone out of all but epsilon, and
 * sums are exact. Without a mean (RMSNormalization) the sums of c are left out, without n (LpNormalization) it is 1. The root is that of
 * w 4^q rounded down, so that it is within 2^-q of its own size where w is 1, and closer where it is more; a row has one division, by its
 * root, and each element a product by what comes out. */
#include "integers.h"

#include <math.h>

enum { MOST_FINE = 20, LEAST_FINE = 12, MOST_ROOT = 15, LEAST_ROOT = 8 };

typedef struct Norm {
    int64_t axes[MAX_RANK];
    size_t n_axes;
    int64_t groups; /* 0: no GroupNormalization */
    bool centres, by_count;
    double epsilon;
} Norm;

/* Those from `from` to the last. */
static void add_axes(Norm *norm, int64_t from, int64_t rank)
{
    while (from < rank)
        norm->axes[norm->n_axes++] = from++;
}

static bool read_norm(const Node *n, int64_t rank, Norm *norm)
{
    *norm = (Norm){.centres = true, .by_count = true, .epsilon = attr_float(n, "epsilon", 0)};
    switch (n->op) {
    case OP_RMSNormalization:
    case OP_LayerNormalization:
        norm->centres = n->op == OP_LayerNormalization;
        add_axes(norm, attr_int(n, "axis", -1), rank);
        return true;
    case OP_InstanceNormalization:
        add_axes(norm, 2, rank);
        return true;
    case OP_GroupNormalization:
        norm->groups = attr_int(n, "num_groups", 1);
        add_axes(norm, 2, 3);
        return true;
    default: /* LpNormalization */
        norm->centres = norm->by_count = false;
        norm->axes[norm->n_axes++] = attr_int(n, "axis", -1);
        return attr_int(n, "p", 2) == 2;
    }
}

static ValueId reshaped(const Integers *m, const Node *like, ValueId x, int rank,
                        const int64_t *dims)
{
    return graph_op(m->g, OP_Reshape, like, &x, 1,
                    (Attr[]){ATTR_IS("shape", dims, (size_t)rank), ATTR_END});
}

static ValueId sum_along(const Integers *m, const Node *like, ValueId x, const Norm *norm)
{
    return graph_op(
        m->g, OP_ReduceSum, like, &x, 1,
        (Attr[]){ATTR_IS("axes", norm->axes, norm->n_axes), ATTR_I("keepdims", 1), ATTR_END});
}

static ValueId with_number(const Integers *m, Op op, const Node *like, ValueId x, double y)
{
    return add_binary(m->g, op, like, x, scalar_const(m->g, type_of(m->g, x)->dtype, y));
}

/* d / root(w) in units of 2^-fine, where it is at most 2^largest. */
static ValueId quotients(Integers *m, const Node *n, ValueId c, const Norm *norm, double count,
                         double epsilon, int root_bits, int fine, int largest)
{
    const int bits = 61 - largest + root_bits < 62 ? 61 - largest + root_bits : 62;
    ValueId squares = sum_along(m, n, add_binary(m->g, OP_Mul, n, c, c), norm), d = c;
    squares = with_number(m, OP_Mul, n, add_cast(m->g, n, squares, DT_I64), count);
    if (norm->by_count)
        d = with_number(m, OP_Mul, n, d, count);
    if (norm->centres) {
        const ValueId sum = sum_along(m, n, c, norm), wide = add_cast(m->g, n, sum, DT_I64);
        d = add_binary(m->g, OP_Sub, n, d, sum);
        squares = add_binary(m->g, OP_Sub, n, squares, add_binary(m->g, OP_Mul, n, wide, wide));
    }
    ValueId root = with_number(m, OP_Mul, n, squares, ldexp(1, 2 * root_bits));
    root = with_number(m, OP_Add, n, root, nearbyint(ldexp(epsilon, 2 * root_bits)));
    root = graph_op(m->g, OP_IntegerRoot, n, &root, 1, NULL);
    const ValueId inverse =
        add_binary(m->g, OP_Div, n, scalar_const(m->g, DT_I64, ldexp(1, bits)), root);
    d = add_binary(m->g, OP_Mul, n, add_cast(m->g, n, d, DT_I64), inverse);
    return add_cast(m->g, n, with_number(m, OP_Div, n, d, ldexp(1, bits - root_bits - fine)),
                    DT_I32);
}

/* The elements of a constant; of none, too. */
static bool are_all(const Integers *m, ValueId v, double x)
{
    for (int64_t i = 0; has_value(v) && i < type_count(type_of(m->g, v)); i++)
        if (!is_const(m->g, v) || const_number(m->g, v, i) != x)
            return false;
    return true;
}

bool normalised(Integers *m, const Node *n, Sums *s)
{
    Step8 src;
    Norm norm;
    ValueId x = moved_bytes(m, n->in[0], &src);
    if (!has_value(x) || !read_norm(n, type_of(m->g, x)->rank, &norm)) {
        stays_behind(m, n, "a norm's operand is not dequantised from bytes with one scale");
        return false;
    }
    if (!are_all(m, node_in(n, 1), 1) || !are_all(m, node_in(n, 2), 0))
        return false;
    const TensorType t = *type_of(m->g, x);
    x = centred(m, n, x, &src);
    if (norm.groups)
        x = reshaped(
            m, n, x, 3,
            (int64_t[]){t.dims[0], norm.groups, type_count(&t) / (t.dims[0] * norm.groups)});
    double together = 1;
    for (size_t i = 0; i < norm.n_axes; i++)
        together *= (double)type_of(m->g, x)->dims[norm.axes[i]];
    const double count = norm.by_count ? together : 1,
                 epsilon = norm.epsilon * count * count / src.scale / src.scale,
                 most = count * together * 255 * 255 + epsilon;
    int root_bits = MOST_ROOT, largest = 1, fine = MOST_FINE;
    while (root_bits >= LEAST_ROOT && ldexp(most, 2 * root_bits) >= 0x1p62)
        root_bits--;
    while (norm.by_count && ldexp(1, 2 * largest) < 4 * together)
        largest++;
    while (fine + largest > 28)
        fine--;
    if (root_bits < LEAST_ROOT || fine < LEAST_FINE || together * 255 * 255 > INT32_MAX) {
        stays(m, "a norm has too many elements, or too large an epsilon, for integers");
        return false;
    }
    *s = (Sums){.n_scales = 1, .channel = t.rank - 1, .most = ldexp(1, fine + largest)};
    s->v = quotients(m, n, x, &norm, count, epsilon, root_bits, fine, largest);
    if (norm.groups)
        s->v = reshaped(m, n, s->v, t.rank, t.dims);
    s->scale = ARENA_NEW(m->g->arena, double);
    *s->scale = ldexp(1, -fine);
    m->n_sums++;
    return true;
}

/* A factor or addend of a norm as a layer's operand: of the last dimensions, or of channels. */
static ValueId norm_operand(Integers *m, const Node *n, uint32_t k)
{
    double *x;
    int64_t count;
    const int rank = type_of(m->g, n->in[0])->rank;
    if (!numbers_of(m, n->in[k], &x, &count))
        return NO_VALUE;
    const TensorType *t = type_of(m->g, n->in[k]);
    return n->op == OP_LayerNormalization || n->op == OP_RMSNormalization
               ? make_const(m->g, "", DT_F32, t->rank, t->dims, x)
               : by_channel(m, DT_F32, x, count, rank, 1);
}

/* A constant like v, of one number. */
static ValueId filled(const Integers *m, ValueId v, double number)
{
    const TensorType *t = type_of(m->g, v);
    double *x = ARENA_ARRAY(m->g->arena, double, (size_t)type_count(t) + 1);
    for (int64_t i = 0; i < type_count(t); i++)
        x[i] = number;
    return make_const(m->g, "", DT_F32, t->rank, t->dims, x);
}

ValueId with_factors_behind(Integers *m, const Node *n)
{
    Step8 src;
    Norm norm;
    if ((n->op != OP_LayerNormalization && n->op != OP_RMSNormalization &&
         n->op != OP_InstanceNormalization && n->op != OP_GroupNormalization) ||
        n->n_out > 1 || !has_value(moved_bytes(m, n->in[0], &src)) ||
        !read_norm(n, type_of(m->g, n->in[0])->rank, &norm))
        return NO_VALUE;
    const ValueId factor = norm_operand(m, n, 1),
                  addend = has_value(node_in(n, 2)) ? norm_operand(m, n, 2) : NO_VALUE;
    if (!has_value(factor) || (has_value(node_in(n, 2)) && !has_value(addend)))
        return NO_VALUE;
    const bool inner = n->op == OP_LayerNormalization || n->op == OP_RMSNormalization;
    const ValueId in[3] = {arg(m, n, 0), filled(m, n->in[1], 1),
                           inner ? NO_VALUE : filled(m, n->in[1], 0)},
                  plain = graph_op_as(m->g, n->op, n, in, inner ? 2 : 3),
                  product = add_binary(m->g, OP_Mul, n, plain, factor);
    return has_value(addend) ? add_binary(m->g, OP_Add, n, product, addend) : product;
}
