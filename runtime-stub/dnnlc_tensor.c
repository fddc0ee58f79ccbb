#include "dnnlc_tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct dnnlc_dtype dtypes[] = {
    {DNNLC_F32, "f32", "<f4", 4, DNNLC_FLOATING},   {DNNLC_U8, "u8", "|u1", 1, DNNLC_UNSIGNED},
    {DNNLC_I8, "i8", "|i1", 1, DNNLC_SIGNED},       {DNNLC_U16, "u16", "<u2", 2, DNNLC_UNSIGNED},
    {DNNLC_I16, "i16", "<i2", 2, DNNLC_SIGNED},     {DNNLC_I32, "i32", "<i4", 4, DNNLC_SIGNED},
    {DNNLC_I64, "i64", "<i8", 8, DNNLC_SIGNED},     {DNNLC_BOOL, "bool", "|b1", 1, DNNLC_BOOLEAN},
    {DNNLC_F16, "f16", "<f2", 2, DNNLC_FLOATING},   {DNNLC_F64, "f64", "<f8", 8, DNNLC_FLOATING},
    {DNNLC_U32, "u32", "<u4", 4, DNNLC_UNSIGNED},   {DNNLC_U64, "u64", "<u8", 8, DNNLC_UNSIGNED},
    {DNNLC_BF16, "bf16", "<V2", 2, DNNLC_FLOATING},
};

enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

const struct dnnlc_dtype *dnnlc_dtype_of(int code)
{
    for (int i = 0; i < N_DTYPES; i++)
        if (dtypes[i].code == code)
            return &dtypes[i];
    return NULL;
}

const struct dnnlc_dtype *dnnlc_dtype_of_npy(const char *text, size_t length)
{
    for (int i = 0; i < N_DTYPES; i++)
        if (strlen(dtypes[i].npy + 1) == length && !memcmp(dtypes[i].npy + 1, text, length))
            return &dtypes[i];
    return NULL;
}

bool dnnlc_array_describe(struct dnnlc_array *array, int dtype, int rank, const int64_t *dims,
                          char *why, size_t why_size)
{
    const struct dnnlc_dtype *type = dnnlc_dtype_of(dtype);
    if (!type)
        return dnnlc_fail(why, why_size, "element type %d is not supported", dtype);
    if (rank < 0 || rank > DNNLC_MAX_RANK)
        return dnnlc_fail(why, why_size, "%d dimensions, at most %d are supported", rank,
                          DNNLC_MAX_RANK);

    /* The product of the non-zero dimensions must fit, too: strides are computed from them. */
    const uint64_t most = PTRDIFF_MAX / type->size - DNNLC_ALIGN;
    uint64_t product = 1;
    bool empty = false;
    for (int d = 0; d < rank; d++) {
        if (dims[d] < 0)
            return dnnlc_fail(why, why_size, "dimension %d is %lld", d, (long long)dims[d]);
        if (dims[d] == 0)
            empty = true;
        else if (product > most / (uint64_t)dims[d])
            return dnnlc_fail(why, why_size, "the shape has too many elements");
        else
            product *= (uint64_t)dims[d];
    }
    *array = (struct dnnlc_array){.dtype = dtype, .rank = rank, .count = empty ? 0 : product};
    array->bytes = array->count * type->size;
    for (int d = 0; d < rank; d++)
        array->dims[d] = dims[d];
    return true;
}

void *dnnlc_alloc_aligned(size_t bytes, size_t align)
{
    if (align < DNNLC_ALIGN)
        align = DNNLC_ALIGN;
    if (bytes > SIZE_MAX - align)
        return NULL;
    size_t rounded = (bytes + align - 1) / align * align;
    return aligned_alloc(align, rounded ? rounded : align);
}

bool dnnlc_array_alloc(struct dnnlc_array *array, char *why, size_t why_size)
{
    array->data = dnnlc_alloc_aligned(array->bytes, DNNLC_ALIGN);
    if (!array->data)
        return dnnlc_fail(why, why_size, "no memory for %zu bytes", array->bytes);
    return true;
}

void dnnlc_array_free(struct dnnlc_array *array)
{
    free(array->data);
    free(array->name);
    *array = (struct dnnlc_array){0};
}

bool dnnlc_arrays_add(struct dnnlc_arrays *list, struct dnnlc_array *array, char *why,
                      size_t why_size)
{
    const size_t n = list->count;
    if ((n & (n - 1)) == 0) { /* there is space for the next power of two */
        struct dnnlc_array *grown = realloc(list->arrays, (n ? 2 * n : 1) * sizeof *grown);
        if (!grown) {
            dnnlc_array_free(array);
            return dnnlc_fail(why, why_size, "no memory for a list of tensors");
        }
        list->arrays = grown;
    }
    list->arrays[list->count++] = *array;
    return true;
}

void dnnlc_arrays_free(struct dnnlc_arrays *list, size_t first)
{
    while (list->count > first)
        dnnlc_array_free(&list->arrays[--list->count]);
    if (first > 0)
        return;
    free(list->arrays);
    list->arrays = NULL;
}

/* The element's type and position are known to be right: memcpy keeps the access well defined. */
#define LOAD(type, data, i)                                                                        \
    do {                                                                                           \
        type value;                                                                                \
        memcpy(&value, (const char *)(data) + (i) * sizeof value, sizeof value);                   \
        return (double)value;                                                                      \
    } while (0)

double dnnlc_array_element(const struct dnnlc_array *array, size_t i)
{
    uint16_t half;
    switch (array->dtype) {
    case DNNLC_F32:
        LOAD(float, array->data, i);
    case DNNLC_F64:
        LOAD(double, array->data, i);
    case DNNLC_I8:
        LOAD(int8_t, array->data, i);
    case DNNLC_I16:
        LOAD(int16_t, array->data, i);
    case DNNLC_I32:
        LOAD(int32_t, array->data, i);
    case DNNLC_I64:
        LOAD(int64_t, array->data, i);
    case DNNLC_U16:
        LOAD(uint16_t, array->data, i);
    case DNNLC_U32:
        LOAD(uint32_t, array->data, i);
    case DNNLC_U64:
        LOAD(uint64_t, array->data, i);
    case DNNLC_F16:
    case DNNLC_BF16:
        memcpy(&half, (const char *)array->data + i * sizeof half, sizeof half);
        return array->dtype == DNNLC_F16 ? dnnlc_f16_to_f32(half) : dnnlc_bf16_to_f32(half);
    default:
        LOAD(uint8_t, array->data, i);
    }
}

void dnnlc_array_normalise(struct dnnlc_array *array)
{
    if (array->dtype != DNNLC_BOOL)
        return;
    uint8_t *values = array->data;
    for (size_t i = 0; i < array->count; i++)
        values[i] = values[i] != 0;
}

bool dnnlc_array_widen(struct dnnlc_array *array, int64_t width, char *why, size_t why_size)
{
    struct dnnlc_array wide;
    const int last = array->rank - 1;
    if (!array->text || array->dims[last] >= width)
        return true;
    int64_t dims[DNNLC_MAX_RANK];
    memcpy(dims, array->dims, sizeof dims);
    dims[last] = width;
    if (!dnnlc_array_describe(&wide, array->dtype, array->rank, dims, why, why_size) ||
        !dnnlc_array_alloc(&wide, why, why_size))
        return false;
    memset(wide.data, 0, wide.bytes);
    const size_t narrow = (size_t)array->dims[last];
    for (size_t i = 0; i < array->count / narrow; i++)
        memcpy((char *)wide.data + i * (size_t)width, (char *)array->data + i * narrow, narrow);
    wide.text = true;
    wide.name = array->name;
    wide.file = array->file;
    free(array->data);
    *array = wide;
    return true;
}

bool dnnlc_same_shape(int rank, const int64_t *dims, const struct dnnlc_array *array)
{
    if (rank != array->rank)
        return false;
    for (int d = 0; d < rank; d++)
        if (dims[d] != array->dims[d])
            return false;
    return true;
}

const char *dnnlc_shape_text(char *text, int dtype, int rank, const int64_t *dims)
{
    const struct dnnlc_dtype *type = dnnlc_dtype_of(dtype);
    int at = snprintf(text, DNNLC_SHAPE_TEXT, "%s[", type ? type->name : "?");
    for (int d = 0; d < rank && d < DNNLC_MAX_RANK; d++)
        at += snprintf(text + at, (size_t)(DNNLC_SHAPE_TEXT - at), "%s%lld", d ? "," : "",
                       (long long)dims[d]);
    snprintf(text + at, (size_t)(DNNLC_SHAPE_TEXT - at), "]");
    return text;
}

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float dnnlc_f16_to_f32(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
    if (exponent == 0) { /* zero and subnormals: a multiple of 2^-24 */
        float magnitude = (float)mantissa * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    if (exponent == 31)
        return float_of_bits(sign | 0x7f800000 | mantissa << 13);
    return float_of_bits(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

uint16_t dnnlc_f32_to_f16(float value)
{
    uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffff;
    uint32_t sign = bits >> 16 & 0x8000;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* 65520, half-way between the largest f16 and 2^16 */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) /* below 2^-14: the sum with 0.5 has a unit of 2^-24 */
        return (uint16_t)(sign | (bits_of_float(float_of_bits(magnitude) + 0.5f) - 0x3f000000));
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

float dnnlc_bf16_to_f32(uint16_t value)
{
    return float_of_bits((uint32_t)value << 16);
}

uint16_t dnnlc_f32_to_bf16(float value)
{
    uint32_t bits = bits_of_float(value);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

char *dnnlc_printable(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
    return text;
}

bool dnnlc_fail(char *why, size_t why_size, const char *format, ...)
{
    if (why_size == 0)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, why_size, format, arguments);
    va_end(arguments);
    dnnlc_printable(why);
    return false;
}
