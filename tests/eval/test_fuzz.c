/* Random nodes: whatever operands and attributes text IR may bring, a shape function refuses them or the evaluator
 * copes with them. The sanitizers are the judges. The numbers are the same in every run. FUZZ_OP=Name and FUZZ_ROUNDS=n look closer at one operator. */
#include "../../gen/eval/eval.h"
#include "../../gen/ops/ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS_PER_OP = 600, MAX_IN = 9, MAX_OUT = 4, MAX_BYTES = 1 << 16 };

typedef struct Fuzz {
    uint64_t state;
    Arena *arena;
    Diag diag;
    Graph *g;
    int64_t dims[MAX_RANK]; /* what most operands look like */
    int rank;
    DType dtype;
    int64_t alike; /* all dimensions and integers are this number; 0: they differ */
} Fuzz;

static uint64_t next(Fuzz *f)
{
    uint64_t z = f->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static int64_t pick(Fuzz *f, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(next(f) % (uint64_t)(hi - lo + 1));
}

static bool one_in(Fuzz *f, int n)
{
    return pick(f, 1, n) == 1;
}

static int64_t any_int(Fuzz *f)
{
    static const int64_t odd[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1, 1 << 20};
    if (one_in(f, f->alike ? 400 : 60))
        return odd[pick(f, 0, COUNT_OF(odd) - 1)];
    return f->alike && !one_in(f, 3) ? 1 : pick(f, 0, 3);
}

static double any_float(Fuzz *f)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, 1e30, -1e300, 1e-300};
    return one_in(f, 40) ? odd[pick(f, 0, COUNT_OF(odd) - 1)] : (double)pick(f, -40, 40) / 8;
}

static DType any_dtype(Fuzz *f)
{
    static const DType types[] = {DT_F32, DT_I64, DT_I32, DT_U8,  DT_I8,  DT_BOOL, DT_F16,
                                  DT_F64, DT_U64, DT_U32, DT_I16, DT_U16, DT_BF16};
    return types[pick(f, 0, COUNT_OF(types) - 1)];
}

/* Random contents; indices and lengths are small. */
static ValueId add_operand(Fuzz *f, TensorType t)
{
    size_t n = (size_t)type_count(&t);
    void *data = arena_alloc(f->arena, type_bytes(&t));
    for (size_t i = 0; i < n; i++)
        if (dtype_is_float(t.dtype))
            elem_set_f64(t.dtype, data, i, any_float(f));
        else
            elem_set_i64(t.dtype, data, i, one_in(f, 60) ? any_int(f) : pick(f, -3, 3));
    return graph_add_const(f->g, NULL, t, data);
}

static ValueId operand(Fuzz *f)
{
    TensorType t = type_make(f->dtype, f->rank, f->dims);
    if (one_in(f, 3) && !(f->alike && one_in(f, 2)))
        t.dtype = one_in(f, 2) ? (one_in(f, 2) ? DT_I64 : DT_I32) : any_dtype(f);
    if (one_in(f, 3))
        t.rank = (int)pick(f, 0, f->rank + 1);
    for (int d = 0; d < t.rank; d++)
        if (f->alike)
            t.dims[d] = f->alike;
        else if (d >= f->rank || one_in(f, 4))
            t.dims[d] = one_in(f, 12) ? 0 : pick(f, 1, 4);
    return add_operand(f, t);
}

/* Operands that go together, for ops that chance would hardly ever serve. */
static const char *const examples[OP_COUNT] = {
    [OP_Conv] = "f32[2,2,4,3] f32[3,2,2,1] f32[3]",
    [OP_ConvTranspose] = "f32[2,2,4,3] f32[2,3,2,1] f32[3]",
    [OP_BatchNormalization] = "f32[2,3,2] f32[3] f32[3] f32[3] f32[3]",
    [OP_InstanceNormalization] = "f32[2,3,2] f32[3] f32[3]",
    [OP_GroupNormalization] = "f32[2,4,2] f32[4] f32[4]",
    [OP_RoiAlign] = "f32[2,2,3,4] f32[2,4] i64[2]",
    [OP_MaxRoiPool] = "f32[2,2,3,4] f32[2,5]",
    [OP_LSTM] = "f32[3,2,2] f32[1,4,2] f32[1,4,1] f32[1,8] i32[2] f32[1,2,1] f32[1,2,1] f32[1,3]",
    [OP_GRU] = "f32[3,2,2] f32[1,3,2] f32[1,3,1] f32[1,6] i32[2] f32[1,2,1]",
    [OP_RNN] = "f32[3,2,2] f32[1,1,2] f32[1,1,1] f32[1,2] i32[2] f32[1,2,1]",
    [OP_ReverseSequence] = "f32[3,3,2] i64[3]",
    [OP_ConvInteger] = "u8[1,2,4,3] i8[3,2,2,1] u8[] i8[3]",
    [OP_MatMulInteger] = "u8[2,3,2] i8[2,3] u8[3] i8[3]",
    [OP_QLinearConv] = "u8[1,2,4,3] f32[] u8[] i8[3,2,2,1] f32[3] i8[3] f32[] u8[] i32[3]",
    [OP_QLinearMatMul] = "u8[2,3,2] f32[] u8[] i8[2,3] f32[3] i8[3] f32[1] i8[1]",
};

static uint32_t example(Fuzz *f, Op op, ValueId *in)
{
    uint32_t n = 0;
    char *end;
    for (const char *p = examples[op]; *p; n++) {
        TensorType t = {0};
        if (!dtype_from_name(arena_strndup(f->arena, p, strcspn(p, "[")), &t.dtype))
            fail_msg("%s", p);
        for (p = strchr(p, '[') + 1; *p != ']'; p = end + (*end == ','))
            t.dims[t.rank++] = strtoll(p, &end, 10);
        p += 1 + strspn(p + 1, " ");
        in[n] = add_operand(f, t);
        f->rank = n ? f->rank : t.rank;
    }
    while ((int)n > op_info(op)->min_in && one_in(f, 4))
        n--;
    f->alike = 1;
    return n;
}

/* Every attribute that some op has; `size` is the length of a list in terms of the rank: r, 2 is 2r, s is r - 2,
 * t is 2(r - 2), n the
 * activations of a recurrent layer. Words are separated by '|'. */
static const struct AttrRow {
    const char *name;
    char kind, size;
    const char *words;
} attr_rows[] = {
    {"activation_alpha", 'F', 'n', NULL},
    {"activation_beta", 'F', 'n', NULL},
    {"activations", 's', 0, "Sigmoid,Tanh,Tanh|Sigmoid,Tanh|Relu|Affine,Elu,Softsign"},
    {"align_corners", 'i', 0, NULL},
    {"alpha", 'f', 0, NULL},
    {"axes", 'I', '1', NULL},
    {"axis", 'i', 0, NULL},
    {"axis_end", 'i', 0, NULL},
    {"batch_axis", 'i', 0, NULL},
    {"batch_dims", 'i', 0, NULL},
    {"beta", 'f', 0, NULL},
    {"bias", 'f', 0, NULL},
    {"ceil_pads", 'I', 's', NULL},
    {"coordinate_transformation_mode", 's', 0,
     "half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|asymmetric|"
     "tf_half_pixel_for_nn|tf_crop_and_resize"},
    {"count_include_pad", 'i', 0, NULL},
    {"depth", 'i', 0, NULL},
    {"detect_negative", 'i', 0, NULL},
    {"detect_positive", 'i', 0, NULL},
    {"dilations", 'I', 's', NULL},
    {"direction", 's', 0, "forward|reverse|bidirectional"},
    {"epsilon", 'f', 0, NULL},
    {"equation", 's', 0, "ij,jk->ik|ij->ji|ii->i|i,i->|ij->|i,j->ij|abc,acd->abd"},
    {"exclude_outside", 'i', 0, NULL},
    {"exclusive", 'i', 0, NULL},
    {"extrapolation_value", 'f', 0, NULL},
    {"fmod", 'i', 0, NULL},
    {"gamma", 'f', 0, NULL},
    {"group", 'i', 0, NULL},
    {"half_pixel", 'i', 0, NULL},
    {"hidden_size", 'i', 0, NULL},
    {"k", 'i', 0, NULL},
    {"keepdims", 'i', 0, NULL},
    {"kernel_shape", 'I', 's', NULL},
    {"lambd", 'f', 0, NULL},
    {"largest", 'i', 0, NULL},
    {"left", 'i', 0, NULL},
    {"max", 'f', 0, NULL},
    {"min", 'f', 0, NULL},
    {"mode", 's', 0, "nearest|linear|cubic|constant|reflect|edge|wrap|avg|max"},
    {"nearest_mode", 's', 0, "round_prefer_floor|round_prefer_ceil|floor|ceil"},
    {"num_groups", 'i', 0, NULL},
    {"output_height", 'i', 0, NULL},
    {"output_padding", 'I', 's', NULL},
    {"output_width", 'i', 0, NULL},
    {"p", 'i', 0, NULL},
    {"padding_mode", 's', 0, "zeros|border|reflection"},
    {"pads", 'I', 't', NULL},
    {"perm", 'I', 'r', NULL},
    {"pooled_shape", 'I', '2', NULL},
    {"reduction", 's', 0, "none|add|mul|max|min"},
    {"repeats", 'I', 'r', NULL},
    {"reverse", 'i', 0, NULL},
    {"roi", 'F', 'R', NULL},
    {"sampling_ratio", 'i', 0, NULL},
    {"scales", 'F', 'r', NULL},
    {"select_last_index", 'i', 0, NULL},
    {"shape", 'I', 'r', NULL},
    {"size", 'i', 0, NULL},
    {"sizes", 'I', 'r', NULL},
    {"sorted", 'i', 0, NULL},
    {"spatial_scale", 'f', 0, NULL},
    {"split", 'I', '2', NULL},
    {"starts", 'I', 'r', NULL},
    {"steps", 'I', 'r', NULL},
    {"storage_order", 'i', 0, NULL},
    {"strides", 'I', 's', NULL},
    {"time_axis", 'i', 0, NULL},
    {"to", 'i', 0, NULL},
    {"transA", 'i', 0, NULL},
    {"transB", 'i', 0, NULL},
    {"upper", 'i', 0, NULL},
    {"value", 'f', 0, NULL},
};

static size_t list_size(Fuzz *f, Op op, const struct AttrRow *row)
{
    size_t r = (size_t)f->rank;
    if (one_in(f, 40))
        return (size_t)pick(f, 0, 14);
    switch (row->size) {
    case 's':
        return r > 2 ? r - 2 : 0;
    case 't':
        return op == OP_Pad ? 2 * r : r > 2 ? 2 * (r - 2) : 0;
    case 'n':
        return op == OP_LSTM ? 3 : op == OP_GRU ? 2 : 1;
    case 'r':
        return r;
    case 'R':
        return 2 * r;
    default:
        return row->size ? (size_t)(row->size - '0') : 1;
    }
}

static const char *any_word(Fuzz *f, const char *words)
{
    int64_t n = 1;
    for (const char *p = words; *p; p++)
        n += *p == '|';
    for (n = pick(f, 1, n); n > 1; n--)
        words = strchr(words, '|') + 1;
    return arena_strndup(f->arena, words, strcspn(words, "|"));
}

static Attr any_attr(Fuzz *f, Op op, const struct AttrRow *row)
{
    char kind = one_in(f, 200) ? "ifsIF"[pick(f, 0, 4)] : row->kind;
    size_t n = list_size(f, op, row);
    int64_t *ints = ARENA_ARRAY(f->arena, int64_t, n + 1);
    double *floats = ARENA_ARRAY(f->arena, double, n + 1);
    for (size_t k = 0; k < n; k++) {
        ints[k] = any_int(f);
        floats[k] = any_float(f);
    }
    switch (kind) {
    case 'i':
        return ATTR_I(row->name, !strcmp(row->name, "to") ? (int64_t)any_dtype(f) : any_int(f));
    case 'f':
        return ATTR_F(row->name, any_float(f));
    case 's':
        return ATTR_S(row->name, row->words ? any_word(f, row->words) : "");
    case 'I':
        return ATTR_IS(row->name, ints, n);
    default:
        return ATTR_FS(row->name, floats, n);
    }
}

/* The operands in allocations of exactly their size. */
static void evaluate(Fuzz *f, const Node *n)
{
    Tensor in[MAX_IN], out[MAX_OUT], *wanted[MAX_OUT] = {0};
    const Tensor *given[MAX_IN] = {0};
    for (uint32_t k = 0; k < n->n_out; k++)
        if (type_bytes(type_of(f->g, n->out[k])) > MAX_BYTES)
            return;
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (!has_value(n->in[k]))
            continue;
        const Value *v = value_at(f->g, n->in[k]);
        size_t bytes = type_bytes(&v->type);
        in[k] = (Tensor){v->type, bytes ? malloc(bytes) : NULL};
        if (bytes)
            memcpy(in[k].data, v->data, bytes);
        given[k] = &in[k];
    }
    for (uint32_t k = 0; k < n->n_out; k++) {
        out[k].type = *type_of(f->g, n->out[k]);
        out[k].data = calloc(1, type_bytes(&out[k].type) + !type_bytes(&out[k].type));
        wanted[k] = k > 0 && one_in(f, 9) ? NULL : &out[k];
    }
    Arena *scratch = arena_new();
    (void)eval_node(f->g, n, given, wanted, scratch);
    arena_free(scratch);
    for (uint32_t k = 0; k < n->n_in; k++)
        if (given[k])
            free(in[k].data);
    for (uint32_t k = 0; k < n->n_out; k++)
        free(out[k].data);
}

/* Whether the shape function took it. */
static bool try_node(Fuzz *f, Op op)
{
    const OpInfo *info = op_info(op);
    ValueId in[MAX_IN];
    Attr attrs[COUNT_OF(attr_rows)];
    uint32_t n_attr = 0;
    int max_in = info->max_in < 0 ? info->min_in + 2 : info->max_in,
        max_out = info->max_out < 0 ? info->min_out + 1 : info->max_out;
    uint32_t n_in = (uint32_t)pick(f, info->min_in, max_in);
    f->alike = one_in(f, 2) ? pick(f, 1, 2) : 0;
    f->rank = (int)pick(f, 0, 5);
    f->dtype = one_in(f, 2) ? DT_F32 : any_dtype(f);
    for (int d = 0; d < f->rank; d++)
        f->dims[d] = f->alike ? f->alike : one_in(f, 30) ? 0 : pick(f, 1, 4);
    if (examples[op] && !one_in(f, 4))
        n_in = example(f, op, in);
    else
        for (uint32_t k = 0; k < n_in; k++)
            in[k] = k > 0 && one_in(f, 12) ? NO_VALUE : operand(f);
    for (size_t k = 0; k < COUNT_OF(attr_rows); k++)
        if (!one_in(f, 150))
            attrs[n_attr++] = any_attr(f, op, &attr_rows[k]);
    NodeId id = graph_add_node(f->g, op, "n", 0, in, n_in,
                               (uint32_t)pick(f, info->min_out, max_out), NULL, attrs, n_attr);
    if (id.i == NO_NODE.i) {
        assert_non_null(f->diag.message);
        return false;
    }
    evaluate(f, node_at(f->g, id));
    return true;
}

static void random_nodes(void **state)
{
    (void)state;
    const char *only = getenv("FUZZ_OP"), *rounds = getenv("FUZZ_ROUNDS");
    uint64_t n = rounds ? strtoull(rounds, NULL, 10) : ROUNDS_PER_OP;
    for (int op = 0; op < OP_COUNT; op++) {
        int taken = 0;
        if (only && strcmp(only, op_info((Op)op)->name))
            continue;
        for (uint64_t round = 0; round < n; round++) {
            Fuzz f = {.state = (uint64_t)op << 32 | round, .arena = arena_new()};
            f.diag.arena = f.arena;
            f.g = graph_new(f.arena, &f.diag, "fuzz", "fuzz");
            taken += try_node(&f, (Op)op);
            arena_free(f.arena);
        }
        if (only)
            print_message("%s: %d taken\n", op_info((Op)op)->name, taken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
