/* Who writes the kernel of each operator: the column `function` of ops.def. */
#include "nn.h"
#include "ops.h"

static const struct Writer {
    EmitCFn *emit;        /* or */
    const char *template; /* all of it */
} writers[OP_COUNT] = {
#define OP_EMITTER(nm, fn) [OP_##nm] = {.emit = emit_c_##fn},
#define OP_TEMPLATE(nm, fn) [OP_##nm] = {.template = "c/" #fn ".c"},
#include "../../ops/ops.def"
};

void c_emit_node(CKernel *k)
{
    const struct Writer *w = &writers[k->node->op];
    if (nn_is_empty(k))
        nn_emit_nothing(k);
    else if (w->template)
        c_emit_by_template(k, w->template);
    else
        w->emit(k);
}
