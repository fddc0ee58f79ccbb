/* Winograd convolution: F(4x4, 3x3), F(2x2, 3x3) and, of 1x3 and 3x1 windows, F(1x4, 1x3), the same for windows of 5, and F(1x2, 1x7); see templates/dnnl/winograd_common.c for the method.
 *
 * A direct convolution already runs at the FMA peak of a core, so that only less arithmetic is faster. Of a 3x3 window a quarter of the
 * multiplications is left (of 2x2 tiles four ninths), of a 5x5 one 0.16 and 0.36, of lines of 5 0.4, of lines of 7 0.57; what is added is the transformation of tiles (memory and additions) and weights
 * four times the size (16 / 9). Larger tiles multiply less; smaller ones waste less of a small image and have fewer weights to read.
 * Weights, and what rounding does to them: winograd_weights.c. */
#include "../tune/dnnl_time.h"
#include "../tune/question.h"
#include "algorithm.h"

#include <string.h>

enum { LANES = 16 /* floats in a cache line: rows of matrices are padded to it */ };

/* --- does it pay ------------------------------------------------------------------------------------------------- */

/* Measured over 36 shapes from 8 to 512 channels and 7x7 to 224x224 pixels, what the model says of Winograd to direct is between 0.8 and
 * 1.3 of the truth: good where it counts, cautious with small layers. */
static const double product = 1.2; /* the matrix product, by FMA, to a direct convolution */
static const double call = 3;      /* of a primitive: the batched matrix product of a block */
/* Multiply-adds of a direct convolution; machines that multiply slower transform as much slower: */
static const double tile_in = 9975;  /* a 4x4 tile of 16 channels there */
static const double tile_out = 6175; /* … and back */
/* The product in C, which fetches its weights ahead: see dnnl/describe_indirect.c. The last one in operations of a loop in C. */
static const double product_in_c = 0.98, exposed_in_c = 0.3, tile_in_c = 30;

static double up_to(int64_t n, int64_t unit)
{
    return (double)((n + unit - 1) / unit * unit);
}

/* The matrix products of all blocks. */
static double estimate_products(const Lowering *l, const DnnlWinograd *w, double macs, double bytes)
{
    const Machine *m = &l->machine;
    const double reading = bytes / l->weights.rate;
    if (!w->panel.blocks)
        return product * macs / m->conv_macs + reading + (double)w->blocks * call * m->call_ns;
    const double tiles = (double)(w->planes * w->panel.blocks * w->panel.tiles * w->blocks);
    const double cost =
        product_in_c * indirect_pair_cost(&(DnnlIndirect){.pairs = w->pairs, .panel = w->panel});
    const double together = cost * macs / m->conv_macs + exposed_in_c * reading;
    return (together > reading ? together : reading) + tiles * tile_in_c * m->loop_ns;
}

/* The weights are read once, and for each further block as much of them as is not in L2 any more. */
static double estimate(const Lowering *l, const DnnlWinograd *w)
{
    const double kept = machine_kept_bytes(&l->machine);
    const double tiles = (double)(w->block * w->blocks), planes = (double)w->planes;
    const double outputs =
        w->panel.blocks ? w->panel.cost * (double)w->outputs : up_to(w->outputs, LANES);
    const double macs = planes * tiles * (double)w->channels * outputs;
    const double bytes = planes * 4 * (double)(w->channels * w->outputs);
    const double again = bytes > kept ? bytes - kept : 0;
    const double passes = w->tile == 1 ? 0.5 : 1; /* over the elements: along lines, and columns */
    const double transform = passes * planes / 36 / l->machine.conv_macs;
    return estimate_products(l, w, macs, bytes + (double)(w->blocks - 1) * again) +
           transform * (double)w->tiles / LANES *
               (up_to(w->channels, LANES) * tile_in + up_to(w->outputs, LANES) * tile_out);
}

/* --- tiles, blocks, scratch memory ------------------------------------------------------------------------------- */

/* Bytes of a block to half of L2, less what the calls use: what is taken without --tune, and what that tries besides. */
static const double block_part[] = {1, 0.5, 2};

static int64_t block_bytes(const Machine *m, size_t i)
{
    return (int64_t)(block_part[i] * (m->l2_bytes / 2 - (24 << 10)));
}

/* Blocks: the transformed tiles of one shall stay in a core's L2 cache, `bytes` of it; but where the weights are larger
 * than that, each block reads them all again, so that it should have enough tiles. Threads take blocks of their own where
 * there are enough tiles for all, and else work on one block together. */
static void choose_block(DnnlWinograd *w, int64_t bytes)
{
    enum { MIN_TILES = 64 };
    int64_t tiles = bytes / (w->planes * 4 * (w->channels + w->outputs));
    bool own_blocks = w->threads > 1 && w->tiles >= w->threads * MIN_TILES / 2;
    tiles = tiles < MIN_TILES ? MIN_TILES : tiles;
    w->sets = own_blocks ? w->threads : 1;
    w->blocks = own_blocks ? divide_up(divide_up(w->tiles, tiles), w->threads) * w->threads
                           : divide_up(w->tiles, tiles * w->threads);
    w->block = divide_up(w->tiles, w->blocks);
    w->blocks = divide_up(w->tiles, w->block);
}

/* Products in C for blocks of that size. */
static void choose_panel(const Describe *d, DnnlWinograd *w)
{
    /* taps and other planes of two panels are not as far apart */
    const PanelProduct product = {1, w->block, w->outputs, PANEL_ALONE};
    w->panel = panel_choose(&d->l->machine, &product, variants_taps_width(d), PANEL_SHARED_COST);
    const int64_t parts = divide_up(w->channels, w->panel.depth);
    w->channels_at_once = divide_up(w->channels, parts);
}

static int64_t plane_floats(int64_t rows, int64_t columns)
{
    return round_up(rows * columns, LANES) +
           LANES; /* not a multiple of the page: sets of the cache */
}

void winograd_follow_blocks(DnnlWinograd *w)
{
    int64_t edge_in = w->planes * w->channels,
            edge_out = w->tile * winograd_columns(w) * w->outputs;
    const int64_t columns = w->panel.blocks * panel_width(&w->panel);
    w->product_width = columns ? panel_width(&w->panel) : w->outputs;
    w->src_plane = plane_floats(w->block, w->channels);
    w->dst_plane = plane_floats(w->block, columns ? columns : w->outputs);
    w->edges = w->sets == 1 ? w->threads : 1;
    w->product_at = align_up((size_t)(w->planes * w->src_plane * 4));
    w->edge_at = w->product_at + align_up((size_t)(w->planes * w->dst_plane * 4));
    w->edge_floats = align_up((size_t)(edge_in > edge_out ? edge_in : edge_out) * 4) / 4;
    w->scratchpad_at = w->edge_at + (size_t)w->edges * w->edge_floats * 4;
}

size_t winograd_set_bytes(const DnnlWinograd *w)
{
    return w->scratchpad_at +
           align_up(w->matmul ? w->matmul->scratch_bytes : (size_t)w->block * sizeof(float *));
}

/* Sizes are kept where no product of a few of them overflows. */
static bool sizes_fit(const DnnlMemory *src, const DnnlMemory *dst)
{
    enum { MAX_CHANNELS = 1 << 14, MAX_SIZE = 1 << 20, MAX_BATCH = 1 << 12 };
    for (int i = 0; i < src->rank; i++) {
        int64_t most = i == 0 ? MAX_BATCH : i == 1 ? MAX_CHANNELS : MAX_SIZE;
        if (src->dims[i] < 1 || dst->dims[i] < 1 || src->dims[i] > most || dst->dims[i] > most)
            return false;
    }
    return src->rank == 3 ||
           (src->dims[2] * src->dims[3] < 1 << 26 && dst->dims[2] * dst->dims[3] < 1 << 26);
}

/* For oneDNN's matrix product, or the one in C. */
static void cut(const Describe *d, DnnlWinograd *w, size_t size, bool in_c)
{
    choose_block(w, block_bytes(&d->l->machine, size));
    w->panel = (Panel){0};
    if (in_c)
        choose_panel(d, w);
    winograd_follow_blocks(w);
}

static void swap(int64_t *a, int64_t *b)
{
    const int64_t t = *a;
    *a = *b;
    *b = t;
}

/* Columns become lines. */
static void lay_down(DnnlWinograd *w)
{
    swap(&w->height, &w->width);
    swap(&w->out_height, &w->out_width);
    swap(&w->pad_top, &w->pad_left);
    swap(&w->src_row, &w->src_pixel);
    swap(&w->dst_row, &w->dst_pixel);
}

bool winograd_steps_by_one(const DnnlPrimitive *p, bool line)
{
    enum { MOST = 1 << 16 };
    for (int i = 0; i < p->spatial; i++)
        if (p->strides[i] != 1 || p->dilates[i] < 0 || p->dilates[i] > (line ? MOST : 0) ||
            p->pad_l[i] < 0 || p->pad_l[i] > MOST || p->pad_r[i] < 0)
            return false;
    return true;
}

/* Of a dilated line, the only one of its image, every `apart`th pixel belongs to a line of its own, which is not dilated. */
static bool take_apart(DnnlWinograd *w, int64_t apart)
{
    if (w->height > 1 || w->out_height > 1 || w->pad_left % apart ||
        w->src_pixel > INT32_MAX / apart || w->dst_pixel > INT32_MAX / apart)
        return false;
    const int64_t longest = divide_up(w->width, apart),
                  out_longest = divide_up(w->out_width, apart);
    w->src_short = longest * apart - w->width;
    w->dst_short = out_longest * apart - w->out_width;
    w->height = w->out_height = apart;
    w->src_row = w->src_pixel;
    w->dst_row = w->dst_pixel;
    w->width = longest;
    w->out_width = out_longest;
    w->pad_left /= apart;
    w->src_pixel *= apart;
    w->dst_pixel *= apart;
    return true;
}

bool winograd_follow_layer(DnnlWinograd *w, const DnnlPrimitive *p, bool down)
{
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC), *dst = onednn_memory_of(p, ARG_DST);
    const int last = p->spatial - 1; /* 0: a line is the whole image */
    if (!onednn_pixel_stride(src, &w->src_pixel) || !onednn_pixel_stride(dst, &w->dst_pixel) ||
        !sizes_fit(src, dst))
        return false;
    w->pairs = w->pairs ? src->dims[1] : 0;
    w->channels = w->pairs ? divide_up(w->pairs, 2) : src->dims[1];
    w->outputs = dst->dims[1];
    w->height = last ? src->dims[2] : 1;
    w->width = src->dims[2 + last];
    w->out_height = last ? dst->dims[2] : 1;
    w->out_width = dst->dims[2 + last];
    w->pad_top = last ? p->pad_l[0] : 0;
    w->pad_left = p->pad_l[last];
    w->src_row = w->width * w->src_pixel;
    w->dst_row = w->out_width * w->dst_pixel;
    if (down)
        lay_down(w);
    const int64_t dilation = p->dilates[down ? 0 : last];
    if (w->tile == 1 && dilation > 0 && !take_apart(w, dilation + 1))
        return false;
    w->planes = winograd_lines_in(w) * winograd_columns_in(w);
    w->rows = divide_up(w->out_height, w->tile);
    w->columns = divide_up(w->out_width, winograd_columns(w));
    w->tiles = dst->dims[0] * w->rows * w->columns;
    return w->tiles <= 1 << 24;
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

/* How many taps the window has in each of its directions, or in the only one of a line; 0: another number. */
static int64_t window_of(const DnnlPrimitive *p, bool line)
{
    const DnnlMemory *weights = onednn_memory_of(p, ARG_WEIGHTS);
    int64_t most = 1, taps = 1;
    if (p->spatial > 2 || weights->rank != p->spatial + 2 || weights->dtype != DT_F32)
        return 0;
    if (!winograd_steps_by_one(p, line))
        return 0;
    for (int i = 0; i < p->spatial; taps *= weights->dims[2 + i++])
        if (weights->dims[2 + i] > most)
            most = weights->dims[2 + i];
    return (most == 3 || most == 5 || (line && most == 7)) && taps == (line ? most : most * most)
               ? most
               : 0;
}

static DnnlMemory matrix(int arg, const char *name, int64_t planes, int64_t rows, int64_t columns,
                         int64_t plane)
{
    return (DnnlMemory){.arg = arg,
                        .name = name,
                        .buffer = NO_BUFFER,
                        .blob = NO_BUFFER,
                        .dtype = DT_F32,
                        .rank = 3,
                        .dims = {planes, rows, columns},
                        .form = FORM_STRIDES,
                        .strides = {plane, columns, 1}};
}

static DnnlPrimitive *make_matmul(Arena *arena, const DnnlWinograd *w, const float *weights)
{
    DnnlPrimitive *p = ARENA_NEW(arena, DnnlPrimitive);
    p->kind = KIND_MATMUL;
    p->one_thread = w->sets > 1 || w->threads == 1;
    p->memory = ARENA_ARRAY(arena, DnnlMemory, 3);
    p->n_memory = 3;
    p->memory[0] = matrix(ARG_SRC, "src", w->planes, w->block, w->channels, w->src_plane);
    p->memory[1] = matrix(ARG_WEIGHTS, "weights", w->planes, w->channels, w->outputs,
                          w->channels * w->outputs);
    p->memory[1].form = FORM_ANY;
    p->memory[1].data = weights;
    p->memory[2] = matrix(ARG_DST, "dst", w->planes, w->block, w->outputs, w->dst_plane);
    return p;
}

static bool add_product(Describe *d, DnnlWinograd *w, const float *weights)
{
    DnnlChoice choices[3];
    w->matmul = make_matmul(d->l->arena, w, weights);
    return onednn_query(d->l->engine, d->l->arena, w->matmul, choices);
}

/* The product is described, and timed, over weights that are put in only when it is taken. */
static bool try_block(Describe *d, DnnlWinograd *w, size_t size, bool in_c, double *ns)
{
    cut(d, w, size, in_c);
    w->matmul = NULL;
    return (in_c || add_product(d, w, NULL)) && winograd_measure(d->l, w, ns);
}

static bool has_panels(const Describe *d)
{
    return machine_lanes(&d->l->machine) > 0;
}

bool winograd_tune(Describe *d, DnnlWinograd *w, double *ns)
{
    const double better = 0.97; /* nearer than that the times cannot tell blocks apart */
    DnnlWinograd other = *w;
    double took;
    if (!try_block(d, w, 0, w->pairs, ns))
        return false;
    for (size_t i = 1; i < COUNT_OF(block_part) * (has_panels(d) && !w->pairs ? 2 : 1); i++) {
        const size_t size = i % COUNT_OF(block_part);
        if (try_block(d, &other, size, w->pairs || i >= COUNT_OF(block_part), &took) &&
            took < better * *ns) {
            *w = other;
            *ns = took;
        }
    }
    return true;
}

/* By oneDNN's matrix product or in C: what is faster by estimation. */
static void choose_product(const Describe *d, DnnlWinograd *w, double *ns)
{
    const int conv = d->l->options.conv;
    cut(d, w, 0, w->pairs);
    *ns = estimate(d->l, w);
    if (w->pairs || !has_panels(d) || conv == CONV_WINOGRAD_2 || conv == CONV_WINOGRAD_4)
        return;
    DnnlWinograd other = *w;
    cut(d, &other, 0, true);
    const double in_c = estimate(d->l, &other);
    if (in_c < *ns || conv == CONV_WINOGRAD_2_IN_C || conv == CONV_WINOGRAD_4_IN_C) {
        *w = other;
        *ns = in_c;
    }
}

const char *winograd_name(Arena *arena, const DnnlWinograd *w)
{
    return arena_printf(arena, "F(%lldx%lld, %lldx%lld)", (long long)w->tile,
                        (long long)winograd_columns(w), (long long)(w->tile == 1 ? 1 : w->window),
                        (long long)w->window);
}

DnnlWinograd *winograd_plan(Describe *d, int tile, bool whole, double *ns)
{
    DnnlWinograd *w = ARENA_NEW(d->l->arena, DnnlWinograd);
    const DnnlMemory *weights = onednn_memory_of(d->p, ARG_WEIGHTS);
    w->tile = tile;
    w->window = window_of(d->p, tile == 1);
    w->pairs = whole;
    w->threads = onednn_threads_for(d->l, onednn_ns(d->l, d->p));
    if (!w->window || (whole && (w->window != 3 || !has_panels(d) || !winograd_is_whole(d))) ||
        !winograd_follow_layer(w, d->p, d->p->spatial == 2 && weights->dims[3] == 1))
        return NULL;
    choose_product(d, w, ns);
    return w;
}

static const char *block_name(Arena *arena, const DnnlWinograd *w)
{
    return arena_printf(arena, "%lld tiles, %s", (long long)w->block,
                        w->panel.blocks ? "C" : "oneDNN");
}

/* Other blocks, and products by the other one of oneDNN and C, if a search says so. */
static void search_blocks(const Describe *d, DnnlWinograd *w)
{
    enum { SIZES = COUNT_OF(block_part) };
    DnnlWinograd all[1 + 2 * SIZES];
    const char *names[1 + 2 * SIZES];
    uint32_t n = 0;
    all[n] = *w;
    names[n++] = block_name(d->l->arena, w);
    for (size_t i = 0; i < SIZES * (has_panels(d) && !w->pairs ? 2 : 1); i++) {
        const bool in_c = w->pairs || i >= SIZES;
        all[n] = *w;
        cut(d, &all[n], i % SIZES, in_c);
        if (all[n].block != w->block || in_c != (w->panel.blocks > 0)) {
            names[n] = block_name(d->l->arena, &all[n]);
            n++;
        }
    }
    *w = all[search_ask(d->l->options.search, d->l->g, d->n,
                        arena_printf(d->l->arena, "blocks of %s", winograd_name(d->l->arena, w)),
                        names, n)];
}

/* Errors are kept below the tolerance of the outputs. */
bool winograd_take(Describe *d, DnnlWinograd *w)
{
    const double tolerance = 1e-3;
    if (d->l->options.search)
        search_blocks(d, w);
    const float *weights = winograd_transform(d->l->arena, w, onednn_memory_of(d->p, ARG_WEIGHTS));
    if (!weights || w->error > tolerance)
        return false;
    w->matmul = NULL;
    const bool shares = w->panel.blocks && winograd_holds_taps(w) &&
                        variants_taps_width(d) == panel_packed_width(&w->panel);
    w->taps = shares ? winograd_taps(w) : 0;
    if (w->panel.blocks)
        winograd_pack(d, w, weights);
    else if (!add_product(d, w, weights))
        return false;
    w->set_bytes = winograd_set_bytes(w);
    d->p->kind = KIND_WINOGRAD;
    d->p->winograd = w;
    d->p->one_thread = w->threads == 1;
    d->p->scratch_bytes = (size_t)w->sets * w->set_bytes;
    const char *products =
        w->matmul
            ? w->matmul->impl
            : arena_printf(d->l->arena, "C, tiles of %lldx%lld%s", (long long)w->panel.rows,
                           (long long)panel_width(&w->panel), w->pairs ? ", pairs of 16 bits" : "");
    d->p->impl =
        arena_printf(d->l->arena, "Winograd %s over %s", winograd_name(d->l->arena, w), products);
    return true;
}
