/* Reads a drawn digit, and prints what it is. Weights are constants, the workspace is static: nothing is allocated. */
#include <zephyr/sys/printk.h>

#include "digits_dnnl.h"
#include "drawn.h"

enum { DIGITS = 10 };

static _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
static float image[DRAWN_SIDE * DRAWN_SIDE], probabilities[DIGITS];
static digits_context model;

int main(void)
{
    const digits_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
    const digits_inputs in = {.image = image};
    const digits_outputs out = {.probabilities = probabilities};
    int best = 0;
    drawn_image(image);
    if (digits_init(&model, &config) != DIGITS_OK || digits_run(&model, &in, &out) != DIGITS_OK) {
        printk("digits: %s\n", digits_error(&model));
        return 1;
    }
    for (int d = 1; d < DIGITS; d++)
        best = probabilities[d] > probabilities[best] ? d : best;
    printk("digits: %d, %d per cent\n", best, (int)(probabilities[best] * 100.0f));
    return 0;
}
