/* ONNX's element types of four and two bits, and floats of eight: what their codes stand for. No value of the graph has such a type. Inside, numbers
 * have the next wider type that holds them all; codes, packed as in raw_data, are bytes. Types are numbers of TensorProto.DataType. */
#pragma once

#include "dtype.h"

typedef enum NarrowRounding {
    NARROW_NEAREST, /* ties to even */
    NARROW_UP,      /* away from zero */
    NARROW_DOWN,
} NarrowRounding;

typedef struct NarrowType {
    const char *name;
    DType as;           /* the wider type: f32, i8 or u8 */
    int bits;           /* of a code */
    bool has_sign;      /* a bit of floats */
    int mantissa;       /* its bits */
    int least;          /* floats: the exponent of the smallest normal number */
    unsigned most;      /* the code of the largest number */
    unsigned over, nan; /* codes of what is beyond it where that does not saturate, and of NaN */
} NarrowType;

NarrowRounding narrow_rounding(const char *word); /* "nearest", "up" or "down" */
const NarrowType *narrow_type(int64_t onnx_type); /* NULL for all other types */
size_t narrow_bytes(const NarrowType *t, size_t count);
/* The number a code stands for. */
double narrow_number(const NarrowType *t, unsigned code);
/* The code of a number, as Cast makes it. */
unsigned narrow_code(const NarrowType *t, float v, bool saturate, NarrowRounding rounding);
/* Codes in bytes, the first one in the lowest bits, from and to elements of type t->as. */
void narrow_unpack(const NarrowType *t, const uint8_t *bytes, size_t count, void *out);
void narrow_pack(const NarrowType *t, const void *elements, size_t count, bool saturate,
                 NarrowRounding rounding, uint8_t *bytes);
