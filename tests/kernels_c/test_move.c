/* The moving operators on random shapes, with layouts, empty dimensions and indices that are out of range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../kernel_harness.h"

static const DType some_types[] = {DT_F32, DT_U8, DT_F64, DT_F16, DT_I64, DT_I32, DT_BOOL};

static DType some_type(Harness *h)
{
    return some_types[harness_range(h, 0, COUNT_OF(some_types) - 1)];
}

static ValueId tensor(Harness *h, DType t, int rank, const int64_t *dims)
{
    return harness_input(h, t, rank, dims, 0, t == DT_BOOL ? 1 : 100);
}

/* Up to about 4000 elements; now and then a dimension of 0 or 1. */
static int random_dims(Harness *h, int64_t *dims, int least)
{
    int rank = (int)harness_range(h, least, 5);
    for (int d = 0; d < rank; d++)
        dims[d] = harness_range(h, 0, 9) ? harness_range(h, 1, rank > 3 ? 6 : 20)
                                         : harness_range(h, 0, 1);
    return rank;
}

static void test_transpose(void **state)
{
    (void)state;
    Harness *h = harness_new("transpose");
    harness_optimise(h);
    int64_t dims[MAX_RANK], perm[MAX_RANK];
    for (int i = 0; i < 25; i++) {
        int rank = random_dims(h, dims, 0);
        for (int d = 0; d < rank; d++)
            perm[d] = d;
        for (int d = rank - 1; d > 0; d--) {
            int64_t j = harness_range(h, 0, d), keep = perm[d];
            perm[d] = perm[j];
            perm[j] = keep;
        }
        ValueId x = tensor(h, some_type(h), rank, dims);
        harness_node(h, OP_Transpose, &x, 1, 1,
                     (Attr[]){ATTR_IS("perm", perm, (size_t)rank), ATTR_END});
    }
    ValueId big = tensor(h, DT_F32, 4, (int64_t[]){2, 17, 40, 3});
    harness_node(h, OP_Transpose, &big, 1, 1,
                 (Attr[]){ATTR_IS("perm", ((int64_t[]){0, 2, 3, 1}), 4), ATTR_END});
    harness_node(h, OP_Transpose, &big, 1, 1,
                 (Attr[]){ATTR_IS("perm", ((int64_t[]){0, 3, 2, 1}), 4), ATTR_END});
    for (int i = 0; i < 16; i++) { /* blocks, with and without a rest */
        const int64_t rest = i % 4 == 0 ? 0 : harness_range(h, 1, 15);
        ValueId square =
            tensor(h, some_type(h), 3, (int64_t[]){16 + rest, 3, i % 4 == 1 ? 48 : 33});
        harness_node(h, OP_Transpose, &square, 1, 1,
                     (Attr[]){ATTR_IS("perm", ((int64_t[]){2, 1, 0}), 3), ATTR_END});
        harness_node(h, OP_Transpose, &square, 1, 1,
                     (Attr[]){ATTR_IS("perm", ((int64_t[]){1, 2, 0}), 3), ATTR_END});
    }
    for (int64_t few = 2; few <= 5; few++) { /* elements of a pixel to planes, and depth to space */
        ValueId pixels = tensor(h, some_type(h), 4, (int64_t[]){2, 7, 11 + few, few});
        harness_node(h, OP_Transpose, &pixels, 1, 1,
                     (Attr[]){ATTR_IS("perm", ((int64_t[]){0, 3, 1, 2}), 4), ATTR_END});
        harness_node(h, OP_Transpose, &pixels, 1, 1,
                     (Attr[]){ATTR_IS("perm", ((int64_t[]){3, 0, 1, 2}), 4), ATTR_END});
        harness_node(h, OP_Transpose, &pixels, 1, 1,
                     (Attr[]){ATTR_IS("perm", ((int64_t[]){1, 3, 0, 2}), 4), ATTR_END});
    }
    int64_t twelve[] = {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3},
            back[] = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    ValueId deep = tensor(h, DT_F32, 12, twelve);
    harness_node(h, OP_Transpose, &deep, 1, 1, (Attr[]){ATTR_IS("perm", back, 12), ATTR_END});
    assert_int_equal(harness_run(h), 0);
}

/* Strips and squares with and without a rest, in all orders of a batch, of elements of one to eight bytes, and sizes too small for them. */
static void squares_for(const char *name, int lanes)
{
    static const int64_t perms[][3] = {{0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    static const DType types[] = {DT_F32, DT_I32, DT_U8, DT_BF16, DT_I64, DT_I8, DT_U16, DT_U32};
    Harness *h = harness_new(name);
    harness_optimise(h);
    harness_lanes(h, lanes);
    for (int64_t i = 1; i <= 40; i++) {
        const int64_t batch = i % 3 + 1, other = (i * 17) % 40 + 1;
        ValueId x = tensor(h, types[i % 8], 3, (int64_t[]){batch, i, other});
        ValueId plane = tensor(h, i % 2 ? DT_U8 : DT_F32, 2, (int64_t[]){other, i});
        ValueId wide = tensor(h, types[i % 5], 3, (int64_t[]){i, batch, other + 60});
        harness_node(h, OP_Transpose, &x, 1, 1, (Attr[]){ATTR_IS("perm", perms[0], 3), ATTR_END});
        harness_node(h, OP_Transpose, &plane, 1, 1,
                     (Attr[]){ATTR_IS("perm", ((int64_t[]){1, 0}), 2), ATTR_END});
        harness_node(h, OP_Transpose, &wide, 1, 1,
                     (Attr[]){ATTR_IS("perm", perms[i % 4], 3), ATTR_END});
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        ValueId alike = tensor(h, types[i], 3, (int64_t[]){2, 1024, 65});
        harness_node(h, OP_Transpose, &alike, 1, 1,
                     (Attr[]){ATTR_IS("perm", perms[0], 3), ATTR_END});
    }
    ValueId lines = tensor(h, DT_F32, 2, (int64_t[]){768, 37});
    harness_node(h, OP_Transpose, &lines, 1, 1,
                 (Attr[]){ATTR_IS("perm", ((int64_t[]){1, 0}), 2), ATTR_END});
    assert_int_equal(harness_run(h), 0);
}

static void test_squares(void **state)
{
    (void)state;
    squares_for("squares", 8);
}

static void test_wide_squares(void **state)
{
    (void)state;
    squares_for("wide_squares", 16);
}

static void test_reshape_expand_tile(void **state)
{
    (void)state;
    Harness *h = harness_new("expand");
    int64_t dims[MAX_RANK], wide[MAX_RANK];
    for (int i = 0; i < 20; i++) {
        int rank = random_dims(h, dims, 0), extra = (int)harness_range(h, 0, 2);
        DType t = some_type(h);
        for (int d = 0; d < extra; d++)
            wide[d] = harness_range(h, 1, 3);
        for (int d = 0; d < rank; d++) {
            wide[extra + d] = dims[d];
            if (harness_range(h, 0, 2) == 0) {
                dims[d] = 1;
                wide[extra + d] = harness_range(h, 0, 7) ? harness_range(h, 1, 20) : 0;
            }
        }
        ValueId x = tensor(h, t, rank, dims);
        harness_node(h, OP_Expand, &x, 1, 1,
                     (Attr[]){ATTR_IS("shape", wide, (size_t)(extra + rank)), ATTR_END});
        for (int d = 0; d < rank; d++)
            wide[d] = harness_range(h, 0, 9) ? harness_range(h, 1, 3) : 0;
        harness_node(h, OP_Tile, &x, 1, 1,
                     (Attr[]){ATTR_IS("repeats", wide, (size_t)rank), ATTR_END});
        int64_t flat = type_count(type_of(harness_graph(h), x));
        harness_node(h, OP_Reshape, &x, 1, 1, (Attr[]){ATTR_IS("shape", &flat, 1), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_slice(void **state)
{
    (void)state;
    Harness *h = harness_new("slice");
    int64_t dims[MAX_RANK], starts[MAX_RANK], steps[MAX_RANK], sizes[MAX_RANK];
    for (int i = 0; i < 30; i++) {
        int rank = random_dims(h, dims, 0);
        for (int d = 0; d < rank; d++) {
            bool back = harness_range(h, 0, 2) == 0;
            starts[d] = dims[d] ? harness_range(h, 0, dims[d] - 1) : 0;
            steps[d] = (back ? -1 : 1) * harness_range(h, 1, 3);
            int64_t most = dims[d] ? (back ? starts[d] : dims[d] - 1 - starts[d]) /
                                             (back ? -steps[d] : steps[d]) +
                                         1
                                   : 0;
            sizes[d] = harness_range(h, most > 0, most);
        }
        ValueId x = tensor(h, some_type(h), rank, dims);
        harness_node(h, OP_Slice, &x, 1, 1,
                     (Attr[]){ATTR_IS("sizes", sizes, (size_t)rank),
                              ATTR_IS("starts", starts, (size_t)rank),
                              ATTR_IS("steps", steps, (size_t)rank), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_concat_split(void **state)
{
    (void)state;
    Harness *h = harness_new("concat");
    int64_t dims[MAX_RANK], split[4];
    for (int i = 0; i < 15; i++) {
        int rank = random_dims(h, dims, 1);
        int64_t axis = harness_range(h, 0, rank - 1), sum = 0;
        DType t = some_type(h);
        ValueId parts[4];
        uint32_t n = (uint32_t)harness_range(h, 1, 4);
        for (uint32_t k = 0; k < n; k++) {
            sum += dims[axis] = split[k] = harness_range(h, 0, 7);
            parts[k] = tensor(h, t, rank, dims);
        }
        harness_node(h, OP_Concat, parts, n, 1, (Attr[]){ATTR_I("axis", axis), ATTR_END});
        dims[axis] = sum;
        ValueId whole = tensor(h, t, rank, dims);
        harness_node(h, OP_Split, &whole, 1, n,
                     (Attr[]){ATTR_I("axis", axis), ATTR_IS("split", split, n), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

/* Short rows of all parts go in one loop: rows of 1 to 7 elements, in numbers that no vector divides. */
static void test_part_rows(void **state)
{
    (void)state;
    Harness *h = harness_new("part_rows");
    harness_optimise(h);
    for (int i = 0; i < 40; i++) {
        const int64_t rows = harness_range(h, 2, 150), alike = harness_range(h, 1, 4);
        const DType t = some_type(h);
        int64_t sum = 0, split[17];
        ValueId parts[17];
        const uint32_t n = (uint32_t)(i ? harness_range(h, 2, 5) : 17); /* those are too many */
        for (uint32_t k = 0; k < n; k++) {
            sum += split[k] = i % 2 ? alike : harness_range(h, 1, 1 + i % 7);
            parts[k] = tensor(h, t, 2, (int64_t[]){rows, split[k]});
        }
        if (i % 5 == 4 && split[0] == split[1])
            parts[1] = parts[0];
        harness_node(h, OP_Concat, parts, n, 1, (Attr[]){ATTR_I("axis", 1), ATTR_END});
        ValueId whole = tensor(h, t, 2, (int64_t[]){rows, sum});
        harness_node(h, OP_Split, &whole, 1, n,
                     (Attr[]){ATTR_I("axis", 1), ATTR_IS("split", split, n), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_pad(void **state)
{
    (void)state;
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
    Harness *h = harness_new("pad");
    int64_t dims[MAX_RANK], pads[2 * MAX_RANK];
    for (int i = 0; i < 32; i++) {
        int rank = random_dims(h, dims, 0);
        for (int k = 0; k < 2 * rank; k++) {
            int64_t dim = dims[k % rank];
            pads[k] = i % 4 && dim == 0 ? 0 : harness_range(h, 0, i % 4 == 1 ? dim - 1 : 4);
        }
        ValueId x = tensor(h, some_type(h), rank, dims);
        harness_node(h, OP_Pad, &x, 1, 1,
                     (Attr[]){ATTR_S("mode", modes[i % 4]), ATTR_IS("pads", pads, 2 * (size_t)rank),
                              ATTR_F("value", i % 8 ? 3.5 : 0), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

/* Numbers of all sizes, and all bytes. Ties, the ends of ranges and what is beyond are among them. */
static void test_narrow(void **state)
{
    static const struct {
        int type;
        double most;
    } floats[] = {{17, 500},   {17, 0.02}, {18, 300}, {19, 70000}, {19, 1e-4},
                  {20, 60000}, {23, 8},    {24, 1e6}, {24, 1e-38}};
    static const char *const roundings[] = {"nearest", "up", "down"};
    (void)state;
    Harness *h = harness_new("narrow");
    for (size_t i = 0; i < 2 * COUNT_OF(floats); i++) {
        float v[700];
        const int64_t n = harness_range(h, 1, 700);
        for (int64_t k = 0; k < n; k++) {
            v[k] = (float)(floats[i / 2].most * (double)harness_range(h, -1000, 1000) / 1000);
            if (i % 2) /* few bits: ties */
                v[k] = f16_to_f32(f32_to_f16(v[k]));
        }
        ValueId x = harness_data(h, type_make(DT_F32, 1, &n), v);
        harness_node(h, OP_Narrow, &x, 1, 1,
                     (Attr[]){ATTR_S("rounding", roundings[floats[i / 2].type == 24 ? i % 3 : 0]),
                              ATTR_I("saturate", i / 2 % 2), ATTR_I("to", floats[i / 2].type),
                              ATTR_END});
    }
    for (int type = 21; type <= 26; type += type == 22 ? 3 : 1) {
        const int64_t n = 301;
        ValueId x = type == 22 || type == 26 ? harness_input(h, DT_I8, 1, &n, -128, 127)
                                             : harness_input(h, DT_U8, 1, &n, 0, 255);
        harness_node(h, OP_Narrow, &x, 1, 1,
                     (Attr[]){ATTR_S("rounding", "nearest"), ATTR_I("saturate", 1),
                              ATTR_I("to", type), ATTR_END});
    }
    const int64_t n = 77;
    ValueId bits = harness_input(h, DT_I32, 1, &n, 0, 1e9),
            bytes = harness_input(h, DT_U8, 1, &n, 0, 255);
    harness_node(h, OP_BitCast, &bits, 1, 1, (Attr[]){ATTR_I("to", DT_F32), ATTR_END});
    harness_node(h, OP_BitCast, &bytes, 1, 1, (Attr[]){ATTR_I("to", DT_I8), ATTR_END});
    assert_int_equal(harness_run(h), 0);
}

static void test_trilu(void **state)
{
    (void)state;
    Harness *h = harness_new("trilu");
    int64_t dims[MAX_RANK];
    for (int i = 0; i < 16; i++) {
        int rank = random_dims(h, dims, 2);
        ValueId x = tensor(h, some_type(h), rank, dims);
        int64_t k = i == 0 ? INT64_MIN : i == 1 ? INT64_MAX : harness_range(h, -8, 8);
        harness_node(h, OP_Trilu, &x, 1, 1,
                     (Attr[]){ATTR_I("k", k), ATTR_I("upper", i / 2 % 2), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

/* Indices some of which are outside -size … size - 1. */
static ValueId indices(Harness *h, int rank, const int64_t *dims, int64_t size)
{
    return harness_input(h, harness_range(h, 0, 1) ? DT_I64 : DT_I32, rank, dims,
                         (double)(-size - 2), (double)(size + 1));
}

static void test_gather(void **state)
{
    (void)state;
    Harness *h = harness_new("gather");
    int64_t dims[MAX_RANK], at[MAX_RANK];
    for (int i = 0; i < 15; i++) {
        int rank = random_dims(h, dims, 1);
        int64_t axis = harness_range(h, 0, rank - 1);
        dims[axis] = harness_range(h, 1, 9);
        ValueId x = tensor(h, some_type(h), rank, dims);
        int n = (int)harness_range(h, 0, 2);
        for (int d = 0; d < n; d++)
            at[d] = harness_range(h, 0, 5);
        harness_node(h, OP_Gather, (ValueId[]){x, indices(h, n, at, dims[axis])}, 2, 1,
                     (Attr[]){ATTR_I("axis", axis), ATTR_END});
        for (int d = 0; d < rank; d++)
            at[d] = d == axis ? harness_range(h, 0, 7) : harness_range(h, dims[d] > 0, dims[d]);
        harness_node(h, OP_GatherElements, (ValueId[]){x, indices(h, rank, at, dims[axis])}, 2, 1,
                     (Attr[]){ATTR_I("axis", axis), ATTR_END});
    }
    for (int batch = 0; batch < 3; batch++)
        for (int64_t length = 1; length <= 4 - batch; length++) {
            ValueId x = tensor(h, some_type(h), 4, (int64_t[]){3, 4, 5, 2});
            int64_t tuple_dims[] = {3, 4, length};
            harness_node(h, OP_GatherND, (ValueId[]){x, indices(h, 3, tuple_dims, 4)}, 2, 1,
                         (Attr[]){ATTR_I("batch_dims", batch), ATTR_END});
        }
    assert_int_equal(harness_run(h), 0);
}

static void test_scatter(void **state)
{
    (void)state;
    static const char *const reductions[] = {"none", "add", "mul", "max", "min"};
    static const DType types[] = {DT_F32, DT_I8, DT_F64, DT_F16, DT_U64, DT_I32};
    Harness *h = harness_new("scatter");
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t r = 0; r < COUNT_OF(reductions); r++) {
            ValueId x = harness_input(h, types[t], 3, (int64_t[]){4, 5, 6}, 0, 3);
            ValueId at = harness_input(h, DT_I64, 3, (int64_t[]){2, 7, 6}, -5, 4);
            ValueId updates = harness_input(h, types[t], 3, (int64_t[]){2, 7, 6}, 0, 3);
            Attr axis[] = {ATTR_I("axis", 1), ATTR_S("reduction", reductions[r]), ATTR_END};
            harness_node(h, OP_ScatterElements, (ValueId[]){x, at, updates}, 3, 1, axis);
            for (int64_t length = 1; length <= 3; length++) {
                ValueId tuples = harness_input(h, DT_I32, 2, (int64_t[]){9, length}, -4, 3);
                ValueId rows = harness_input(h, types[t], 4 - (int)length,
                                             (int64_t[]){9, length == 2 ? 6 : 5, 6}, 0, 3);
                harness_node(h, OP_ScatterND, (ValueId[]){x, tuples, rows}, 3, 1,
                             (Attr[]){ATTR_S("reduction", reductions[r]), ATTR_END});
            }
        }
    assert_int_equal(harness_run(h), 0);
}

static void test_one_hot_reverse(void **state)
{
    (void)state;
    static const DType types[] = {DT_F32, DT_I8, DT_U64, DT_I64, DT_F16};
    Harness *h = harness_new("one_hot");
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (int64_t axis = 0; axis < 3; axis++) {
            ValueId at =
                harness_input(h, types[t], 2, (int64_t[]){3, 5}, types[t] == DT_U64 ? 0 : -9, 9);
            ValueId values = harness_input(h, some_type(h), 1, (int64_t[]){2}, 0, 1);
            harness_node(h, OP_OneHot, (ValueId[]){at, values}, 2, 1,
                         (Attr[]){ATTR_I("axis", axis), ATTR_I("depth", 7), ATTR_END});
        }
    for (int i = 0; i < 12; i++) {
        int64_t dims[MAX_RANK];
        int rank = random_dims(h, dims, 2);
        int64_t batch = harness_range(h, 0, rank - 1), time = harness_range(h, 0, rank - 1);
        if (batch == time)
            continue;
        ValueId x = tensor(h, some_type(h), rank, dims),
                lens = harness_input(h, DT_I64, 1, &dims[batch], 0, (double)dims[time]);
        harness_node(h, OP_ReverseSequence, (ValueId[]){x, lens}, 2, 1,
                     (Attr[]){ATTR_I("batch_axis", batch), ATTR_I("time_axis", time), ATTR_END});
    }
    assert_int_equal(harness_run(h), 0);
}

static void test_layouts(void **state)
{
    (void)state;
    Harness *h = harness_new("move_layouts");
    Layout nxc = layout_nxc(4);
    for (int i = 0; i < 4; i++) {
        ValueId x = tensor(h, DT_F32, 4, (int64_t[]){2, 10, 4, 5}),
                y = tensor(h, DT_F32, 4, (int64_t[]){2, 10, 4, 5});
        if (i & 1)
            harness_layout(h, x, nxc);
        int64_t half[] = {3, 7}, starts[] = {0, 2, 3, 0}, steps[] = {1, 1, -1, 2},
                sizes[] = {2, 8, 4, 3}, pads[] = {0, 1, 1, 0, 0, 2, 0, 1};
        NodeId made[] = {
            harness_node(h, OP_Concat, (ValueId[]){x, y}, 2, 1,
                         (Attr[]){ATTR_I("axis", 1), ATTR_END}),
            harness_node(h, OP_Split, &x, 1, 2,
                         (Attr[]){ATTR_I("axis", 1), ATTR_IS("split", half, 2), ATTR_END}),
            harness_node(h, OP_Slice, &x, 1, 1,
                         (Attr[]){ATTR_IS("sizes", sizes, 4), ATTR_IS("starts", starts, 4),
                                  ATTR_IS("steps", steps, 4), ATTR_END}),
            harness_node(h, OP_Pad, &x, 1, 1,
                         (Attr[]){ATTR_S("mode", "reflect"), ATTR_IS("pads", pads, 8),
                                  ATTR_F("value", 0), ATTR_END}),
            harness_node(h, OP_Pad, &x, 1, 1,
                         (Attr[]){ATTR_S("mode", "constant"), ATTR_IS("pads", pads, 8),
                                  ATTR_F("value", 1), ATTR_END}),
            harness_node(h, OP_Transpose, &x, 1, 1,
                         (Attr[]){ATTR_IS("perm", ((int64_t[]){0, 3, 1, 2}), 4), ATTR_END}),
        };
        for (size_t j = 0; i & 2 && j < COUNT_OF(made); j++)
            harness_layout(h, harness_out(h, made[j], 0), nxc);
    }
    assert_int_equal(harness_run(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose),    cmocka_unit_test(test_squares),
        cmocka_unit_test(test_wide_squares), cmocka_unit_test(test_reshape_expand_tile),
        cmocka_unit_test(test_slice),        cmocka_unit_test(test_concat_split),
        cmocka_unit_test(test_pad),          cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_trilu),        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_scatter),      cmocka_unit_test(test_one_hot_reverse),
        cmocka_unit_test(test_layouts),      cmocka_unit_test(test_part_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
