/* NumPy's .npy format, versions 1 to 3, in memory.
 *
 * Written: version 1, little-endian, C order. Read: C or Fortran order (transposed here), either
 * byte order. NumPy has no bfloat16; as its users do, it is stored as the 2-byte void type V2.
 */
#ifndef DNNLC_RUNTIME_NPY_H
#define DNNLC_RUNTIME_NPY_H

#include "dnnlc_tensor.h"

enum { DNNLC_NPY_HEADER_MAX = 512 };

/* Parses a whole .npy file into *array, which the caller frees. Nothing is allocated before the
 * shape has been checked against `size`; bytes missing or left over are refused. */
bool dnnlc_npy_parse(const void *bytes, size_t size, struct dnnlc_array *array, char *why,
                     size_t why_size);

/* What a file says before its data. */
struct dnnlc_npy {
    struct dnnlc_array array; /* described, without data */
    size_t data, element;     /* where the data begins; the size of what `swapped` is about */
    bool swapped, fortran;    /* big-endian; of several dimensions, column by column */
};

enum { DNNLC_NPY_FIRST = 12 };
/* Where the data begins, by the file's first DNNLC_NPY_FIRST bytes, or all where it has fewer. */
bool dnnlc_npy_data_at(const void *first, size_t size, size_t *data, char *why, size_t why_size);
/* Parses what stands before the data. */
bool dnnlc_npy_describe(const void *bytes, size_t size, struct dnnlc_npy *npy, char *why,
                        size_t why_size);
/* Whether so many bytes of data are what its shape takes. */
bool dnnlc_npy_holds(const struct dnnlc_npy *npy, size_t bytes, char *why, size_t why_size);
/* Turns the bytes of each element around. */
void dnnlc_npy_swap(void *data, size_t count, size_t size);

/* Writes the header that goes before array's data and returns its length, a multiple of 64. */
size_t dnnlc_npy_header(const struct dnnlc_array *array, char header[DNNLC_NPY_HEADER_MAX]);

#endif
