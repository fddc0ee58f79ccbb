/* Members of oneDNN's primitives and of plans of kernels as data: see program/fields.h. */
#include "fields.h"

#include <string.h>

#define ROW(type, member, k, ...)                                                                  \
    {                                                                                              \
        .name = #member, .kind = FIELD_##k, .at = offsetof(type, member),                          \
        .size = sizeof(((type *)NULL)->member), __VA_ARGS__                                        \
    }
#define ELEMENTS(type, member) .length = COUNT_OF(((type *)NULL)->member)
#define COUNTED(type, counted) .count = offsetof(type, counted)
#define PLAIN(type, member, k) ROW(type, member, k, .length = 0)
#define TWO(type, k, a, b) PLAIN(type, a, k), PLAIN(type, b, k)
#define FOUR(type, k, a, b, c, d) TWO(type, k, a, b), TWO(type, k, c, d)
#define NUMBERS(type, member) ROW(type, member, INT64S, ELEMENTS(type, member))
#define NUMBERS_OF(type, member, counted)                                                          \
    ROW(type, member, INT64S, ELEMENTS(type, member), COUNTED(type, counted))
#define NAMED(type, member, list) ROW(type, member, ENUM, .names = list)
#define INSIDE(type, member, table) ROW(type, member, STRUCT, .length = 1, .of = &table)
#define ARRAY_OF(type, member, counted, table)                                                     \
    ROW(type, member, STRUCT, ELEMENTS(type, member), COUNTED(type, counted), .of = &table)
#define LIST(type, member, counted, table)                                                         \
    ROW(type, member, STRUCTS, COUNTED(type, counted), .of = &table)
#define POINTER(type, member, table) ROW(type, member, POINTER, .of = &table)
#define TABLE(type, fields) .size = sizeof(type), .field = fields, .n = COUNT_OF(fields)

static const char *const forms[] = {"tag", "strides", "any", NULL};

static const Field memory_rows[] = {
    PLAIN(DnnlMemory, name, TEXT),      PLAIN(DnnlMemory, arg, INT),
    PLAIN(DnnlMemory, buffer, BUFFER),  PLAIN(DnnlMemory, dtype, DTYPE),
    NUMBERS_OF(DnnlMemory, dims, rank), NAMED(DnnlMemory, form, forms),
    PLAIN(DnnlMemory, tag, TEXT),       NUMBERS_OF(DnnlMemory, strides, rank),
    PLAIN(DnnlMemory, blob, BUFFER),
};

static void begin_memory(void *row)
{
    DnnlMemory *m = row;
    m->buffer = m->blob = NO_BUFFER;
}

static const FieldTable memory_table = {TABLE(DnnlMemory, memory_rows), .begin = begin_memory};

static const char *const post_kinds[] = {"sum", "eltwise", "binary", "prelu", "depthwise", NULL};

static const Field post_rows[] = {
    NAMED(DnnlPostOp, kind, post_kinds), PLAIN(DnnlPostOp, alg, ALGORITHM),
    TWO(DnnlPostOp, FLOAT, alpha, beta), PLAIN(DnnlPostOp, mask, INT),
    PLAIN(DnnlPostOp, memory, UNSIGNED), PLAIN(DnnlPostOp, stride, INT),
};
static const FieldTable post_table = {TABLE(DnnlPostOp, post_rows)};

static const Field panel_rows[] = {
    FOUR(Panel, INT64, lanes, vectors, rows, tiles),
    FOUR(Panel, INT64, whole, blocks, depth, step),
    TWO(Panel, INT64, lines, beside),
    PLAIN(Panel, cost, DOUBLE),
};
static const FieldTable panel_table = {TABLE(Panel, panel_rows)};

static const Field winograd_rows[] = {
    TWO(DnnlWinograd, INT64, tile, window),
    PLAIN(DnnlWinograd, planes, INT64),
    PLAIN(DnnlWinograd, error, DOUBLE),
    FOUR(DnnlWinograd, INT64, channels, outputs, height, width),
    FOUR(DnnlWinograd, INT64, out_height, out_width, pad_top, pad_left),
    FOUR(DnnlWinograd, INT64, src_pixel, dst_pixel, rows, columns),
    FOUR(DnnlWinograd, INT64, src_row, dst_row, src_short, dst_short),
    FOUR(DnnlWinograd, INT64, tiles, block, blocks, src_plane),
    FOUR(DnnlWinograd, INT64, dst_plane, threads, sets, edges),
    FOUR(DnnlWinograd, SIZE, product_at, edge_at, edge_floats, scratchpad_at),
    PLAIN(DnnlWinograd, set_bytes, SIZE),
    TWO(DnnlWinograd, INT64, channels_at_once, product_width),
    TWO(DnnlWinograd, INT64, taps, pairs),
    INSIDE(DnnlWinograd, panel, panel_table),
    POINTER(DnnlWinograd, matmul, primitive_fields),
};
static const FieldTable winograd_table = {TABLE(DnnlWinograd, winograd_rows)};

static const Field indirect_rows[] = {
    TWO(DnnlIndirect, INT64, channels, outputs),
    PLAIN(DnnlIndirect, images, INT64),
    NUMBERS(DnnlIndirect, size),
    NUMBERS(DnnlIndirect, out),
    NUMBERS(DnnlIndirect, window),
    NUMBERS(DnnlIndirect, stride),
    NUMBERS(DnnlIndirect, dilation),
    NUMBERS(DnnlIndirect, pad),
    FOUR(DnnlIndirect, INT64, src_pixel, dst_pixel, taps, pixels),
    FOUR(DnnlIndirect, INT64, across, line, width, before),
    TWO(DnnlIndirect, INT64, room, gathers),
    TWO(DnnlIndirect, INT64, taps_at_once, channels_at_once),
    TWO(DnnlIndirect, INT64, threads, pairs),
    TWO(DnnlIndirect, INT64, float_pixel, bytes),
    TWO(DnnlIndirect, INT64, band, bands),
    FOUR(DnnlIndirect, INT64, fours, rows_of_fours, low, floats),
    PLAIN(DnnlIndirect, ends, INT64),
    FOUR(DnnlIndirect, SIZE, zeros_at, sums_at, sums_floats, pairs_at),
    TWO(DnnlIndirect, SIZE, set_bytes, scratch_bytes),
    INSIDE(DnnlIndirect, panel, panel_table),
};
static const FieldTable indirect_table = {TABLE(DnnlIndirect, indirect_rows)};

static const Field epilogue_rows[] = {
    PLAIN(DnnlEpilogue, first_post, UNSIGNED),
    FOUR(DnnlEpilogue, INT64, channels, rows, blocks, src_pixel),
    TWO(DnnlEpilogue, INT64, dst_pixel, threads),
    PLAIN(DnnlEpilogue, own_product, BOOL),
    PLAIN(DnnlEpilogue, scratchpad_at, SIZE),
    POINTER(DnnlEpilogue, head, primitive_fields),
};
static const FieldTable epilogue_table = {TABLE(DnnlEpilogue, epilogue_rows)};

static const Field heads_rows[] = {
    PLAIN(DnnlHeads, memory, UNSIGNED),
    NUMBERS(DnnlHeads, dims),
    NUMBERS(DnnlHeads, strides),
    PLAIN(DnnlHeads, offset, INT64),
};
static const FieldTable heads_table = {TABLE(DnnlHeads, heads_rows)};

static const char *const score_kinds[] = {"scale", "add", "keep", "drop", NULL};

static const Field score_rows[] = {
    NAMED(ScoreOp, kind, score_kinds),
    PLAIN(ScoreOp, number, FLOAT),
    PLAIN(ScoreOp, arg, VALUE),
};

static void begin_score(void *row)
{
    ((ScoreOp *)row)->arg = NO_VALUE;
}

static const FieldTable score_table = {TABLE(ScoreOp, score_rows), .begin = begin_score};

#define PART(i, called)                                                                            \
    {                                                                                              \
        .name = called, .kind = FIELD_POINTER, .of = &primitive_fields,                            \
        .at = offsetof(DnnlAttention, part) + i * sizeof(DnnlPrimitive *),                         \
        .size = sizeof(DnnlPrimitive *)                                                            \
    }

static const Field attention_rows[] = {
    NUMBERS(DnnlAttention, dims),
    NUMBERS(DnnlAttention, block),
    TWO(DnnlAttention, INT64, blocks, threads),
    PLAIN(DnnlAttention, sets, INT64),
    INSIDE(DnnlAttention, query, heads_table),
    INSIDE(DnnlAttention, key, heads_table),
    INSIDE(DnnlAttention, value, heads_table),
    INSIDE(DnnlAttention, dst, heads_table),
    PLAIN(DnnlAttention, scale, FLOAT),
    ARRAY_OF(DnnlAttention, op, n_ops, score_table),
    ARRAY_OF(DnnlAttention, mask, n_ops, heads_table),
    FOUR(DnnlAttention, SIZE, probabilities_at, scratchpad_at, scratchpad_bytes, set_bytes),
    PART(0, "query_by_key"),
    PART(1, "softmax"),
    PART(2, "probabilities_by_value"),
    FOUR(DnnlAttention, INT64, lanes, rows, tiles, whole),
    TWO(DnnlAttention, SIZE, keys_at, values_at),
};
static const FieldTable attention_table = {TABLE(DnnlAttention, attention_rows)};

static const Field primitive_rows[] = {
    NAMED(DnnlPrimitive, kind, onednn_kind_names),
    PLAIN(DnnlPrimitive, alg, ALGORITHM),
    PLAIN(DnnlPrimitive, impl, TEXT),
    PLAIN(DnnlPrimitive, scratch_bytes, SIZE),
    PLAIN(DnnlPrimitive, one_thread, BOOL),
    PLAIN(DnnlPrimitive, spatial, INT),
    NUMBERS_OF(DnnlPrimitive, kernel, spatial),
    NUMBERS_OF(DnnlPrimitive, strides, spatial),
    NUMBERS_OF(DnnlPrimitive, dilates, spatial),
    NUMBERS_OF(DnnlPrimitive, pad_l, spatial),
    NUMBERS_OF(DnnlPrimitive, pad_r, spatial),
    PLAIN(DnnlPrimitive, axis, INT),
    PLAIN(DnnlPrimitive, size, INT64),
    TWO(DnnlPrimitive, FLOAT, alpha, beta),
    PLAIN(DnnlPrimitive, k, FLOAT),
    PLAIN(DnnlPrimitive, flags, UNSIGNED),
    LIST(DnnlPrimitive, memory, n_memory, memory_table),
    LIST(DnnlPrimitive, post, n_post, post_table),
    POINTER(DnnlPrimitive, winograd, winograd_table),
    POINTER(DnnlPrimitive, indirect, indirect_table),
    POINTER(DnnlPrimitive, epilogue, epilogue_table),
    POINTER(DnnlPrimitive, attention, attention_table),
};
const FieldTable primitive_fields = {TABLE(DnnlPrimitive, primitive_rows)};

static const char *const leaf_forms[] = {"value", "one", "dense", "list", NULL};
static const char *const tree_modes[TREE_MODES + 1] = {"leq", "lt",  "gte",    "gt",
                                                       "eq",  "neq", "member", "leaf"};

static const Field tree_rows[] = {
    NAMED(TreeForm, leaves, leaf_forms), NAMED(TreeForm, mode, tree_modes),
    PLAIN(TreeForm, feature_bits, INT),  FOUR(TreeForm, BOOL, masked, replaced, wide, steady),
    PLAIN(TreeForm, by_rows, BOOL),
};
static const FieldTable tree_table = {TABLE(TreeForm, tree_rows)};

static const char *const spreads[] = {"scalar", "channel", "full", "other", NULL};
static const Field spread_rows[] = {
    PLAIN(EpilogueOperand, value, VALUE),
    NAMED(EpilogueOperand, spread, spreads),
};
static const FieldTable spread_table = {TABLE(EpilogueOperand, spread_rows)};
static const Field part_rows[] = {
    NAMED(CPart, variant, c_variant_names),
    PLAIN(CPart, part, UNSIGNED),
};
static const FieldTable part_table = {TABLE(CPart, part_rows)};

static const Field plan_members[] = {
    NAMED(CPlan, variant, c_variant_names),
    FOUR(CPlan, INT64, rows, columns, lanes, width),
    FOUR(CPlan, INT64, at_once, pitch, line, slack),
    PLAIN(CPlan, summed, INT64),
    PLAIN(CPlan, in_double, BOOL),
    PLAIN(CPlan, blocks, INT64),
    TWO(CPlan, SIZE, second_at, scratch_bytes),
    INSIDE(CPlan, trees, tree_table),
    {.name = "epilogue",
     .kind = FIELD_STRUCT,
     .at = offsetof(CPlan, epilogue.operand),
     .length = EPILOGUE_OPERANDS_MAX,
     .of = &spread_table,
     .count = offsetof(CPlan, epilogue.n)},
    LIST(CPlan, parts, n_parts, part_table),
    PLAIN(CPlan, shared, INT64),
};
const FieldTable plan_fields = {TABLE(CPlan, plan_members)};

size_t field_length(const Field *f, const void *row)
{
    uint32_t n;
    if (!f->count)
        return f->length;
    memcpy(&n, (const char *)row + f->count,
           sizeof n); /* an int that is not negative, or unsigned */
    return f->kind == FIELD_STRUCTS || n < f->length ? n : f->length;
}

static bool member_differs(const Field *f, const void *a, const void *b)
{
    const size_t used = f->kind == FIELD_INT64S ? field_length(f, a) * sizeof(int64_t) : f->size;
    return memcmp((const char *)a + f->at, (const char *)b + f->at, used) != 0;
}

bool field_is_missing(const Field *f, const void *row, const void *untouched)
{
    if (f->kind == FIELD_ENUM)
        return false; /* what a row is stands in it */
    if (f->kind == FIELD_STRUCTS || (f->kind == FIELD_STRUCT && f->count))
        return field_length(f, row) == 0;
    return !member_differs(f, row, untouched);
}

/* Rows of an array or list, or the one that is neither. */
static bool rows_differ(const Field *f, const void *a, const void *b)
{
    const size_t n = field_length(f, a);
    const char *x = (const char *)a + f->at, *y = (const char *)b + f->at;
    if (n != field_length(f, b))
        return true;
    if (f->kind == FIELD_STRUCTS) {
        memcpy(&x, x, sizeof x);
        memcpy(&y, y, sizeof y);
    }
    for (size_t i = 0; i < n; i++)
        if (fields_differ(f->of, x + i * f->of->size, y + i * f->of->size))
            return true;
    return false;
}

const Field *fields_differ(const FieldTable *table, const void *a, const void *b)
{
    for (size_t i = 0; i < table->n; i++) {
        const Field *f = &table->field[i];
        if (f->kind == FIELD_STRUCT || f->kind == FIELD_STRUCTS ? rows_differ(f, a, b)
                                                                : member_differs(f, a, b))
            return f;
    }
    return NULL;
}
