/* Finds the digits on pictures and draws boxes around them. How many there are is known after a run:
 * the model ends in a NonMaxSuppression, and its outputs come with a count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "detector_dnnl.h"

enum {
    WIDTH = 160, /* of the network's input */
    HEIGHT = 120,
    MOST_FOUND = 32, /* rows of its outputs */
    MOST_TRUE = 64,  /* digits on a picture, of a file that says so */
    SHOWN = 640,     /* least width of a drawn picture */
    RIGHT = 0x1d8f3f,
    WRONG = 0xe07b00,
    MISSED = 0xd0202a
};

static const char usage[] =
    "usage: detector [--truth FILE] OUTPUT-FOLDER PICTURE.png...\n"
    "Finds the digits on pictures, and draws boxes around them into OUTPUT-FOLDER.\n"
    "\n"
    "  --truth FILE  lines of a picture's name, a digit and its box (left top right bottom, in\n"
    "                pixels): what is found is compared with them and counted. Green is right,\n"
    "                orange is no such digit, red was not found\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read or written, 2 bad usage.\n";

struct box {
    int digit;
    double edge[4]; /* left, top, right, bottom, in pixels of the picture */
    double score;
    int matched;
};

struct counts {
    int there, right, wrong;
};

static int open_model(detector_context *model)
{
    static _Alignas(DETECTOR_WORKSPACE_ALIGN) unsigned char workspace[DETECTOR_WORKSPACE_SIZE];
    detector_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
#ifdef DETECTOR_HAS_FALLBACK /* not in portable C */
    config.fallback_size = (detector_fallback_size() + 63) / 64 * 64;
    if (config.fallback_size)
        config.fallback = aligned_alloc(64, config.fallback_size);
#endif
    return detector_init(model, &config) == DETECTOR_OK;
}

/* What the network finds on the picture; returns how much, or -1. */
static int find(detector_context *model, const struct canvas *picture, struct box *found)
{
    static _Alignas(64) float image[HEIGHT * WIDTH], boxes[MOST_FOUND][4], scores[MOST_FOUND];
    static _Alignas(64) int64_t digits[MOST_FOUND];
    int64_t count = 0, same[2];
    struct canvas small;
    if (canvas_make(&small, WIDTH, HEIGHT, 0))
        return -1;
    double scale = canvas_fit(picture, &small);
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
        const unsigned char *p = small.rgb + 3 * i;
        image[i] = (float)(299 * p[0] + 587 * p[1] + 114 * p[2]) / 255000;
    }
    canvas_free(&small);
    detector_outputs out = {.boxes = boxes[0],
                            .boxes_count = &count,
                            .scores = scores,
                            .scores_count = &same[0],
                            .digits = digits,
                            .digits_count = &same[1]};
    if (detector_run(model, &(detector_inputs){.image = image}, &out) != DETECTOR_OK)
        return -1;
    for (int i = 0; i < count; i++) { /* the model's boxes are top, left, bottom, right */
        found[i] = (struct box){.digit = (int)digits[i], .score = (double)scores[i]};
        for (int k = 0; k < 4; k++) {
            double edge = (double)boxes[i][k ^ 1] / scale;
            double most = k % 2 ? picture->height : picture->width;
            found[i].edge[k] = edge > 0 ? edge < most ? edge : most : 0;
        }
    }
    return (int)count;
}

/* Intersection over union. */
static double shared(const double *a, const double *b)
{
    double both = 1, one = 1, other = 1;
    for (int k = 0; k < 2; k++) {
        double low = a[k] > b[k] ? a[k] : b[k];
        double high = a[k + 2] < b[k + 2] ? a[k + 2] : b[k + 2];
        both *= high > low ? high - low : 0;
        one *= a[k + 2] - a[k];
        other *= b[k + 2] - b[k];
    }
    return both / (one + other - both);
}

/* A box is right if it shares half of its area and more with a digit of its name that no likelier
 * box has. */
static void compare(struct box *found, int n, struct box *truth, int there, struct counts *c)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < there && !found[i].matched; k++)
            if (!truth[k].matched && truth[k].digit == found[i].digit &&
                shared(truth[k].edge, found[i].edge) >= 0.5)
                truth[k].matched = found[i].matched = 1;
        c->right += found[i].matched;
        c->wrong += !found[i].matched;
    }
    c->there += there;
}

/* The digits of one picture in a file of all; returns how many, or -1. */
static int read_truth(const char *path, const char *name, struct box *truth)
{
    char line[256], of[128];
    int n = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    while (n < MOST_TRUE && fgets(line, sizeof line, f)) {
        struct box b = {0};
        if (sscanf(line, "%127s %d %lf %lf %lf %lf", of, &b.digit, &b.edge[0], &b.edge[1],
                   &b.edge[2], &b.edge[3]) == 6 &&
            !strcmp(of, name))
            truth[n++] = b;
    }
    fclose(f);
    return n;
}

static void draw_box(struct canvas *c, const struct box *b, int times, canvas_colour colour)
{
    int x0 = (int)(b->edge[0] * times), y0 = (int)(b->edge[1] * times);
    int x1 = (int)(b->edge[2] * times + 0.5), y1 = (int)(b->edge[3] * times + 0.5);
    char label[16];
    canvas_frame(c, x0 - 2, y0 - 2, x1 + 2, y1 + 2, 2, colour);
    if (b->score > 0) {
        int width = snprintf(label, sizeof label, "%d %.0f%%", b->digit, 100 * b->score) * 12 + 4;
        int top = y0 >= 20 ? y0 - 20 : y1 + 2;
        canvas_fill(c, x0 - 2, top, x0 + width, top + 18, colour);
        canvas_text(c, x0 + 2, top + 2, 2, 0xffffff, label);
    }
}

static const char *draw(const char *path, const struct canvas *picture, const struct box *found,
                        int n, const struct box *truth, int there)
{
    struct canvas large;
    int times = picture->width < SHOWN ? (SHOWN + picture->width - 1) / picture->width : 1;
    const char *why =
        canvas_make(&large, picture->width * times, picture->height * times, 0xffffff);
    if (why)
        return why;
    canvas_put(&large, 0, 0, picture, times);
    for (int i = 0; i < there; i++)
        if (!truth[i].matched)
            draw_box(&large, &truth[i], times, MISSED);
    for (int i = 0; i < n; i++)
        draw_box(&large, &found[i], times, !truth || found[i].matched ? RIGHT : WRONG);
    why = canvas_save(&large, path);
    canvas_free(&large);
    return why;
}

static const char *picture(detector_context *model, const char *path, const char *folder,
                           const char *truth_path, struct counts *counts)
{
    struct box found[MOST_FOUND], truth[MOST_TRUE];
    struct canvas c;
    char output[4096];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (snprintf(output, sizeof output, "%s/%s", folder, name) >= (int)sizeof output)
        return "the name is too long";
    const char *why = canvas_load(&c, path);
    if (why)
        return why;
    int there = truth_path ? read_truth(truth_path, name, truth) : 0;
    int n = there < 0 ? 0 : find(model, &c, found);
    if (there < 0)
        why = "the file of --truth cannot be read";
    else if (n < 0)
        why = detector_error(model);
    else {
        if (truth_path)
            compare(found, n, truth, there, counts);
        why = draw(output, &c, found, n, truth_path ? truth : NULL, there);
    }
    if (!why) {
        printf("%s: %d digits\n", name, n);
        for (int i = 0; i < n; i++)
            printf("  %d %3.0f %% at %.0f %.0f %.0f %.0f%s\n", found[i].digit, 100 * found[i].score,
                   found[i].edge[0], found[i].edge[1], found[i].edge[2], found[i].edge[3],
                   !truth_path || found[i].matched ? "" : ", which is no such digit");
    }
    canvas_free(&c);
    return why;
}

int main(int argc, char **argv)
{
    static detector_context model;
    struct counts counts = {0};
    int k = argc > 2 && !strcmp(argv[1], "--truth") ? 3 : 1;
    if (argc < k + 2 || argv[k][0] == '-') {
        fputs(usage, stderr);
        return 2;
    }
    if (!open_model(&model)) {
        fprintf(stderr, "detector: %s\n", detector_error(&model));
        return 1;
    }
    for (int i = k + 1; i < argc; i++) {
        const char *why = picture(&model, argv[i], argv[k], k == 3 ? argv[2] : NULL, &counts);
        if (why) {
            fprintf(stderr, "detector: %s: %s\n", argv[i], why);
            return 1;
        }
    }
    if (k == 3)
        printf("%d of %d digits are found, %d found that are none\n", counts.right, counts.there,
               counts.wrong);
    detector_fini(&model);
    return 0;
}
