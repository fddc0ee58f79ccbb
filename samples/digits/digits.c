/* Reads pictures of digits and says which digit each one is: the stand-alone way to use a compiled
 * model from C. The model lives in the program; nothing is loaded at run time but the pictures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits_dnnl.h"
#include "picture.h"

enum { DIGITS = 10, TOP = 3, BAR = 40 };

static const char usage[] =
    "usage: digits [--show] PICTURE.pgm...\n"
    "Says which digit is on each picture, dark on light or light on dark, any size.\n"
    "\n"
    "  PICTURE.pgm  a PGM file (P5 or P2); - reads standard input\n"
    "  --show       also draw what the network sees: the digit cropped and scaled to 28x28\n"
    "  --help       this text\n"
    "\n"
    "Exit status: 0 done, 1 a picture could not be read, 2 bad usage or no model.\n";

/* Gives the model its memory: a static workspace and, where this CPU is another one than the model
 * was packed for, a buffer for the weights in this CPU's layout. */
static int open_model(digits_context *model)
{
    static _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
    digits_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
#ifdef DIGITS_HAS_FALLBACK /* not in portable C */
    config.fallback_size = (digits_fallback_size() + 63) / 64 * 64;
    if (config.fallback_size)
        config.fallback = aligned_alloc(64, config.fallback_size);
    if (config.fallback_size && !config.fallback) {
        fprintf(stderr, "digits: out of memory\n");
        return -1;
    }
#endif
    if (digits_init(model, &config) != DIGITS_OK) {
        fprintf(stderr, "digits: %s %s\n", digits_error_layer(model), digits_error(model));
        return -1;
    }
    return 0;
}

static void show(const float *input)
{
    static const char shades[] = " .:-=+*#%@";
    for (int y = 0; y < DIGIT_SIDE; y++) {
        char line[2 * DIGIT_SIDE + 1] = {0};
        for (int x = 0; x < DIGIT_SIDE; x++) {
            int shade = (int)(input[y * DIGIT_SIDE + x] * 9 + 0.5f);
            line[2 * x] = line[2 * x + 1] = shades[shade];
        }
        printf("  |%s|\n", line);
    }
}

/* One line with the label, then the likeliest digits as bars. */
static void report(const char *name, float p[DIGITS])
{
    for (int k = 0; k < TOP; k++) {
        int best = 0;
        for (int d = 1; d < DIGITS; d++)
            best = p[d] > p[best] ? d : best;
        if (k == 0)
            printf("%s: %d\n", name, best);
        char bar[BAR + 1] = {0};
        memset(bar, '#', (size_t)(p[best] * BAR + 0.5f));
        printf("  %d %6.2f %% %s\n", best, 100.0 * (double)p[best], bar);
        p[best] = -1;
    }
}

static int recognise(digits_context *model, const char *path, int showing)
{
    _Alignas(64) float input[DIGIT_SIDE * DIGIT_SIDE], probabilities[DIGITS];
    const char *why = picture_load(path, input);
    if (!why && digits_run(model, &(digits_inputs){.image = input},
                           &(digits_outputs){.probabilities = probabilities}) != DIGITS_OK)
        why = digits_error(model);
    if (why) {
        fprintf(stderr, "digits: %s: %s\n", path, why);
        return 1;
    }
    if (showing)
        show(input);
    report(path, probabilities);
    return 0;
}

int main(int argc, char **argv)
{
    static digits_context model;
    int first = 1, showing = 0, failed = 0;
    for (; first < argc && argv[first][0] == '-' && argv[first][1]; first++) {
        if (!strcmp(argv[first], "--help"))
            return fputs(usage, stdout) < 0;
        if (strcmp(argv[first], "--show")) {
            fprintf(stderr, "digits: unknown option %s (try --help)\n", argv[first]);
            return 2;
        }
        showing = 1;
    }
    if (first == argc) {
        fputs(usage, stderr);
        return 2;
    }
    if (open_model(&model))
        return 2;
    for (int i = first; i < argc; i++)
        failed |= recognise(&model, argv[i], showing);
    digits_fini(&model);
    return failed;
}
