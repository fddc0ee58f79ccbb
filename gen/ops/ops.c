/* The op table itself: ops.def with its columns filled in. */
#include "ops.h"

#include <string.h>

#define OP_INFO(nm, class, in0, in1, out0, out1, names, shape, eval, ...)                          \
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
    LOOP = TRAIT_LOOP,
    KEEPS_STEPS = TRAIT_KEEPS_STEPS,
};

const OpInfo op_table[OP_COUNT] = {
#define OP_INFO(nm, cls, in0, in1, out0, out1, operands, shape_fn, eval_fn, attributes, ord,       \
                facts, kinds, text)                                                                \
    [OP_##nm] = {.name = #nm,                                                                      \
                 .class = CLASS_##cls,                                                             \
                 .min_in = (in0),                                                                  \
                 .max_in = (in1),                                                                  \
                 .min_out = (out0),                                                                \
                 .max_out = (out1),                                                                \
                 .names = (operands),                                                              \
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

/* Word i of names, where "src..." stands for src0, src1 and so on. */
static const char *listed_name(Arena *arena, Op op, const char *names, uint32_t i)
{
    for (uint32_t at = 0; *names && *names != '>'; at++) {
        const size_t n = strcspn(names, " .>");
        if (names[n] == '.')
            return arena_printf(arena, "%.*s%u", (int)n, names, i - at);
        if (at == i)
            return arena_strndup(arena, names, n);
        names += n + (names[n] == ' ');
    }
    bug("%s: operand %u has no name", op_table[op].name, i);
}

const char *op_input_name(Arena *arena, Op op, uint32_t i)
{
    return listed_name(arena, op, op_table[op].names, i);
}

const char *op_output_name(Arena *arena, Op op, uint32_t i)
{
    const char *outputs = strstr(op_table[op].names, "> ");
    return listed_name(arena, op, outputs ? outputs + 2 : "dst", i);
}
