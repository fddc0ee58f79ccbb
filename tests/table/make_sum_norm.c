/* Sums of rows with a norm behind, in the spellings that exporters produce, with random shapes, and what only looks like it. */
#include "table.h"

#include "../../gen/ops/ops.h"

#include <string.h>

/* A sum in prefix notation: "+ab" is Add(a, b), "*a" a product with a number on the left, "/a" a quotient. Summands: t a token's
 * row, b the same with indices of 32 bits, s the row of a segment, the same for the whole batch, p a constant for each position, c
 * one for each column, n one number, w one per place from a table of one column, i an input of the full shape, j one of half
 * precision made f32. Near misses: g a Gather along the columns, d of a table with three dimensions.
 * `norm`: L layer norm, l without a shift, R RMS norm, A over the last two dimensions, M its mean is asked for, D in f64, K the
 * sum is an output as well, k its first operand is. */
static const struct Spelling {
    const char *row, *name, *sum;
    char norm;
    bool fits;
} spellings[] = {
    {"c.embedding_norm", "tokens", "t", 'L', true},
    {"c.embedding_norm", "tokens and positions", "+tp", 'L', true},
    {"c.embedding_norm", "positions first", "+pt", 'L', true},
    {"c.embedding_norm", "three tables", "++tsb", 'L', true},
    {"c.embedding_norm", "three tables from the right", "+t+sb", 'L', true},
    {"c.embedding_norm", "two tables, positions and a bias", "++t+spc", 'L', true},
    {"c.embedding_norm", "two sums of two", "++ts+pc", 'L', true},
    {"c.embedding_norm", "a token's row twice", "++tts", 'L', true},
    {"c.embedding_norm", "scaled tokens", "+*tp", 'L', true},
    {"c.embedding_norm", "divided, and the sum scaled", "+*+/tsp", 'L', true},
    {"c.embedding_norm", "a number, and a table of one column", "++tnw", 'L', true},
    {"c.embedding_norm", "something else added", "+ti", 'L', true},
    {"c.embedding_norm", "five summands", "++++tspci", 'L', true},
    {"c.embedding_norm", "no shift", "+ts", 'l', true},
    {"c.embedding_norm", "RMS norm", "+ts", 'R', true},
    {"c.embedding_norm", "one summand is read elsewhere", "+s+tp", 'k', true},
    {"c.embedding_norm", "half precision", "+tj", 'L', true},
    {"c.embedding_norm", "two axes", "+tp", 'A', false},
    {"c.embedding_norm", "the mean is asked for", "+tp", 'M', false},
    {"c.embedding_norm", "doubles", "+tp", 'D', false},
    {"c.embedding_norm", "the sum is read outside", "+tp", 'K', false},
    {"c.embedding_norm", "a Gather along the columns", "g", 'L', false},
    {"c.embedding_norm", "a table of three dimensions", "d", 'L', false},
    {"c.sum_norm", "two inputs", "+ii", 'L', true},
    {"c.sum_norm", "a residual and a bias", "++iic", 'L', true},
    {"c.sum_norm", "four summands", "++ip+ic", 'L', true},
    {"c.sum_norm", "one twice", "++iin", 'l', true},
    {"c.sum_norm", "RMS norm", "+ip", 'R', true},
    {"c.sum_norm", "columns of a table", "+ig", 'L', true},
    {"c.sum_norm", "two axes", "+ii", 'A', false},
    {"c.sum_norm", "the sum is read outside", "+ii", 'K', false},
    {"c.sum_norm", "doubles", "+ii", 'D', false},
};

size_t sum_norm_spellings(void)
{
    return COUNT_OF(spellings);
}

const char *sum_norm_name(size_t k)
{
    return spellings[k].name;
}

const char *sum_norm_row(size_t k)
{
    return spellings[k].row;
}

bool sum_norm_fits(size_t k)
{
    return spellings[k].fits;
}

typedef struct Rows {
    Maker *m;
    int64_t batch, places, size, entries;
    ValueId token; /* the last Gather: it may be read twice */
    const char *sum;
    ValueId first; /* the first operand of the outermost Add */
} Rows;

static ValueId binary(Maker *m, Op o, ValueId a, ValueId b)
{
    return op(m, o, (ValueId[]){a, b}, 2, NULL);
}

static ValueId number(Maker *m, double x)
{
    float *data = arena_alloc(m->g->arena, sizeof *data);
    *data = (float)x;
    return graph_add_const(m->g, "number", type_make(DT_F32, 0, NULL), data);
}

/* Indices from the inputs' -1, 0 and 1: negative ones, and some outside of the table. */
static ValueId indices(Maker *m, DType dtype, int rank, const int64_t *dims)
{
    void *factor = arena_alloc(m->g->arena, 8);
    elem_set_i64(dtype, factor, 0, 2 + below(m, 3));
    ValueId by = graph_add_const(m->g, "spread", type_make(dtype, 0, NULL), factor);
    return binary(m, OP_Mul, new_input(m, type_make(dtype, rank, dims)), by);
}

static ValueId lookup(Maker *m, ValueId table, ValueId at, int64_t axis)
{
    return op(m, OP_Gather, (ValueId[]){table, at}, 2, (Attr[]){ATTR_I("axis", axis), ATTR_END});
}

static ValueId summand(Rows *r, char kind)
{
    Maker *m = r->m;
    const int64_t places[] = {r->batch, r->places}, one[] = {1, r->places},
                  table[] = {r->entries, r->size}, column[] = {r->entries, 1},
                  full[] = {r->batch, r->places, r->size}, wide[] = {r->batch, r->places, 5},
                  deep[] = {r->entries, r->places, r->size};
    switch (kind) {
    case 't':
        if (has_value(r->token)) /* once more, by the node that has been made */
            return r->token;
        return r->token =
                   lookup(m, constant(m, 2, table, 1, 0.001), indices(m, DT_I64, 2, places), 0);
    case 'b':
        return lookup(m, constant(m, 2, table, 1, 0.001), indices(m, DT_I32, 2, places), 0);
    case 's':
        return lookup(m, constant(m, 2, table, 1, 0.001), indices(m, DT_I64, 2, one), 0);
    case 'w':
        return lookup(m, constant(m, 2, column, 1, 0.001), indices(m, DT_I64, 2, places), 0);
    case 'p':
        return constant(m, 2, full + 1, 1, 0.001);
    case 'c':
        return constant(m, 1, full + 2, 1, 0.001);
    case 'n':
        return number(m, 0.25);
    case 'i':
        return new_input(m, type_make(DT_F32, 3, full));
    case 'j':
        return op1(m, OP_Cast, new_input(m, type_make(DT_F16, 3, full)),
                   (Attr[]){ATTR_I("to", DT_F32), ATTR_END});
    case 'g':
        return lookup(m, new_input(m, type_make(DT_F32, 3, wide)), indices(m, DT_I64, 1, full + 2),
                      2);
    case 'd':
        return lookup(m, constant(m, 3, deep, 1, 0.001), indices(m, DT_I64, 1, &r->batch), 0);
    default:
        bug("summand '%c'", kind);
    }
}

static ValueId sum_of(Rows *r)
{
    Maker *m = r->m;
    char kind = *r->sum++;
    if (kind == '+') {
        ValueId a = sum_of(r), b = sum_of(r);
        r->first = a;
        return binary(m, OP_Add, a, b);
    }
    if (kind == '*')
        return binary(m, OP_Mul, number(m, 1.5), sum_of(r));
    if (kind == '/')
        return binary(m, OP_Div, sum_of(r), number(m, 1.25));
    return summand(r, kind);
}

static ValueId in_f64(Maker *m, ValueId v)
{
    return op1(m, OP_Cast, v, (Attr[]){ATTR_I("to", DT_F64), ATTR_END});
}

static ValueId norm_of(Maker *m, ValueId x, char how, size_t k)
{
    const TensorType t = *shape_in(m, x);
    const int axis = t.rank - (how == 'A' ? 2 : 1), rank = t.rank - axis;
    ValueId in[3] = {x, constant(m, rank, t.dims + axis, 1, 1.5),
                     constant(m, rank, t.dims + axis, 1, 0.001)};
    const Attr attrs[] = {ATTR_I("axis", axis), ATTR_F("epsilon", 0.01), ATTR_END};
    for (int i = 0; i < 3 && how == 'D'; i++)
        in[i] = in_f64(m, in[i]);
    if (how == 'M') {
        NodeId n =
            graph_add_node(m->g, OP_LayerNormalization, "", UINT32_MAX, in, 3, 2, NULL, attrs, 2);
        graph_add_output(m->g, arena_printf(m->g->arena, "mean%zu", k), node_at(m->g, n)->out[1]);
        return node_at(m->g, n)->out[0];
    }
    return op(m, how == 'R' ? OP_RMSNormalization : OP_LayerNormalization, in,
              how == 'R' || how == 'l' ? 2 : 3, attrs);
}

ValueId make_spelled_sum_norm(Maker *m, size_t k)
{
    const struct Spelling *s = &spellings[k];
    Rows r = {.m = m,
              .batch = 1 + below(m, 3),
              .places = 2 + below(m, 20),
              .sum = s->sum,
              .token = NO_VALUE,
              .first = NO_VALUE};
    r.size = 1 + below(m, chance(m, 3) ? 5 : 60);
    r.entries = 1 + below(m, 9);
    ValueId x = sum_of(&r);
    if (s->norm == 'K' || s->norm == 'k')
        graph_add_output(m->g, arena_printf(m->g->arena, "inside%zu", k),
                         s->norm == 'K' ? x : r.first);
    return norm_of(m, x, s->norm, k);
}
