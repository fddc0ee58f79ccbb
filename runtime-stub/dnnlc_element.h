/* Elements of tensors: their types, as numbers, and at random. The executable and the self-test of a library share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNLC_ELEMENT_H
#define DNNLC_ELEMENT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The codes are those of ONNX's TensorProto.DataType. */
enum {
    DNNLC_F32 = 1,
    DNNLC_U8 = 2,
    DNNLC_I8 = 3,
    DNNLC_U16 = 4,
    DNNLC_I16 = 5,
    DNNLC_I32 = 6,
    DNNLC_I64 = 7,
    DNNLC_BOOL = 9,
    DNNLC_F16 = 10,
    DNNLC_F64 = 11,
    DNNLC_U32 = 12,
    DNNLC_U64 = 13,
    DNNLC_BF16 = 16
};

static inline float dnnlc_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t dnnlc_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Conversions round to nearest, ties to even; overflow gives infinity, and NaN stays NaN. */
static inline float dnnlc_f16_to_f32(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
    if (exponent == 0) { /* zero and subnormals: a multiple of 2^-24 */
        float magnitude = (float)mantissa * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    if (exponent == 31)
        return dnnlc_float_of_bits(sign | 0x7f800000 | mantissa << 13);
    return dnnlc_float_of_bits(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

static inline uint16_t dnnlc_f32_to_f16(float value)
{
    uint32_t bits = dnnlc_bits_of_float(value), magnitude = bits & 0x7fffffff;
    uint32_t sign = bits >> 16 & 0x8000;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* 65520, half-way between the largest f16 and 2^16 */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) /* below 2^-14: the sum with 0.5 has a unit of 2^-24 */
        return (uint16_t)(sign | (dnnlc_bits_of_float(dnnlc_float_of_bits(magnitude) + 0.5f) -
                                  0x3f000000));
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

static inline float dnnlc_bf16_to_f32(uint16_t value)
{
    return dnnlc_float_of_bits((uint32_t)value << 16);
}

static inline uint16_t dnnlc_f32_to_bf16(float value)
{
    uint32_t bits = dnnlc_bits_of_float(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline size_t dnnlc_element_size(int dtype)
{
    switch (dtype) {
    case DNNLC_F64:
    case DNNLC_I64:
    case DNNLC_U64:
        return 8;
    case DNNLC_F32:
    case DNNLC_I32:
    case DNNLC_U32:
        return 4;
    case DNNLC_F16:
    case DNNLC_BF16:
    case DNNLC_I16:
    case DNNLC_U16:
        return 2;
    default:
        return 1;
    }
}

/* The element's type and position are known to be right: memcpy keeps the access well defined. */
#define DNNLC_LOAD(type, data, i)                                                                  \
    do {                                                                                           \
        type value;                                                                                \
        memcpy(&value, (const char *)(data) + (i) * sizeof value, sizeof value);                   \
        return (double)value;                                                                      \
    } while (0)

/* Element i of dense data; 64-bit integers beyond 2^53 are rounded. */
static inline double dnnlc_element(int dtype, const void *data, size_t i)
{
    uint16_t half;
    switch (dtype) {
    case DNNLC_F32:
        DNNLC_LOAD(float, data, i);
    case DNNLC_F64:
        DNNLC_LOAD(double, data, i);
    case DNNLC_I8:
        DNNLC_LOAD(int8_t, data, i);
    case DNNLC_I16:
        DNNLC_LOAD(int16_t, data, i);
    case DNNLC_I32:
        DNNLC_LOAD(int32_t, data, i);
    case DNNLC_I64:
        DNNLC_LOAD(int64_t, data, i);
    case DNNLC_U16:
        DNNLC_LOAD(uint16_t, data, i);
    case DNNLC_U32:
        DNNLC_LOAD(uint32_t, data, i);
    case DNNLC_U64:
        DNNLC_LOAD(uint64_t, data, i);
    case DNNLC_F16:
    case DNNLC_BF16:
        memcpy(&half, (const char *)data + i * sizeof half, sizeof half);
        return (double)(dtype == DNNLC_F16 ? dnnlc_f16_to_f32(half) : dnnlc_bf16_to_f32(half));
    default:
        DNNLC_LOAD(uint8_t, data, i);
    }
}

/* Sebastiano Vigna's generator, as a function of its counter. */
static inline uint64_t dnnlc_splitmix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Stores `unit`, from [0, 1), as element i: scaled to [-1, 1) or rounded down from [0, 2). */
static inline void dnnlc_store_random(int dtype, void *data, size_t i, double unit)
{
    const size_t size = dnnlc_element_size(dtype);
    double f64 = -1.0 + 2.0 * unit;
    float f32 = (float)f64;
    uint64_t whole = unit >= 0.5;
    uint16_t half = dtype == DNNLC_F16 ? dnnlc_f32_to_f16(f32) : dnnlc_f32_to_bf16(f32);
    const void *value = &whole;
    if (dtype == DNNLC_F64)
        value = &f64;
    else if (dtype == DNNLC_F32)
        value = &f32;
    else if (dtype == DNNLC_F16 || dtype == DNNLC_BF16)
        value = &half;
    memcpy((char *)data + i * size, value, size);
}

/* The counter of the first random element of input k. */
static inline uint64_t dnnlc_random_base(uint64_t seed, size_t k)
{
    return seed * 1000003 + (uint64_t)k * 7919;
}

/* What --random and the self-test put into input k. */
static inline void dnnlc_store_all_random(int dtype, void *data, size_t count, uint64_t seed,
                                          size_t k)
{
    const uint64_t base = dnnlc_random_base(seed, k);
    for (size_t i = 0; i < count; i++)
        dnnlc_store_random(dtype, data, i, (double)(dnnlc_splitmix64(base + i) >> 11) * 0x1p-53);
}

#endif
