/* match-quantised without instructions for bytes: a QLinearConv in floats gives the bytes that the operator is defined by, all of them. */
#include "../../gen/eval/eval.h"
#include "../../gen/text/data.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

/* Multiples of a scale that a float does not hold, of which many lie next to a half. */
static const char model[] =
    "graph \"q\" { input %%x: %s[1,%d,8,8] "
    "const %%w: %s[%d,%d,%d,%d] = random(seed=%d, scale=%g) "
    "const %%xs: f32[] = [0.5] const %%xz: %s[] = [%d] "
    "const %%ws: f32[] = [%.9g] const %%wz: %s[] = [%d] "
    "const %%ys: f32[] = [%.9g] const %%yz: u8[] = [%d] "
    "const %%b: i32[%d] = random(seed=%d, scale=%g) "
    "%%y = QLinearConv(%%x, %%xs, %%xz, %%w, %%ws, %%wz, %%ys, %%yz, %%b) "
    "{dilations=[1,1], group=%d, pads=[0,0,0,0], strides=[1,1]} output \"y\" = %%y }";

typedef struct Case {
    const char *src, *weights; /* types */
    int channels, filters, group, kernel, src_zero, weights_zero;
    double weights_scale, dst_scale, bias; /* of random numbers, of dst to weights */
} Case;

static Graph *parse(Arena *arena, Diag *diag, const Case *c, int seed)
{
    const int scale = 1 + seed % 7;
    const char *text = arena_printf(
        arena, model, c->src, c->channels, c->weights, c->filters, c->channels / c->group,
        c->kernel, c->kernel, seed, c->weights_scale, c->src, c->src_zero, 0.1 * scale, c->weights,
        c->weights_zero, 0.1 * scale * c->dst_scale, 100, c->filters, seed + 50, c->bias, c->group);
    Graph *g = parse_text_ir(arena, diag, "test", text, strlen(text));
    if (!g)
        fail_msg("%s", diag->message);
    return g;
}

static void evaluate(Arena *arena, const Graph *g, const Tensor *x, Tensor *y)
{
    if (!eval_graph(g, x, y, arena))
        fail_msg("evaluation failed: %s", g->diag->message);
}

static uint32_t count_of(const Graph *g, Op op)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        n += g->nodes[i].op == op;
    return n;
}

/* Returns how many convolutions it has become. */
static uint32_t expect_same(const Case *c, int seed)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Graph *before = parse(arena, &diag, c, seed), *after = parse(arena, &diag, c, seed);
    Tensor x = {.type = *type_of(before, before->inputs[0].value)}, y[2];
    x.data = arena_alloc(arena, type_bytes(&x.type));
    fill_random(&x.type, x.data, (uint64_t)seed + 99, 255);
    PassOptions options = {.threads = 1};
    if (!run_passes(after, NULL, &options, "match-quantised,fold-constant,simplify,fold-scale-axis",
                    NULL, NULL, NULL, NULL))
        fail_msg("%s", diag.message);
    evaluate(arena, before, &x, &y[0]);
    evaluate(arena, after, &x, &y[1]);
    assert_int_equal(y[0].type.dtype, y[1].type.dtype);
    assert_memory_equal(y[0].data, y[1].data, type_bytes(&y[0].type));
    const uint32_t n = count_of(after, OP_Conv) + 100 * count_of(after, OP_QLinearConv);
    arena_free(arena);
    return n;
}

static void sums_of_one_convolution(void **state)
{
    static const Case cases[] = {
        {"u8", "i8", 2, 3, 1, 1, 0, 0, 127, 30, 100},
        {"u8", "u8", 3, 2, 1, 3, 128, 1, 255, 90, 1000},
        {"i8", "i8", 4, 4, 4, 3, -3, 0, 127, 60, 0},
        {"i8", "i8", 4, 6, 2, 2, 127, 5, 127, 60, 1e6},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int seed = 1; seed < 30; seed++)
            assert_int_equal(expect_same(&cases[i], seed), 1);
}

/* More than floats add up exactly. A group's channels are not divided, the bytes stay. */
static void sums_of_several(void **state)
{
    static const Case wide = {"u8", "i8", 700, 2, 1, 3, 0, 0, 127, 1e6, 100},
                      biased = {"u8", "i8", 3, 2, 1, 1, 0, 0, 127, 1e7, 2e9},
                      groups = {"u8", "i8", 1400, 2, 2, 3, 0, 0, 127, 1e6, 100};
    (void)state;
    for (int seed = 1; seed < 4; seed++) {
        const uint32_t n = expect_same(&wide, seed);
        assert_in_range(n, 2, 8);
        assert_int_equal(expect_same(&biased, seed), 1);
        assert_int_equal(expect_same(&groups, seed), 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_one_convolution),
        cmocka_unit_test(sums_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
