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

/* Writes the header that goes before array's data and returns its length, a multiple of 64. */
size_t dnnlc_npy_header(const struct dnnlc_array *array, char header[DNNLC_NPY_HEADER_MAX]);

#endif
