/* bench_passes: how the time of the passes grows with the graph. Chains and random graphs of up to
 * 20,000 nodes through merge-composite alone and through the whole default list; processor time, the
 * least of three. */
#include "../../passes/pass.h"

#include <stdio.h>
#include <time.h>

enum { CHANNELS = 8, SIDE = 8, ROUNDS = 3, RECENT = 20 };

typedef struct Maker {
    Graph *g;
    uint64_t state;
    ValueId *value; /* all of one shape */
    uint32_t n;
    ValueId weights, factor, half;
} Maker;

static uint32_t below(Maker *m, uint32_t n)
{
    m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(m->state >> 33) % n;
}

static ValueId constant(Maker *m, int rank, const int64_t *dims)
{
    TensorType t = type_make(DT_F32, rank, dims);
    float *data = arena_alloc(m->g->arena, type_bytes(&t));
    for (int64_t i = 0; i < type_count(&t); i++)
        data[i] = (float)below(m, 1000) / 1000 - 0.4f;
    return graph_add_const(m->g, "c", t, data);
}

static ValueId conv(Maker *m, ValueId x)
{
    static const int64_t one[2] = {1, 1}, zero[4];
    const Attr attrs[] = {ATTR_IS("dilations", one, 2),    ATTR_I("group", 1),
                          ATTR_IS("kernel_shape", one, 2), ATTR_IS("pads", zero, 4),
                          ATTR_IS("strides", one, 2),      ATTR_END};
    return graph_op(m->g, OP_Conv, NULL, (ValueId[]){x, m->weights}, 2, attrs);
}

/* One of the kinds of nodes that networks have most of, on x and perhaps y. */
static ValueId node(Maker *m, uint32_t kind, ValueId x, ValueId y)
{
    static const Op ops[] = {OP_Relu, OP_Sigmoid, OP_Tanh, OP_Mul, OP_Add, OP_Mul, OP_Add};
    const ValueId other[] = {NO_VALUE, NO_VALUE, NO_VALUE, m->factor, m->half, y, y};
    if (kind >= COUNT_OF(ops))
        return conv(m, x);
    uint32_t n_in = has_value(other[kind]) ? 2 : 1;
    return graph_op(m->g, ops[kind], NULL, (ValueId[]){x, other[kind]}, n_in, NULL);
}

static ValueId recent(Maker *m)
{
    uint32_t back = below(m, 5) && m->n > RECENT ? below(m, RECENT) : below(m, m->n);
    return m->value[m->n - 1 - back];
}

static Graph *make(Arena *arena, Diag *diag, bool random, uint32_t nodes)
{
    static const int64_t image[] = {1, CHANNELS, SIDE, SIDE}, filter[] = {CHANNELS, CHANNELS, 1, 1},
                         vector[] = {CHANNELS, 1, 1};
    Maker m = {.g = graph_new(arena, diag, "bench", "bench"), .state = nodes};
    m.value = ARENA_ARRAY(arena, ValueId, (size_t)nodes + 1);
    m.weights = constant(&m, 4, filter);
    m.factor = constant(&m, 3, vector);
    m.half = constant(&m, 0, NULL);
    m.value[m.n++] = graph_add_input(m.g, "x", type_make(DT_F32, 4, image));
    while (m.n <= nodes) {
        ValueId x = random ? recent(&m) : m.value[m.n - 1];
        ValueId y = random ? recent(&m) : m.value[m.n > 3 ? m.n - 4 : 0];
        ValueId v = node(&m, random ? below(&m, 9) : m.n % 9, x, y);
        m.value[m.n++] = v;
    }
    Uses uses = graph_uses(m.g, arena);
    for (uint32_t i = 0; i < m.n; i++)
        if (use_count(&uses, m.value[i]) == 0)
            graph_add_output(m.g, arena_printf(arena, "y%u", i), m.value[i]);
    return m.g;
}

/* Milliseconds of the passes named, NULL: of all; negative after a refusal. */
static double measure(bool random, uint32_t nodes, const char *passes)
{
    double least = -1;
    for (int round = 0; round < ROUNDS; round++) {
        Arena *arena = arena_new();
        Diag diag = {.arena = arena};
        const PassOptions options = {.threads = 1};
        Graph *g = make(arena, &diag, random, nodes);
        clock_t start = clock();
        bool good = run_passes(g, NULL, &options, passes, NULL, NULL, NULL, NULL);
        double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
        if (!good)
            fprintf(stderr, "%s\n", diag.message);
        arena_free(arena);
        if (!good)
            return -1;
        least = least < 0 || ms < least ? ms : least;
    }
    return least;
}

int main(void)
{
    printf(
        "Passes, ms of processor time, by nodes:\n\n"
        "| nodes | chain: merge-composite | all passes | random: merge-composite | all passes |\n"
        "|---|---|---|---|---|\n");
    for (uint32_t nodes = 2500; nodes <= 20000; nodes *= 2) {
        printf("| %u |", nodes);
        for (int k = 0; k < 4; k++) {
            double ms = measure(k / 2, nodes, k % 2 ? NULL : "merge-composite");
            if (ms < 0)
                return 1;
            printf(" %.0f |", ms);
        }
        printf("\n");
        fflush(stdout);
    }
    printf("\n");
    return 0;
}
