/* match-quantised without instructions for bytes: products of bytes in floats give the numbers that the operators are defined by, all of them. */
#include "../../gen/eval/eval.h"
#include "../../gen/machine/machine.h"
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

static Graph *parse(Arena *arena, Diag *diag, const char *text)
{
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

/* Returns how many products of floats it has become; 100 for one of bytes that is left, 1000 for a QuantizeLinear, 10000 for a
 * Round, of which exact sums have one. */
static uint32_t expect_same_with(const char *text, int seed, const Machine *machine, bool int8)
{
    enum { INPUTS_MAX = 4 };
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Graph *before = parse(arena, &diag, text), *after = parse(arena, &diag, text);
    Tensor x[INPUTS_MAX], y[4];
    for (uint32_t i = 0; i < before->n_inputs; i++) {
        x[i] = (Tensor){.type = *type_of(before, before->inputs[i].value)};
        x[i].data = arena_alloc(arena, type_bytes(&x[i].type));
        fill_random(&x[i].type, x[i].data, (uint64_t)seed + 99 + i, 255);
    }
    PassOptions options = {.threads = 1, .machine = machine, .int8 = int8};
    if (!run_passes(after, NULL, &options, "match-quantised,fold-constant,simplify,fold-scale-axis",
                    NULL, NULL, NULL, NULL))
        fail_msg("%s", diag.message);
    evaluate(arena, before, x, &y[0]);
    evaluate(arena, after, x, &y[2]);
    for (uint32_t i = 0; i < before->n_outputs; i++) {
        assert_int_equal(y[i].type.dtype, y[2 + i].type.dtype);
        assert_memory_equal(y[i].data, y[2 + i].data, type_bytes(&y[i].type));
    }
    const uint32_t bytes = count_of(after, OP_QLinearConv) + count_of(after, OP_ConvInteger) +
                           count_of(after, OP_QLinearMatMul) + count_of(after, OP_MatMulInteger);
    const uint32_t n = count_of(after, OP_Conv) + count_of(after, OP_MatMul) + 100 * bytes +
                       1000 * count_of(after, OP_QuantizeLinear) +
                       10000 * count_of(after, OP_Round);
    arena_free(arena);
    return n;
}

static uint32_t expect_same_for(const char *text, int seed, const Machine *machine)
{
    return expect_same_with(text, seed, machine, false);
}

static uint32_t expect_same_of(const char *text, int seed)
{
    return expect_same_for(text, seed, NULL) % 1000;
}

static uint32_t expect_same(const Case *c, int seed)
{
    Arena *arena = arena_new();
    const int scale = 1 + seed % 7;
    const char *text = arena_printf(
        arena, model, c->src, c->channels, c->weights, c->filters, c->channels / c->group,
        c->kernel, c->kernel, seed, c->weights_scale, c->src, c->src_zero, 0.1 * scale, c->weights,
        c->weights_zero, 0.1 * scale * c->dst_scale, 100, c->filters, seed + 50, c->bias, c->group);
    const uint32_t n = expect_same_of(text, seed);
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

/* The other operators: zero points that are inputs, one number or one for each column; two activations; what is deeper. */
static void other_products(void **state)
{
    static const struct Other {
        const char *text;
        uint32_t least, most;
    } others[] = {
        {"graph \"c\" { input %x: u8[2,3,9,7] input %z: u8[] "
         "const %w: u8[8,3,3,3] = random(seed=3, scale=255) const %wz: u8[] = [131] "
         "%y = ConvInteger(%x, %w, %z, %wz) "
         "{dilations=[1,1], group=1, pads=[1,1,1,1], strides=[2,1]} output \"y\" = %y }",
         1, 1},
        {"graph \"d\" { input %x: u8[1,6,9,7] input %z: u8[1] "
         "const %w: i8[6,1,3,3] = random(seed=3, scale=127) "
         "%c = ConvInteger(%x, %w, %z) {dilations=[1,1], group=6, pads=[1,1,1,1], strides=[1,1]} "
         "%f = Cast(%c) {to=1} %y = Relu(%f) output \"y\" = %y }",
         1, 1},
        {"graph \"w\" { input %x: u8[1,2000,3,3] input %z: u8[] "
         "const %w: i8[4,2000,3,3] = random(seed=3, scale=127) "
         "%c = ConvInteger(%x, %w, %z) {dilations=[1,1], group=1, pads=[1,1,1,1], strides=[1,1]} "
         "%y = Cast(%c) {to=1} output \"y\" = %y }",
         3, 12},
        {"graph \"m\" { input %x: u8[2,5,60] input %z: u8[] "
         "const %w: i8[60,7] = random(seed=4, scale=127) "
         "const %wz: i8[7] = [1, -2, 3, 0, 5, -128, 127] "
         "%c = MatMulInteger(%x, %w, %z, %wz) %y = Cast(%c) {to=1} output \"y\" = %y }",
         1, 1},
        {"graph \"s\" { input %x: i8[3,5000] const %w: u8[5000,5] = random(seed=4, scale=255) "
         "%y = MatMulInteger(%x, %w) output \"y\" = %y }",
         5, 12},
        {"graph \"a\" { input %a: u8[2,5,258] input %b: u8[2,258,6] input %z: u8[] input %y: u8[] "
         "%c = MatMulInteger(%a, %b, %z, %y) output \"c\" = %c }",
         1, 1},
        {"graph \"e\" { input %a: u8[5,259] input %b: u8[259,6] "
         "%c = MatMulInteger(%a, %b) output \"c\" = %c }",
         100, 100},
        {"graph \"r\" { input %a: u8[5,9] input %z: u8[5] "
         "const %w: i8[9,7] = random(seed=4, scale=127) "
         "%c = MatMulInteger(%a, %w, %z) output \"c\" = %c }",
         100, 100},
        {"graph \"p\" { input %x: u8[1,3,9,9] const %s: f32[] = [0.3] const %z: u8[] = [7] "
         "const %w: i8[5,3,3,3] = random(seed=4, scale=127) const %ws: f32[] = [0.1] "
         "const %wz: i8[] = [0] const %t: f32[] = [3.1] "
         "%a = QLinearConv(%x, %s, %z, %w, %ws, %wz, %t, %z) "
         "{dilations=[1,1], group=1, pads=[1,1,1,1], strides=[1,1]} "
         "%p = MaxPool(%a) {ceil_mode=0, dilations=[1,1], kernel_shape=[2,2], pads=[0,0,0,0], "
         "storage_order=0, strides=[2,2]} "
         "const %v: i8[4,5,1,1] = random(seed=5, scale=127) "
         "%y = QLinearConv(%p, %t, %z, %v, %ws, %wz, %t, %z) "
         "{dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} output \"y\" = %y }",
         2, 2},
        {"graph \"q\" { input %a: u8[3,40] const %as: f32[] = [0.3] const %az: u8[] = [117] "
         "const %b: i8[40,4] = random(seed=6, scale=127) "
         "const %bs: f32[4] = [0.1, 0.7, 0.3, 0.05] const %bz: i8[4] = [0, 0, 0, 0] "
         "const %ys: f32[] = [90] const %yz: i8[] = [5] "
         "%y = QLinearMatMul(%a, %as, %az, %b, %bs, %bz, %ys, %yz) output \"y\" = %y }",
         1, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(others); i++)
        for (int seed = 1; seed < 12; seed++)
            assert_in_range(expect_same_of(others[i].text, seed), others[i].least, others[i].most);
}

/* 518 products of 255 and 127 are the most whose sum a float holds; those of negative weights do not add to them, they take away. */
static void as_many_as_floats_hold(void **state)
{
    static const struct Depth {
        int up, down;
        uint32_t products;
    } depths[] = {{518, 0, 1}, {518, 518, 1}, {519, 0, 2}, {518, 519, 2}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(depths); i++) {
        Arena *arena = arena_new();
        Text w = text_new(arena);
        const int depth = depths[i].up + depths[i].down;
        for (int k = 0; k < depth; k++)
            text_printf(&w, "%s%d", k ? ", " : "", k < depths[i].up ? 127 : -127);
        const char *text = arena_printf(arena,
                                        "graph \"m\" { input %%x: u8[4,%d] input %%z: u8[] "
                                        "const %%w: i8[%d,1] = [%s] "
                                        "%%y = MatMulInteger(%%x, %%w, %%z) output \"y\" = %%y }",
                                        depth, depth, w.data);
        assert_int_equal(expect_same_of(text, (int)i), depths[i].products);
        arena_free(arena);
    }
}

/* Scales are powers of two, so that floats are exact as well. Bytes are left before the output only; of the pool's src nothing quantises but the
 * first layer. On AVX2 all convolutions are sums of whole numbers, each of which a Round marks. */
static void between_dequantise_and_quantise(void **state)
{
    static const char text[] =
        "graph \"d\" { input %x: u8[1,6,9,9] const %s: f32[] = [0.5] const %z: u8[] = [7] "
        "const %q: i8[8,6,1,1] = random(seed=3, scale=127) const %qs: f32[] = [0.125] "
        "const %qz: i8[] = [0] const %b: f32[8] = [1, -2, 300, 4, 5.5, 6, 7, -80] "
        "const %t: f32[] = [64] const %tz: u8[] = [0] "
        "const %r: i8[5,8,3,3] = random(seed=4, scale=127) const %rs: f32[] = [0.25] "
        "const %u: f32[] = [8192] const %uz: i8[] = [-5] "
        "const %v: i8[4,5,2,3] = random(seed=5, scale=127) "
        "%d = DequantizeLinear(%x, %s, %z) {axis=0} "
        "%w1 = DequantizeLinear(%q, %qs, %qz) {axis=0} "
        "%c1 = Conv(%d, %w1, %b) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} "
        "%a1 = Relu(%c1) %y1 = QuantizeLinear(%a1, %t, %tz) {axis=0, to=2} "
        "%p = MaxPool(%y1) {ceil_mode=0, dilations=[1,1], kernel_shape=[2,2], pads=[0,0,0,0], "
        "storage_order=0, strides=[1,1]} "
        "%d1 = DequantizeLinear(%p, %t, %tz) {axis=0} "
        "%w2 = DequantizeLinear(%r, %rs, %qz) {axis=0} "
        "%c2 = Conv(%d1, %w2) {dilations=[1,1], group=1, pads=[1,1,1,1], strides=[1,1]} "
        "%y2 = QuantizeLinear(%c2, %u, %uz) {axis=0, to=3} "
        "%d2 = DequantizeLinear(%y2, %u, %uz) {axis=0} "
        "%w3 = DequantizeLinear(%v, %qs, %qz) {axis=0} "
        "%c3 = Conv(%d2, %w3) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[2,1]} "
        "%y = QuantizeLinear(%c3, %u, %uz) {axis=0, to=3} output \"y\" = %y }";
    const Machine avx2 = machine_of_isa("avx2"), avx512 = machine_of_isa("avx512_core");
    (void)state;
    for (int seed = 1; seed < 12; seed++) {
        assert_int_equal(expect_same_for(text, seed, &avx2), 51003);
        assert_int_equal(expect_same_for(text, seed, &avx512), 21003);
    }
}

/* Nothing quantises what they make; scales for each filter, and a bias that is no multiple of them. */
static void behind_dequantise_only(void **state)
{
    static const char text[] =
        "graph \"b\" { input %x: u8[2,6,9,8] const %s: f32[] = [0.5] const %z: u8[] = [7] "
        "const %q: i8[3,6,2,3] = random(seed=3, scale=127) const %qs: f32[3] = [0.125, 2, 0.25] "
        "const %b: f32[3] = [1, -2.03125, 300] const %r: u8[8,5] = random(seed=4, scale=255) "
        "const %rs: f32[] = [0.25] const %rz: u8[] = [200] "
        "%d = DequantizeLinear(%x, %s, %z) {axis=0} %w = DequantizeLinear(%q, %qs) {axis=0} "
        "%c = Conv(%d, %w, %b) {dilations=[1,1], group=1, pads=[0,0,1,1], strides=[2,1]} "
        "%v = DequantizeLinear(%r, %rs, %rz) {axis=0} %m = MatMul(%d, %v) "
        "output \"c\" = %c output \"m\" = %m }";
    const Machine avx2 = machine_of_isa("avx2"), avx512 = machine_of_isa("avx512_core");
    (void)state;
    for (int seed = 1; seed < 12; seed++) {
        assert_int_equal(expect_same_for(text, seed, &avx2), 20002);
        assert_int_equal(expect_same_for(text, seed, &avx512), 2);
    }
}

/* Products whose results nothing quantises: scales for each filter or one, weights of either order, zero points, a bias of several shapes. What has factors of its own, or is transposed, stays. */
static void products_behind_dequantise_only(void **state)
{
    static const struct Form {
        const char *weights, *product;
        uint32_t avx2, avx512, bytes;
    } forms[] = {
        {"const %q: i8[6,5] = random(seed=3, scale=127) const %qs: f32[5] = [0.5, 2, 1, 4, 0.25] "
         "%w = DequantizeLinear(%q, %qs) {axis=1}",
         "%y = MatMul(%d, %w)", 10001, 1, 100},
        {"const %q: u8[6,5] = random(seed=3, scale=255) const %qs: f32[5] = [0.5, 2, 1, 4, 0.25] "
         "const %qz: u8[5] = [3, 0, 255, 128, 127] %w = DequantizeLinear(%q, %qs, %qz) {axis=1}",
         "%y = MatMul(%d, %w)", 10001, 1, 100},
        {"const %q: i8[6,6] = random(seed=3, scale=127) const %qs: f32[6] = [0.5, 2, 1, 4, 0.25, 8] "
         "%w = DequantizeLinear(%q, %qs) {axis=0}",
         "%y = MatMul(%d, %w)", 1, 1, 1}, /* scales of the rows are no factors of sums */
        {"const %q: i8[5,6] = random(seed=3, scale=127) const %qs: f32[5] = [0.5, 2, 1, 4, 0.25] "
         "const %b: f32[5] = [1, -2.5, 300, 0, 7] %w = DequantizeLinear(%q, %qs) {axis=0}",
         "%y = Gemm(%d, %w, %b) {alpha=1.0, beta=1.0, transA=0, transB=1}", 10001, 0, 100},
        {"const %q: i8[6,5] = random(seed=3, scale=127) const %qs: f32[] = [0.5] "
         "const %b: f32[4,1] = [1, -2.5, 300, 0] %w = DequantizeLinear(%q, %qs) {axis=0}",
         "%y = Gemm(%d, %w, %b) {alpha=1.0, beta=1.0, transA=0, transB=0}", 10001, 0, 100},
        /* Quantised while compiling, and transposed behind dequantising. */
        {"const %f: f32[5,6] = random(seed=3, scale=70) const %qs: f32[5] = [0.5, 2, 1, 4, 0.25] "
         "const %qz: i8[5] = splat(0) %q = QuantizeLinear(%f, %qs, %qz) {axis=0, to=3} "
         "%t = DequantizeLinear(%q, %qs, %qz) {axis=0} %w = Transpose(%t) {perm=[1,0]}",
         "%y = MatMul(%d, %w)", 10001, 1, 100},
        {"const %f: f32[5,6] = random(seed=3, scale=70) const %qs: f32[5] = [0.5, 2, 1, 4, 0.25] "
         "const %qz: i8[5] = splat(0) %q = QuantizeLinear(%f, %qs, %qz) {axis=0, to=3} "
         "%n = Clip(%q) {min=-64.0, max=63.0} %w = DequantizeLinear(%n, %qs, %qz) {axis=0}",
         "%y = Gemm(%d, %w) {alpha=1.0, beta=1.0, transA=0, transB=1}", 10001, 0, 100},
        {"const %q: i8[6,5] = random(seed=3, scale=127) const %qs: f32[] = [0.5] "
         "%w = DequantizeLinear(%q, %qs) {axis=0}",
         "%y = Gemm(%d, %w) {alpha=2.0, beta=1.0, transA=0, transB=0}", 0, 0, 0},
        {"const %q: i8[4,5] = random(seed=3, scale=127) const %qs: f32[] = [0.5] "
         "%w = DequantizeLinear(%q, %qs) {axis=0}",
         "%y = Gemm(%d, %w) {alpha=1.0, beta=1.0, transA=1, transB=0}", 0, 0, 0},
    };
    const Machine avx2 = machine_of_isa("avx2"), avx512 = machine_of_isa("avx512_core");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        for (int seed = 1; seed < 8; seed++) {
            Arena *arena = arena_new();
            const char *text = arena_printf(
                arena,
                "graph \"p\" { input %%x: u8[4,6] const %%s: f32[] = [0.5] const %%z: u8[] = [7] "
                "%%d = DequantizeLinear(%%x, %%s, %%z) {axis=0} %s %s output \"y\" = %%y }",
                forms[i].weights, forms[i].product);
            assert_int_equal(expect_same_for(text, seed, &avx2), forms[i].avx2);
            assert_int_equal(expect_same_for(text, seed, &avx512), forms[i].avx512);
            assert_int_equal(expect_same_with(text, seed, &avx512, true), forms[i].bytes);
            arena_free(arena);
        }
}

/* 519 products of 255 and 127 are more than a float holds: pairs of 16 bits add them up as i32. Of what i32 does not hold, no whole numbers are made. */
static void beyond_what_floats_hold(void **state)
{
    static const struct Depth {
        int channels;
        uint32_t avx2, avx512;
    } depths[] = {
        {518, 21001, 11001}, {519, 21001, 11001}, {66311, 21001, 11001}, {66312, 11001, 11001}};
    const Machine avx2 = machine_of_isa("avx2"), avx512 = machine_of_isa("avx512_core");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(depths); i++) {
        Arena *arena = arena_new();
        Text w = text_new(arena);
        for (int k = 0; k < depths[i].channels; k++)
            text_printf(&w, "%s127", k ? ", " : "");
        const char *text = arena_printf(
            arena,
            "graph \"d\" { input %%x: f32[1,%d,1,1] const %%s: f32[] = [0.5] const %%z: u8[] = [0] "
            "const %%q: i8[1,%d,1,1] = [%s] const %%t: f32[] = [65536] "
            "%%b = QuantizeLinear(%%x, %%s, %%z) {axis=0, to=2} "
            "%%d = DequantizeLinear(%%b, %%s, %%z) {axis=0} "
            "%%v = DequantizeLinear(%%q, %%s) {axis=0} "
            "%%c = Conv(%%d, %%v) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} "
            "%%y = QuantizeLinear(%%c, %%t, %%z) {axis=0, to=2} output \"y\" = %%y }",
            depths[i].channels, depths[i].channels, w.data);
        assert_int_equal(expect_same_for(text, 1, &avx2), depths[i].avx2);
        assert_int_equal(expect_same_for(text, 1, &avx512), depths[i].avx512);
        arena_free(arena);
    }
}

/* What a scale has rounded already is not rounded to it again, be it moved or chosen from in between; a Concat's other operands are where they are made. */
static void same_steps_again(void **state)
{
    static const char text[] =
        "graph \"j\" { input %x: f32[1,2,8,8] input %w: f32[1,3,7,7] const %s: f32[] = [0.3] "
        "const %z: u8[] = [100] const %t: f32[] = [1.7] const %tz: u8[] = [90] "
        "const %one: f32[] = [1] "
        "%q1 = QuantizeLinear(%x, %s, %z) {axis=0, to=2} "
        "%d1 = DequantizeLinear(%q1, %s, %z) {axis=0} "
        "%p = MaxPool(%d1) {ceil_mode=0, dilations=[1,1], kernel_shape=[2,2], pads=[0,0,0,0], "
        "storage_order=0, strides=[1,1]} "
        "%q2 = QuantizeLinear(%p, %s, %z) {axis=0, to=2} "
        "%d2 = DequantizeLinear(%q2, %s, %z) {axis=0} "
        "%q3 = QuantizeLinear(%w, %t, %tz) {axis=0, to=2} "
        "%d3 = DequantizeLinear(%q3, %t, %tz) {axis=0} "
        "%c = Concat(%d2, %d3) {axis=1} "
        "%q4 = QuantizeLinear(%c, %s, %z) {axis=0, to=2} "
        "%d4 = DequantizeLinear(%q4, %s, %z) {axis=0} "
        "%y = Add(%d4, %one) output \"y\" = %y }";
    (void)state;
    for (int seed = 1; seed < 12; seed++)
        assert_int_equal(expect_same_for(text, seed, NULL), 3 * 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_one_convolution),
        cmocka_unit_test(sums_of_several),
        cmocka_unit_test(other_products),
        cmocka_unit_test(as_many_as_floats_hold),
        cmocka_unit_test(between_dequantise_and_quantise),
        cmocka_unit_test(beyond_what_floats_hold),
        cmocka_unit_test(same_steps_again),
        cmocka_unit_test(behind_dequantise_only),
        cmocka_unit_test(products_behind_dequantise_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
