#include "picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PIXELS = 1 << 24, /* bounds what a hostile header can make us allocate */
    BINS = 256            /* grey levels of the histogram */
};

/* A grey picture. */
struct picture {
    int width, height;
    float *grey; /* [height][width], 0 is black and 1 is white */
};

/* Ink and what is connected to it. A box is half open: x1 and y1 are outside. */
struct blob {
    int area, x0, y0, x1, y1;
};

/* ---- the file ---- */

/* The next character that is not part of a comment. */
static int next_char(FILE *f)
{
    int c = getc(f);
    if (c == '#')
        while (c != '\n' && c != '\r' && c != EOF)
            c = getc(f);
    return c;
}

/* Reads a decimal number of at most `limit` after white space and comments, and one character
 * behind it. Returns -1 where there is none. */
static long read_number(FILE *f, long limit)
{
    int c = next_char(f);
    while (c == ' ' || (c >= '\t' && c <= '\r'))
        c = next_char(f);
    if (c < '0' || c > '9')
        return -1;
    long n = 0;
    for (; c >= '0' && c <= '9'; c = next_char(f)) {
        n = n * 10 + (c - '0');
        if (n > limit)
            return -1;
    }
    return c == EOF || c == ' ' || (c >= '\t' && c <= '\r') ? n : -1;
}

static long read_sample(FILE *f, int plain, long maxval)
{
    if (plain)
        return read_number(f, maxval);
    int high = maxval > 255 ? getc(f) : 0;
    int low = getc(f);
    if (high == EOF || low == EOF)
        return -1;
    long v = (long)high * 256 + low;
    return v <= maxval ? v : -1;
}

/* Reads P5 or P2, comments, maxval up to 65535. Returns what is wrong, with nothing to free. */
static const char *picture_read(struct picture *p, FILE *f)
{
    *p = (struct picture){0};
    int magic = getc(f) == 'P' ? getc(f) : EOF;
    if (magic != '5' && magic != '2')
        return "not a PGM picture (it starts neither with P5 nor with P2)";
    long width = read_number(f, MAX_PIXELS);
    long height = read_number(f, MAX_PIXELS);
    if (width < 1 || height < 1 || width > MAX_PIXELS / height)
        return "the width and height are missing, zero or too large";
    long maxval = read_number(f, 65535);
    if (maxval < 1)
        return "the largest grey value is missing or not in 1..65535";
    size_t n = (size_t)width * (size_t)height;
    float *grey = malloc(n * sizeof *grey);
    if (!grey)
        return "out of memory";
    for (size_t i = 0; i < n; i++) {
        long v = read_sample(f, magic == '2', maxval);
        if (v < 0) {
            free(grey);
            return "the file is cut short or a grey value is out of range";
        }
        grey[i] = (float)v / (float)maxval;
    }
    *p = (struct picture){.width = (int)width, .height = (int)height, .grey = grey};
    return NULL;
}

static void picture_free(struct picture *p)
{
    free(p->grey);
    *p = (struct picture){0};
}

/* ---- paper and ink ---- */

/* Otsu's threshold (1979): the split of the grey levels for which the two sides lie farthest apart,
 * measured by n0 n1 (mean0 - mean1)^2. Gives the grey means of the two sides. */
static float otsu(const struct picture *p, float low, float high, float mean[2])
{
    double count[BINS] = {0}, total = 0, all = 0, n0 = 0, sum0 = 0, best = -1;
    int n = p->width * p->height, split = 0;
    for (int i = 0; i < n; i++) {
        int bin = (int)((p->grey[i] - low) / (high - low) * (BINS - 1) + 0.5f);
        count[bin] += 1;
        all += bin;
        total += 1;
    }
    for (int t = 0; t + 1 < BINS; t++) {
        n0 += count[t];
        sum0 += t * count[t];
        double n1 = total - n0;
        if (n0 == 0 || n1 == 0)
            continue;
        double m0 = sum0 / n0, m1 = (all - sum0) / n1;
        double apart = n0 * n1 * (m0 - m1) * (m0 - m1);
        if (apart > best) {
            best = apart;
            split = t;
            mean[0] = low + (high - low) * (float)m0 / (BINS - 1);
            mean[1] = low + (high - low) * (float)m1 / (BINS - 1);
        }
    }
    return low + (high - low) * ((float)split + 0.5f) / (BINS - 1);
}

/* Paper is what most of the picture's edge is made of: 1 for the lighter side of the threshold, 0
 * for the darker. */
static int paper_side(const struct picture *p, float threshold)
{
    int w = p->width, h = p->height, light = 0;
    for (int x = 0; x < w; x++)
        light +=
            (p->grey[x] > threshold ? 1 : -1) + (p->grey[(h - 1) * w + x] > threshold ? 1 : -1);
    for (int y = 0; y < h; y++)
        light +=
            (p->grey[y * w] > threshold ? 1 : -1) + (p->grey[y * w + w - 1] > threshold ? 1 : -1);
    return light >= 0;
}

/* Fills ink[] with 0 for paper to 1 for ink, whatever the two looked like. */
static const char *find_ink(const struct picture *p, float *ink)
{
    int n = p->width * p->height;
    float low = p->grey[0], high = p->grey[0], mean[2] = {0};
    for (int i = 1; i < n; i++) {
        low = fminf(low, p->grey[i]);
        high = fmaxf(high, p->grey[i]);
    }
    if (high - low < 1.0f / 64)
        return "the picture has one grey only";
    float threshold = otsu(p, low, high, mean);
    int paper = paper_side(p, threshold);
    for (int i = 0; i < n; i++) {
        float v = (p->grey[i] - mean[paper]) / (mean[!paper] - mean[paper]);
        ink[i] = fminf(fmaxf(v, 0), 1);
    }
    return NULL;
}

/* ---- the digit among specks ---- */

/* Room for looking at every pixel: `seen` is the last pass that met it, `queue` the pixels of the
 * blob at hand. */
struct search {
    unsigned char *seen;
    int *queue;
};

/* Collects the ink connected to pixel `seed` that this pass has not met; its pixels stay in
 * s->queue. */
static struct blob flood(const float *ink, int w, int h, int seed, unsigned char pass,
                         struct search *s)
{
    struct blob b = {.x0 = w, .y0 = h};
    int tail = 0;
    s->queue[tail++] = seed;
    s->seen[seed] = pass;
    for (; b.area < tail; b.area++) {
        int x = s->queue[b.area] % w, y = s->queue[b.area] / w;
        b.x0 = x < b.x0 ? x : b.x0;
        b.y0 = y < b.y0 ? y : b.y0;
        b.x1 = x >= b.x1 ? x + 1 : b.x1;
        b.y1 = y >= b.y1 ? y + 1 : b.y1;
        for (int k = 0; k < 9; k++) {
            int u = x + k % 3 - 1, v = y + k / 3 - 1;
            if (u < 0 || v < 0 || u >= w || v >= h || s->seen[v * w + u] == pass)
                continue;
            s->seen[v * w + u] = pass;
            if (ink[v * w + u] > 0.5f)
                s->queue[tail++] = v * w + u;
        }
    }
    return b;
}

/* The first pass finds the largest blob; the second erases those of less than 1/20 of its area and
 * gives the box around the others, which are the parts of a broken digit. */
static struct blob find_digit(float *ink, int w, int h, struct search *s)
{
    struct blob box = {.x0 = w, .y0 = h};
    int n = w * h, largest = 0;
    for (unsigned char pass = 1; pass <= 2; pass++)
        for (int i = 0; i < n; i++) {
            if (s->seen[i] == pass || ink[i] <= 0.5f)
                continue;
            struct blob b = flood(ink, w, h, i, pass, s);
            if (pass == 1) {
                largest = b.area > largest ? b.area : largest;
            } else if (b.area < largest / 20) {
                for (int k = 0; k < b.area; k++)
                    ink[s->queue[k]] = 0;
            } else {
                box.area += b.area;
                box.x0 = b.x0 < box.x0 ? b.x0 : box.x0;
                box.y0 = b.y0 < box.y0 ? b.y0 : box.y0;
                box.x1 = b.x1 > box.x1 ? b.x1 : box.x1;
                box.y1 = b.y1 > box.y1 ? b.y1 : box.y1;
            }
        }
    return box;
}

/* ---- size and place ---- */

/* How much of source pixel i lies in from..to. */
static double share(int i, double from, double to)
{
    return fmin(to, i + 1) - fmax(from, i);
}

/* The mean of ink over a rectangle with fractional edges: one output pixel of a box filter. */
static float box_mean(const float *ink, int stride, double x0, double y0, double x1, double y1)
{
    double sum = 0;
    for (int y = (int)y0; y < y1; y++) {
        double row = 0;
        for (int x = (int)x0; x < x1; x++)
            row += share(x, x0, x1) * ink[(size_t)y * (size_t)stride + (size_t)x];
        sum += share(y, y0, y1) * row;
    }
    return (float)(sum / ((x1 - x0) * (y1 - y0)));
}

static void place(const float *ink, int stride, struct blob b, float *input)
{
    int bw = b.x1 - b.x0, bh = b.y1 - b.y0, longer = bw > bh ? bw : bh;
    int w = (int)fmax(1, rint((double)DIGIT_BOX * bw / longer));
    int h = (int)fmax(1, rint((double)DIGIT_BOX * bh / longer));
    int left = (DIGIT_SIDE - w) / 2, top = (DIGIT_SIDE - h) / 2;
    double sx = (double)bw / w, sy = (double)bh / h;
    for (int i = 0; i < DIGIT_SIDE * DIGIT_SIDE; i++)
        input[i] = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            input[(top + y) * DIGIT_SIDE + left + x] =
                box_mean(ink, stride, b.x0 + x * sx, b.y0 + y * sy, fmin(b.x0 + (x + 1) * sx, b.x1),
                         fmin(b.y0 + (y + 1) * sy, b.y1));
}

/* Crops, scales and centres the digit. */
static const char *picture_to_input(const struct picture *p, float *input)
{
    size_t n = (size_t)p->width * (size_t)p->height;
    float *ink = malloc(n * sizeof *ink);
    struct search s = {.seen = calloc(n, 1), .queue = malloc(n * sizeof *s.queue)};
    const char *why = ink && s.seen && s.queue ? find_ink(p, ink) : "out of memory";
    if (!why) /* there is ink, on one side of the threshold */
        place(ink, p->width, find_digit(ink, p->width, p->height, &s), input);
    free(ink);
    free(s.seen);
    free(s.queue);
    return why;
}

const char *picture_read_digit(FILE *f, float input[DIGIT_SIDE * DIGIT_SIDE])
{
    struct picture picture;
    const char *why = picture_read(&picture, f);
    if (why)
        return why;
    why = picture_to_input(&picture, input);
    picture_free(&picture);
    return why;
}

const char *picture_load(const char *path, float input[DIGIT_SIDE * DIGIT_SIDE])
{
    FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!f)
        return strerror(errno);
    const char *why = picture_read_digit(f, input);
    if (f != stdin)
        fclose(f);
    return why;
}
