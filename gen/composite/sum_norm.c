/* Reading sums of rows with a norm behind: see sum_norm.h. */
#include "sum_norm.h"

#include "covered.h"

#include <math.h>

static bool no(const char **why, const char *reason)
{
    *why = reason;
    return false;
}

static bool is_f32(const Graph *g, ValueId v)
{
    return type_of(g, v)->dtype == DT_F32;
}

/* Whole rows of a table. */
static bool is_lookup(const Graph *g, const Node *n)
{
    if (n->op != OP_Gather || attr_int(n, "axis", 0) != 0)
        return false;
    const TensorType *table = type_of(g, n->in[0]);
    DType index = type_of(g, n->in[1])->dtype;
    return table->dtype == DT_F32 && table->rank == 2 && table->dims[0] > 0 &&
           (index == DT_I32 || index == DT_I64);
}

bool sum_norm_may_cover(const Graph *g, const Node *n)
{
    uint32_t operand;
    double factor;
    return (n->op == OP_Add && is_f32(g, n->out[0])) || is_lookup(g, n) ||
           (is_scaling(g, n, &operand, &factor) && is_f32(g, n->out[0]));
}

typedef struct Reading {
    const Graph *g;
    const NodeId *nodes;
    uint32_t n;
    SumNorm *s;
    const char **why;
} Reading;

static TensorType without_last(TensorType t)
{
    t.rank -= t.rank > 0;
    return t;
}

static bool add_term(Reading *r, ValueId v, ValueId from, ValueId index, double factor)
{
    const TensorType *t = type_of(r->g, v);
    SumNorm *s = r->s;
    if (s->n_terms == SUM_TERMS)
        return no(r->why, "there are too many summands");
    if (t->dtype != DT_F32)
        return no(r->why, "a summand is no f32");
    if (!isfinite(factor))
        return no(r->why, "a factor is no number");
    int64_t width = t->rank ? t->dims[t->rank - 1] : 1;
    s->term[s->n_terms++] = (SumTerm){from, index, without_last(*t), width, factor};
    s->n_tables += has_value(index);
    return true;
}

/* v, times factor, taken apart as far as the composite reaches. A value that is read twice inside counts twice: the number of
 * terms bounds the recursion. */
static bool add_value(Reading *r, ValueId v, double factor)
{
    if (!covers_value(r->g, r->nodes, r->n, v))
        return add_term(r, v, v, NO_VALUE, factor);
    const Node *n = def_of(r->g, v);
    uint32_t operand;
    double by;
    if (n->op == OP_Add)
        return add_value(r, n->in[0], factor) && add_value(r, n->in[1], factor);
    if (is_scaling(r->g, n, &operand, &by))
        return add_value(r, n->in[operand], factor * by);
    if (is_lookup(r->g, n))
        return add_term(r, v, n->in[0], n->in[1], factor);
    return no(r->why, "a summand is made by a Gather of something else than rows of a table");
}

/* A value's place among the arguments of the composite, once there is one; among the graph's values before. So summands stay in the
 * order that they were found in, however values are numbered. */
static uint32_t place_of(const Composite *c, ValueId v)
{
    for (uint32_t i = 0; c && i < c->n_args; i++)
        if (same_value(c->args[i], v))
            return i;
    return v.i;
}

/* Rows of tables first, then what has more places; equals in the order of the graph's values: the same whatever the order in
 * which the Adds name them. */
static bool stands_before(const Composite *c, const SumTerm *a, const SumTerm *b)
{
    int64_t m = type_count(&a->places) * a->width, n = type_count(&b->places) * b->width;
    if (has_value(a->index) != has_value(b->index))
        return has_value(a->index);
    if (m != n)
        return m > n;
    const uint32_t from = place_of(c, a->from), other = place_of(c, b->from);
    return from != other ? from < other : place_of(c, a->index) < place_of(c, b->index);
}

static void sort_terms(const Composite *c, SumNorm *s)
{
    for (uint32_t i = 1; i < s->n_terms; i++)
        for (uint32_t k = i; k > 0 && stands_before(c, &s->term[k], &s->term[k - 1]); k--) {
            SumTerm first = s->term[k];
            s->term[k] = s->term[k - 1];
            s->term[k - 1] = first;
        }
}

static bool is_per_column(const Graph *g, ValueId v, int64_t size)
{
    return is_f32(g, v) && type_count(type_of(g, v)) == size;
}

bool sum_norm_read(const Graph *g, const NodeId *nodes, uint32_t n, NodeId norm, SumNorm *s,
                   const char **why)
{
    const Node *last = node_at(g, norm);
    *s = (SumNorm){.shift = NO_VALUE};
    if (last->op != OP_LayerNormalization && last->op != OP_RMSNormalization)
        return no(why, "there is no norm at its end");
    const TensorType *t = type_of(g, last->in[0]);
    if (t->rank < 1 || attr_int(last, "axis", t->rank - 1) != t->rank - 1)
        return no(why, "the norm goes over more than the last dimension");
    for (uint32_t k = 1; k < last->n_out; k++)
        if (has_value(last->out[k]))
            return no(why, "the norm's mean or deviation is asked for");
    s->size = t->dims[t->rank - 1];
    s->places = without_last(*t);
    s->rows = type_count(&s->places);
    s->scale = last->in[1];
    if (last->op == OP_LayerNormalization)
        s->shift = node_in(last, 2);
    if (t->dtype != DT_F32 || s->size < 1 || s->rows < 1)
        return no(why, "there is nothing to normalise, or no f32");
    if (!is_per_column(g, s->scale, s->size) ||
        (has_value(s->shift) && !is_per_column(g, s->shift, s->size)))
        return no(why, "scale or shift is not one number for each column");
    Reading r = {g, nodes, n, s, why};
    if (!add_value(&r, last->in[0], 1))
        return false;
    sort_terms(composite_of(g, norm), s);
    return (n > 1 && s->n_terms) || no(why, "nothing is added up");
}
