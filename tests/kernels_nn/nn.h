/* Shorthand for the tests of the neural-network kernels. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../kernel_harness.h"

#define DIMS(...)                                                                                  \
    (int64_t[])                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define COUNT(...) ((int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t)))
#define INPUT(h, t, lo, hi, ...) harness_input(h, t, COUNT(__VA_ARGS__), DIMS(__VA_ARGS__), lo, hi)
#define INTS(nm, ...) ATTR_IS(nm, DIMS(__VA_ARGS__), COUNT(__VA_ARGS__))
#define ATTRS(...)                                                                                 \
    (Attr[])                                                                                       \
    {                                                                                              \
        __VA_ARGS__, ATTR_END                                                                      \
    }
/* One node with the given inputs and n_out outputs. */
#define NODE(h, op, n_out, attrs, ...)                                                             \
    harness_node(h, op, (ValueId[]){__VA_ARGS__},                                                  \
                 (uint32_t)(sizeof((ValueId[]){__VA_ARGS__}) / sizeof(ValueId)), n_out, attrs)

/* A constant of f32, of whole multiples of `step`, at most `most` of them in absolute value. */
static inline ValueId random_const(Harness *h, int rank, const int64_t *dims, int64_t most,
                                   float step)
{
    const TensorType t = type_make(DT_F32, rank, dims);
    float *data = ARENA_ARRAY(harness_arena(h), float, (size_t)type_count(&t));
    for (int64_t i = 0; i < type_count(&t); i++)
        data[i] = (float)harness_range(h, -most, most) * step;
    return harness_const(h, t, data);
}
