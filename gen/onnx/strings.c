/* Strings exist while a model is imported, and as bytes at its borders. Inside, a string is its number in a table of all that there are, so that
 * equal ones have equal numbers and whatever moves elements moves strings. Their type, DT_STRING, keeps the numbers out of everything else;
 * at the end it is i64. An output is bytes again, each string of as many as the longest, padded with zeros. Those of an input have no number:
 * their bytes are compared with the bytes of known ones, and a value without a use stands for them. */
#include "../base/names.h"
#include "node.h"

enum {
    STRING_MAX = 1 << 20,   /* bytes of one */
    PORTS_MAX = 64,         /* inputs of strings */
    COMPARED_MAX = 1 << 26, /* bytes of a comparison */
    OVERHEAD = 192,         /* bytes that a string takes beside its own, at least */
};

struct Strings {
    NameMap numbers; /* from 1 */
    const char **texts;
    size_t n, cap;
    struct StringPort {
        ValueId value, bytes; /* strings […], u8[…, width] */
    } ports[PORTS_MAX];
    size_t n_ports;
};

static struct Strings *strings_of(Import *im)
{
    if (!im->strings) {
        im->strings = ARENA_NEW(im->g->arena, struct Strings);
        *im->strings = (struct Strings){.numbers = name_map_new(im->g->arena)};
    }
    return im->strings;
}

bool string_number(Import *im, const void *bytes, size_t n, int64_t *number)
{
    struct Strings *s = strings_of(im);
    if (n > STRING_MAX || (n && memchr(bytes, 0, n)))
        return refuse_graph(im->g,
                            n > STRING_MAX ? "a string of more than %d bytes is not supported"
                                           : "a string holds a zero byte, which is not supported",
                            STRING_MAX);
    if (!onnx_claim(im, n + OVERHEAD))
        return false;
    const char *text = arena_strndup(im->g->arena, n ? bytes : "", n);
    *number = name_map_find(&s->numbers, text);
    if (*number == 0) {
        ARENA_PUSH(im->g->arena, s->texts, s->n, s->cap, text);
        name_map_put(&s->numbers, text, (uint32_t)s->n);
        *number = (int64_t)s->n;
    }
    --*number;
    return true;
}

const char *string_text(const Import *im, int64_t number)
{
    if (!im->strings || number < 0 || (size_t)number >= im->strings->n)
        bug("there is no string %lld", (long long)number);
    return im->strings->texts[number];
}

/* The bytes of an input that this value stands for; NO_VALUE: it is something else. */
static ValueId port_bytes(const Import *im, ValueId v)
{
    const struct Strings *s = im->strings;
    for (size_t i = 0; s && i < s->n_ports; i++)
        if (same_value(s->ports[i].value, v))
            return s->ports[i].bytes;
    return NO_VALUE;
}

/* --- in nodes ----------------------------------------------------------------------------------------------------- */

bool has_strings(OnnxNode *c, uint32_t k)
{
    return has_in(c, k) && type_in(c, k)->dtype == DT_STRING;
}

const int64_t *known_strings(OnnxNode *c, uint32_t k, size_t *n)
{
    const ValueId v = in_at(c, k);
    *n = 0;
    if (failed(c) || !has_strings(c, k)) {
        refuse_onnx(c, "input %u must hold strings", k);
        return NULL;
    }
    if (!known(c, k)) {
        refuse_onnx(c, "input %u, strings, must be known at compile time; %s", k,
                    how_to_know(c, v));
        return NULL;
    }
    *n = (size_t)type_count(type_of(c->g, v));
    return value_at(c->g, v)->data;
}

const int64_t *get_strings(OnnxNode *c, const char *name, size_t *n)
{
    const Onnx__AttributeProto *a = onnx_attr(c, name);
    *n = 0;
    if (!a)
        return NULL;
    int64_t *numbers = ARENA_ARRAY(c->arena, int64_t, a->n_strings + 1);
    for (size_t i = 0; i < a->n_strings; i++)
        if (!string_number(c->im, a->strings[i].data, a->strings[i].len, &numbers[i]))
            return NULL;
    *n = a->n_strings;
    return numbers;
}

ValueId string_scalar(OnnxNode *c, const char *name, const char *missing)
{
    const Onnx__AttributeProto *a = onnx_attr(c, name);
    int64_t *number = ARENA_NEW(c->arena, int64_t);
    if (failed(c) || !string_number(c->im, a ? (const void *)a->s.data : missing,
                                    a ? a->s.len : strlen(missing), number))
        return NO_VALUE;
    return emit_const(c, type_make(DT_STRING, 0, NULL), number);
}

ValueId string_numbers(OnnxNode *c, ValueId v)
{
    if (failed(c) || dtype_of(c, v) != DT_STRING)
        return v;
    if (has_value(port_bytes(c->im, v)))
        return refuse_value(c, "strings of an input are compared with known ones only; %s",
                            how_to_know(c, v));
    const Value *value = value_at(c->g, v);
    if (value->data)
        return emit_const(c, type_make(DT_I64, value->type.rank, value->type.dims), value->data);
    c->im->takes_strings = true;
    v = emit(c, OP_Cast, IN(v), ATTRS(ATTR_I("to", DT_I64)));
    c->im->takes_strings = false;
    return v;
}

bool strings_move(OnnxNode *c, Op op, const ValueId *in, size_t n)
{
    static const Op moves[] = {OP_Where,  OP_Reshape,        OP_Transpose, OP_Expand,
                               OP_Tile,   OP_Concat,         OP_Split,     OP_Slice,
                               OP_Gather, OP_GatherElements, OP_GatherND};
    bool any = false, moving = c->im->takes_strings;
    for (size_t i = 0; i < n; i++) {
        if (!has_value(in[i]) || type_of(c->g, in[i])->dtype != DT_STRING)
            continue;
        any = true;
        if (has_value(port_bytes(c->im, in[i])))
            return refuse_onnx(c, "strings of an input are compared with known ones only; %s",
                               how_to_know(c, in[i]));
    }
    for (size_t i = 0; any && !moving && i < COUNT_OF(moves); i++)
        moving = op == moves[i];
    return !any || moving || refuse_onnx(c, "its inputs are strings, which it does not take");
}

/* --- at the borders ------------------------------------------------------------------------------------------------ */

/* These strings as bytes: u8[…, longest]. */
static ValueId string_bytes(OnnxNode *c, const TensorType *t, const char *const *texts)
{
    const size_t n = (size_t)type_count(t);
    size_t longest = 1;
    for (size_t i = 0; i < n; i++)
        longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    TensorType type = *t;
    type.dtype = DT_U8;
    if (type.rank == MAX_RANK)
        return refuse_value(c, "strings of %d dimensions are not supported", MAX_RANK);
    type.dims[type.rank++] = (int64_t)longest;
    if (!type_valid(&type) || !onnx_claim(c->im, type_bytes(&type)))
        return NO_VALUE;
    char *bytes = arena_alloc(c->arena, type_bytes(&type) + 1);
    memset(bytes, 0, type_bytes(&type));
    for (size_t i = 0; i < n; i++)
        memcpy(bytes + i * longest, texts[i], strlen(texts[i]));
    return emit_const(c, type, bytes);
}

/* Strings as bytes, of an input or known. */
static ValueId bytes_of(OnnxNode *c, ValueId v)
{
    if (failed(c) || has_value(port_bytes(c->im, v)))
        return failed(c) ? NO_VALUE : port_bytes(c->im, v);
    const Value *value = value_at(c->g, v);
    if (!value->data)
        return refuse_value(c, "strings of an input are compared with known ones only; %s",
                            how_to_know(c, v));
    const size_t n = (size_t)type_count(&value->type);
    const char **texts = ARENA_ARRAY(c->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        texts[i] = string_text(c->im, ((const int64_t *)value->data)[i]);
    return string_bytes(c, &value->type, texts);
}

/* With zeros behind its last dimension. */
static ValueId widened(OnnxNode *c, ValueId v, int64_t width)
{
    TensorType t = value_type(c, v);
    const int last = t.rank - 1;
    if (failed(c) || t.dims[last] >= width)
        return v;
    t.dims[last] = width - t.dims[last];
    return emit(c, OP_Concat, IN(v, filled(c, t, const_integer(c, DT_U8, 0))),
                ATTRS(ATTR_I("axis", last)));
}

ValueId strings_equal(OnnxNode *c, ValueId a, ValueId b, bool each)
{
    const int rank = value_type(c, a).rank;
    if (failed(c) || (!has_value(port_bytes(c->im, a)) && !has_value(port_bytes(c->im, b)))) {
        a = string_numbers(c, a);
        return emit(c, OP_Equal, IN(each ? unsqueeze(c, a, rank) : a, string_numbers(c, b)), NULL);
    }
    a = bytes_of(c, a);
    b = bytes_of(c, b);
    if (failed(c))
        return NO_VALUE;
    const TensorType x = value_type(c, a), y = value_type(c, b);
    const int64_t wide =
        x.dims[x.rank - 1] > y.dims[y.rank - 1] ? x.dims[x.rank - 1] : y.dims[y.rank - 1];
    if ((double)type_count(&x) * (each ? (double)y.dims[0] : 1) > COMPARED_MAX)
        return refuse_value(c, "it compares too many strings");
    a = widened(c, each ? unsqueeze(c, a, rank) : a, wide);
    ValueId same = emit(c, OP_Equal, IN(a, widened(c, b, wide)), NULL);
    const int64_t last = value_type(c, same).rank - 1;
    return cast(c, reduce(c, OP_ReduceMin, cast(c, same, DT_U8), &last, 1, false), DT_BOOL);
}

ValueId string_numbers_among(OnnxNode *c, ValueId v, const int64_t *numbers, size_t n)
{
    const int rank = value_type(c, v).rank;
    const int64_t axis[] = {rank};
    if (failed(c) || !has_value(port_bytes(c->im, v)))
        return string_numbers(c, v);
    const TensorType t = type_make(DT_STRING, 1, (int64_t[]){(int64_t)n});
    ValueId is = cast(c, strings_equal(c, v, emit_const(c, t, numbers), true), DT_U8);
    ValueId at =
        emit(c, OP_ArgMax, IN(is),
             ATTRS(ATTR_I("axis", rank), ATTR_I("keepdims", 0), ATTR_I("select_last_index", 0)));
    ValueId found = emit(c, OP_Gather, IN(const_ints(c, numbers, n), at), ATTRS(ATTR_I("axis", 0)));
    ValueId any = cast(c, reduce(c, OP_ReduceMax, is, axis, 1, false), DT_BOOL);
    return emit(c, OP_Where, IN(any, found, const_integer(c, DT_I64, -1)), NULL);
}

ValueId string_input(Import *im, const char *name, const TensorType *type, int64_t width)
{
    OnnxNode c = onnx_port_node(im, name);
    struct Strings *s = strings_of(im);
    TensorType t = *type;
    const int64_t last[] = {t.rank};
    t.dtype = DT_U8;
    if (t.rank < MAX_RANK)
        t.dims[t.rank++] = width;
    if (s->n_ports == PORTS_MAX || last[0] == t.rank || !type_valid(&t)) {
        refuse_graph(im->g,
                     "input '%s': its strings are too large, or more than %d inputs have some",
                     name, PORTS_MAX);
        return NO_VALUE;
    }
    const ValueId bytes = graph_add_input(im->g, name, t),
                  v = reduce(&c, OP_ReduceMax, bytes, last, 1, false);
    if (!has_value(v))
        return NO_VALUE;
    im->g->values[v.i].type.dtype = DT_STRING;
    s->ports[s->n_ports++] = (struct StringPort){v, bytes};
    return v;
}

ValueId string_output(Import *im, const char *name, ValueId v)
{
    OnnxNode c = onnx_port_node(im, name);
    const struct Strings *s = strings_of(im);
    const Value *value = value_at(im->g, v);
    if (value->data || has_value(port_bytes(im, v)))
        return bytes_of(&c, v);
    const TensorType all = type_make(DT_STRING, 1, (int64_t[]){(int64_t)s->n});
    return emit(&c, OP_Gather, IN(string_bytes(&c, &all, s->texts), string_numbers(&c, v)),
                ATTRS(ATTR_I("axis", 0)));
}

bool string_rows(Import *im, const char *bytes, size_t n, size_t width, int64_t *numbers)
{
    for (size_t i = 0; i < n; i++) {
        size_t size = width;
        while (size && !bytes[i * width + size - 1])
            size--;
        if (!string_number(im, bytes + i * width, size, &numbers[i]))
            return false;
    }
    return true;
}

void strings_end(Import *im)
{
    for (uint32_t i = 0; im->strings && i < im->g->n_values; i++)
        if (im->g->values[i].type.dtype == DT_STRING)
            im->g->values[i].type.dtype = DT_I64;
}
