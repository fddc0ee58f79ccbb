/* Sequences and optionals: lists of values while importing, never a node of the graph. */
#include "table.h"

enum { MAX_LIST = 10000 };

static bool list_at(OnnxNode *c, uint32_t k, const ItemList **list)
{
    if (!has_in(c, k) || c->in[k].kind != ITEM_LIST)
        return refuse_onnx(c, "input %u is not a sequence", k);
    *list = c->in[k].list;
    return true;
}

Item onnx_list(Arena *arena, const ValueId *values, size_t n)
{
    ItemList *list = ARENA_NEW(arena, ItemList);
    *list = (ItemList){n, arena_copy(arena, values, n * sizeof *values)};
    return (Item){.kind = ITEM_LIST, .list = list};
}

static bool give_list(OnnxNode *c, uint32_t k, const ValueId *values, size_t n)
{
    if (n > MAX_LIST)
        return refuse_onnx(c, "its sequence is too long");
    if (k < c->n_out)
        c->out[k] = onnx_list(c->arena, values, n);
    return ok(c);
}

bool norm_sequence_construct(OnnxNode *c)
{
    ValueId *values = ARENA_ARRAY(c->arena, ValueId, c->n_in + 1);
    if (!need_inputs(c, 1, MAX_LIST))
        return false;
    for (uint32_t k = 0; k < c->n_in; k++) {
        values[k] = in_at(c, k);
        if (!has_value(values[k]))
            return refuse_onnx(c, "input %u is missing", k);
    }
    return give_list(c, 0, values, c->n_in);
}

bool norm_sequence_empty(OnnxNode *c)
{
    DType dtype;
    return onnx_dtype(c->im, get_int(c, "dtype", DT_F32), where_of(c), &dtype) &&
           give_list(c, 0, NULL, 0);
}

/* A position in 0 … last; a negative one counts from the end of the n elements. */
static bool position_at(OnnxNode *c, uint32_t k, size_t n, size_t last, int64_t *position)
{
    *position = known_int(c, k, "position");
    *position += *position < 0 ? (int64_t)n : 0;
    return (*position >= 0 && *position <= (int64_t)last) ||
           refuse_onnx(c, "its position is out of range");
}

bool norm_sequence_at(OnnxNode *c)
{
    const ItemList *list = NULL;
    int64_t at;
    if (!list_at(c, 0, &list))
        return false;
    if (list->n == 0)
        return refuse_onnx(c, "its sequence is empty");
    return position_at(c, 1, list->n, list->n - 1, &at) && alias(c, 0, list->values[at]);
}

bool norm_sequence_insert(OnnxNode *c)
{
    const ItemList *list = NULL;
    if (!list_at(c, 0, &list))
        return false;
    int64_t at = (int64_t)list->n;
    ValueId v = in_at(c, 1);
    if (!has_value(v) || (has_in(c, 2) && !position_at(c, 2, list->n, list->n, &at)))
        return refuse_onnx(c, "input 1 is missing");
    ValueId *values = ARENA_ARRAY(c->arena, ValueId, list->n + 1);
    for (size_t i = 0; i <= list->n; i++)
        values[i] = i == (size_t)at ? v : list->values[i - (i > (size_t)at)];
    return give_list(c, 0, values, list->n + 1);
}

bool norm_sequence_erase(OnnxNode *c)
{
    const ItemList *list = NULL;
    if (!list_at(c, 0, &list))
        return false;
    int64_t at = (int64_t)list->n - 1;
    if (list->n == 0 || (has_in(c, 1) && !position_at(c, 1, list->n, list->n - 1, &at)))
        return refuse_onnx(c, "its sequence is empty");
    ValueId *values = ARENA_ARRAY(c->arena, ValueId, list->n);
    for (size_t i = 0; i + 1 < list->n; i++)
        values[i] = list->values[i + (i >= (size_t)at)];
    return give_list(c, 0, values, list->n - 1);
}

bool norm_sequence_length(OnnxNode *c)
{
    const ItemList *list = NULL;
    if (!list_at(c, 0, &list))
        return false;
    return alias(c, 0, const_integer(c, DT_I64, (int64_t)list->n));
}

static bool split_parts(OnnxNode *c, int64_t size, int64_t **sizes, size_t *n)
{
    size_t given = 0;
    const int64_t *split = has_in(c, 1) ? known_ints(c, 1, "split", &given) : NULL;
    if (failed(c) || size > MAX_LIST)
        return refuse_onnx(c, "its sequence is too long");
    bool each = !split || type_in(c, 1)->rank == 0;
    int64_t part = split && each ? split[0] : 1, left = size;
    if (part < 1)
        return refuse_onnx(c, "split is invalid");
    *n = each ? (size_t)((size + part - 1) / part) : given;
    *sizes = ARENA_ARRAY(c->arena, int64_t, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        (*sizes)[i] = each ? (part < left ? part : left) : split[i];
        if ((*sizes)[i] < 0 || (*sizes)[i] > left)
            return refuse_onnx(c, "split does not add up to %lld", (long long)size);
        left -= (*sizes)[i];
    }
    return left == 0 || refuse_onnx(c, "split does not add up to %lld", (long long)size);
}

bool norm_split_to_sequence(OnnxNode *c)
{
    int64_t *sizes = NULL;
    size_t n = 0;
    int axis = get_axis(c, "axis", 0, type_in(c, 0)->rank);
    if (failed(c) || !split_parts(c, type_in(c, 0)->dims[axis], &sizes, &n))
        return false;
    bool drop = !has_in(c, 1) && !get_int(c, "keepdims", 1);
    ValueId *values = ARENA_ARRAY(c->arena, ValueId, n + 1);
    int64_t at = 0;
    for (size_t i = 0; i < n && ok(c); i++) {
        values[i] = slice_axis(c, in_at(c, 0), axis, at, sizes[i]);
        values[i] = drop ? squeeze(c, values[i], axis) : values[i];
        at += sizes[i];
    }
    return give_list(c, 0, values, n);
}

bool norm_concat_from_sequence(OnnxNode *c)
{
    const ItemList *list = NULL;
    if (!list_at(c, 0, &list))
        return false;
    if (list->n == 0)
        return refuse_onnx(c, "its sequence is empty");
    bool is_new = get_int(c, "new_axis", 0) != 0;
    int axis = get_axis(c, "axis", INT64_MIN, type_of(c->g, list->values[0])->rank + is_new);
    ValueId *values = ARENA_ARRAY(c->arena, ValueId, list->n);
    for (size_t i = 0; i < list->n && ok(c); i++)
        values[i] = is_new ? unsqueeze(c, list->values[i], axis) : list->values[i];
    if (failed(c) || list->n == 1)
        return alias(c, 0, values[0]);
    return finish(c, 0, OP_Concat, values, list->n, ATTRS(ATTR_I("axis", axis)));
}

/* The body once for every element of the first sequence; other sequences go along, tensors stay. */
static bool map_element(OnnxNode *c, const Onnx__GraphProto *body, size_t i, Item *out)
{
    Item *in = ARENA_ARRAY(c->arena, Item, c->n_in);
    for (uint32_t k = 0; k < c->n_in; k++) {
        in[k] = c->in[k];
        if (in[k].kind != ITEM_LIST)
            continue;
        if (i >= in[k].list->n)
            return refuse_onnx(c, "its sequences differ in length");
        in[k] = (Item){.kind = ITEM_VALUE, .value = in[k].list->values[i]};
    }
    return onnx_subgraph(c, body, in, c->n_in, out);
}

bool norm_sequence_map(OnnxNode *c)
{
    const ItemList *list = NULL;
    const Onnx__GraphProto *body = get_graph(c, "body");
    if (!body || !list_at(c, 0, &list))
        return false;
    if (body->n_output != c->n_out)
        return refuse_onnx(c, "its body has %zu outputs", body->n_output);
    Item *out = ARENA_ARRAY(c->arena, Item, c->n_out);
    ValueId **values = ARENA_ARRAY(c->arena, ValueId *, c->n_out);
    for (uint32_t k = 0; k < c->n_out; k++)
        values[k] = ARENA_ARRAY(c->arena, ValueId, list->n + 1);
    for (size_t i = 0; i < list->n; i++) {
        if (!map_element(c, body, i, out))
            return false;
        for (uint32_t k = 0; k < c->n_out; k++) {
            if (out[k].kind != ITEM_VALUE)
                return refuse_onnx(c, "its body gives a sequence");
            values[k][i] = out[k].value;
        }
    }
    for (uint32_t k = 0; k < c->n_out; k++)
        give_list(c, k, values[k], list->n);
    return ok(c);
}

bool norm_optional(OnnxNode *c)
{
    if (c->n_out != 1 || c->n_in > 1)
        return refuse_onnx(c, "takes one input");
    c->out[0] = c->n_in ? c->in[0] : (Item){.kind = ITEM_EMPTY_OPTIONAL};
    return true;
}

bool norm_optional_get(OnnxNode *c)
{
    if (c->n_out != 1 || c->n_in != 1 || c->in[0].kind == ITEM_EMPTY_OPTIONAL)
        return refuse_onnx(c, "there is no element");
    c->out[0] = c->in[0];
    return true;
}

bool norm_optional_has(OnnxNode *c)
{
    return alias(c, 0,
                 const_integer(c, DT_BOOL, has_in(c, 0) && c->in[0].kind != ITEM_EMPTY_OPTIONAL));
}
