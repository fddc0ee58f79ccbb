/* The frame of the random graphs: values, choices, outputs. */
#include "maker.h"

#include "../../gen/text/data.h"

#include <string.h>

enum { ELEMENTS_MAX = 3000 };

uint32_t below(Maker *m, uint32_t n)
{
    m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->state >> 33) % n;
}

bool chance(Maker *m, uint32_t one_in)
{
    return below(m, one_in) == 0;
}

ValueId constant(Maker *m, int rank, const int64_t *dims, double scale, double shift)
{
    TensorType t = type_make(DT_F32, rank, dims);
    if (shift == 0 && chance(m, 30)) /* what is a constant in most models */
        return graph_add_input(m->g, arena_printf(m->g->arena, "given%u", m->g->n_inputs), t);
    float *data = arena_alloc(m->g->arena, type_bytes(&t) + 4);
    fill_random(&t, data, m->state++, scale);
    for (int64_t i = 0; i < type_count(&t); i++)
        data[i] += (float)shift;
    return graph_add_const(m->g, "c", t, data);
}

ValueId op(Maker *m, Op o, const ValueId *in, uint32_t n_in, const Attr *attrs)
{
    return graph_op(m->g, o, NULL, in, n_in, attrs);
}

ValueId op1(Maker *m, Op o, ValueId x, const Attr *attrs)
{
    return op(m, o, &x, 1, attrs);
}

const TensorType *shape_in(const Maker *m, ValueId v)
{
    return type_of(m->g, v);
}

static bool moves_only(const Maker *m, ValueId v)
{
    const Node *n = def_of(m->g, v);
    if (!n)
        return true;
    switch (n->op) {
    case OP_Reshape:
    case OP_Transpose:
    case OP_Concat:
    case OP_Split:
    case OP_Slice:
    case OP_Expand:
    case OP_Gather:
        break;
    default:
        return false;
    }
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!is_exact(m, n->in[k]))
            return false;
    return true;
}

bool is_exact(const Maker *m, ValueId v)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (same_value(m->value[i], v))
            return m->exact[i];
    return value_at(m->g, v)->kind != VALUE_NODE;
}

void keep(Maker *m, ValueId v)
{
    if (!has_value(v) || m->n == VALUES_MAX || shape_in(m, v)->rank == 0 ||
        shape_in(m, v)->dtype != DT_F32 || type_count(shape_in(m, v)) > ELEMENTS_MAX)
        return;
    m->exact[m->n] = moves_only(m, v);
    m->value[m->n++] = v;
}

ValueId pick(Maker *m, int low, int high)
{
    for (int tries = 0; tries < 40; tries++) {
        uint32_t back = tries == 0 && chance(m, 2) ? 0 : below(m, m->n);
        ValueId v = m->value[m->n - 1 - back];
        if (shape_in(m, v)->rank >= low && shape_in(m, v)->rank <= high)
            return v;
    }
    return NO_VALUE;
}

ValueId pick_like(Maker *m, ValueId x)
{
    for (uint32_t tries = 0; tries < 30; tries++) {
        ValueId y = m->value[below(m, m->n)];
        if (same_shape(shape_in(m, x), shape_in(m, y)))
            return y;
    }
    return NO_VALUE;
}

ValueId transposed(Maker *m, ValueId x, const int64_t *perm)
{
    size_t rank = (size_t)shape_in(m, x)->rank;
    return op1(m, OP_Transpose, x, (Attr[]){ATTR_IS("perm", perm, rank), ATTR_END});
}

ValueId random_transpose(Maker *m, ValueId x)
{
    int rank = shape_in(m, x)->rank;
    int64_t perm[MAX_RANK];
    for (int i = 0; i < rank; i++)
        perm[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int j = (int)below(m, (uint32_t)i + 1);
        int64_t swap = perm[i];
        perm[i] = perm[j];
        perm[j] = swap;
    }
    return transposed(m, x, perm);
}

ValueId reshaped(Maker *m, ValueId x, int rank, const int64_t *dims)
{
    return op1(m, OP_Reshape, x, (Attr[]){ATTR_IS("shape", dims, (size_t)rank), ATTR_END});
}

ValueId relu(Maker *m, ValueId x)
{
    return op1(m, OP_Relu, x, NULL);
}

static const struct Choice {
    MakeFn *make;
    int rank_min, rank_max;
    uint32_t weight;
} choices[] = {
    {make_conv, 3, 5, 14},      {make_conv_transpose, 3, 5, 4},
    {make_pool, 3, 5, 4},       {make_global_pool, 3, 5, 1},
    {make_batch_norm, 2, 5, 5}, {make_norm, 2, 5, 5},
    {make_softmax, 1, 5, 3},    {make_reduce, 1, 5, 4},
    {make_resize, 3, 5, 2},     {make_residual, 3, 5, 10},
    {make_island, 4, 4, 5},     {make_pad, 2, 5, 1},
    {make_transpose, 2, 5, 8},  {make_reshape, 1, 5, 7},
    {make_concat, 1, 5, 9},     {make_split, 1, 5, 5},
    {make_slice, 1, 5, 5},      {make_gather, 1, 5, 1},
    {make_expand, 1, 5, 1},     {make_split_and_join, 2, 5, 5},
    {make_move_chain, 2, 5, 6}, {make_matmul, 1, 5, 7},
    {make_gemm, 2, 2, 7},       {make_self_product, 2, 5, 5},
    {make_attention, 3, 3, 5},  {make_unary, 1, 5, 7},
    {make_broadcast, 1, 5, 8},  {make_binary, 1, 5, 8},
    {make_swish, 1, 5, 3},      {make_where, 1, 5, 1},
    {make_integers, 1, 5, 1},   {make_sum, 1, 5, 2},
    {make_shuffle, 4, 4, 6},    {make_dense_block, 3, 5, 8},
    {make_spelled, 1, 5, 6},    {make_linear, 1, 5, 8},
    {make_again, 1, 5, 5},      {make_quantised, 1, 5, 2},
    {make_embedding, 2, 4, 5},
};

/* Makers that need no element to choose from. */
static bool takes_empty(MakeFn *make)
{
    return make == make_transpose || make == make_concat || make == make_unary ||
           make == make_broadcast || make == make_binary || make == make_reshape ||
           make == make_softmax || make == make_sum;
}

static void step(Maker *m)
{
    uint32_t total = 0, k = 0;
    for (size_t i = 0; i < COUNT_OF(choices); i++)
        total += choices[i].weight;
    uint32_t at = below(m, total);
    for (; at >= choices[k].weight; k++)
        at -= choices[k].weight;
    ValueId x = pick(m, choices[k].rank_min, choices[k].rank_max);
    if (has_value(x) && (type_count(shape_in(m, x)) > 0 || takes_empty(choices[k].make)))
        keep(m, choices[k].make(m, x));
}

/* What nobody reads; now and then a value that somebody does, an input, a constant, or a value once more. */
static void add_outputs(Maker *m)
{
    Uses uses = graph_uses(m->g, m->g->arena);
    for (uint32_t i = 0; i < m->n; i++) {
        ValueId v = m->value[i];
        bool made = value_at(m->g, v)->kind == VALUE_NODE;
        if (!(made && use_count(&uses, v) == 0) && !chance(m, made ? 10 : 30))
            continue;
        int times = chance(m, 15) ? 2 : 1;
        for (int k = 0; k < times; k++)
            graph_add_output(m->g, arena_printf(m->g->arena, "out%u_%d", i, k), v);
    }
    if (!m->g->n_outputs)
        graph_add_output(m->g, "last", m->value[m->n - 1]);
}

static int64_t side(Maker *m)
{
    return chance(m, 40) ? 0 : chance(m, 8) ? 1 : 2 + below(m, 6);
}

static void add_inputs(Maker *m)
{
    static const int64_t channels[] = {1, 2, 3, 4, 6, 8, 16, 17};
    int64_t batch = chance(m, 3) ? 2 : 1, c = channels[below(m, 8)];
    int64_t image[] = {batch, c, side(m), side(m), 2}, rows[] = {batch, 2 + below(m, 6), c};
    int rank = chance(m, 6) ? 3 : chance(m, 6) ? 5 : 4;
    keep(m, graph_add_input(m->g, "x", type_make(DT_F32, rank, image)));
    if (chance(m, 2))
        keep(m, graph_add_input(m->g, "y", type_make(DT_F32, rank, image)));
    if (chance(m, 2))
        keep(m, graph_add_input(m->g, "seq", type_make(DT_F32, 3, rows)));
    if (chance(m, 3))
        keep(m, graph_add_input(m->g, "mat", type_make(DT_F32, 2, rows + 1)));
    if (chance(m, 3))
        keep(m, constant(m, 3, rows, 1, 0));
}

Graph *pipeline_graph(Arena *arena, Diag *diag, uint64_t seed)
{
    Maker m = {.g = graph_new(arena, diag, "random", "random"),
               .state = seed * 2654435761u + 98765};
    add_inputs(&m);
    uint32_t steps = 1 + below(&m, chance(&m, 3) ? 6 : 20);
    for (uint32_t i = 0; i < steps && !diag->message; i++)
        step(&m);
    add_outputs(&m);
    return diag->message ? NULL : m.g;
}
