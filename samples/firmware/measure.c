/* Runs any emitted model once, on the device or on the host, in place of the executable's main program (dnnlc_main.h), on inputs from a
 * generator. Prints the outputs' bytes, the same on all machines that compute the same bits; as remarks what each layer took where the
 * port has a counter of instructions. */
#include "dnnlc_main.h"
#include "port.h"

#include <string.h>

/* Inputs, outputs, the workspace and the context: what the caller of a library provides. */
#ifndef MEASURE_MEMORY
#define MEASURE_MEMORY (1 << 18)
#endif
enum { MOST_TENSORS = 32, MOST_LAYERS = 256, ALIGN = 64 };
enum { FLOAT = 1 }; /* TensorProto.DataType */

static _Alignas(ALIGN) unsigned char memory[MEASURE_MEMORY];
static size_t used;
static uint32_t took[MOST_LAYERS], last;

static void *take(size_t bytes)
{
    void *p = memory + used;
    used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return used <= sizeof memory ? p : NULL;
}

static void put_number(uint32_t n)
{
    char text[11] = {0};
    int i = 10;
    do
        text[--i] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    port_put(text + i);
}

static void put_bytes(const unsigned char *p, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++)
        port_put((char[]){hex[p[i] >> 4], hex[p[i] & 15], 0});
    port_put("\n");
}

static uint32_t next_random(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}

/* Floats are multiples of 2^-15 from -1 to 1, built from their bits: a core without FPU shall not need code for floats because of that. */
static uint32_t random_float(void)
{
    uint32_t n = next_random(), sign = n >> 15, exponent = 126;
    n = n << 9 & 0xffffffu;
    if (!n)
        return 0;
    for (; !(n & 0x800000u); n <<= 1)
        exponent--;
    return sign << 31 | exponent << 23 | (n & 0x7fffffu);
}

static void fill(const struct dnnlc_tensor *t, unsigned char *p)
{
    for (size_t i = 0; i < t->bytes; i += t->dtype == FLOAT ? 4 : 1)
        if (t->dtype == FLOAT)
            memcpy(p + i, &(uint32_t){random_float()}, 4);
        else
            p[i] = (unsigned char)next_random();
}

static void trace(void *user, unsigned layer)
{
    const uint32_t now = port_instructions();
    (void)user;
    if (layer < MOST_LAYERS)
        took[layer] += now - last;
    last = port_instructions();
}

static void put_layers(const struct dnnlc_model *m)
{
    uint32_t total = 0;
    for (size_t i = 0; i < m->n_layers && i < MOST_LAYERS; i++) {
        port_put("# ");
        put_number(took[i]);
        port_put(" ");
        port_put(m->layers[i].name);
        port_put("\n");
        total += took[i];
    }
    port_put("# instructions: ");
    put_number(total);
    port_put("\n");
}

static int fail(const char *what)
{
    port_put(what);
    port_put(" failed\n");
    return 1;
}

int dnnlc_main(int argc, char **argv, const struct dnnlc_model *m)
{
    static void *in[MOST_TENSORS], *out[MOST_TENSORS]; /* not on the stack, which is measured */
    void *context = take(m->context_size), *workspace = take(m->workspace_size);
    (void)argc;
    (void)argv;
    if (m->n_inputs > MOST_TENSORS || m->n_outputs > MOST_TENSORS || !context || !workspace)
        return fail("memory: the model's size");
    for (size_t i = 0; i < m->n_inputs; i++) {
        in[i] = take(m->inputs[i].bytes);
        if (!in[i])
            return fail("memory: inputs");
        fill(&m->inputs[i], in[i]);
    }
    for (size_t i = 0; i < m->n_outputs; i++) {
        out[i] = take(m->outputs[i].bytes);
        if (!out[i])
            return fail("memory: outputs");
    }
    if (m->init(context, workspace, m->workspace_size, NULL, 0, NULL, 0, 0, 0))
        return fail("init");
    m->set_trace(context, trace, NULL);
    last = port_instructions();
    if (m->run(context, (const void *const *)in, out))
        return fail("run");
    for (size_t i = 0; i < m->n_outputs; i++)
        put_bytes(out[i], m->outputs[i].bytes);
    put_layers(m);
    m->fini(context);
    return 0;
}
