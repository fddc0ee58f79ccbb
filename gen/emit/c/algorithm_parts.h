/* What the search for algorithms finds, for emit/c/algorithm_text.c, which writes them. */
#pragma once

#include "algorithms.h"

#include <ctype.h>

/* The value of an enumerator, of c_size or of c_part. */
typedef struct Size {
    const char *name, *value;
    bool bare;    /* of c_size: the value stands there itself */
    bool is_text; /* of c_part */
} Size;

typedef struct Part {
    const char *path, *text;
    const char *name; /* of its file: the template's, and the function's if it stands apart */
    const char *key;  /* the text, with SIZE for the values of sizes */
    Size *sizes;
    size_t n_sizes, cap_sizes;
    uint32_t kernel, algorithm; /* NO_ROW: printed as it is */
    uint32_t variant;           /* the first part of the algorithm that has the same texts */
    size_t uses;                /* of that first one: parts that have its texts */
    const char *file;           /* and where they are defined; NULL: by every kernel */
} Part;

typedef struct Algorithm {
    uint32_t first; /* of its parts */
    size_t uses, variants;
    bool *varies;      /* by size */
    const char **name; /* by size: of its macro */
    const char *file;  /* NULL: not worth one */
} Algorithm;

/* The text of an algorithm, or the definitions of texts that the kernels of one of its variants have. */
typedef struct File {
    const char *name;
    uint32_t part; /* the first that it is for */
    bool is_variant;
} File;

struct Algorithms {
    Arena *arena;
    Part *parts;
    size_t n_parts, cap_parts;
    Algorithm *found;
    size_t n_found, cap_found;
    File *files;
    size_t n_files, cap_files;
};

/* Marks in the text of a part and in its key. */
enum { SIZE = '\x02', NAME = '\x03', VALUE = '\x04', VALUE_END = '\x05', TEXT = '\x06' };
#define KERNEL "$kernel$"

/* Whether size i of an algorithm's parts is a macro that none before it is. */
bool is_new_macro(const Algorithm *f, size_t size);
