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
    PLAIN(DnnlPostOp, alpha, FLOAT),     PLAIN(DnnlPostOp, beta, FLOAT),
    PLAIN(DnnlPostOp, mask, INT),        PLAIN(DnnlPostOp, memory, UNSIGNED),
    PLAIN(DnnlPostOp, stride, INT),
};
static const FieldTable post_table = {TABLE(DnnlPostOp, post_rows)};

static const Field panel_rows[] = {
    PLAIN(Panel, lanes, INT64), PLAIN(Panel, vectors, INT64), PLAIN(Panel, rows, INT64),
    PLAIN(Panel, tiles, INT64), PLAIN(Panel, whole, INT64),   PLAIN(Panel, blocks, INT64),
    PLAIN(Panel, depth, INT64), PLAIN(Panel, step, INT64),    PLAIN(Panel, lines, INT64),
    PLAIN(Panel, cost, DOUBLE),
};
static const FieldTable panel_table = {TABLE(Panel, panel_rows)};

static const Field winograd_rows[] = {
    PLAIN(DnnlWinograd, tile, INT64),
    PLAIN(DnnlWinograd, planes, INT64),
    PLAIN(DnnlWinograd, error, DOUBLE),
    PLAIN(DnnlWinograd, channels, INT64),
    PLAIN(DnnlWinograd, outputs, INT64),
    PLAIN(DnnlWinograd, height, INT64),
    PLAIN(DnnlWinograd, width, INT64),
    PLAIN(DnnlWinograd, out_height, INT64),
    PLAIN(DnnlWinograd, out_width, INT64),
    PLAIN(DnnlWinograd, pad_top, INT64),
    PLAIN(DnnlWinograd, pad_left, INT64),
    PLAIN(DnnlWinograd, src_pixel, INT64),
    PLAIN(DnnlWinograd, dst_pixel, INT64),
    PLAIN(DnnlWinograd, rows, INT64),
    PLAIN(DnnlWinograd, columns, INT64),
    PLAIN(DnnlWinograd, tiles, INT64),
    PLAIN(DnnlWinograd, block, INT64),
    PLAIN(DnnlWinograd, blocks, INT64),
    PLAIN(DnnlWinograd, src_plane, INT64),
    PLAIN(DnnlWinograd, dst_plane, INT64),
    PLAIN(DnnlWinograd, threads, INT64),
    PLAIN(DnnlWinograd, sets, INT64),
    PLAIN(DnnlWinograd, edges, INT64),
    PLAIN(DnnlWinograd, product_at, SIZE),
    PLAIN(DnnlWinograd, edge_at, SIZE),
    PLAIN(DnnlWinograd, edge_floats, SIZE),
    PLAIN(DnnlWinograd, scratchpad_at, SIZE),
    PLAIN(DnnlWinograd, set_bytes, SIZE),
    PLAIN(DnnlWinograd, channels_at_once, INT64),
    PLAIN(DnnlWinograd, product_width, INT64),
    INSIDE(DnnlWinograd, panel, panel_table),
    POINTER(DnnlWinograd, matmul, primitive_fields),
};
static const FieldTable winograd_table = {TABLE(DnnlWinograd, winograd_rows)};

static const Field indirect_rows[] = {
    PLAIN(DnnlIndirect, channels, INT64),
    PLAIN(DnnlIndirect, outputs, INT64),
    PLAIN(DnnlIndirect, images, INT64),
    NUMBERS(DnnlIndirect, size),
    NUMBERS(DnnlIndirect, out),
    NUMBERS(DnnlIndirect, window),
    NUMBERS(DnnlIndirect, stride),
    NUMBERS(DnnlIndirect, dilation),
    NUMBERS(DnnlIndirect, pad),
    PLAIN(DnnlIndirect, src_pixel, INT64),
    PLAIN(DnnlIndirect, dst_pixel, INT64),
    PLAIN(DnnlIndirect, taps, INT64),
    PLAIN(DnnlIndirect, pixels, INT64),
    PLAIN(DnnlIndirect, taps_at_once, INT64),
    PLAIN(DnnlIndirect, channels_at_once, INT64),
    PLAIN(DnnlIndirect, threads, INT64),
    PLAIN(DnnlIndirect, zeros_at, SIZE),
    PLAIN(DnnlIndirect, sums_at, SIZE),
    PLAIN(DnnlIndirect, sums_floats, SIZE),
    PLAIN(DnnlIndirect, scratch_bytes, SIZE),
    INSIDE(DnnlIndirect, panel, panel_table),
};
static const FieldTable indirect_table = {TABLE(DnnlIndirect, indirect_rows)};

static const Field epilogue_rows[] = {
    PLAIN(DnnlEpilogue, first_post, UNSIGNED), PLAIN(DnnlEpilogue, channels, INT64),
    PLAIN(DnnlEpilogue, rows, INT64),          PLAIN(DnnlEpilogue, blocks, INT64),
    PLAIN(DnnlEpilogue, src_pixel, INT64),     PLAIN(DnnlEpilogue, dst_pixel, INT64),
    PLAIN(DnnlEpilogue, threads, INT64),       PLAIN(DnnlEpilogue, own_product, BOOL),
    PLAIN(DnnlEpilogue, scratchpad_at, SIZE),  POINTER(DnnlEpilogue, head, primitive_fields),
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
    PLAIN(DnnlAttention, blocks, INT64),
    PLAIN(DnnlAttention, threads, INT64),
    PLAIN(DnnlAttention, sets, INT64),
    INSIDE(DnnlAttention, query, heads_table),
    INSIDE(DnnlAttention, key, heads_table),
    INSIDE(DnnlAttention, value, heads_table),
    INSIDE(DnnlAttention, dst, heads_table),
    PLAIN(DnnlAttention, scale, FLOAT),
    ARRAY_OF(DnnlAttention, op, n_ops, score_table),
    ARRAY_OF(DnnlAttention, mask, n_ops, heads_table),
    PLAIN(DnnlAttention, probabilities_at, SIZE),
    PLAIN(DnnlAttention, scratchpad_at, SIZE),
    PLAIN(DnnlAttention, scratchpad_bytes, SIZE),
    PLAIN(DnnlAttention, set_bytes, SIZE),
    PART(0, "query_by_key"),
    PART(1, "softmax"),
    PART(2, "probabilities_by_value"),
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
    PLAIN(DnnlPrimitive, alpha, FLOAT),
    PLAIN(DnnlPrimitive, beta, FLOAT),
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
    PLAIN(TreeForm, feature_bits, INT),  PLAIN(TreeForm, masked, BOOL),
    PLAIN(TreeForm, replaced, BOOL),     PLAIN(TreeForm, wide, BOOL),
    PLAIN(TreeForm, steady, BOOL),       PLAIN(TreeForm, by_rows, BOOL),
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
    PLAIN(CPlan, rows, INT64),
    PLAIN(CPlan, columns, INT64),
    PLAIN(CPlan, lanes, INT64),
    PLAIN(CPlan, width, INT64),
    PLAIN(CPlan, at_once, INT64),
    PLAIN(CPlan, pitch, INT64),
    PLAIN(CPlan, line, INT64),
    PLAIN(CPlan, slack, INT64),
    PLAIN(CPlan, summed, INT64),
    PLAIN(CPlan, in_double, BOOL),
    PLAIN(CPlan, blocks, INT64),
    PLAIN(CPlan, second_at, SIZE),
    PLAIN(CPlan, scratch_bytes, SIZE),
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
