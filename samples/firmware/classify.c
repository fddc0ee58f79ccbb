/* What the firmware does, and the same on the host: runs the model on each built-in picture and
 * prints one line NAME LABEL BITS*10 with the ten probabilities as the bits of the floats, so that
 * two machines can be compared exactly. */
#include "digits_dnnl.h"
#include "pictures.h"
#include "port.h"

#include <string.h>

enum { DIGITS = 10, PICTURES = sizeof pictures / sizeof *pictures };

static void put_bits(float value)
{
    static const char hex[] = "0123456789abcdef";
    char text[10] = " ";
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 8; i > 0; i--, bits >>= 4)
        text[i] = hex[bits & 15];
    port_put(text);
}

static void put_result(const char *name, const float *probabilities)
{
    int best = 0;
    for (int d = 1; d < DIGITS; d++)
        best = probabilities[d] > probabilities[best] ? d : best;
    port_put(name);
    port_put((char[]){' ', (char)('0' + best), 0});
    for (int d = 0; d < DIGITS; d++)
        put_bits(probabilities[d]);
    port_put("\n");
}

static int fail(const char *what, const digits_context *model)
{
    port_put(what);
    port_put(" failed: ");
    port_put(digits_error_layer(model));
    port_put(" ");
    port_put(digits_error(model));
    port_put("\n");
    return 1;
}

int main(void)
{
    static _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
    static digits_context model;
    const digits_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
    _Alignas(64) float probabilities[DIGITS];

    if (digits_init(&model, &config) != DIGITS_OK)
        return fail("init", &model);
    for (int k = 0; k < PICTURES; k++) {
        const digits_inputs in = {.image = pictures[k].input};
        const digits_outputs out = {.probabilities = probabilities};
        if (digits_run(&model, &in, &out) != DIGITS_OK)
            return fail("run", &model);
        put_result(pictures[k].name, probabilities);
    }
    digits_fini(&model);
    return 0;
}
