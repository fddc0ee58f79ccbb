/* Weights of a Winograd convolution: their transformation, what rounding does to them, and how they are packed for products in C.
 *
 * Rounding: with the interpolation points 0, +-1/sqrt(2), +-sqrt(2) the error measured over layers of 64 to 512 channels is
 * 1e-6 to 2e-6 of the largest result (direct: 0.5e-6 to 1e-6; with the common points 0, +-1, +-2 it would be 1e-5). Weights
 * are transformed in double and rounded once. Filters whose weights stand in the corners lose more: see error_bound. */
#include "algorithm.h"

#include <math.h>
#include <string.h>

enum {
    MAX_IN = 6, /* lines of a tile of src */
    MAX_PLANES = MAX_IN * MAX_IN,
};

#define ROOT 0.70710678118654752440 /* sqrt(1/2) */

/* G: rows are [1, p, p^2] / prod(p - other points), the last one is infinity. */
static const double *matrix_g(int64_t tile)
{
    static const double four[MAX_IN][3] = {{1, 0, 0},
                                           {-1 / 1.5, -ROOT / 1.5, -0.5 / 1.5},
                                           {-1 / 1.5, ROOT / 1.5, -0.5 / 1.5},
                                           {1.0 / 6, 2 * ROOT / 6, 2.0 / 6},
                                           {1.0 / 6, -2 * ROOT / 6, 2.0 / 6},
                                           {0, 0, 1}};
    static const double two[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
    return tile == 2 ? *two : *four;
}

/* G g G^T, or of a line G g */
static void transform(int64_t tile, const double *G, const double g[9], double u[MAX_PLANES])
{
    const int64_t n = winograd_columns(tile) + 2;
    double t[MAX_IN][3];
    for (int64_t i = 0; tile == 1 && i < n; i++)
        u[i] = G[3 * i] * g[0] + G[3 * i + 1] * g[1] + G[3 * i + 2] * g[2];
    if (tile == 1)
        return;
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            t[i][j] = G[3 * i] * g[j] + G[3 * i + 1] * g[3 + j] + G[3 * i + 2] * g[6 + j];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            u[i * n + j] = t[i][0] * G[3 * j] + t[i][1] * G[3 * j + 1] + t[i][2] * G[3 * j + 2];
}

/* Sums of the rows of |B^T|: how much larger than src a transformed tile can be, in one direction. And |A^T|. */
static const double grow_4[MAX_IN] = {
    4.5, 3 + 3 * ROOT, 3 + 3 * ROOT, 1.5 + 3 * ROOT, 1.5 + 3 * ROOT, 4.5};
static const double back_4[4][MAX_IN] = {{1, 1, 1, 1, 1, 0},
                                         {0, ROOT, ROOT, 2 * ROOT, 2 * ROOT, 0},
                                         {0, 0.5, 0.5, 2, 2, 0},
                                         {0, ROOT / 2, ROOT / 2, 4 * ROOT, 4 * ROOT, 1}};
static const double grow_2[4] = {2, 2, 2, 2};
static const double back_2[2][4] = {{1, 1, 1, 0}, {0, 1, 1, 1}};

/* |A^T| (s . growth) |A|, its largest element: what an error of the products' own size becomes. */
static double amplify(int64_t tile, const double *s)
{
    const double *grow = tile == 2 ? grow_2 : grow_4, *back = tile == 2 ? *back_2 : *back_4;
    const int64_t columns = winograd_columns(tile), n = columns + 2, lines = tile == 1 ? 1 : n;
    double most = 0;
    for (int64_t y = 0; y < tile; y++)
        for (int64_t x = 0; x < columns; x++) {
            double sum = 0;
            for (int64_t k = 0; k < lines * n; k++)
                sum += (lines == 1 ? 1 : back[y * n + k / n] * grow[k / n]) * back[x * n + k % n] *
                       grow[k % n] * s[k];
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
    return weights > 0 ? 0x1p-24 * roundings * amplify(w->tile, size) / weights : 0;
}

static size_t src_channels(const DnnlWinograd *w)
{
    return (size_t)(w->pairs ? w->pairs : w->channels);
}

/* One filter: [planes, channels] to every `outputs`th element of u. False if a weight is not finite or near the end of float's
 * range, which the transformations would carry to results that it does not belong to. */
static bool transform_filter(DnnlWinograd *w, const DnnlMemory *m, size_t k, float *u)
{
    const size_t outputs = (size_t)w->outputs, channels = src_channels(w),
                 planes = (size_t)w->planes;
    const double *G = w->pairs ? winograd_whole_g() : matrix_g(w->tile);
    const float *data = m->data;
    double size[MAX_PLANES] = {0}, weights = 0;
    for (size_t c = 0; c < channels; c++) {
        double g[9], t[MAX_PLANES];
        const size_t across = (size_t)m->dims[m->rank - 1], taps = (size_t)winograd_window(w->tile);
        for (size_t i = 0; i < taps; i++) {
            g[i] = data[k * (size_t)m->strides[0] + c * (size_t)m->strides[1] +
                        i / across * (size_t)m->strides[2] +
                        i % across * (size_t)m->strides[m->rank - 1]];
            if (!(fabs(g[i]) < 1e30))
                return false;
            weights += fabs(g[i]);
        }
        transform(w->tile, G, g, t);
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
    w->error = 0;
    for (size_t k = 0; k < (size_t)w->outputs; k++)
        if (!transform_filter(w, m, k, u + k))
            return NULL;
    return u;
}

/* The planes at 0 and at infinity are taps of the window, since G has a one there and zeros beside it: the corners of a tile, or the ends of a line. */
static bool is_tap(int64_t tile, int64_t plane)
{
    const int64_t n = winograd_columns(tile) + 2, y = plane / n, x = plane % n;
    return (x == 0 || x == n - 1) && (y == 0 || y == winograd_lines(tile) - 1);
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
        if (w->taps && is_tap(w->tile, i))
            continue;
        pack_plane(w, u + (size_t)i * floats, next);
        next += plane;
    }
    const int64_t dims[4] = {units, w->panel.blocks, w->channels, panel_packed_width(&w->panel)};
    describe_weights_of_c(d, dims, packed);
    arena_release(d->l->arena, u, (size_t)w->planes * floats * sizeof *u);
}
