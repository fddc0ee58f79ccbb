/* Random small graphs of convolutions, batch norms, elementwise functions, sums, pools, reshapes
 * and products, with the habits of real models: shared weights, several readers, values that are
 * read and are outputs too. */
#include "random_graph.h"

#include "../../gen/text/data.h"

#include <string.h>

enum { VALUES_MAX = 64 };

typedef struct Maker {
    Graph *g;
    uint64_t state;
    ValueId value[VALUES_MAX]; /* rank 4 and rank 2 values made so far */
    uint32_t n;
    ValueId last_weights;
} Maker;

static uint32_t below(Maker *m, uint32_t n)
{
    m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->state >> 33) % n;
}

static ValueId constant(Maker *m, int rank, const int64_t *dims, double scale, double shift)
{
    TensorType t = type_make(DT_F32, rank, dims);
    float *data = arena_alloc(m->g->arena, type_bytes(&t) + 4);
    fill_random(&t, data, m->state++, scale);
    for (int64_t i = 0; i < type_count(&t); i++)
        data[i] += (float)shift;
    return graph_add_const(m->g, "c", t, data);
}

static ValueId op(Maker *m, Op o, const ValueId *in, uint32_t n_in, const Attr *attrs)
{
    return graph_op(m->g, o, NULL, in, n_in, attrs);
}

static void add(Maker *m, ValueId v)
{
    if (has_value(v) && m->n < VALUES_MAX)
        m->value[m->n++] = v;
}

static ValueId pick(Maker *m, int rank)
{
    /* recent values are preferred, so that chains come about */
    for (int tries = 0; tries < 40; tries++) {
        uint32_t back = tries == 0 && below(m, 3) ? 0 : below(m, m->n);
        ValueId v = m->value[m->n - 1 - back];
        if (type_of(m->g, v)->rank == rank)
            return v;
    }
    return NO_VALUE;
}

static ValueId make_conv(Maker *m, ValueId x)
{
    TensorType t = *type_of(m->g, x);
    int64_t c = t.dims[1], groups[] = {1, c, c % 2 ? 1 : 2}, group = groups[below(m, 3)];
    int64_t kernel = below(m, 2) && t.dims[2] >= 3 && t.dims[3] >= 3 ? 3 : 1;
    int64_t pad = kernel == 3 ? below(m, 2) : 0;
    bool transposed = below(m, 4) == 0;
    int64_t per_group = 1 + below(m, 3), outs = per_group * group;
    int64_t dims[] = {transposed ? c : outs, transposed ? per_group : c / group, kernel, kernel};
    if (!transposed && below(m, 3) && t.dims[2] < 12)
        dims[0] = outs = c % group == 0 ? c : outs;
    TensorType want = type_make(DT_F32, 4, dims);
    bool shared = has_value(m->last_weights) && type_equal(type_of(m->g, m->last_weights), &want) &&
                  below(m, 2);
    ValueId w = shared ? m->last_weights : constant(m, 4, dims, 0.6, 0);
    m->last_weights = w;
    ValueId in[3] = {x, w, below(m, 2) ? constant(m, 1, &outs, 1, 0) : NO_VALUE};
    const int64_t ones[] = {1, 1}, pads[] = {pad, pad, pad, pad}, none[] = {0, 0};
    const Attr attrs[] = {ATTR_IS("strides", ones, 2),        ATTR_IS("dilations", ones, 2),
                          ATTR_IS("pads", pads, 4),           ATTR_I("group", group),
                          ATTR_IS("output_padding", none, 2), ATTR_END};
    Attr conv[5] = {attrs[0], attrs[1], attrs[2], attrs[3], ATTR_END};
    return op(m, transposed ? OP_ConvTranspose : OP_Conv, in, 3, transposed ? attrs : conv);
}

static ValueId make_batch_norm(Maker *m, ValueId x)
{
    int64_t c = type_of(m->g, x)->dims[1];
    double positive = below(m, 2) ? 1.5 : 0;
    ValueId in[5] = {x, constant(m, 1, &c, 1, positive), constant(m, 1, &c, 1, 0),
                     constant(m, 1, &c, 1, 0), constant(m, 1, &c, 0.5, 1)};
    return op(m, OP_BatchNormalization, in, 5, (Attr[]){ATTR_F("epsilon", 1e-5), ATTR_END});
}

static ValueId make_affine(Maker *m, ValueId x)
{
    static const Op ops[] = {OP_Mul, OP_Add, OP_Sub, OP_Div};
    const TensorType *t = type_of(m->g, x);
    int64_t dims[MAX_RANK] = {1, 1, 1, 1};
    int channel = t->rank == 4 ? 1 : t->rank - 1;
    if (below(m, 3))
        dims[channel] = t->dims[channel];
    Op o = ops[below(m, 4)];
    double positive = below(m, 2) || o == OP_Div ? 1.6 : 0;
    ValueId in[2] = {x, constant(m, t->rank, dims, 1.2, positive)};
    if ((o == OP_Mul || o == OP_Add) && below(m, 2)) {
        ValueId swap = in[0];
        in[0] = in[1];
        in[1] = swap;
    }
    return op(m, o, in, 2, NULL);
}

static ValueId make_eltwise(Maker *m, ValueId x)
{
    switch (below(m, 8)) {
    case 0:
        return op(m, OP_Sigmoid, &x, 1, NULL);
    case 1:
        return op(m, OP_Tanh, &x, 1, NULL);
    case 2:
        return op(m, OP_LeakyRelu, &x, 1, (Attr[]){ATTR_F("alpha", 0.1), ATTR_END});
    case 3:
        return op(m, OP_Clip, &x, 1,
                  (Attr[]){ATTR_F("min", below(m, 2) ? 0 : -1), ATTR_F("max", 6), ATTR_END});
    case 4:
        return op(m, OP_Neg, &x, 1, NULL);
    case 5:
        return op(m, OP_Erf, &x, 1, NULL);
    default:
        return op(m, OP_Relu, &x, 1, NULL);
    }
}

static ValueId make_binary(Maker *m, ValueId x)
{
    static const Op ops[] = {OP_Add, OP_Add, OP_Add, OP_Mul, OP_Max, OP_Min, OP_Sub};
    for (uint32_t tries = 0; tries < 20; tries++) {
        ValueId y = m->value[below(m, m->n)];
        if (type_equal(type_of(m->g, x), type_of(m->g, y)))
            return op(m, ops[below(m, 7)], (ValueId[]){x, y}, 2, NULL);
    }
    return NO_VALUE;
}

static ValueId make_pool(Maker *m, ValueId x)
{
    const TensorType *t = type_of(m->g, x);
    if (t->dims[2] < 3 || t->dims[3] < 3)
        return NO_VALUE;
    bool average = below(m, 2);
    int64_t p = below(m, 2), kernel[] = {3, 3}, strides[] = {1, 1}, pads[] = {p, p, p, p};
    const int64_t none[] = {0, 0};
    Attr attrs[] = {ATTR_IS("kernel_shape", kernel, 2),
                    ATTR_IS("strides", strides, 2),
                    ATTR_IS("dilations", strides, 2),
                    ATTR_IS("pads", pads, 4),
                    ATTR_IS("ceil_pads", none, 2),
                    ATTR_I("count_include_pad", below(m, 2)),
                    ATTR_END};
    if (!average)
        attrs[4] = ATTR_END;
    return op(m, average ? OP_AveragePool : OP_MaxPool, &x, 1, attrs);
}

static ValueId make_move(Maker *m, ValueId x)
{
    const TensorType *t = type_of(m->g, x);
    static const int64_t perms[][4] = {{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 3, 2}, {0, 1, 2, 3}};
    int64_t same[] = {t->dims[0], t->dims[1], t->dims[3], t->dims[2]};
    int64_t flat[] = {t->dims[0], t->dims[1] * t->dims[2] * t->dims[3]};
    switch (below(m, 4)) {
    case 0:
        return op(m, OP_Reshape, &x, 1, (Attr[]){ATTR_IS("shape", same, 4), ATTR_END});
    case 1:
        if (flat[1] < 300)
            return op(m, OP_Reshape, &x, 1, (Attr[]){ATTR_IS("shape", flat, 2), ATTR_END});
        return NO_VALUE;
    default:
        return op(m, OP_Transpose, &x, 1,
                  (Attr[]){ATTR_IS("perm", perms[below(m, 4)], 4), ATTR_END});
    }
}

static ValueId make_concat(Maker *m, ValueId x)
{
    for (uint32_t tries = 0; tries < 20; tries++) {
        ValueId y = m->value[below(m, m->n)];
        if (type_equal(type_of(m->g, x), type_of(m->g, y)) && type_of(m->g, x)->dims[1] < 24)
            return op(m, OP_Concat, (ValueId[]){x, y}, 2, (Attr[]){ATTR_I("axis", 1), ATTR_END});
    }
    return NO_VALUE;
}

static ValueId make_product(Maker *m, ValueId x)
{
    const TensorType *t = type_of(m->g, x);
    int64_t k = t->dims[1], n = 1 + below(m, 6), trans = below(m, 2);
    if (below(m, 2)) {
        ValueId in[2] = {x, constant(m, 2, (int64_t[]){k, n}, 0.5, 0)};
        return op(m, OP_MatMul, in, 2, NULL);
    }
    int64_t b[] = {trans ? n : k, trans ? k : n};
    int64_t c[] = {below(m, 2) ? 1 : t->dims[0], below(m, 2) ? 1 : n};
    ValueId in[3] = {x, constant(m, 2, b, 0.5, 0),
                     below(m, 3) ? constant(m, below(m, 2) ? 1 : 2, c, 1, 0) : NO_VALUE};
    if (has_value(in[2]) && type_of(m->g, in[2])->rank == 1)
        in[2] = constant(m, 1, &n, 1, 0);
    const Attr attrs[] = {ATTR_F("alpha", below(m, 2) ? 1 : 0.5),
                          ATTR_F("beta", below(m, 2) ? 1 : 2), ATTR_I("transA", 0),
                          ATTR_I("transB", trans), ATTR_END};
    return op(m, OP_Gemm, in, 3, attrs);
}

static void step(Maker *m)
{
    uint32_t what = below(m, 16);
    ValueId x = pick(m, below(m, 5) ? 4 : 2);
    if (!has_value(x))
        return;
    bool image = type_of(m->g, x)->rank == 4;
    if (!image && what >= 6)
        add(m, make_product(m, x));
    else if (what < 2)
        add(m, make_affine(m, x));
    else if (what < 4)
        add(m, make_eltwise(m, x));
    else if (what < 6)
        add(m, make_binary(m, x));
    else if (what < 10)
        add(m, make_conv(m, x));
    else if (what < 12)
        add(m, make_batch_norm(m, x));
    else if (what == 12)
        add(m, make_pool(m, x));
    else if (what == 13)
        add(m, make_concat(m, x));
    else
        add(m, make_move(m, x));
}

/* Outputs: what nobody reads, and now and then a value that somebody does. */
static void add_outputs(Maker *m)
{
    Uses uses = graph_uses(m->g, m->g->arena);
    for (uint32_t i = 0; i < m->n; i++) {
        if (use_count(&uses, m->value[i]) > 0 && below(m, 12))
            continue;
        graph_add_output(m->g, arena_printf(m->g->arena, "out:%u", i), m->value[i]);
    }
}

Graph *random_graph(Arena *arena, Diag *diag, uint64_t seed)
{
    Maker m = {.g = graph_new(arena, diag, "random", "random"),
               .state = seed * 2654435761u + 12345,
               .last_weights = NO_VALUE};
    int64_t channels = 1 + below(&m, 5);
    int64_t image[] = {1 + below(&m, 2), channels, 4 + below(&m, 3), 4 + below(&m, 3)};
    add(&m, graph_add_input(m.g, "x", type_make(DT_F32, 4, image)));
    add(&m, graph_add_input(m.g, "y", type_make(DT_F32, 4, image)));
    add(&m, graph_add_input(m.g, "v", type_make(DT_F32, 2, image)));
    uint32_t steps = 4 + below(&m, 26);
    for (uint32_t i = 0; i < steps && !diag->message; i++)
        step(&m);
    add_outputs(&m);
    return diag->message ? NULL : m.g;
}
