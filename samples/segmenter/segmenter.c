/* Says of each pixel of a picture what it belongs to, and draws that beside the picture: discs are blue, boxes yellow,
 * triangles green. With the right answers as grey values 0 to 3 of another picture, what is wrong is drawn in red
 * beside them, and counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "segmenter_dnnl.h"

enum {
    WIDTH = 160, /* of the network's input */
    HEIGHT = 128,
    CLASSES = 4,
    TIMES = 3, /* a pixel of the network's is a square of this many */
    GAP = 12,
    WRONG = 0xff1020
};

static const char *const names[CLASSES] = {"ground", "disc", "box", "triangle"};
static const canvas_colour colours[CLASSES] = {0xeeeeea, 0x2f7fd0, 0xe39b18, 0x2a9d60};

/* Pixels of a class: found, there, and both. */
struct counts {
    int found[CLASSES], there[CLASSES], both[CLASSES];
};

static int open_model(segmenter_context *model)
{
    static _Alignas(SEGMENTER_WORKSPACE_ALIGN) unsigned char workspace[SEGMENTER_WORKSPACE_SIZE];
    segmenter_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
#ifdef SEGMENTER_HAS_FALLBACK /* not in portable C */
    config.fallback_size = (segmenter_fallback_size() + 63) / 64 * 64;
    if (config.fallback_size)
        config.fallback = aligned_alloc(64, config.fallback_size);
#endif
    return segmenter_init(model, &config) == SEGMENTER_OK;
}

/* The class of each pixel of a picture of the network's size. */
static int segment(segmenter_context *model, const struct canvas *picture, int64_t *classes)
{
    static _Alignas(64) float image[3][HEIGHT * WIDTH];
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        for (int k = 0; k < 3; k++)
            image[k][i] = (float)picture->rgb[3 * i + k] / 255;
    return segmenter_run(model, &(segmenter_inputs){.image = image[0]},
                         &(segmenter_outputs){.classes = classes}) == SEGMENTER_OK;
}

static void paint(struct canvas *c, int i, canvas_colour colour)
{
    canvas_fill(c, i % WIDTH, i / WIDTH, i % WIDTH + 1, i / WIDTH + 1, colour);
}

/* Reads the right answers: a picture whose grey values are the classes. */
static const char *read_truth(const char *path, unsigned char *truth)
{
    struct canvas c;
    const char *why = canvas_load(&c, path);
    if (why)
        return why;
    if (c.width != WIDTH || c.height != HEIGHT)
        why = "the picture of classes is not of the network's size";
    for (int i = 0; !why && i < HEIGHT * WIDTH; i++)
        if ((truth[i] = c.rgb[3 * i]) >= CLASSES)
            why = "the picture of classes has a grey value that is none";
    canvas_free(&c);
    return why;
}

static void report(const struct counts *c)
{
    int right = 0, all = 0;
    for (int k = 0; k < CLASSES; k++) {
        int either = c->found[k] + c->there[k] - c->both[k];
        right += c->both[k];
        all += c->there[k];
        printf("  %-8s %5d pixels, %5d found, both are %.1f %% of either\n", names[k], c->there[k],
               c->found[k], either ? 100.0 * c->both[k] / either : 100.0);
    }
    printf("  %d of %d pixels are right: %.2f %%\n", right, all, 100.0 * right / all);
}

/* The picture, its classes, and with the right answers what is wrong, side by side. */
static const char *draw(const char *path, const struct canvas *picture, const int64_t *classes,
                        const unsigned char *truth)
{
    struct canvas part, sheet = {0};
    int panels = truth ? 3 : 2, step = WIDTH * TIMES + GAP;
    const char *why = canvas_make(&part, WIDTH, HEIGHT, 0);
    if (!why)
        why = canvas_make(&sheet, panels * step + GAP, HEIGHT * TIMES + 2 * GAP, 0xffffff);
    if (!why) {
        canvas_put(&sheet, GAP, GAP, picture, TIMES);
        for (int i = 0; i < HEIGHT * WIDTH; i++)
            paint(&part, i, colours[classes[i]]);
        canvas_put(&sheet, GAP + step, GAP, &part, TIMES);
        for (int i = 0; truth && i < HEIGHT * WIDTH; i++)
            paint(&part, i, classes[i] == truth[i] ? 0xe0e0dc - 0x181818 * truth[i] : WRONG);
        if (truth)
            canvas_put(&sheet, GAP + 2 * step, GAP, &part, TIMES);
        why = canvas_save(&sheet, path);
    }
    canvas_free(&part);
    canvas_free(&sheet);
    return why;
}

static const char *run(segmenter_context *model, char **argv, const char *truth_path)
{
    static _Alignas(64) int64_t classes[HEIGHT * WIDTH];
    static unsigned char truth[HEIGHT * WIDTH];
    struct canvas given, picture;
    struct counts counts = {0};
    const char *why = truth_path ? read_truth(truth_path, truth) : NULL;
    why = why ? why : canvas_load(&given, argv[2]);
    if (why)
        return why;
    why = canvas_make(&picture, WIDTH, HEIGHT, 0);
    if (!why) {
        canvas_fit(&given, &picture);
        why = segment(model, &picture, classes) ? NULL : segmenter_error(model);
    }
    if (!why) {
        for (int i = 0; i < HEIGHT * WIDTH; i++) {
            counts.found[classes[i]]++;
            counts.there[truth[i]]++;
            counts.both[truth[i]] += classes[i] == truth[i];
        }
        why = draw(argv[1], &picture, classes, truth_path ? truth : NULL);
    }
    if (!why) {
        printf("%s:\n", argv[2]);
        if (truth_path)
            report(&counts);
        else
            for (int k = 0; k < CLASSES; k++)
                printf("  %-8s %5d pixels\n", names[k], counts.found[k]);
    }
    canvas_free(&picture);
    canvas_free(&given);
    return why;
}

int main(int argc, char **argv)
{
    static segmenter_context model;
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: segmenter OUTPUT.png PICTURE.png [CLASSES.png]\n");
        return 2;
    }
    const char *why = open_model(&model) ? run(&model, argv, argc == 4 ? argv[3] : NULL)
                                         : segmenter_error(&model);
    if (why) {
        fprintf(stderr, "segmenter: %s: %s\n", argv[2], why);
        return 1;
    }
    segmenter_fini(&model);
    return 0;
}
