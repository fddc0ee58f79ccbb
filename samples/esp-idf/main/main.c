/* Reads a drawn digit, and prints what it is. Weights are constants in flash, the workspace is static: nothing is allocated. */
#include <stdio.h>

#include "digits_dnnl.h"
#include "drawn.h"
#include "esp_attr.h"
#include "sdkconfig.h"

enum { DIGITS = 10 };

#ifdef CONFIG_DIGITS_WORKSPACE_IN_PSRAM
EXT_RAM_BSS_ATTR
#endif
static _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
static float image[DRAWN_SIDE * DRAWN_SIDE], probabilities[DIGITS];
static digits_context model;

void app_main(void)
{
    const digits_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
    const digits_inputs in = {.image = image};
    const digits_outputs out = {.probabilities = probabilities};
    int best = 0;
    drawn_image(image);
    if (digits_init(&model, &config) != DIGITS_OK || digits_run(&model, &in, &out) != DIGITS_OK) {
        printf("digits: %s\n", digits_error(&model));
        return;
    }
    for (int d = 1; d < DIGITS; d++)
        best = probabilities[d] > probabilities[best] ? d : best;
    printf("digits: %d, %d per cent\n", best, (int)(probabilities[best] * 100.0f));
}
