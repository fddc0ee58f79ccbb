/* The op table itself: ops.def with its columns filled in. */
#include "ops.h"

#include <string.h>

#define OP_INFO(nm, class, in0, in1, out0, out1, shape, eval, ...)                                 \
    ShapeFn shape_##shape;                                                                         \
    EvalFn eval_##eval;
#include "ops.def"

/* The traits as the rows name them. */
enum {
    COMMUTES = TRAIT_COMMUTES,
    NEARLY_COMMUTES = TRAIT_NEARLY_COMMUTES,
    FUNCTION = TRAIT_FUNCTION,
    NOT_NEGATIVE = TRAIT_NOT_NEGATIVE,
    KEEPS_SIGN = TRAIT_KEEPS_SIGN,
    SINKS = TRAIT_SINKS,
    HALF = TRAIT_HALF,
    HALF_PRIMITIVE = TRAIT_HALF_PRIMITIVE,
    HALF_PRODUCT = TRAIT_HALF_PRODUCT,
    QUANTISES = TRAIT_QUANTISES,
    MONOTONE = TRAIT_MONOTONE,
};

const OpInfo op_table[OP_COUNT] = {
#define OP_INFO(nm, cls, in0, in1, out0, out1, shape_fn, eval_fn, attributes, ord, facts, kinds,   \
                text)                                                                              \
    [OP_##nm] = {.name = #nm,                                                                      \
                 .class = CLASS_##cls,                                                             \
                 .min_in = (in0),                                                                  \
                 .max_in = (in1),                                                                  \
                 .min_out = (out0),                                                                \
                 .max_out = (out1),                                                                \
                 .shape = shape_##shape_fn,                                                        \
                 .eval = eval_##eval_fn,                                                           \
                 .attrs = (attributes),                                                            \
                 .order = ORDER_##ord,                                                             \
                 .traits = (facts),                                                                \
                 .types = TYPES_##kinds,                                                           \
                 .expr = (text)},
#include "ops.def"
};

bool op_from_name(const char *name, Op *op)
{
    for (int i = 0; i < OP_COUNT; i++)
        if (!strcmp(op_table[i].name, name)) {
            *op = (Op)i;
            return true;
        }
    return false;
}
