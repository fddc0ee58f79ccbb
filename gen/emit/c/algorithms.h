/* Texts that several kernels have, but for sizes. Each is printed once, as a file that is included for every kernel, between definitions
 * of what the kernel's functions are called and how large its operands are. The compiler sees what it would see if each kernel had a
 * text of its own. */
#pragma once

#include "../../base/template.h"

/* Some functions of a kernel, rendered from one template. Their names begin with the placeholder $kernel$; sizes are enumerators. */
typedef struct CText {
    const char *path; /* of the template */
    const char *text;
} CText;

/* A size that is no enumerator, called by `name` in upper case: "400" in the text of one kernel, KERNEL_N0 in one of several. */
const char *c_size(Arena *arena, const char *name, int64_t value);

/* What is the same in kernels that differ in sizes. */
const char *text_without_sizes(Arena *arena, const char *text);

/* A piece of text that differs between kernels with the same algorithm, such as what they store: KERNEL_STORED if it does. */
const char *c_part(Arena *arena, const char *name, const char *text);

typedef struct Algorithms Algorithms;
Algorithms *algorithms_new(Arena *arena);
/* Adds the next part of kernel `kernel`. */
void algorithms_add(Algorithms *a, uint32_t kernel, const CText *part);
/* When all are added: finds which are alike and worth a file. `name` is the model's. */
void algorithms_find(Algorithms *a, const char *name);

/* How many files there are, and number i: its name, and its text. */
size_t algorithms_count(const Algorithms *a);
const char *algorithm_file(const Algorithms *a, size_t i);
void emit_algorithm(const Algorithms *a, size_t i, const char *banner, Text *out);
/* The parts of a kernel, as functions or as definitions and includes. `function` is the kernel's name. */
void emit_kernel_parts(const Algorithms *a, uint32_t kernel, const char *function, Text *out);
