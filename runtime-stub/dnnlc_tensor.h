/* Element types and dense arrays: what the file readers produce and the executable computes with.
 *
 * Every function that can fail returns false and leaves one line in `why` (at most why_size bytes,
 * always terminated, control characters replaced); `why` is untouched on success, and with a
 * why_size of 0 always.
 */
#ifndef DNNLC_RUNTIME_TENSOR_H
#define DNNLC_RUNTIME_TENSOR_H

#include "dnnlc_element.h"

#include <stdbool.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "dnnlc's files and weights are little-endian, and so must the machine be"
#endif

enum { DNNLC_MAX_RANK = 12, DNNLC_ALIGN = 64, DNNLC_SHAPE_TEXT = 288 };

enum dnnlc_kind { DNNLC_FLOATING, DNNLC_SIGNED, DNNLC_UNSIGNED, DNNLC_BOOLEAN };

struct dnnlc_dtype {
    int code;         /* ONNX TensorProto.DataType */
    const char *name; /* as in text IR: "f32" */
    const char *npy;  /* .npy descr: "<f4" */
    size_t size;      /* bytes of one element */
    enum dnnlc_kind kind;
};

/* The row of an ONNX type code, or NULL if the type is not supported (strings, complex, ...). */
const struct dnnlc_dtype *dnnlc_dtype_of(int code);
/* The row whose .npy type (without its byte-order mark) is `text`, such as "f4"; NULL if none. */
const struct dnnlc_dtype *dnnlc_dtype_of_npy(const char *text, size_t length);

/* A dense row-major array. A scalar has rank 0 and count 1; a dimension may be 0. */
struct dnnlc_array {
    int dtype;
    int rank;
    int64_t dims[DNNLC_MAX_RANK];
    size_t count, bytes;
    bool text;   /* strings: bytes along the last dimension, padded with zeros */
    void *data;  /* DNNLC_ALIGN-aligned, owned, never NULL in an array that was made */
    char *name;  /* the tensor's name in its file, owned; NULL if the file has none */
    size_t file; /* where it is one of a folder's: the number in that file's name */
};

/* Arrays one after the other; all zero: none. */
struct dnnlc_arrays {
    struct dnnlc_array *arrays; /* owned */
    size_t count;
};

/* Sets dtype, rank, dims, count and bytes; allocates nothing. Refuses unknown types, ranks above
 * DNNLC_MAX_RANK, negative dimensions and sizes that do not fit. */
bool dnnlc_array_describe(struct dnnlc_array *array, int dtype, int rank, const int64_t *dims,
                          char *why, size_t why_size);
/* Gives a described array its data, uninitialised. */
bool dnnlc_array_alloc(struct dnnlc_array *array, char *why, size_t why_size);
/* Frees the data and name and makes the array all zero. */
void dnnlc_array_free(struct dnnlc_array *array);
/* Puts the array, which it takes over, behind the others. */
bool dnnlc_arrays_add(struct dnnlc_arrays *list, struct dnnlc_array *array, char *why,
                      size_t why_size);
/* Frees the arrays from number `first` on. */
void dnnlc_arrays_free(struct dnnlc_arrays *list, size_t first);
/* Element i of the row-major data; 64-bit integers beyond 2^53 are rounded. */
double dnnlc_array_element(const struct dnnlc_array *array, size_t i);
/* Makes every byte of a bool array 0 or 1; leaves other arrays alone. */
void dnnlc_array_normalise(struct dnnlc_array *array);
/* Makes strings of `width` bytes out of shorter ones; leaves other arrays alone. */
bool dnnlc_array_widen(struct dnnlc_array *array, int64_t width, char *why, size_t why_size);
bool dnnlc_same_shape(int rank, const int64_t *dims, const struct dnnlc_array *array);

/* Writes "f32[1,3,224,224]" to text, which holds DNNLC_SHAPE_TEXT bytes, and returns it. */
const char *dnnlc_shape_text(char *text, int dtype, int rank, const int64_t *dims);

/* Bytes rounded up to DNNLC_ALIGN, at least one unit, for free(); NULL if there is no memory. */
void *dnnlc_alloc_aligned(size_t bytes, size_t align);

/* How much of the heap an allocation of so many bytes takes: large ones are mapped by themselves. */
size_t dnnlc_heap_part(size_t bytes);
/* To be called before the first allocation that matters: the heap will be of about this size. It gets
 * huge pages if that is quicker; only the time depends on it. */
void dnnlc_heap_expect(size_t bytes);

/* Writes the message and returns false, so that a function can end with it. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool dnnlc_fail(char *why, size_t why_size, const char *format, ...);
/* Replaces control characters, which names from a model may hold, and returns text. */
char *dnnlc_printable(char *text);

#endif
