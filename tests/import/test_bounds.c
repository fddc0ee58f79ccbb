/* Dimensions that are at most so much: a model computes at every number of rows what the same model does that is compiled for that size, whatever stands
 * behind the rows that are there; and what is refused. */
#include "cases.h"

#include "../../gen/eval/eval.h"

#include <math.h>

enum { MOST = 5 };

typedef Build *Make(Fixture *f);

static ImportOptions sizes(const char *const *dims, size_t n)
{
    return (ImportOptions){.dims = dims, .n_dims = n};
}

/* Input k as the model at this size has it, spread over the capacity of `type`: NaN, or a large number, where nothing is. */
static Tensor input(Fixture *f, const TensorType *type, const TensorType *small, uint32_t k)
{
    Tensor t = {*type, arena_alloc(f->arena, type_bytes(type) + 1)};
    memset(t.data, dtype_is_float(type->dtype) ? 0xff : 0x7f, type_bytes(type));
    for (int64_t i = 0, n = type_count(small); i < n; i++) {
        int64_t at = 0, rest = i, step = 1;
        for (int d = type->rank - 1; d >= 0; d--) {
            at += rest % small->dims[d] * step;
            rest /= small->dims[d];
            step *= type->dims[d];
        }
        const int64_t v = (i * 7 + k * 5 + 3) % 11;
        if (dtype_is_float(type->dtype))
            elem_set_f64(type->dtype, t.data, (size_t)at, (double)v / 11 - 0.3);
        else
            elem_set_i64(type->dtype, t.data, (size_t)at, v % 3);
    }
    return t;
}

/* What counts of output o, element by element; its number. */
static int64_t counted(Fixture *f, const Graph *g, const Tensor *out, uint32_t o, double **values)
{
    const Port *port = &g->outputs[o];
    const TensorType *t = &out[o].type;
    const int64_t all = type_count(t);
    int64_t n = 0;
    *values = ARENA_ARRAY(f->arena, double, (size_t)all + 1);
    for (int64_t i = 0; i < all; i++) {
        bool counts = true;
        for (uint32_t k = 0; k < port->n_counts; k++) {
            const int axis = port->counts[k].axis;
            counts &= i / dims_product(t, axis + 1, t->rank) % t->dims[axis] <
                      *(const int64_t *)out[port->counts[k].by].data;
        }
        if (counts)
            (*values)[n++] = elem_f64(t->dtype, out[o].data, (size_t)i);
    }
    return n;
}

static void compare(Fixture *f, const Graph *g, Tensor *in, const Graph *exact, Tensor *exact_in)
{
    Tensor out[32], exact_out[32];
    double *is, *wanted;
    if (!eval_graph(g, in, out, f->arena) || !eval_graph(exact, exact_in, exact_out, f->arena))
        fail_msg("evaluation: %s", f->diag.message);
    for (uint32_t o = 0; o < exact->n_outputs; o++) {
        const int64_t n = counted(f, exact, exact_out, o, &wanted);
        assert_int_equal(counted(f, g, out, o, &is), n);
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(is[i] - wanted[i]) <= 1e-5))
                fail_msg("output %u, element %lld is %g, not %g", o, (long long)i, is[i],
                         wanted[i]);
    }
}

/* With n rows of at most MOST, and w of at most 3 where the model has such a dimension. */
static void at_every_number(Fixture *f, Make *make)
{
    static const char *const most[] = {"n=..5", "w=..3"};
    Build *b = make(f);
    bool two = false;
    for (size_t i = 0; i < b->graph->n_input; i++)
        two |= b->graph->input[i]->name[0] == 'u';
    ImportOptions bounded = sizes(most, two ? 2 : 1);
    Graph *g = import_built(f, b, &bounded);
    if (!g)
        fail_msg("refused: %s", f->diag.message);
    for (int64_t n = 1; n <= MOST; n++)
        for (int64_t w = 1; w <= (two ? 3 : 1); w++) {
            const char *dims[] = {arena_printf(f->arena, "n=%lld", (long long)n),
                                  arena_printf(f->arena, "w=%lld", (long long)w)};
            ImportOptions exact = sizes(dims, two ? 2 : 1);
            Graph *e = import_built(f, make(f), &exact);
            if (!e)
                fail_msg("refused: %s", f->diag.message);
            Tensor in[8], exact_in[8];
            for (uint32_t k = 0; k < e->n_inputs; k++) {
                const TensorType *small = type_of(e, e->inputs[k].value);
                in[k] = input(f, type_of(g, g->inputs[k].value), small, k);
                exact_in[k] = input(f, small, small, k);
            }
            for (uint32_t k = e->n_inputs; k < g->n_inputs; k++)
                in[k] = (Tensor){*type_of(g, g->inputs[k].value),
                                 strcmp(g->inputs[k].name, "w") ? &n : &w};
            compare(f, g, in, e, exact_in);
        }
}

static Build *begin(Fixture *f)
{
    static const float weights[12] = {0.5f, -1, 0.25f, 2, 1, -0.5f, 0.75f, 1, -2, 0.5f, 1, 0.125f};
    static const int64_t zero[] = {0}, one[] = {1}, minus_one[] = {-1}, heads[] = {2}, size[] = {2};
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, "2,n,4");
    build_init(b, "weights", DT_F32, "4,3", weights);
    build_init(b, "square", DT_F32, "3,4", weights);
    build_init(b, "zero", DT_I64, "1", zero);
    build_init(b, "one", DT_I64, "1", one);
    build_init(b, "scalar_one", DT_I64, "", one);
    build_init(b, "minus_one", DT_I64, "1", minus_one);
    build_init(b, "heads", DT_I64, "1", heads);
    build_init(b, "size", DT_I64, "1", size);
    return b;
}

static void ends_with(Build *b, const char *name)
{
    build_output(b, name, 0, NULL);
}

static void along(Build *b, Onnx__NodeProto *n, int64_t axis)
{
    build_attr_int(b, n, "axis", axis);
}

static void perm(Build *b, Onnx__NodeProto *n, const int64_t *order)
{
    build_attr_ints(b, n, "perm", order, 4);
}

/* Two heads of what attends to itself, with a mask by rows: two axes of the scores have n. */
static Build *attention(Fixture *f)
{
    static const int64_t to_heads[] = {0, 2, 1, 3}, to_keys[] = {0, 2, 3, 1};
    Build *b = begin(f);
    build_input(b, "mask", FLOAT, "2,n");
    build_node(b, "Shape", "x", "shape");
    build_node(b, "Slice", "shape zero heads", "front");
    along(b, build_node(b, "Concat", "front heads size", "split"), 0);
    along(b, build_node(b, "Concat", "front minus_one", "merged"), 0);
    build_node(b, "Reshape", "x split", "x4");
    perm(b, build_node(b, "Transpose", "x4", "q"), to_heads);
    perm(b, build_node(b, "Transpose", "x4", "k"), to_keys);
    build_node(b, "MatMul", "q k", "scores");
    build_node(b, "Unsqueeze", "mask heads", "mask3");
    build_node(b, "Transpose", "mask3", "mask_n");
    build_attr_ints(b, b->graph->node[b->graph->n_node - 1], "perm", (const int64_t[]){0, 2, 1}, 3);
    build_node(b, "Unsqueeze", "mask_n one", "mask4");
    build_node(b, "Add", "scores mask4", "masked");
    along(b, build_node(b, "Softmax", "masked", "p"), -1);
    build_node(b, "MatMul", "p q", "mixed");
    perm(b, build_node(b, "Transpose", "mixed", "rows"), to_heads);
    build_node(b, "Reshape", "rows merged", "y");
    ends_with(b, "y");
    return b;
}

/* Rows of before and now, positions that begin behind those before, and a part of a constant that is theirs. */
static Build *cache(Fixture *f)
{
    static int64_t table[6 * 7];
    for (int i = 0; i < 42; i++)
        table[i] = i % 7 <= i / 7;
    static const int64_t two[] = {2}, nothing[] = {0};
    static const float low[] = {-3};
    Build *b = begin(f);
    build_init(b, "table", DT_I64, "6,7", table);
    build_init(b, "two", DT_I64, "1", two);
    build_init(b, "nothing", DT_I64, "", nothing);
    build_init(b, "low", DT_F32, "", low);
    build_input(b, "new", FLOAT, "2,1,4");
    along(b, build_node(b, "Concat", "x new", "all"), 1);
    build_node(b, "Shape", "all", "shape");
    build_node(b, "Gather", "shape one", "total");
    build_node(b, "Sub", "total one", "before");
    along(b, build_node(b, "Gather", "shape scalar_one", "length"), 0);
    build_node(b, "Sub", "length scalar_one", "start");
    build_node(b, "Range", "start length scalar_one", "position");
    build_node(b, "Slice", "table before total zero", "part"); /* [1, 7] */
    build_node(b, "Slice", "part zero total one", "allowed");  /* [1, n + 1] */
    build_attr_int(b, build_node(b, "Cast", "allowed", "allows"), "to", DT_BOOL);
    build_node(b, "Transpose", "all", "keys");
    build_attr_ints(b, b->graph->node[b->graph->n_node - 1], "perm", (const int64_t[]){0, 2, 1}, 3);
    build_node(b, "MatMul", "new keys", "scores");
    build_node(b, "Where", "allows scores low", "chosen");
    along(b, build_node(b, "Softmax", "chosen", "p"), -1);
    build_node(b, "MatMul", "p all", "mixed");
    ends_with(b, "mixed");
    ends_with(b, "all");
    ends_with(b, "position");
    return b;
}

/* Reductions over the rows, and over both dimensions of two that have a bound. */
static Build *reductions(Fixture *f)
{
    static const int64_t both[] = {1, 2};
    Build *b = begin(f);
    build_input(b, "u", FLOAT, "w,4");
    build_node(b, "Transpose", "u", "columns");
    build_node(b, "MatMul", "x columns", "product"); /* [2, n, w] */
    build_node(b, "ReduceMean", "product", "mean");
    build_attr_ints(b, b->graph->node[b->graph->n_node - 1], "axes", both, 2);
    build_node(b, "ReduceMax", "product", "max");
    build_attr_ints(b, b->graph->node[b->graph->n_node - 1], "axes", both, 1);
    build_attr_int(b, b->graph->node[b->graph->n_node - 1], "keepdims", 0);
    along(b, build_node(b, "ArgMax", "product", "arg"), 1);
    build_node(b, "Size", "product", "all");
    ends_with(b, "mean");
    ends_with(b, "max");
    ends_with(b, "arg");
    ends_with(b, "all");
    return b;
}

/* What is made as large as the rows are, and joined with them on both sides. */
static Build *made(Fixture *f)
{
    Build *b = begin(f);
    build_node(b, "Shape", "x", "shape");
    build_node(b, "ConstantOfShape", "shape", "zeros");
    build_node(b, "Gather", "shape one", "n");
    along(b, build_node(b, "Concat", "heads n one", "wanted"), 0);
    build_node(b, "ConstantOfShape", "wanted", "column");
    along(b, build_node(b, "Concat", "x zeros column", "wider"), 2);
    along(b, build_node(b, "Concat", "wider wider wider", "longer"), 1);
    build_node(b, "Exp", "longer", "y");
    ends_with(b, "y");
    return b;
}

/* What a decoder does: rows of before and now, and a mask of each new one beside all. */
static Build *masked_cache(Fixture *f)
{
    static const int64_t order[] = {0, 2, 1};
    Build *b = begin(f);
    build_input(b, "mask", FLOAT, "n,w + n");
    build_input(b, "u", FLOAT, "2,w,4");
    build_input(b, "bias", FLOAT, "n+1");
    along(b, build_node(b, "Concat", "u x", "all"), 1);
    build_node(b, "Transpose", "all", "keys");
    build_attr_ints(b, b->graph->node[b->graph->n_node - 1], "perm", order, 3);
    build_node(b, "MatMul", "x keys", "scores"); /* [2, n, w + n] */
    build_node(b, "Add", "scores mask", "masked");
    along(b, build_node(b, "Softmax", "masked", "p"), -1);
    build_node(b, "MatMul", "p all", "mixed");
    build_node(b, "Exp", "bias", "scale");
    ends_with(b, "mixed");
    ends_with(b, "p");
    ends_with(b, "all");
    ends_with(b, "scale");
    return b;
}

/* Matrices of which both dimensions have a bound. */
static Build *matrices(Fixture *f)
{
    static const int64_t swapped[] = {1, 0}, both[] = {0, 1};
    Build *b = begin(f);
    build_input(b, "a", FLOAT, "n,w");
    build_input(b, "u", FLOAT, "w,n");
    build_node(b, "Transpose", "u", "t");
    build_attr_ints(b, b->graph->node[b->graph->n_node - 1], "perm", swapped, 2);
    build_node(b, "Mul", "a t", "product");
    build_node(b, "MatMul", "a u", "square_n");
    build_node(b, "MatMul", "u a", "square_w");
    along(b, build_node(b, "Softmax", "product", "rows"), 1);
    along(b, build_node(b, "Softmax", "product", "columns"), 0);
    along(b, build_node(b, "Concat", "a t", "longer"), 0);
    along(b, build_node(b, "Concat", "a square_n", "wider"), 1);
    build_node(b, "ReduceMean", "product", "mean");
    build_attr_ints(b, b->graph->node[b->graph->n_node - 1], "axes", both, 2);
    build_node(b, "ReduceMax", "product", "max");
    build_attr_ints(b, b->graph->node[b->graph->n_node - 1], "axes", both, 1);
    static const char *const out[] = {"square_n", "square_w", "rows", "columns",
                                      "longer",   "wider",    "mean", "max"};
    for (size_t i = 0; i < COUNT_OF(out); i++)
        ends_with(b, out[i]);
    return b;
}

/* All rows of a batch behind one another, as a product by rows has them, and apart again: by numbers, and by what is computed of the shape. */
static Build *flattened(Fixture *f)
{
    static const int64_t four[] = {4}, last[] = {3}, two[] = {2};
    Build *b = begin(f);
    build_init(b, "four", DT_I64, "1", four);
    build_init(b, "last", DT_I64, "1", last);
    build_init(b, "scalar_two", DT_I64, "", two);
    along(b, build_node(b, "Concat", "minus_one four", "by_rows"), 0);
    along(b, build_node(b, "Concat", "heads minus_one last", "by_batch"), 0);
    build_node(b, "Reshape", "x by_rows", "rows");
    build_node(b, "MatMul", "rows weights", "product");
    build_node(b, "Reshape", "product by_batch", "y");
    build_node(b, "Shape", "x", "shape");
    along(b, build_node(b, "Gather", "shape scalar_one", "n"), 0);
    build_node(b, "Mul", "n scalar_two", "all");
    build_node(b, "Unsqueeze", "all zero", "all_1");
    build_node(b, "Unsqueeze", "n zero", "n_1");
    along(b, build_node(b, "Concat", "all_1 four", "by_all"), 0);
    along(b, build_node(b, "Concat", "minus_one n_1 last", "by_n"), 0);
    build_node(b, "Reshape", "x by_all", "rows_2");
    build_node(b, "Gemm", "rows_2 weights", "product_2");
    build_node(b, "Reshape", "product_2 by_n", "z");
    build_node(b, "Flatten", "x", "flat");
    build_attr_int(b, b->graph->node[b->graph->n_node - 1], "axis", 2);
    along(b, build_node(b, "Softmax", "flat", "over_all"), 0);
    ends_with(b, "y");
    ends_with(b, "z");
    ends_with(b, "product");
    ends_with(b, "over_all");
    return b;
}

static void same_as_exact(void **state)
{
    static Make *const makes[] = {attention,    cache,    reductions, made,
                                  masked_cache, matrices, flattened};
    for (size_t i = 0; i < COUNT_OF(makes); i++)
        at_every_number(*state, makes[i]);
}

static Build *simple(Fixture *f, const char *dims, const char *op)
{
    Build *b = build_new(f->arena, 13);
    build_input(b, "x", FLOAT, dims);
    build_node(b, op, "x", "y");
    build_output(b, "y", 0, NULL);
    return b;
}

#define DIMS(...)                                                                                  \
    (&(ImportOptions){.dims = (const char *const[]){__VA_ARGS__},                                  \
                      .n_dims = COUNT_OF(((const char *const[]){__VA_ARGS__}))})
#define SHAPE(text) (&(ImportOptions){.shapes = (const char *const[]){text}, .n_shapes = 1})

static void ports(void **state)
{
    Fixture *f = *state;
    Graph *g = expect_type(f, simple(f, "1,n,3", "Relu"), DIMS("n=..7"), "f32[1,7,3]");
    assert_int_equal(g->n_inputs, 2);
    assert_string_equal(g->inputs[1].name, "n");
    assert_int_equal(g->inputs[0].n_counts, 1);
    assert_int_equal(g->inputs[0].counts[0].by, 1);
    assert_int_equal(g->inputs[0].counts[0].axis, 1);
    assert_int_equal(graph_bound(g, 1), 7);
    assert_int_equal(graph_bound(g, 0), -1);
    g = expect_type(f, simple(f, "1,?,3", "Relu"), SHAPE("x=1x..7x3"), "f32[1,7,3]");
    assert_string_equal(g->inputs[1].name, "x_1");
    g = expect_type(f, simple(f, "x,3", "Relu"), DIMS("x=..7"), "f32[7,3]");
    assert_string_equal(g->inputs[1].name, "x_count");
    g = expect_type(f, simple(f, "1,16,3", "Relu"), SHAPE("x=1x..7x3"), "f32[1,7,3]");
    assert_int_equal(graph_bound(g, 1), 7);
    g = expect_type(f, simple(f, "n,3,n", "Relu"), DIMS("n=..7"), "f32[7,3,7]");
    assert_int_equal(g->inputs[0].n_counts, 2);
    assert_int_equal(g->inputs[0].counts[1].by, 1);
    assert_string_equal(g->outputs[1].name, "y_count_0");
    assert_string_equal(g->outputs[2].name, "y_count_2");
}

/* Dimensions whose name says what they are the sum of. */
static void sums(void **state)
{
    Fixture *f = *state;
    Build *b = simple(f, "n + 1,n*2,w", "Relu");
    build_input(b, "z", FLOAT, "n,w");
    expect_type(f, b, DIMS("n=4", "w=3"), "f32[5,8,3]");
    expect_type(f, b, DIMS("*=4"), "f32[5,8,4]");
    expect_type(f, b, DIMS("n=4", "w=3", "n + 1=7"), "f32[7,8,3]");
    b = simple(f, "n + w + 1,3", "Relu");
    build_input(b, "z", FLOAT, "w");
    Graph *g = expect_type(f, b, DIMS("n=..4", "w=..3"), "f32[8,3]");
    assert_int_equal(g->n_inputs, 4);
    assert_int_equal(graph_bound(g, 2), 4);
    assert_int_equal(graph_bound(g, 3), 3);
    assert_true(graph_is_sum(g, 0, 0) && !graph_is_sum(g, 1, 0));
    expect_refused(f, simple(f, "1,n*2", "Relu"), DIMS("n=..4"), "dimension 'n*2' is open");
    expect_refused(f, simple(f, "1,n*2", "Relu"), DIMS("m=4"), "the model has no dimension 'm'");
}

static void refused(void **state)
{
    Fixture *f = *state;
    expect_refused(f, simple(f, "n,3", "Relu"), DIMS("n=..0"), "must be SYMBOL=N");
    expect_refused(f, simple(f, "n,3", "Relu"), DIMS("*=..4"),
                   "a dimension with a bound has to be named");
    expect_refused(f, simple(f, "n,n,n,n,n", "Relu"), DIMS("n=..4"), "5 bounds are more than 4");
    Build *strings = simple(f, "n,3", "Identity");
    strings->graph->input[0]->type->tensor_type->elem_type = DT_STRING;
    expect_refused(f, strings, DIMS("n=..4"),
                   " cannot have a bound: its elements are no numbers of a whole byte, or known");
    Build *many = begin(f);
    build_node(many, "Shape", "x", "shape");
    build_node(many, "Gather", "shape one", "n");
    along(many, build_node(many, "Concat", "n n n n n", "five"), 0);
    build_node(many, "ConstantOfShape", "five", "y");
    build_output(many, "y", 0, NULL);
    expect_refused(f, many, DIMS("n=..4"),
                   "a value has data-dependent rows along more than 4 dimensions");
    expect_refused(f, simple(f, "n,3", "Unique"), DIMS("n=..4"), "(Unique)");
    ImportOptions twice = {.dims = (const char *const[]){"n=4"},
                           .n_dims = 1,
                           .shapes = (const char *const[]){"x=..4x3"},
                           .n_shapes = 1};
    expect_refused(f, simple(f, "n,3", "Relu"), &twice, "dimension 'n' is 4 by");
    Build *b = begin(f);
    build_node(b, "Shape", "x", "shape");
    build_node(b, "Gather", "shape one", "n");
    build_node(b, "Slice", "x n minus_one one", "y");
    build_output(b, "y", 0, NULL);
    expect_refused(f, b, DIMS("n=..4"), "how many a part of them has is not known");
    b = begin(f);
    build_node(b, "Shape", "x", "shape");
    build_node(b, "Gather", "shape one", "n");
    build_node(b, "Add", "n one", "m");
    build_node(b, "Slice", "x n m one", "y");
    build_output(b, "y", 0, NULL);
    expect_refused(f, b, DIMS("n=..4"), "a part may end behind the last one");
    b = begin(f);
    build_node(b, "Shape", "x", "shape");
    along(b, build_node(b, "Gather", "shape scalar_one", "n"), 0);
    build_node(b, "Range", "scalar_one n scalar_one", "y");
    build_output(b, "y", 0, NULL);
    expect_refused(f, b, DIMS("n=..4"),
                   "how far limit is from start depends on data, and start is not 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_as_exact, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(ports, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(sums, fixture_begin, fixture_end),
        cmocka_unit_test_setup_teardown(refused, fixture_begin, fixture_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
