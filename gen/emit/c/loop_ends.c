/* What is done before the first iteration of a loop, and behind each one. */
#include "../../graph/loops.h"

#include "nn.h"
#include "ops.h"

#include <inttypes.h>

static void bind_copy(CKernel *k, Bindings *b, const char *list, uint32_t in, uint32_t out)
{
    const TensorType *t = nn_in(k, in);
    if (!type_bytes(t))
        return;
    Bindings *row = bind_row(b, list);
    bind(row, "to", "%s", k->output[out]);
    bind(row, "from", "%s", k->input[in]);
    bind(row, "elements", "%" PRId64, type_count(t));
    bind(row, "bytes", "%" PRId64 " * sizeof *%s", type_count(t), k->output[out]);
}

void emit_c_loop_begin(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    bind_list(b, "carried", "");
    bind_list(b, "rows", "");
    for (uint32_t i = LOOP_CARRIED; i < k->node->n_in; i++)
        bind_copy(k, b, "carried", i, i);
    for (uint32_t o = k->node->n_out; o < k->step->n_out; o++) {
        const TensorType *t = &k->program->buffers[k->step->out[o]].type;
        Bindings *row = bind_row(b, "rows");
        bind(row, "zeroed", "%s", k->output[o]);
        bind(row, "bytes", "%" PRId64 " * sizeof *%s", type_count(t), k->output[o]);
    }
    nn_render(k, "c/loop_begin.c", b);
}

void emit_c_loop_end(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    const uint32_t first = LOOP_NEXT - LOOP_CARRIED, carried = LOOP_CARRIED + loop_carried(k->node);
    bind_list(b, "carried", "");
    bind_list(b, "rows", "");
    bind_list(b, "stays", "");
    for (uint32_t o = LOOP_CARRIED; o < k->node->n_out; o++) {
        const bool stays = o < carried && c_in_place(k->program, k->step, o + first, o);
        if (stays || !type_bytes(nn_in(k, o + first)))
            bind(bind_row(b, "stays"), "stays", "%s", k->input[o + first]);
        if (!stays)
            bind_copy(k, b, o < carried ? "carried" : "rows", o + first, o);
    }
    bind_int(b, "capacity", attr_int(k->node, "capacity", 0));
    nn_render(k, "c/loop_end.c", b);
}
