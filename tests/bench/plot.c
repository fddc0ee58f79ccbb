/* A bar for each model: ONNX Runtime's time divided by ours, on a logarithmic axis with 1 in it. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 210, WIDTH = 560, TOP = 46, ROW = 20, RIGHT = 160 };

struct bar {
    const struct model *model;
    double ratio, ours, theirs;
};

static int faster_first(const void *a, const void *b)
{
    double x = ((const struct bar *)a)->ratio, y = ((const struct bar *)b)->ratio;
    return (x > y) - (x < y);
}

static size_t collect(const struct options *o, const struct model *models, size_t n,
                      struct bar *bars)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const struct result *r = &models[i].by_config[0];
        struct bar bar = {&models[i], median_ratio(r, o->rounds),
                          MEDIAN(r->ours, o->rounds, median), MEDIAN(r->theirs, o->rounds, median)};
        if (!isnan(bar.ratio))
            bars[count++] = bar;
    }
    qsort(bars, count, sizeof *bars, faster_first);
    return count;
}

/* How far the axis goes from 1, in powers of two, and the pixel of a speed. */
static double axis_reach(const struct bar *bars, size_t count)
{
    double reach = 1;
    for (size_t i = 0; i < count; i++)
        reach = fmax(reach, ceil(fabs(log2(bars[i].ratio))));
    return reach;
}

static double place(double speed, double reach)
{
    return LEFT + WIDTH / 2.0 + log2(speed) / reach * (WIDTH / 2.0);
}

static void draw_bar(FILE *f, const struct bar *b, int y, double reach)
{
    double one = place(1, reach), end = place(1 / b->ratio, reach);
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 14,
            b->model->name);
    fprintf(f, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"14\" fill=\"%s\"/>\n",
            fmin(one, end), y + 3, fabs(end - one), b->ratio < 1 ? "#2a7f62" : "#c8553d");
    fprintf(f, "<text x=\"%d\" y=\"%d\">%.2fx  %.3g / %.3g ms</text>\n", LEFT + WIDTH + 8, y + 14,
            1 / b->ratio, b->ours, b->theirs);
}

bool write_plot(const struct options *o, const struct model *models, size_t n)
{
    char path[PATH_SIZE];
    struct bar bars[MAX_MODELS];
    size_t count = collect(o, models, n, bars);
    double reach = axis_reach(bars, count);
    int height = TOP + ROW * (int)count + 10;
    snprintf(path, sizeof path, "%.900s/bench.svg", o->out);
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"8\" y=\"18\" font-size=\"14\">Speed relative to ONNX Runtime, %d thread%s "
            "(right of 1: dnnlc is faster)</text>\n",
            LEFT + WIDTH + RIGHT, height, o->configs[0].threads,
            o->configs[0].threads == 1 ? "" : "s");
    for (int k = -(int)reach; k <= (int)reach; k++)
        fprintf(f,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"%s\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%g</text>\n",
                place(exp2(k), reach), place(exp2(k), reach), TOP, height - 8, k ? "#ddd" : "#555",
                place(exp2(k), reach), TOP - 6, exp2(k));
    for (size_t i = 0; i < count; i++)
        draw_bar(f, &bars[i], TOP + ROW * (int)i, reach);
    fputs("</svg>\n", f);
    return fclose(f) == 0;
}
