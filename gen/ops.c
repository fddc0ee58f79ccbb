/* The op table itself: ops.def with its columns filled in. */
#include "ops.h"

#include <string.h>

/* The columns of ops.def name functions of these families; each is defined in shape/, eval/
 * and emit/c/. */
#define FAMILY(fn)                                                                                 \
    ShapeFn shape_##fn;                                                                            \
    EvalFn eval_##fn;                                                                              \
    EmitCFn emit_c_##fn;
FAMILY(eltwise)
FAMILY(eltwise_bool)
#define OP(...)
#define ELTWISE(...)
#define INT_ELTWISE(...)
#define BOOL_ELTWISE(...)
#define ROW(nm, cls, in0, in1, out0, out1, fn) FAMILY(fn)
#include "ops.def"

const OpInfo op_table[OP_COUNT] = {
#define OP(nm, ...) [OP_##nm] = {__VA_ARGS__},
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
