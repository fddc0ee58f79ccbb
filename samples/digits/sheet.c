/* Draws what the network sees of pictures of digits and what it says, as one PNG file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "digits_dnnl.h"
#include "picture.h"

enum {
    DIGITS = 10,
    ACROSS = 4,  /* pictures beside each other */
    WIDTH = 280, /* of the place for one picture, in pixels */
    HEIGHT = 136,
    TIMES = 4, /* a pixel of the network's is a square of this many */
    BAR = 90
};

static int open_model(digits_context *model)
{
    static _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
    digits_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
#ifdef DIGITS_HAS_FALLBACK /* not in portable C */
    config.fallback_size = (digits_fallback_size() + 63) / 64 * 64;
    if (config.fallback_size)
        config.fallback = aligned_alloc(64, config.fallback_size);
#endif
    return digits_init(model, &config) == DIGITS_OK;
}

/* The network's input at x, y, and the probabilities beside it as bars. */
static const char *draw(struct canvas *sheet, int x, int y, const float *image, const float *p,
                        int best, canvas_colour mark)
{
    struct canvas seen;
    const char *why = canvas_make(&seen, DIGIT_SIDE, DIGIT_SIDE, 0xffffff);
    if (why)
        return why;
    for (int i = 0; i < DIGIT_SIDE * DIGIT_SIDE; i++)
        memset(seen.rgb + 3 * i, (int)(255 - 255 * image[i] + 0.5f), 3);
    int side = DIGIT_SIDE * TIMES;
    canvas_put(sheet, x + 12, y + 12, &seen, TIMES);
    canvas_frame(sheet, x + 8, y + 8, x + 16 + side, y + 16 + side, 4, mark);
    for (int d = 0; d < DIGITS; d++) {
        int left = x + side + 44, top = y + 9 + 12 * d;
        char name[2] = {(char)('0' + d), 0};
        canvas_text(sheet, left - 16, top, 1, 0x404040, name);
        canvas_fill(sheet, left, top, left + BAR, top + 8, 0xe4e4e0);
        canvas_fill(sheet, left, top, left + (int)(p[d] * BAR + 0.5f), top + 8,
                    d == best ? 0x1f5fb0 : 0x9cb8dc);
    }
    canvas_free(&seen);
    return NULL;
}

int main(int argc, char **argv)
{
    static digits_context model;
    struct canvas sheet;
    int right = 0, pictures = argc - 2;
    if (argc < 3) {
        fprintf(stderr, "usage: sheet OUTPUT.png PICTURE.pgm... (names begin with the digit)\n");
        return 2;
    }
    if (!open_model(&model)) {
        fprintf(stderr, "sheet: %s\n", digits_error(&model));
        return 1;
    }
    int across = pictures < ACROSS ? pictures : ACROSS;
    const char *why =
        canvas_make(&sheet, across * WIDTH, (pictures + ACROSS - 1) / ACROSS * HEIGHT, 0xf7f7f4);
    for (int i = 0; i < pictures && !why; i++) {
        _Alignas(64) float image[DIGIT_SIDE * DIGIT_SIDE], p[DIGITS];
        const char *path = argv[2 + i], *slash = strrchr(path, '/');
        int best = 0;
        why = picture_load(path, image);
        if (!why && digits_run(&model, &(digits_inputs){.image = image},
                               &(digits_outputs){.probabilities = p}) != DIGITS_OK)
            why = digits_error(&model);
        if (why) {
            fprintf(stderr, "sheet: %s: %s\n", path, why);
            return 1;
        }
        for (int d = 1; d < DIGITS; d++)
            best = p[d] > p[best] ? d : best;
        int is_right = best == (slash ? slash[1] : path[0]) - '0';
        right += is_right;
        why = draw(&sheet, i % ACROSS * WIDTH, i / ACROSS * HEIGHT, image, p, best,
                   is_right ? 0x2e9e4f : 0xd0352b);
    }
    why = why ? why : canvas_save(&sheet, argv[1]);
    if (why) {
        fprintf(stderr, "sheet: %s: %s\n", argv[1], why);
        return 1;
    }
    canvas_free(&sheet);
    digits_fini(&model);
    printf("%s: %d of %d pictures are right\n", argv[1], right, pictures);
    return 0;
}
