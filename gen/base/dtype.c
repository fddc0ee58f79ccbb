/* Element types: names, sizes, conversions. */
#include "dtype.h"

#include <math.h>
#include <string.h>

static const struct DTypeInfo {
    const char *name, *c;
    size_t size;
} infos[] = {
    [DT_F32] = {"f32", "float", 4},      [DT_U8] = {"u8", "uint8_t", 1},
    [DT_I8] = {"i8", "int8_t", 1},       [DT_U16] = {"u16", "uint16_t", 2},
    [DT_I16] = {"i16", "int16_t", 2},    [DT_I32] = {"i32", "int32_t", 4},
    [DT_I64] = {"i64", "int64_t", 8},    [DT_BOOL] = {"bool", "uint8_t", 1},
    [DT_F16] = {"f16", "uint16_t", 2},   [DT_F64] = {"f64", "double", 8},
    [DT_U32] = {"u32", "uint32_t", 4},   [DT_U64] = {"u64", "uint64_t", 8},
    [DT_BF16] = {"bf16", "uint16_t", 2}, [DT_STRING] = {"string", "int64_t", 8},
};

bool dtype_supported(int onnx_type)
{
    return onnx_type > 0 && (size_t)onnx_type < COUNT_OF(infos) && infos[onnx_type].size > 0 &&
           onnx_type != DT_STRING;
}

size_t dtype_size(DType t)
{
    return infos[t].size;
}

const char *dtype_name(DType t)
{
    return dtype_supported(t) || t == DT_STRING ? infos[t].name : "none";
}

const char *dtype_c(DType t)
{
    return infos[t].c;
}

bool dtype_is_float(DType t)
{
    return t == DT_F32 || t == DT_F64 || t == DT_F16 || t == DT_BF16;
}

bool dtype_is_signed_int(DType t)
{
    return t == DT_I8 || t == DT_I16 || t == DT_I32 || t == DT_I64;
}

bool dtype_is_unsigned_int(DType t)
{
    return t == DT_U8 || t == DT_U16 || t == DT_U32 || t == DT_U64;
}

int64_t dtype_lowest(DType t)
{
    return dtype_is_signed_int(t) ? (int64_t)(UINT64_MAX << (dtype_size(t) * 8 - 1)) : 0;
}

int64_t dtype_highest(DType t)
{
    const int bits = (int)dtype_size(t) * 8 - dtype_is_signed_int(t);
    return t == DT_BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - bits));
}

bool dtype_from_name(const char *name, DType *t)
{
    for (size_t i = 0; i < COUNT_OF(infos); i++)
        if (dtype_supported((int)i) && !strcmp(infos[i].name, name)) {
            *t = (DType)i;
            return true;
        }
    return false;
}

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

float f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
    if (exponent == 31)
        return float_of(sign | 0x7f800000 | mantissa << 13);
    if (exponent == 0) {
        float f = (float)mantissa * 0x1p-24f;
        return sign ? -f : f;
    }
    return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t f32_to_f16(float f)
{
    uint32_t u = bits_of(f), sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* 65520 and more round to infinity */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* below 2^-14: a multiple of 2^-24 */
        float scaled = rintf(float_of(magnitude) * 0x1p24f);
        return (uint16_t)(sign | (uint32_t)scaled);
    }
    uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (rounded - 0x38000000) >> 13);
}

float bf16_to_f32(uint16_t h)
{
    return float_of((uint32_t)h << 16);
}

uint16_t f32_to_bf16(float f)
{
    uint32_t u = bits_of(f);
    if ((u & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* Cases of a switch over element types: how one is read, converted by `from`, and what is written. */
#define READ(type, c, from)                                                                        \
    case DT_##type:                                                                                \
        return from(((const c *)data)[i]);
#define WRITE(type, c, to)                                                                         \
    case DT_##type:                                                                                \
        ((c *)data)[i] = to;                                                                       \
        break;

double elem_f64(DType t, const void *data, size_t i)
{
    switch (t) {
        READ(F32, float, )
        READ(F64, double, )
        READ(F16, uint16_t, f16_to_f32)
        READ(BF16, uint16_t, bf16_to_f32)
        READ(U64, uint64_t, (double))
    default:
        return (double)elem_i64(t, data, i);
    }
}

/* Truncates towards zero; what does not fit gives INT64_MIN, as the x86 conversion does. */
static int64_t f64_to_i64(double v)
{
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

int64_t elem_i64(DType t, const void *data, size_t i)
{
    switch (t) {
        READ(BOOL, uint8_t, )
        READ(U8, uint8_t, )
        READ(I8, int8_t, )
        READ(U16, uint16_t, )
        READ(I16, int16_t, )
        READ(U32, uint32_t, )
        READ(I32, int32_t, )
        READ(U64, uint64_t, (int64_t))
        READ(I64, int64_t, )
        READ(STRING, int64_t, )
    default:
        return f64_to_i64(elem_f64(t, data, i));
    }
}

/* Rounding a double to f32 first and then to 16 bits could round twice: f64 -> f32 to odd avoids
 * that. */
static float f64_to_f32_odd(double v)
{
    float f = (float)v;
    if ((double)f == v || !isfinite(f) || v != v)
        return f;
    uint32_t u = bits_of(f);
    if (u & 1)
        return f;
    /* f was rounded to an even neighbour: step towards v, which gives the odd one */
    return nextafterf(f, (double)f < v ? INFINITY : -INFINITY);
}

void elem_set_f64(DType t, void *data, size_t i, double v)
{
    switch (t) {
        WRITE(F32, float, (float)v)
        WRITE(F64, double, v)
        WRITE(F16, uint16_t, f32_to_f16(f64_to_f32_odd(v)))
        WRITE(BF16, uint16_t, f32_to_bf16(f64_to_f32_odd(v)))
        WRITE(BOOL, uint8_t, v != 0)
        WRITE(U64, uint64_t, v >= 0x1p63 && v < 0x1p64 ? (uint64_t)v : (uint64_t)f64_to_i64(v))
    default:
        elem_set_i64(t, data, i, f64_to_i64(v));
    }
}

void elem_set_i64(DType t, void *data, size_t i, int64_t v)
{
    switch (t) {
        WRITE(BOOL, uint8_t, v != 0)
        WRITE(U8, uint8_t, (uint8_t)v)
        WRITE(I8, uint8_t, (uint8_t)v)
        WRITE(U16, uint16_t, (uint16_t)v)
        WRITE(I16, uint16_t, (uint16_t)v)
        WRITE(U32, uint32_t, (uint32_t)v)
        WRITE(I32, uint32_t, (uint32_t)v)
        WRITE(U64, uint64_t, (uint64_t)v)
        WRITE(I64, uint64_t, (uint64_t)v)
        WRITE(STRING, uint64_t, (uint64_t)v)
    default:
        elem_set_f64(t, data, i, (double)v);
    }
}
