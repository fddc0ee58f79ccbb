/* Element types of less than a byte, and floats of a byte: the values they stand for, in the next wider type that the graph has.
 * Only constants have them, and what becomes of those depends on their values alone; a zero point alone says which range
 * numbers are brought to, so that its type is remembered. */
#include "node.h"

#include <math.h>

enum { FLOAT8E4M3FN = 17, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ, UINT4, INT4, FLOAT4E2M1 };
enum { FLOAT8E8M0 = 24, UINT2, INT2 };

typedef struct NarrowType {
    int bits;
    DType as;
    int exponent, bias; /* of floats: bits of the exponent, and its bias */
} NarrowType;

static const NarrowType types[] = {
    [FLOAT8E4M3FN] = {8, DT_F32, 4, 7}, [FLOAT8E4M3FNUZ] = {8, DT_F32, 4, 8},
    [FLOAT8E5M2] = {8, DT_F32, 5, 15},  [FLOAT8E5M2FNUZ] = {8, DT_F32, 5, 16},
    [UINT4] = {4, DT_U8, 0, 0},         [INT4] = {4, DT_I8, 0, 0},
    [FLOAT4E2M1] = {4, DT_F32, 2, 1},   [FLOAT8E8M0] = {8, DT_F32, 8, 127},
    [UINT2] = {2, DT_U8, 0, 0},         [INT2] = {2, DT_I8, 0, 0},
};

static const NarrowType *narrow_type(int64_t onnx_type)
{
    bool known = onnx_type >= 0 && onnx_type < (int64_t)COUNT_OF(types) && types[onnx_type].bits;
    return known ? &types[onnx_type] : NULL;
}

bool onnx_narrow(int64_t onnx_type, DType *as)
{
    const NarrowType *t = narrow_type(onnx_type);
    *as = t ? t->as : DT_NONE;
    return t != NULL;
}

size_t onnx_narrow_bytes(int64_t onnx_type, size_t count)
{
    size_t each = (size_t)(8 / types[onnx_type].bits);
    return count / each + (count % each != 0);
}

/* What the infinities and NaNs would be otherwise. */
static bool special(int64_t type, unsigned code, double *v)
{
    const unsigned low = code & 0x7f;
    switch (type) {
    case FLOAT8E4M3FN:
        *v = NAN;
        return low == 0x7f;
    case FLOAT8E5M2:
        *v = low == 0x7c ? (code & 0x80 ? -INFINITY : INFINITY) : NAN;
        return low >= 0x7c;
    case FLOAT8E4M3FNUZ:
    case FLOAT8E5M2FNUZ:
        *v = NAN;
        return code == 0x80;
    case FLOAT8E8M0:
        *v = code == 0xff ? NAN : ldexp(1, (int)code - 127);
        return true;
    default:
        return false;
    }
}

static double narrow_float(int64_t type, unsigned code)
{
    const NarrowType *t = &types[type];
    const int mantissa_bits = t->bits - 1 - t->exponent;
    double v;
    if (special(type, code, &v))
        return v;
    const int exponent = (int)(code >> mantissa_bits) & ((1 << t->exponent) - 1);
    const int mantissa = (int)code & ((1 << mantissa_bits) - 1);
    const int whole = exponent ? mantissa + (1 << mantissa_bits) : mantissa;
    v = ldexp(whole, (exponent ? exponent : 1) - t->bias - mantissa_bits);
    return code >> (t->bits - 1) ? -v : v;
}

void onnx_narrow_read(int64_t onnx_type, const uint8_t *bytes, size_t count, void *out)
{
    const NarrowType *t = &types[onnx_type];
    const size_t each = (size_t)(8 / t->bits);
    for (size_t i = 0; i < count; i++) {
        const unsigned code =
            (unsigned)bytes[i / each] >> (i % each * (size_t)t->bits) & ((1u << t->bits) - 1);
        if (dtype_is_float(t->as))
            elem_set_f64(t->as, out, i, narrow_float(onnx_type, code));
        else
            elem_set_i64(t->as, out, i,
                         t->as == DT_I8 && code >> (t->bits - 1) ? (int64_t)code - (1 << t->bits)
                                                                 : (int64_t)code);
    }
}

typedef struct Narrow {
    ValueId value;
    int64_t type;
    const struct Narrow *next;
} Narrow;

void onnx_narrow_note(Import *im, ValueId value, int64_t onnx_type)
{
    if (!narrow_type(onnx_type))
        return;
    Narrow *n = ARENA_NEW(im->g->arena, Narrow);
    *n = (Narrow){value, onnx_type, im->narrow};
    im->narrow = n;
}

int64_t onnx_narrow_of(const Import *im, ValueId value)
{
    for (const Narrow *n = im->narrow; n; n = n->next)
        if (n->value.i == value.i)
            return n->type;
    return 0;
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
