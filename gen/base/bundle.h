/* Files built into the compiler. The table is written by the script gen/base/bundle. */
#pragma once

#include <stddef.h>

typedef struct BundledFile {
    const char *path;          /* from the top of the source tree, e.g. "templates/c/exp.c" */
    const unsigned char *data; /* a NUL follows, not counted */
    size_t size;
} BundledFile;

extern const BundledFile bundled_files[]; /* ends with a row whose path is NULL */
