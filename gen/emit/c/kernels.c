/* Who writes the kernel of each operator: the column `function` of ops.def. */
#include "ops.h"

#define OP_EMITTER(nm, fn) EmitCFn emit_c_##fn;
#include "../../ops/ops.def"

static const struct Writer {
    EmitCFn *emit;        /* or */
    const char *template; /* all of it */
} writers[OP_COUNT] = {
#define OP_EMITTER(nm, fn) [OP_##nm] = {.emit = emit_c_##fn},
#define OP_TEMPLATE(nm, fn) [OP_##nm] = {.template = "c/" #fn ".c"},
#include "../../ops/ops.def"
};

bool c_emit_node(CKernel *k)
{
    const struct Writer *w = &writers[k->node->op];
    return w->template ? c_emit_by_template(k, w->template) : w->emit(k);
}
