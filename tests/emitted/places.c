/* Inputs and outputs of the model m inside of its workspace: places IN OUT. IN_BYTES and OUT_BYTES have the sizes of its tensors, which are floats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "m_dnnl.h"

enum { RUNS = 3 };
static const size_t in_bytes[] = {IN_BYTES}, out_bytes[] = {OUT_BYTES};
enum { INS = sizeof in_bytes / sizeof *in_bytes, OUTS = sizeof out_bytes / sizeof *out_bytes };

static _Alignas(64) unsigned char workspace[M_WORKSPACE_SIZE + 64];
static m_context ctx;
static unsigned random_state;

static void fill(float *to, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *to; i++) {
        random_state = random_state * 1664525u + 1013904223u;
        to[i] = (float)(random_state >> 8) / 8388608.0f - 1.0f;
    }
}

/* A run on the inputs of this number; false if it fails. The structs have one pointer for each tensor. */
static int run(unsigned number, void *const *in, void *const *out)
{
    m_inputs inputs;
    m_outputs outputs;
    random_state = number;
    for (size_t i = 0; i < INS; i++)
        fill(in[i], in_bytes[i]);
    memcpy(&inputs, in, sizeof inputs);
    memcpy(&outputs, out, sizeof outputs);
    return m_run(&ctx, &inputs, &outputs) == M_OK;
}

static void *own(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
}

int main(int argc, char **argv)
{
    const m_config config = {.workspace = workspace, .workspace_size = M_WORKSPACE_SIZE};
    void *in[INS], *out[OUTS], *in_place[INS], *out_place[OUTS];
    int ins = 0, outs = 0;
    if (argc != 3 || sizeof(m_inputs) != sizeof in || sizeof(m_outputs) != sizeof out)
        return 2;
    if (m_input(&ctx, 0) || m_output(&ctx, 0) || m_input(NULL, 0))
        return printf("places before there is a context\n"), 1;
    if (m_init(&ctx, &config) != M_OK)
        return printf("%s\n", m_error(&ctx)), 1;
    for (unsigned i = 0; i < INS; i++) {
        in[i] = own(in_bytes[i]);
        in_place[i] = m_input(&ctx, i);
        ins += in_place[i] != NULL;
        if (!in_place[i])
            in_place[i] = own(in_bytes[i]);
    }
    for (unsigned i = 0; i < OUTS; i++) {
        out[i] = own(out_bytes[i]);
        out_place[i] = m_output(&ctx, i);
        outs += out_place[i] != NULL;
        if (!out_place[i])
            out_place[i] = own(out_bytes[i]);
    }
    printf("%d of %d inputs and %d of %d outputs have places\n", ins, (int)INS, outs, (int)OUTS);
    if (ins < atoi(argv[1]) || outs < atoi(argv[2]) || m_input(&ctx, INS) || m_output(&ctx, OUTS))
        return 1;
    for (unsigned number = 1; number <= RUNS; number++) {
        if (!run(number, in, out) || !run(number, in_place, out_place))
            return printf("%s\n", m_error(&ctx)), 1;
        for (size_t i = 0; i < OUTS; i++)
            if (memcmp(out[i], out_place[i], out_bytes[i]) != 0)
                return printf("output %zu of run %u differs\n", i, number), 1;
    }
    return 0;
}
