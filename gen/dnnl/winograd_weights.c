/* Weights of a Winograd convolution: their transformation, what rounding does to them, and how they are packed for products in C.
 *
 * Rounding: with the interpolation points 0, +-1/sqrt(2), +-sqrt(2) the error measured over layers of 64 to 512 channels is
 * 1e-6 to 2e-6 of the largest result (direct: 0.5e-6 to 1e-6; with the common points 0, +-1, +-2 it would be 1e-5), with 0, +-1, +-1/2, +-2 for tiles
 * of eight 3e-6 for lines and 6e-6 for squares. Weights
 * are transformed in double and rounded once. Filters whose weights stand in the corners lose more: see error_bound. */
#include "algorithm.h"

#include <math.h>
#include <string.h>

enum {
    MAX_IN = 8, /* lines of a tile of src */
    MAX_WINDOW = 7,
    MAX_PLANES = MAX_IN * MAX_IN,
};

#define ROOT 0.70710678118654752440 /* sqrt(1/2) */

/* An interpolation point, its square, the product of its distances to the others, and the sum of its row of |B^T|: how much larger than src a transformed
 * tile can be, in one direction. Behind the last one is infinity, whose row has the sum of that of 0. */
typedef struct Point {
    double at, square, distances, grows;
} Point;

static const Point *points_of(const DnnlWinograd *w)
{
    static const Point four[] = {{0, 0, 1, 2}, {1, 1, 2, 2}, {-1, 1, 2, 2}, {0, 0, 1, 2}},
                       six[] = {{0, 0, 1, 4.5},
                                {ROOT, 0.5, -1.5, 3 + 3 * ROOT},
                                {-ROOT, 0.5, -1.5, 3 + 3 * ROOT},
                                {2 * ROOT, 2, 6, 1.5 + 3 * ROOT},
                                {-2 * ROOT, 2, 6, 1.5 + 3 * ROOT},
                                {0, 0, 1, 4.5}},
                       eight[] = {{0, 0, 1, 12.5},           {1, 1, -4.5, 12.5},
                                  {-1, 1, -4.5, 12.5},       {0.5, 0.25, 1.40625, 15},
                                  {-0.5, 0.25, 1.40625, 15}, {2, 4, 90, 7.5},
                                  {-2, 4, 90, 7.5},          {0, 0, 1, 12.5}};
    const int64_t n = winograd_columns_in(w);
    return n == 4 ? four : n == 6 ? six : eight;
}

/* p^k of point i of n; that of infinity is 1 for the last power only. */
static double power(const Point *p, int64_t i, int64_t n, int64_t k, int64_t last)
{
    if (i == n - 1)
        return k == last;
    double x = k % 2 ? p[i].at : 1;
    for (int64_t j = 1; j < k; j += 2)
        x *= p[i].square;
    return x;
}

/* G: rows are [1, p, p^2, ...] / prod(p - other points), the last one is infinity. */
static void make_g(const DnnlWinograd *w, double G[MAX_IN][MAX_WINDOW])
{
    const Point *p = points_of(w);
    const int64_t n = winograd_columns_in(w);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < w->window; k++)
            G[i][k] = w->pairs ? winograd_whole_g()[i * w->window + k]
                               : power(p, i, n, k, w->window - 1) / p[i].distances;
}

static double dot(const double *a, const double *b, int64_t step, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += a[k] * b[k * step];
    return sum;
}

/* G g G^T, or of a line G g */
static void transform(const DnnlWinograd *w, double G[MAX_IN][MAX_WINDOW], const double *g,
                      double u[MAX_PLANES])
{
    const int64_t n = winograd_columns_in(w), r = w->window;
    double t[MAX_IN][MAX_WINDOW];
    for (int64_t i = 0; w->tile == 1 && i < n; i++)
        u[i] = dot(G[i], g, 1, r);
    if (w->tile == 1)
        return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < r; j++)
            t[i][j] = dot(G[i], g + j, r, r);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            u[i * n + j] = dot(t[i], G[j], 1, r);
}

/* |A^T| (s . growth) |A|, its largest element: what an error of the products' own size becomes. */
static double amplify(const DnnlWinograd *w, const double *s)
{
    const Point *p = points_of(w);
    const int64_t columns = winograd_columns(w), n = winograd_columns_in(w),
                  lines = winograd_lines_in(w);
    double most = 0;
    for (int64_t y = 0; y < w->tile; y++)
        for (int64_t x = 0; x < columns; x++) {
            double sum = 0;
            for (int64_t k = 0; k < lines * n; k++)
                sum +=
                    (lines == 1 ? 1 : fabs(power(p, k / n, n, y, columns - 1)) * p[k / n].grows) *
                    fabs(power(p, k % n, n, x, columns - 1)) * p[k % n].grows * s[k];
            most = sum > most ? sum : most;
        }
    return most;
}

/* A bound of the rounding error from the weights, relative to the largest result that a filter can give, which is the sum of its weights'
 * absolutes times the largest element of src. `size` is the sum of |G g G^T| over the channels of a filter. A sum of n products is taken to
 * err by no more than 4 sqrt(n) roundings (Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis", 2019), the
 * transformations by all of theirs. For random weights of 512 channels it gives 2e-4 (F(2x2): 2e-5), a hundred times what is seen. */
static double error_bound(const DnnlWinograd *w, const double *size, double weights)
{
    const double roundings = 4 * sqrt((double)w->channels) + 24;
    return weights > 0 ? 0x1p-24 * roundings * amplify(w, size) / weights : 0;
}

static size_t src_channels(const DnnlWinograd *w)
{
    return (size_t)(w->pairs ? w->pairs : w->channels);
}

/* One filter: [planes, channels] to every `outputs`th element of u. False if a weight is not finite or near the end of float's
 * range, which the transformations would carry to results that it does not belong to. */
static bool transform_filter(DnnlWinograd *w, const DnnlMemory *m, double G[MAX_IN][MAX_WINDOW],
                             size_t k, float *u)
{
    const size_t outputs = (size_t)w->outputs, channels = src_channels(w),
                 planes = (size_t)w->planes;
    const float *data = m->data;
    double size[MAX_PLANES] = {0}, weights = 0;
    for (size_t c = 0; c < channels; c++) {
        double g[MAX_WINDOW * MAX_WINDOW], t[MAX_PLANES];
        const size_t across = (size_t)m->dims[m->rank - 1], taps = (size_t)winograd_taps(w);
        for (size_t i = 0; i < taps; i++) {
            g[i] = data[k * (size_t)m->strides[0] + c * (size_t)m->strides[1] +
                        i / across * (size_t)m->strides[2] +
                        i % across * (size_t)m->strides[m->rank - 1]];
            if (!(fabs(g[i]) < 1e30))
                return false;
            weights += fabs(g[i]);
        }
        transform(w, G, g, t);
        for (size_t i = 0; i < planes; i++) {
            u[(i * channels + c) * outputs] = (float)t[i];
            size[i] += fabs(t[i]);
        }
    }
    const double error = w->pairs ? 0 : error_bound(w, size, weights);
    w->error = error > w->error ? error : w->error;
    return true;
}

float *winograd_transform(Arena *arena, DnnlWinograd *w, const DnnlMemory *m)
{
    float *u = ARENA_ARRAY(arena, float, (size_t)w->planes *src_channels(w) * (size_t)w->outputs);
    double G[MAX_IN][MAX_WINDOW];
    w->error = 0;
    make_g(w, G);
    for (size_t k = 0; k < (size_t)w->outputs; k++)
        if (!transform_filter(w, m, G, k, u + k))
            return NULL;
    return u;
}

/* The planes at 0 and at infinity are taps of the window, since G has a one there and zeros beside it: the corners of a tile, or the ends of a line. */
static bool is_tap(const DnnlWinograd *w, int64_t plane)
{
    const int64_t n = winograd_columns_in(w), y = plane / n, x = plane % n;
    return (x == 0 || x == n - 1) && (y == 0 || y == winograd_lines_in(w) - 1);
}

bool winograd_holds_taps(const DnnlWinograd *w)
{
    return !w->pairs && w->window == 3;
}

int64_t winograd_taps_shared(int64_t tile)
{
    return tile == 1 ? 2 : 4;
}

int64_t winograd_units(const DnnlWinograd *w)
{
    return w->taps ? w->taps + w->planes - winograd_taps_shared(w->tile) : w->planes;
}

/* One plane: [blocks of columns, channels, width] from [channels, outputs]; an element may be two whole numbers. */
static void pack_plane(const DnnlWinograd *w, const float *u, float *packed)
{
    const size_t width = (size_t)panel_packed_width(&w->panel), outputs = (size_t)w->outputs,
                 channels = (size_t)w->channels, together = w->pairs ? 2 : 1;
    int16_t *halves = (int16_t *)(void *)packed;
    for (size_t c = 0; c < src_channels(w); c++)
        for (size_t k = 0; k < outputs; k++) {
            const size_t at = (k / width * channels + c / together) * width + k % width;
            if (w->pairs)
                halves[2 * at + c % 2] = (int16_t)u[c * outputs + k];
            else
                packed[at] = u[c * outputs + k];
        }
}

void winograd_pack(Describe *d, const DnnlWinograd *w, const float *u)
{
    const size_t plane = panel_floats(&w->panel, w->channels),
                 floats = src_channels(w) * (size_t)w->outputs;
    const int64_t units = winograd_units(w);
    float *packed = ARENA_ARRAY(d->l->arena, float, (size_t)units *plane);
    float *next = packed + (size_t)w->taps * plane;
    if (w->taps)
        indirect_pack(
            &(DnnlIndirect){
                .panel = w->panel, .channels = w->channels, .outputs = w->outputs, .taps = w->taps},
            onednn_memory_of(d->p, ARG_WEIGHTS), packed);
    for (int64_t i = 0; i < w->planes; i++) {
        if (w->taps && is_tap(w, i))
            continue;
        pack_plane(w, u + (size_t)i * floats, next);
        next += plane;
    }
    const int64_t dims[4] = {units, w->panel.blocks, w->channels, panel_packed_width(&w->panel)};
    describe_weights_of_c(d, dims, packed);
    arena_release(d->l->arena, u, (size_t)w->planes * floats * sizeof *u);
}
