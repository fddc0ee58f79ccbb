/* Who writes the kernel of each operator: the column `kernel` of ops.def. */
#include "ops.h"

#define OP_KERNEL(nm, fn, kernel) EmitCFn emit_c_##fn;
#include "../../ops/ops.def"

static EmitCFn *const writers[OP_COUNT] = {
#define OP_KERNEL(nm, fn, kernel) [OP_##nm] = emit_c_##fn,
#include "../../ops/ops.def"
};

bool c_emit_node(CKernel *k)
{
    return writers[k->node->op](k);
}
