/* Functions that the linker puts in the place of others (--wrap), for the programs that let calls fail. SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* Begins the function that is called instead of `name`, which is __real_name in it. */
#define WRAP(type, name, ...)                                                                      \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

/* While the thread is in OpenMP, which ends the process by itself where it gets no memory or no thread. */
static _Thread_local int in_openmp;

/* libgomp's own functions, which are the same objects' whether the program is static or not. */
#define WRAP_OPENMP(type, name, args, ...)                                                         \
    WRAP(type, name, __VA_ARGS__)                                                                  \
    {                                                                                              \
        in_openmp++;                                                                               \
        type p = __real_##name args;                                                               \
        in_openmp--;                                                                               \
        return p;                                                                                  \
    }

#ifdef OPENMP
WRAP_OPENMP(void *, gomp_malloc, (size), size_t size)
WRAP_OPENMP(void *, gomp_malloc_cleared, (size), size_t size)
WRAP_OPENMP(void *, gomp_realloc, (old, size), void *old, size_t size)
#endif
