/* Element types of less than a byte, and floats of a byte (base/narrow.h). Inside, their numbers have a wider type, in which all operators compute as
 * ever. Codes exist at the borders only: an input is bytes that a table turns into numbers, an output numbers that Narrow turns into bytes, and a
 * Cast to such a type is one after the other, which rounds. Which type a value has in the model is remembered where that says something of others: of
 * a zero point, or of what CastLike is like. */
#include "../base/narrow.h"

#include "node.h"

typedef struct Narrow {
    ValueId value;
    int64_t type;
    ValueId codes; /* bytes that it was made from; NO_VALUE: none */
    const struct Narrow *next;
} Narrow;

static void note(Import *im, ValueId value, int64_t onnx_type, ValueId codes)
{
    Narrow *n = ARENA_NEW(im->g->arena, Narrow);
    *n = (Narrow){value, onnx_type, codes, im->narrow};
    im->narrow = n;
}

void onnx_narrow_note(Import *im, ValueId value, int64_t onnx_type)
{
    if (narrow_type(onnx_type))
        note(im, value, onnx_type, NO_VALUE);
}

static const Narrow *find_note(const Import *im, ValueId value)
{
    const Narrow *n = im->narrow;
    while (n && !same_value(n->value, value))
        n = n->next;
    return n;
}

int64_t onnx_narrow_of(const Import *im, ValueId value)
{
    const Narrow *n = find_note(im, value);
    return n ? n->type : 0;
}

bool onnx_narrow_range(int64_t onnx_type, double *low, double *high)
{
    const NarrowType *t = narrow_type(onnx_type);
    if (!t || dtype_is_float(t->as))
        return false;
    *low = t->as == DT_I8 ? -(double)(1 << (t->bits - 1)) : 0;
    *high = *low + (double)((1 << t->bits) - 1);
    return true;
}

OnnxNode onnx_port_node(Import *im, const char *name)
{
    Onnx__NodeProto *p = ARENA_NEW(im->g->arena, Onnx__NodeProto);
    onnx__node_proto__init(p);
    p->name = arena_strdup(im->g->arena, name);
    p->op_type = arena_strdup(im->g->arena, "Cast");
    return (OnnxNode){.im = im, .g = im->g, .arena = im->g->arena, .p = p, .index = UINT32_MAX};
}

TensorType narrow_port(int64_t onnx_type, const TensorType *type)
{
    const NarrowType *t = narrow_type(onnx_type);
    const int64_t bytes = (int64_t)narrow_bytes(t, (size_t)type_count(type));
    return t->bits == 8 ? type_make(DT_U8, type->rank, type->dims) : type_make(DT_U8, 1, &bytes);
}

/* What each byte stands for, one number or several. */
static ValueId table_of(OnnxNode *c, const NarrowType *t)
{
    enum { BYTES = 256 };
    const int64_t dims[2] = {BYTES, 8 / t->bits};
    const TensorType type = type_make(t->as, t->bits == 8 ? 1 : 2, dims);
    uint8_t bytes[BYTES];
    void *table = arena_alloc(c->arena, type_bytes(&type));
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)i;
    narrow_unpack(t, bytes, (size_t)type_count(&type), table);
    return emit_const(c, type, table);
}

ValueId narrow_from_codes(OnnxNode *c, ValueId codes, int64_t onnx_type, const TensorType *type)
{
    const NarrowType *t = narrow_type(onnx_type);
    if (failed(c))
        return NO_VALUE;
    const int64_t all = type_count(type_of(c->g, codes)) * (8 / t->bits), count = type_count(type);
    ValueId v =
        emit(c, OP_Gather, IN(table_of(c, t), cast(c, codes, DT_I32)), ATTRS(ATTR_I("axis", 0)));
    if (all != count)
        v = slice_axis(c, reshape(c, v, 1, &all), 0, 0, count);
    v = reshape(c, v, type->rank, type->dims);
    if (ok(c))
        note(c->im, v, onnx_type, codes);
    return v;
}

static ValueId coded(OnnxNode *c, ValueId v, int64_t onnx_type, bool saturate, const char *rounding)
{
    return emit(
        c, OP_Narrow, IN(cast(c, v, narrow_type(onnx_type)->as)),
        ATTRS(ATTR_S("rounding", rounding), ATTR_I("saturate", saturate), ATTR_I("to", onnx_type)));
}

ValueId narrow_to_codes(OnnxNode *c, ValueId v, int64_t onnx_type)
{
    const Narrow *n = find_note(c->im, v);
    const TensorType port = narrow_port(onnx_type, type_of(c->g, v));
    ValueId codes = n && n->type == onnx_type && has_value(n->codes)
                        ? n->codes
                        : coded(c, v, onnx_type, true, "nearest");
    return reshape(c, codes, port.rank, port.dims);
}

ValueId narrow_cast(OnnxNode *c, ValueId v, int64_t onnx_type)
{
    const bool has_mode =
        dtype_is_float(narrow_type(onnx_type)->as) && !narrow_type(onnx_type)->has_sign;
    const char *rounding = has_mode ? get_string(c, "round_mode", "up") : "nearest";
    if (failed(c))
        return NO_VALUE;
    const TensorType type = *type_of(c->g, v);
    const bool saturate = get_int(c, "saturate", 1) != 0;
    return narrow_from_codes(c, coded(c, v, onnx_type, saturate, rounding), onnx_type, &type);
}
