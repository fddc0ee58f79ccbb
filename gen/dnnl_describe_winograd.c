/* Winograd convolution: F(4x4, 3x3), see templates/dnnl/winograd_common.c for the method.
 *
 * A direct 3x3 convolution already runs at the FMA peak of a core, so that only less arithmetic is faster. A quarter of the
 * multiplications is left; what is added is the transformation of tiles (memory and additions) and weights four times the size.
 * Whether it pays is decided by a model of both ways, fitted to measurements, so that the same shapes always give the same
 * answer; with --tune by measuring both ways here.
 *
 * Rounding: with the interpolation points 0, +-1/sqrt(2), +-sqrt(2) the error measured over layers of 64 to 512 channels is
 * 1e-6 to 2e-6 of the largest result (direct: 0.5e-6 to 1e-6; with the common points 0, +-1, +-2 it would be 1e-5). Weights
 * are transformed in double and rounded once. */
#include "dnnl_describe.h"
#include "dnnl_time.h"
#include "emit_unit.h"
#include "tune.h"

#include <math.h>
#include <string.h>

enum {
    TILE = 4,
    TILE_IN = TILE + 2,
    PLANES = TILE_IN * TILE_IN,
    LANES = 16, /* floats in a cache line: rows of matrices are padded to it */
};

/* --- does it pay ------------------------------------------------------------------------------------------------- */

/* Nanoseconds on one core of an AVX-512 machine that does 190 GFLOP/s in direct convolutions and reads 24 GB/s from its last
 * cache; only their ratios matter. Measured over 36 shapes from 8 to 512 channels and 7x7 to 224x224 pixels, what the model
 * says of Winograd to direct is between 0.8 and 1.3 of the truth: good where it counts, cautious with small layers. */
static const double flops_per_ns = 190, bytes_per_ns = 24, cached_bytes = 1 << 20;
static const double product = 1.2;  /* the matrix product, by FMA, to a direct convolution */
static const double ns_in = 105;    /* a tile of 16 channels there */
static const double ns_out = 65;    /* a tile of 16 channels back */
static const double ns_call = 1500; /* a block: calling the matrix product */
static const double worth = 0.9;    /* what is not clearly faster is not worth larger weights */
static const double hopeless = 3;   /* so much slower by the model that it is not measured */

static double up_to(int64_t n, int64_t unit)
{
    return (double)((n + unit - 1) / unit * unit);
}

static double direct_ns(const DnnlWinograd *w)
{
    double pixels = (double)(w->tiles / (w->rows * w->columns) * w->out_height * w->out_width);
    return 2 * 9 * pixels * (double)w->channels * up_to(w->outputs, LANES) / flops_per_ns;
}

/* Weights that are not in L2 any more are read for each block; so few rows make use of them that this adds up. */
static double winograd_ns(const DnnlWinograd *w)
{
    double tiles = (double)(w->block * w->blocks);
    double flops = 2 * PLANES * tiles * (double)w->channels * up_to(w->outputs, LANES);
    double bytes = PLANES * 4 * (double)(w->channels * w->outputs) - cached_bytes;
    double weights = bytes > 0 ? bytes / bytes_per_ns : 0;
    return product * flops / flops_per_ns + (double)w->blocks * (weights + ns_call) +
           (double)w->tiles / LANES *
               (up_to(w->channels, LANES) * ns_in + up_to(w->outputs, LANES) * ns_out);
}

static bool pays(const DnnlWinograd *w)
{
    return w->channels >= LANES && winograd_ns(w) < worth * direct_ns(w);
}

/* --- tiles, blocks, scratch memory ------------------------------------------------------------------------------- */

/* Bytes of a block: what is taken without --tune, and what that tries besides. */
static const int64_t block_bytes[] = {1000 << 10, 500 << 10, 2000 << 10};

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Blocks: the transformed tiles of one shall stay in a core's L2 cache, `bytes` of it; but where the weights are larger
 * than that, each block reads them all again, so that it should have enough tiles. Threads take blocks of their own where
 * there are enough tiles for all, and else work on one block together. */
static void choose_block(DnnlWinograd *w, int64_t bytes)
{
    enum { MIN_TILES = 64 };
    int64_t tiles = bytes / (PLANES * 4 * (w->channels + w->outputs));
    bool own_blocks = w->threads > 1 && w->tiles >= w->threads * MIN_TILES / 2;
    tiles = tiles < MIN_TILES ? MIN_TILES : tiles;
    w->sets = own_blocks ? w->threads : 1;
    w->blocks = own_blocks ? divide_up(divide_up(w->tiles, tiles), w->threads) * w->threads
                           : divide_up(w->tiles, tiles * w->threads);
    w->block = divide_up(w->tiles, w->blocks);
    w->blocks = divide_up(w->tiles, w->block);
}

static int64_t plane_floats(int64_t rows, int64_t columns)
{
    return divide_up(rows * columns, LANES) * LANES +
           LANES; /* not a multiple of the page: sets of the cache */
}

static void choose_scratch(DnnlWinograd *w)
{
    int64_t edge_in = PLANES * w->channels, edge_out = TILE * TILE * w->outputs;
    w->src_plane = plane_floats(w->block, w->channels);
    w->dst_plane = plane_floats(w->block, w->outputs);
    w->edges = w->sets == 1 ? w->threads : 1;
    w->product_at = align_up((size_t)(PLANES * w->src_plane * 4));
    w->edge_at = w->product_at + align_up((size_t)(PLANES * w->dst_plane * 4));
    w->edge_floats = align_up((size_t)(edge_in > edge_out ? edge_in : edge_out) * 4) / 4;
    w->scratchpad_at = w->edge_at + (size_t)w->edges * w->edge_floats * 4;
}

/* Sizes are kept where no product of a few of them overflows. */
static bool sizes_fit(const DnnlMemory *src, const DnnlMemory *dst)
{
    enum { MAX_CHANNELS = 1 << 14, MAX_SIZE = 1 << 20, MAX_BATCH = 1 << 12 };
    for (int i = 0; i < 4; i++) {
        int64_t most = i == 0 ? MAX_BATCH : i == 1 ? MAX_CHANNELS : MAX_SIZE;
        if (src->dims[i] < 1 || dst->dims[i] < 1 || src->dims[i] > most || dst->dims[i] > most)
            return false;
    }
    return src->dims[2] * src->dims[3] < 1 << 26 && dst->dims[2] * dst->dims[3] < 1 << 26;
}

static bool plan(DnnlWinograd *w, const DnnlPrimitive *p, int threads)
{
    const DnnlMemory *src = dnnl_memory_of(p, DNNL_ARG_SRC), *dst = dnnl_memory_of(p, DNNL_ARG_DST);
    if (src->rank != 4 || !dnnl_pixel_stride(src, &w->src_pixel) ||
        !dnnl_pixel_stride(dst, &w->dst_pixel) || !sizes_fit(src, dst))
        return false;
    w->channels = src->dims[1];
    w->outputs = dst->dims[1];
    w->height = src->dims[2];
    w->width = src->dims[3];
    w->out_height = dst->dims[2];
    w->out_width = dst->dims[3];
    w->pad_top = p->pad_l[0];
    w->pad_left = p->pad_l[1];
    w->threads = threads;
    w->rows = divide_up(w->out_height, TILE);
    w->columns = divide_up(w->out_width, TILE);
    w->tiles = dst->dims[0] * w->rows * w->columns;
    if (w->tiles > 1 << 24)
        return false;
    choose_block(w, block_bytes[0]);
    choose_scratch(w);
    return true;
}

/* --- weights ----------------------------------------------------------------------------------------------------- */

/* G g G^T: rows are [1, p, p^2] / prod(p - other points), the last one is infinity. */
static void transform(const double g[9], double u[PLANES])
{
    const double r = sqrt(0.5), s = sqrt(2.0);
    const double G[TILE_IN][3] = {{1, 0, 0},
                                  {-1 / 1.5, -r / 1.5, -0.5 / 1.5},
                                  {-1 / 1.5, r / 1.5, -0.5 / 1.5},
                                  {1.0 / 6, s / 6, 2.0 / 6},
                                  {1.0 / 6, -s / 6, 2.0 / 6},
                                  {0, 0, 1}};
    double t[TILE_IN][3];
    for (int i = 0; i < TILE_IN; i++)
        for (int j = 0; j < 3; j++)
            t[i][j] = G[i][0] * g[j] + G[i][1] * g[3 + j] + G[i][2] * g[6 + j];
    for (int i = 0; i < TILE_IN; i++)
        for (int j = 0; j < TILE_IN; j++)
            u[i * TILE_IN + j] = t[i][0] * G[j][0] + t[i][1] * G[j][1] + t[i][2] * G[j][2];
}

/* [36, channels, outputs]; NULL if a weight is not finite or near the end of float's range, which the transformations
 * would carry to results that it does not belong to. */
static float *transform_weights(Arena *arena, const DnnlMemory *m)
{
    const size_t outputs = (size_t)m->dims[0], channels = (size_t)m->dims[1];
    const float *data = m->data;
    float *u = ARENA_ARRAY(arena, float, PLANES *channels *outputs);
    for (size_t k = 0; k < outputs; k++)
        for (size_t c = 0; c < channels; c++) {
            double g[9], t[PLANES];
            for (size_t i = 0; i < 9; i++) {
                g[i] = data[k * (size_t)m->strides[0] + c * (size_t)m->strides[1] +
                            i / 3 * (size_t)m->strides[2] + i % 3 * (size_t)m->strides[3]];
                if (!(fabs(g[i]) < 1e30))
                    return NULL;
            }
            transform(g, t);
            for (size_t i = 0; i < PLANES; i++)
                u[(i * channels + c) * outputs + k] = (float)t[i];
        }
    return u;
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static bool is_candidate(const DnnlPrimitive *p, Arena *arena)
{
    const DnnlMemory *weights = dnnl_memory_of(p, DNNL_ARG_WEIGHTS);
    if (p->spatial != 2 || weights->rank != 4 || weights->dtype != DT_F32)
        return false;
    for (int i = 0; i < 2; i++)
        if (weights->dims[2 + i] != 3 || p->strides[i] != 1 || p->dilates[i] != 0 ||
            p->pad_l[i] < 0 || p->pad_r[i] < 0 || p->pad_l[i] > 1 << 16)
            return false;
    for (uint32_t i = 0; i < p->n_post; i++)
        if (!dnnl_post_statement(arena, p, &p->post[i]))
            return false;
    return true;
}

static DnnlMemory matrix(int arg, const char *name, int64_t rows, int64_t columns, int64_t plane)
{
    return (DnnlMemory){.arg = arg,
                        .name = name,
                        .buffer = NO_BUFFER,
                        .blob = NO_BUFFER,
                        .dtype = DT_F32,
                        .rank = 3,
                        .dims = {PLANES, rows, columns},
                        .form = FORM_STRIDES,
                        .strides = {plane, columns, 1}};
}

static DnnlPrimitive *make_matmul(Arena *arena, const DnnlWinograd *w, const float *weights)
{
    DnnlPrimitive *p = ARENA_NEW(arena, DnnlPrimitive);
    p->kind = KIND_MATMUL;
    p->one_thread = w->sets > 1;
    p->memory = ARENA_ARRAY(arena, DnnlMemory, 3);
    p->n_memory = 3;
    p->memory[0] = matrix(DNNL_ARG_SRC, "src", w->block, w->channels, w->src_plane);
    p->memory[1] =
        matrix(DNNL_ARG_WEIGHTS, "weights", w->channels, w->outputs, w->channels * w->outputs);
    p->memory[1].form = FORM_ANY;
    p->memory[1].data = weights;
    p->memory[2] = matrix(DNNL_ARG_DST, "dst", w->block, w->outputs, w->dst_plane);
    return p;
}

static bool add_product(Describe *d, DnnlWinograd *w, const float *weights)
{
    DnnlChoice choices[3];
    w->matmul = make_matmul(d->l->arena, w, weights);
    return dnnl_query(d->l->engine, d->l->arena, w->matmul, choices);
}

static bool try_block(Describe *d, DnnlWinograd *w, int64_t bytes, const float *weights, double *ns)
{
    choose_block(w, bytes);
    choose_scratch(w);
    return add_product(d, w, weights) &&
           winograd_measure(d->l->options.tune, d->l->engine, d->l->arena, w, ns);
}

/* --tune: *w becomes the fastest of its block sizes; true if that is faster than the direct convolution. */
static bool pays_measured(Describe *d, DnnlWinograd *w, const float *weights)
{
    const double better = 0.97; /* nearer than that the times cannot tell blocks apart */
    double direct, ns, best;
    if (!direct_measure(d->l->options.tune, d->l->engine, d->l->arena, d->p, &direct) ||
        !try_block(d, w, block_bytes[0], weights, &best))
        return pays(w);
    for (size_t i = 1; i < sizeof block_bytes / sizeof *block_bytes; i++) {
        DnnlWinograd other = *w;
        if (try_block(d, &other, block_bytes[i], weights, &ns) && ns < better * best) {
            *w = other;
            best = ns;
        }
    }
    bool faster = best < worth * direct;
    const char *name = *d->n->name ? d->n->name : value_at(d->l->g, d->n->out[0])->name;
    text_printf(tune_notes(d->l->options.tune),
                "measured: '%s' (Conv) takes %.1f us directly, %.1f us by Winograd's method, %lld "
                "tiles a block: %s\n",
                c_safe_text(d->l->arena, name), direct / 1000, best / 1000, (long long)w->block,
                faster ? "Winograd" : "direct");
    return faster;
}

/* For --explain. */
static void say_why(Describe *d, const DnnlWinograd *w, bool taken)
{
    double ratio = winograd_ns(w) / direct_ns(w);
    d->p->why = d->l->options.tune ? "by measured times, see above"
                : w->channels < LANES && !taken
                    ? "too few channels for Winograd's method"
                    : arena_printf(d->l->arena,
                                   "Winograd's method is estimated at %.2f "
                                   "of the direct one's time",
                                   ratio);
}

void describe_winograd(Describe *d)
{
    DnnlWinograd *w = ARENA_NEW(d->l->arena, DnnlWinograd);
    const bool tune = d->l->options.tune, chooses = d->l->options.winograd == WINOGRAD_WHERE_FASTER;
    if (d->l->options.winograd == WINOGRAD_NEVER || !is_candidate(d->p, d->l->arena) ||
        !plan(w, d->p, dnnl_engine_threads(d->l->engine)))
        return;
    say_why(d, w, false);
    if (chooses && (tune ? winograd_ns(w) > hopeless * direct_ns(w) : !pays(w)))
        return;
    const float *weights = transform_weights(d->l->arena, dnnl_memory_of(d->p, DNNL_ARG_WEIGHTS));
    if (!weights || !add_product(d, w, weights) ||
        (chooses && tune && !pays_measured(d, w, weights)))
        return;
    w->set_bytes = w->scratchpad_at + align_up(w->matmul->scratch_bytes);
    say_why(d, w, true);
    d->p->kind = KIND_WINOGRAD;
    d->p->winograd = w;
    d->p->scratch_bytes = (size_t)w->sets * w->set_bytes;
    d->p->impl = arena_printf(d->l->arena, "Winograd F(4x4, 3x3) over %s", w->matmul->impl);
}
