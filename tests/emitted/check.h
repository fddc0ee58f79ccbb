/* What the programs of this folder begin with: a condition that ends them, and memory for a context. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* All bits set: NaN and -1. States begin as 0 wherever they stand. */
static inline void *memory(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    CHECK(p);
    memset(p, 0xff, size);
    return p;
}
