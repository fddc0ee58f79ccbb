/* Element types. The numbers are ONNX's TensorProto.DataType. */
#pragma once

#include "base.h"

typedef enum DType {
    DT_NONE = 0,
    DT_F32 = 1,
    DT_U8 = 2,
    DT_I8 = 3,
    DT_U16 = 4,
    DT_I16 = 5,
    DT_I32 = 6,
    DT_I64 = 7,
    DT_STRING = 8, /* while a model is imported only: numbers of strings, onnx/strings.c */
    DT_BOOL = 9,
    DT_F16 = 10,
    DT_F64 = 11,
    DT_U32 = 12,
    DT_U64 = 13,
    DT_BF16 = 16,
} DType;

bool dtype_supported(int onnx_type); /* one of the above, except DT_NONE and DT_STRING */
size_t dtype_size(DType t);          /* bytes of an element */
const char *dtype_name(DType t);     /* "f32", as text IR and messages print it */
const char *dtype_c(DType t);        /* "float", as emitted C spells it; f16/bf16 are uint16_t */
bool dtype_is_float(DType t);        /* f32 f64 f16 bf16 */
bool dtype_is_signed_int(DType t);
bool dtype_is_unsigned_int(DType t); /* bool excluded */
int64_t dtype_lowest(DType t);       /* of integers and bool; u64's highest wraps */
int64_t dtype_highest(DType t);
bool dtype_from_name(const char *name, DType *t);

float f16_to_f32(uint16_t h);
uint16_t f32_to_f16(float f); /* rounds to nearest, ties to even */
float bf16_to_f32(uint16_t h);
uint16_t f32_to_bf16(float f);

/* Element i of a dense array, widened. Floats through double; integers and bool through int64 (u64 wraps).
 * The setters round to nearest even (floats) or wrap modulo 2^n (integers); bool stores v != 0. */
double elem_f64(DType t, const void *data, size_t i);
int64_t elem_i64(DType t, const void *data, size_t i);
void elem_set_f64(DType t, void *data, size_t i, double v);
void elem_set_i64(DType t, void *data, size_t i, int64_t v);
