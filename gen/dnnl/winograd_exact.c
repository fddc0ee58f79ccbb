/* Sums of whole numbers by Winograd's F(2x2, 3x3). The constants of its transformations are 0, +-1 and halves, so that all numbers on the way are multiples
 * of 1/4, and exact in f32 up to 2^22; down a column they have become sums of a convolution in one direction, multiples of 1/2 and exact
 * up to 2^23. Whether they stay there is proved by the weights, since src is made of bytes.
 *
 * Each number is a sum of elements of src, or of differences or sums of two neighbours in a line, times coefficients that depend on the weights: the
 * largest it can get, and any part of its terms, follows from the sums of the positive and of the negative coefficients. The numbers are those of
 * templates/dnnl/winograd_2.c in its order: (m0 + m1) + m2 and (m1 - m2) + m3, down the columns first. */
#include "algorithm.h"

#include <math.h>

enum { POINTS = 4, BYTE = 255 };

/* Bytes less a zero point, from -low to high; one that is not known may be any. */
typedef struct Range {
    double low, high;
    bool any;
} Range;

static Range range_of(DType t, double zero, bool any)
{
    const double low = zero - (t == DT_U8 ? 0 : INT8_MIN);
    return (Range){low, BYTE - low, any};
}

static bool range_of_bytes(const Graph *g, const Node *n, Range *r)
{
    const ValueId scale = n->in[1], zero = node_in(n, 2);
    const DType t = type_of(g, n->in[0])->dtype;
    const bool any = has_value(zero) && value_at(g, zero)->kind != VALUE_CONST;
    if (value_at(g, scale)->kind != VALUE_CONST || type_count(type_of(g, scale)) != 1 ||
        const_number(g, scale, 0) != 1 || (t != DT_U8 && t != DT_I8))
        return false;
    *r = range_of(t, has_value(zero) && !any ? const_number(g, zero, 0) : 0, any);
    return true;
}

static bool find_range(const Graph *g, ValueId v, Range *r);

static bool range_of_operands(const Graph *g, const Node *concat, Range *r)
{
    *r = (Range){0};
    for (uint32_t i = 0; i < concat->n_in; i++) {
        Range one;
        if (!find_range(g, concat->in[i], &one))
            return false;
        *r = (Range){fmax(r->low, one.low), fmax(r->high, one.high), r->any || one.any};
    }
    return true;
}

/* False if the value is not known to be of such numbers. */
static bool find_range(const Graph *g, ValueId v, Range *r)
{
    const Node *n = def_of(g, v), *before = n && n->op == OP_Clip ? def_of(g, n->in[0]) : NULL;
    if (n &&
        (n->op == OP_MaxPool || n->op == OP_Reshape || n->op == OP_Transpose || n->op == OP_Slice))
        return find_range(g, n->in[0], r);
    if (n && n->op == OP_Concat)
        return range_of_operands(g, n, r);
    if (n && n->op == OP_DequantizeLinear)
        return range_of_bytes(g, n, r);
    if (!before || before->op != OP_Round)
        return false;
    const double low = attr_float(n, "min", -INFINITY);
    *r = range_of(DT_U8, -low, false);
    return low == rint(low) && fabs(low) <= BYTE && attr_float(n, "max", INFINITY) - low == BYTE;
}

bool is_of_bytes(const Graph *g, ValueId v)
{
    Range r;
    return find_range(g, v, &r);
}

/* Operands of a Concat may have several zero points that are not known. */
static bool is_of_one_tensor(const Graph *g, ValueId v)
{
    const Node *n = def_of(g, v);
    return n->op != OP_Concat && (n->op == OP_DequantizeLinear || is_of_one_tensor(g, n->in[0]));
}

bool span_of_bytes(const Graph *g, ValueId v, int64_t *low)
{
    Range r;
    if (!find_range(g, v, &r) || r.low < 0 || r.low + r.high > BYTE)
        return false;
    *low = r.any ? -1 : (int64_t)r.low;
    return !r.any || is_of_one_tensor(g, v);
}

/* Sums of the positive and of the negative coefficients. */
typedef struct Sum {
    double up, down;
} Sum;

static void add(Sum *s, double coefficient)
{
    *(coefficient > 0 ? &s->up : &s->down) += fabs(coefficient);
}

static void add_two(Sum *s, double a, double b)
{
    add(s, a);
    add(s, b);
}

/* What is in one column of the transformed tiles of one filter. */
typedef struct Column {
    Sum m[POINTS], m01, m12; /* products, and what is added up of them on the way */
    Sum whole;
} Column;

/* What the first three rows of G make of three weights; the last one takes the third. */
static void transform(const double g[3], double u[POINTS])
{
    u[0] = g[0];
    u[1] = (g[0] + g[1] + g[2]) / 2;
    u[2] = (g[0] - g[1] + g[2]) / 2;
    u[3] = g[2];
}

/* One channel of a column: its three weights. */
static void add_channel(Column *c, const double g[3])
{
    double u[POINTS];
    transform(g, u);
    add_two(&c->m[0], u[0], -u[0]); /* d0 - d2 */
    add_two(&c->m[1], u[1], u[1]);  /* d1 + d2 */
    add_two(&c->m[2], u[2], -u[2]); /* d2 - d1 */
    add_two(&c->m[3], u[3], -u[3]); /* d3 - d1 */
    add_two(&c->m01, u[0], u[1]);
    add(&c->m01, u[1] - u[0]);
    add_two(&c->m12, u[1] + u[2], u[1] - u[2]);
    add_two(&c->whole, g[0], g[1]);
    add(&c->whole, g[2]);
}

/* The largest value: in column 1 of sums of two neighbours, in the others of differences. */
static double largest(const Sum *s, int column, const Range *r)
{
    if (column != 1)
        return BYTE * (s->up + s->down);
    return 2 * (r->any
                    ? BYTE * fmax(s->up, s->down)
                    : fmax(r->high * s->up + r->low * s->down, r->high * s->down + r->low * s->up));
}

static bool is_exact(const Column c[POINTS], const Range *r)
{
    const double quarters = 1 << 22, halves = 1 << 23;
    double whole[POINTS];
    for (int j = 0; j < POINTS; j++) {
        for (int i = 0; i < POINTS; i++)
            if (largest(&c[j].m[i], j, r) > quarters)
                return false;
        if (largest(&c[j].m01, j, r) > quarters || largest(&c[j].m12, j, r) > quarters)
            return false;
        whole[j] = largest(&c[j].whole, j, r);
    }
    return whole[0] + whole[1] <= halves && whole[1] + whole[2] <= halves && whole[3] <= halves;
}

/* False if a weight is no whole number. */
static bool filter_is_exact(const float *w, int64_t channels, const Range *r)
{
    Column column[POINTS] = {0};
    for (int64_t c = 0; c < channels; c++, w += 9) {
        double u[3][POINTS];
        for (int i = 0; i < 9; i++)
            if (w[i] != rintf(w[i]))
                return false;
        for (int y = 0; y < 3; y++)
            transform((const double[]){w[3 * y], w[3 * y + 1], w[3 * y + 2]}, u[y]);
        for (int j = 0; j < POINTS; j++)
            add_channel(&column[j], (const double[]){u[0][j], u[1][j], u[2][j]});
    }
    return is_exact(column, r);
}

bool winograd_is_exact(const Describe *d)
{
    const Graph *g = d->l->g;
    const Value *w = value_at(g, d->n->in[1]);
    const TensorType *t = &w->type;
    Range r;
    if (d->n->op != OP_Conv || w->kind != VALUE_CONST || t->dtype != DT_F32 || t->rank != 4 ||
        t->dims[2] != 3 || t->dims[3] != 3 || !find_range(g, d->n->in[0], &r))
        return false;
    const float *data = w->data;
    for (int64_t m = 0; m < t->dims[0]; m++)
        if (!filter_is_exact(data + m * t->dims[1] * 9, t->dims[1], &r))
            return false;
    return true;
}
