/* Included before gen/ops.c: the op table names the emitters of the portable C target, which these tests do without. */
#include "../../gen/ops.h"

#define FAMILY(fn) EmitCFn emit_c_##fn __attribute__((weak));
FAMILY(eltwise)
#define OP(...)
#define ELTWISE(...)
#define INT_ELTWISE(...)
#define BOOL_ELTWISE(...)
#define ROW(nm, cls, in0, in1, out0, out1, fn) FAMILY(fn)
#include "../../gen/ops.def"
#undef FAMILY
