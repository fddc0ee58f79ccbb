/* Element types of less than a byte, and floats of a byte: see narrow.h. */
#include "narrow.h"

#include <math.h>
#include <string.h>

enum { FLOAT8E4M3FN = 17, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ, UINT4, INT4, FLOAT4E2M1 };
enum { FLOAT8E8M0 = 24, UINT2, INT2 };

static const NarrowType types[] = {
    [FLOAT8E4M3FN] = {"float8e4m3fn", DT_F32, 8, true, 3, -6, 0x7e, 0x7f, 0x7f},
    [FLOAT8E4M3FNUZ] = {"float8e4m3fnuz", DT_F32, 8, true, 3, -7, 0x7f, 0x80, 0x80},
    [FLOAT8E5M2] = {"float8e5m2", DT_F32, 8, true, 2, -14, 0x7b, 0x7c, 0x7e},
    [FLOAT8E5M2FNUZ] = {"float8e5m2fnuz", DT_F32, 8, true, 2, -15, 0x7f, 0x80, 0x80},
    [UINT4] = {"uint4", DT_U8, 4, false, 0, 0, 0, 0, 0},
    [INT4] = {"int4", DT_I8, 4, false, 0, 0, 0, 0, 0},
    [FLOAT4E2M1] = {"float4e2m1", DT_F32, 4, true, 1, 0, 7, 7, 8},
    [FLOAT8E8M0] = {"float8e8m0", DT_F32, 8, false, 0, -127, 0xfe, 0xff, 0xff},
    [UINT2] = {"uint2", DT_U8, 2, false, 0, 0, 0, 0, 0},
    [INT2] = {"int2", DT_I8, 2, false, 0, 0, 0, 0, 0},
};

const NarrowType *narrow_type(int64_t onnx_type)
{
    bool known = onnx_type >= 0 && onnx_type < (int64_t)COUNT_OF(types) && types[onnx_type].bits;
    return known ? &types[onnx_type] : NULL;
}

NarrowRounding narrow_rounding(const char *word)
{
    return !strcmp(word, "up") ? NARROW_UP : !strcmp(word, "down") ? NARROW_DOWN : NARROW_NEAREST;
}

size_t narrow_bytes(const NarrowType *t, size_t count)
{
    const size_t each = (size_t)(8 / t->bits);
    return count / each + (count % each != 0);
}

/* No infinities, and the code that -0 would have is NaN. */
static bool is_unsigned_zero(const NarrowType *t)
{
    return t->nan == 0x80;
}

static double float_number(const NarrowType *t, unsigned code)
{
    const unsigned sign = t->has_sign ? 1u << (t->bits - 1) : 0, low = code & ~sign;
    double v;
    if (!t->has_sign) /* a power of two and nothing else */
        return code == t->nan ? NAN : ldexp(1, (int)code + t->least);
    if (is_unsigned_zero(t) ? code == t->nan : low > t->most)
        return low == t->over && t->over != t->nan ? code & sign ? -INFINITY : INFINITY : NAN;
    const int exponent = (int)(low >> t->mantissa),
              mantissa = (int)(low & ((1u << t->mantissa) - 1));
    v = ldexp(exponent ? mantissa + (1 << t->mantissa) : mantissa,
              (exponent ? exponent - 1 : 0) + t->least - t->mantissa);
    return code & sign ? -v : v;
}

double narrow_number(const NarrowType *t, unsigned code)
{
    if (dtype_is_float(t->as))
        return float_number(t, code);
    return t->as == DT_I8 && code >> (t->bits - 1) ? (double)code - (1 << t->bits) : (double)code;
}

/* Of a positive power of two, or what lies between two. */
static unsigned exponent_code(const NarrowType *t, float v, bool saturate, NarrowRounding rounding)
{
    int exponent;
    if (v != v || v < 0)
        return t->nan;
    const float half = frexpf(v, &exponent); /* 0.5 … 1 */
    exponent +=
        (half > 0.5f && rounding == NARROW_UP) || (half >= 0.75f && rounding == NARROW_NEAREST);
    if (isinf(v) || exponent > 128)
        return saturate ? t->most : t->over;
    return v > 0 && exponent - 1 > t->least ? (unsigned)(exponent - 1 - t->least) : 0;
}

unsigned narrow_code(const NarrowType *t, float v, bool saturate, NarrowRounding rounding)
{
    int exponent;
    if (!t->has_sign)
        return exponent_code(t, v, saturate, rounding);
    const unsigned sign = signbit(v) ? 1u << (t->bits - 1) : 0;
    unsigned code;
    if (v != v)
        return is_unsigned_zero(t) ? t->nan : t->nan | sign;
    if (fabsf(v) > 0x1p20f) /* infinity too */
        code = t->most + 1;
    else {
        frexpf(fabsf(v), &exponent);
        exponent = v != 0 && exponent - 1 > t->least ? exponent - 1 : t->least;
        code = (unsigned)rintf(ldexpf(fabsf(v), t->mantissa - exponent)) +
               ((unsigned)(exponent - t->least) << t->mantissa);
    }
    if (code > t->most)
        code = saturate ? t->most : t->over;
    return is_unsigned_zero(t) && (code == 0 || code == t->nan) ? code : code | sign;
}

void narrow_unpack(const NarrowType *t, const uint8_t *bytes, size_t count, void *out)
{
    const size_t each = (size_t)(8 / t->bits);
    for (size_t i = 0; i < count; i++) {
        const unsigned code =
            (unsigned)bytes[i / each] >> (i % each * (size_t)t->bits) & ((1u << t->bits) - 1);
        elem_set_f64(t->as, out, i, narrow_number(t, code));
    }
}

void narrow_pack(const NarrowType *t, const void *elements, size_t count, bool saturate,
                 NarrowRounding rounding, uint8_t *bytes)
{
    const size_t each = (size_t)(8 / t->bits);
    if (count > 0)
        memset(bytes, 0, narrow_bytes(t, count));
    for (size_t i = 0; i < count; i++) {
        const unsigned code = dtype_is_float(t->as)
                                  ? narrow_code(t, ((const float *)elements)[i], saturate, rounding)
                                  : (unsigned)elem_i64(t->as, elements, i) & ((1u << t->bits) - 1);
        bytes[i / each] = (uint8_t)(bytes[i / each] | code << (i % each * (size_t)t->bits));
    }
}
