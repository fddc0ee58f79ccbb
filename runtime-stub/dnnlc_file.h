/* Tensors and bytes in files. Messages begin with the file's path. */
#ifndef DNNLC_RUNTIME_FILE_H
#define DNNLC_RUNTIME_FILE_H

#include "dnnlc_tensor.h"

struct dnnlc_bytes {
    void *data; /* owned; free() it */
    size_t size;
};

/* Reads a whole regular file. */
bool dnnlc_file_read(const char *path, struct dnnlc_bytes *bytes, char *why, size_t why_size);

/* Maps a whole regular file read-only, page-aligned. Unmap data with munmap(); an empty file is
 * refused. */
bool dnnlc_file_map(const char *path, struct dnnlc_bytes *bytes, char *why, size_t why_size);

/* Reads the one tensor of a .npy or .pb file, by suffix; the caller frees the array. "-" is the next .npy file of standard input. */
bool dnnlc_array_read(const char *path, struct dnnlc_array *array, char *why, size_t why_size);

/* Adds to the list the tensor of such a file, or all those of a .pb file with a sequence or optional. */
bool dnnlc_arrays_read(const char *path, struct dnnlc_arrays *list, char *why, size_t why_size);

/* Writes a file. It is written under another name in the same folder and renamed, so that `path` is either what it was or complete. */
bool dnnlc_file_write(const char *path, const struct dnnlc_bytes *bytes, char *why,
                      size_t why_size);

/* Writes a .npy file in the same way; "-" is standard output, which gets one behind the other. */
bool dnnlc_array_write(const char *path, const struct dnnlc_array *array, char *why,
                       size_t why_size);

#endif
