/* A convolution as a matrix product in C whose rows are found through a table of pointers: templates/dnnl/indirect_common.c; or a
 * product that is one already, by weights, as a convolution of one tap. It wins where weights are many for the pixels they are used at, since it reads them while it multiplies: see panel.c. */
#include "../tune/question.h"
#include "algorithm.h"

#include <math.h>
#include <string.h>

enum {
    MAX_COLUMNS = 64,
    BYTE = UINT8_MAX, /* the largest absolute value in a pair of src */
    PAIR_COST = 2,
    BAND_BYTES =
        192 << 10,   /* of rows of pairs and lines of dst, for these to stay in L2 beside weights */
    LEAST_BAND = 72, /* pixels of pairs: each band reads all weights */
    MAX_POINTERS = 1 << 16, /* in the table */
    MAX_PIXELS = 1 << 22,
    MAX_CHANNELS = 1 << 20,
    MAX_SIZE = 1 << 16,
};

static const int64_t MAX_COPY = INT64_C(1) << 44; /* elements */

static const double product = 0.98; /* the tiles, by FMA, to a direct convolution */
static const double exposed = 0.3;  /* of the time of reading the weights: what is not hidden */
static const double streams =
    0.78; /* of the time of reading from memory: several panels side by side */
static const double finish = 57;         /* multiply-adds: bias and post-ops on 16 results */
static const double finish_in_tile = 34; /* the same while the sums are in registers */
/* vpmaddwd multiplies pairs and adds both products, another instruction adds that to the sum. On AVX-512 before VNNI both take the ports of FMAs;
 * with AVX2 sums have ports of their own (AMD, Zen 2 and 3), or one more. */
static const double pair_cost_avx2 = 1.25;
/* Weights stored as bytes, two a pair, are half of what is read, and an instruction more for each vector of them. */
static const double widening = 1.06;
static const double bytes_worth = 0.9; /* of the time with pairs as they are multiplied */
static const double as_pairs = 6;      /* multiply-adds: an element of src becomes one of a pair */
static const double as_both = 9, row_of_both = 700,
                    piece_of_both = 40; /* the same, as a byte as well; a row; a row of a block */
static const double fours_worth = 0.97; /* of the time with pairs only */
/* Operations of a loop in C: */
static const double pointer = 15; /* one of the table */
static const double tap =
    30; /* a tap of a tile: pointers are fetched, a loop over the channels starts */

static int64_t at(const int64_t *spatial, int n, int i, int64_t missing)
{
    return i < 3 - n ? missing : spatial[i - (3 - n)];
}

/* Of dst, or of a band of it, so that a block of sums stays in L2. */
static int64_t most_pixels_of(const Machine *m)
{
    return machine_block_bytes(m) / 4 / MAX_COLUMNS;
}

/* With AVX2 tiles of floats end with bias and post-ops, and larger images go a band of pixels after the other; the rest was measured nowhere. */
static bool is_for_avx2(const Machine *m)
{
    return machine_lanes(m) == AVX2_LANES;
}

static int64_t elements_of(const DnnlMemory *m)
{
    int64_t count = 1;
    for (int i = 0; i < m->rank; i++)
        count *= m->dims[i];
    return count;
}

bool are_bytes(const float *data, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (data[i] != rintf(data[i]) || fabsf(data[i]) > BYTE)
            return false;
    return true;
}

/* They are what floats add up to where these are exact. */
bool indirect_of_pairs(const Describe *d, int64_t depth)
{
    const DnnlMemory *m = onednn_memory_of(d->p, ARG_WEIGHTS);
    return m->data && depth <= INT32_MAX / (BYTE * BYTE) && is_of_bytes(d->l->g, d->n->in[0]) &&
           are_bytes(m->data, elements_of(m));
}

double indirect_pair_cost(const DnnlIndirect *w)
{
    return !w->pairs ? 1
                     : (w->panel.lanes == 8 ? pair_cost_avx2 : PAIR_COST) *
                           (w->bytes ? widening : 1) * mixed_cost(w);
}

/* Three dimensions in any case; those that are missing come first. */
static void set_window(DnnlIndirect *w, const DnnlPrimitive *p)
{
    const DnnlMemory *weights = onednn_memory_of(p, ARG_WEIGHTS);
    for (int i = 0; i < MAX_SPATIAL; i++)
        w->window[i] = at(weights->dims + 2, p->spatial, i, 1);
}

static int64_t src_lines(const DnnlIndirect *w)
{
    return w->images * w->size[0] * w->size[1];
}

static bool has_padding(const DnnlIndirect *w)
{
    return w->pad[0] || w->pad[1] || w->pad[2];
}

/* Taps side by side are one where their pixels stand side by side in the copy, too, and each pixel of dst begins with a whole pair. */
static int64_t taps_across(const DnnlIndirect *w)
{
    const int64_t window = w->window[2];
    return w->pairs && window > 1 && w->dilation[2] == 1 && w->stride[2] * w->pairs % 2 == 0 &&
                   window * w->pairs <= MAX_CHANNELS
               ? window
               : 1;
}

/* What the tiles read: src, or a copy of it in pairs, with the padding of its lines where these hold one long tap for each pixel of dst; or rows
 * that are gathered from src. */
static void follow_copy(DnnlIndirect *w)
{
    w->across = taps_across(w);
    w->gathers = w->pairs && w->taps == 1 && !has_padding(w);
    w->taps /= w->across;
    w->width = w->size[2];
    w->before = 0;
    w->room = w->pairs ? 2 * w->channels : 0;
    w->src_pixel = w->pairs && !w->gathers ? w->channels : w->src_pixel;
    w->line = w->width * w->src_pixel;
    if (w->across > 1) {
        const int64_t of_src = w->pad[2] + w->width,
                      of_dst = (w->out[2] - 1) * w->stride[2] + w->across;
        w->channels = divide_up(w->across * w->pairs, 2);
        w->before = w->pad[2];
        w->room = w->pairs;
        w->src_pixel = w->stride[2] * w->pairs / 2;
        w->line = divide_up((of_src > of_dst ? of_src : of_dst) * w->pairs, 2);
    }
}

bool indirect_follow_layer(DnnlIndirect *w, const DnnlPrimitive *p, int64_t most_pixels)
{
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC), *dst = onednn_memory_of(p, ARG_DST);
    w->channels = w->pairs ? divide_up(src->dims[1], 2) : src->dims[1];
    w->pairs = w->pairs ? src->dims[1] : 0;
    w->outputs = dst->dims[1];
    w->taps = 1;
    w->pixels = w->images = dst->dims[0];
    if (w->images < 1 || w->images > most_pixels || w->channels < 1 || w->outputs < 1 ||
        w->channels > MAX_CHANNELS || w->outputs > MAX_CHANNELS)
        return false;
    for (int i = 0; i < MAX_SPATIAL; i++) {
        w->size[i] = at(src->dims + 2, p->spatial, i, 1);
        w->out[i] = at(dst->dims + 2, p->spatial, i, 1);
        w->stride[i] = at(p->strides, p->spatial, i, 1);
        w->dilation[i] = at(p->dilates, p->spatial, i, 0) + 1;
        w->pad[i] = at(p->pad_l, p->spatial, i, 0);
        const int64_t sizes[] = {w->size[i],   w->out[i],      w->window[i],
                                 w->stride[i], w->dilation[i], w->pad[i] + 1};
        for (size_t k = 0; k < COUNT_OF(sizes); k++)
            if (sizes[k] < 1 || sizes[k] > MAX_SIZE)
                return false;
        w->pixels *= w->out[i];
        w->taps *= w->window[i];
        if (w->pixels > most_pixels || w->taps > MAX_POINTERS)
            return false;
    }
    if (!onednn_pixel_stride(src, &w->src_pixel) || !onednn_pixel_stride(dst, &w->dst_pixel))
        return false;
    w->float_pixel = w->pairs ? w->src_pixel : 0;
    follow_copy(w);
    return w->line <= INT32_MAX && src_lines(w) <= INT32_MAX && w->line <= MAX_COPY / src_lines(w);
}

PanelProduct indirect_product(const DnnlIndirect *w)
{
    return (PanelProduct){.threads = w->bands > 1 ? 1 : (int)w->threads,
                          .rows = w->band,
                          .columns = w->outputs,
                          .use = w->pairs ? PANEL_OF_PAIRS : PANEL_OF_FLOATS};
}

bool indirect_bands_fit(const DnnlIndirect *w)
{
    return w->band >= 1 && w->band <= MAX_POINTERS / w->taps && w->bands >= 1 &&
           w->bands <= w->pixels && w->band == divide_up(w->pixels, w->bands) &&
           (w->ends == 0 || w->ends == 1);
}

/* Rows of pairs that are gathered, pointers and lines of dst stay in L2 while all columns of a band are made. What stays in L2 as a whole is one band, whose blocks of columns
 * threads share; so are weights that leave the caches of a core. */
static int64_t most_of_pairs(const Machine *m, const DnnlIndirect *w)
{
    const int64_t cached = (int64_t)(m->l2_bytes / 4),
                  bytes = cached < BAND_BYTES ? cached : BAND_BYTES,
                  each = 4 * w->outputs + (w->gathers ? 4 * indirect_row(w) : 0) +
                         w->taps * (int64_t)sizeof(float *);
    const double weights = 4 * (double)(w->taps * w->channels * w->outputs);
    const bool share = w->threads > 1 && weights > machine_kept_bytes(m);
    if ((share || w->pixels * each <= cached) && w->pixels * w->taps <= MAX_POINTERS)
        return w->pixels;
    return bytes / each > LEAST_BAND ? bytes / each : LEAST_BAND;
}

/* Sums that are only stored are left to a loop behind the tiles: gcc makes a copy by bytes of it in them (4 x 24, 0.054 and 0.099 ms). */
static void choose_bands(const Machine *m, const DnnlPrimitive *p, DnnlIndirect *w)
{
    int64_t most = w->pixels;
    w->ends = is_for_avx2(m) && (p->n_post || onednn_memory_of(p, ARG_BIAS));
    if (w->pairs)
        most = most_of_pairs(m, w);
    else if (is_for_avx2(m))
        most =
            most_pixels_of(m) * w->taps > MAX_POINTERS ? MAX_POINTERS / w->taps : most_pixels_of(m);
    w->bands = divide_up(w->pixels, most);
    if (w->bands > 1)
        w->bands = round_up(w->bands, w->threads);
    w->band = divide_up(w->pixels, w->bands);
    w->bands = divide_up(w->pixels, w->band);
}

/* Pieces of weights: several taps, or a part of one; all of them where there is one tile, whose panels are streams that nothing is to stop. */
static void choose_piece(DnnlIndirect *w)
{
    if (w->panel.beside) {
        w->channels_at_once = w->channels;
        w->taps_at_once = w->taps;
        return;
    }
    int64_t parts = (w->channels + w->panel.depth - 1) / w->panel.depth;
    w->channels_at_once = (w->channels + parts - 1) / parts;
    w->taps_at_once = parts > 1 ? 1 : w->panel.depth / w->channels;
    if (w->taps_at_once > w->taps)
        w->taps_at_once = w->taps;
}

/* Of src, that become pairs. */
static int64_t converted_pixels(const DnnlIndirect *w)
{
    return w->gathers ? w->pixels : src_lines(w) * w->width;
}

/* Of a band: the table, zeros, sums, rows in pairs. */
void indirect_follow_blocks(DnnlIndirect *w)
{
    const size_t band = (size_t)w->band, width = (size_t)panel_width(&w->panel),
                 threads = (size_t)w->threads, sets = w->bands > 1 ? threads : 1,
                 zeros = (size_t)(w->gathers ? w->pairs : w->channels);
    w->zeros_at = align_up(band * (size_t)w->taps * sizeof(float *));
    w->sums_at = w->zeros_at + align_up(zeros * 4);
    w->sums_floats = align_up(band * width * 4) / 4;
    const size_t end = w->sums_at + threads / sets * w->sums_floats * 4;
    w->set_bytes = end + (w->gathers ? align_up(band * (size_t)indirect_row(w) * 4) : 0);
    w->pairs_at = w->gathers ? end : sets * w->set_bytes;
    w->scratch_bytes = sets * w->set_bytes;
    if (w->pairs && !w->gathers)
        w->scratch_bytes += align_up((size_t)(src_lines(w) * w->line) * 4);
}

/* Of stored weights. */
static double element_bytes(const DnnlIndirect *w)
{
    return w->bytes ? 2 : 4;
}

/* Src becomes what tiles read, in multiply-adds; both kinds of rows begin and end their sums in memory. */
static double converting(const DnnlIndirect *w)
{
    const double pixels = (double)converted_pixels(w), channels = (double)w->pairs;
    return w->fours ? pixels * (as_both * channels + row_of_both +
                                piece_of_both * (double)w->panel.blocks)
                    : pixels * as_pairs * channels;
}

static double estimate(const Lowering *l, const DnnlIndirect *w)
{
    const Machine *m = &l->machine;
    const double depth = (double)(w->taps * w->channels), pixels = (double)w->pixels,
                 outputs = (double)w->outputs;
    const double multiplying =
        product * w->panel.cost * indirect_pair_cost(w) * depth * outputs * pixels / m->conv_macs;
    const double bytes = w->fours ? 4 * (double)w->floats : element_bytes(w) * depth * outputs,
                 kept = machine_kept_bytes(m);
    const double again = bytes > kept ? (bytes - kept) * (double)(w->bands - 1) : 0;
    const double reading =
        (bytes + again) / l->weights.rate * (w->panel.beside && l->weights.far ? streams : 1);
    const double together = multiplying + exposed * reading;
    const double tables = (double)(w->bands > 1 ? 1 : w->threads);
    return (together > reading ? together : reading) +
           (w->ends ? finish_in_tile : finish) / m->conv_macs * pixels * outputs / 16 +
           converting(w) / m->conv_macs +
           m->loop_ns * (pointer * tables * pixels * (double)w->taps +
                         tap * (double)(w->taps * w->panel.tiles * w->panel.blocks * w->bands));
}

static bool fit_bytes(const DnnlMemory *weights)
{
    const float *data = weights->data;
    const int64_t count = elements_of(weights);
    for (int64_t i = 0; i < count; i++)
        if (data[i] < INT8_MIN || data[i] > INT8_MAX)
            return false;
    return true;
}

/* Few rows wait for their weights: those are stored as bytes. Variants share theirs as pairs, whatever their rows. */
static void choose_bytes(const Describe *d, DnnlIndirect *w, double *ns)
{
    DnnlIndirect other = *w;
    if (!w->pairs || d->l->g->variants.n > 1)
        return;
    other.bytes = 1;
    panel_of_bytes(&other.panel);
    const double of_bytes = estimate(d->l, &other);
    if (of_bytes >= bytes_worth * *ns || !fit_bytes(onednn_memory_of(d->p, ARG_WEIGHTS)))
        return;
    *w = other;
    *ns = of_bytes;
}

/* Products of bytes where the weights prove that they are exact. Variants share weights as above. */
static void choose_fours(const Describe *d, DnnlIndirect *w, double *ns)
{
    DnnlIndirect other = *w;
    if (!w->pairs || !w->gathers || w->bytes || w->panel.beside || !is_for_avx2(&d->l->machine) ||
        d->l->g->variants.n > 1 || !mixed_count(d, &other))
        return;
    indirect_follow_blocks(&other);
    const double mixed = estimate(d->l, &other);
    if (mixed >= fours_worth * *ns)
        return;
    *w = other;
    *ns = mixed;
}

DnnlIndirect *indirect_plan(Describe *d, double *ns)
{
    const DnnlPrimitive *p = d->p;
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC);
    const Machine *m = &d->l->machine;
    DnnlIndirect *w = ARENA_NEW(d->l->arena, DnnlIndirect);
    const DnnlMemory *weights = onednn_memory_of(p, ARG_WEIGHTS);
    int64_t depth = src->dims[1];
    for (int i = 2; i < weights->rank; i++)
        depth *= weights->dims[i];
    w->pairs = indirect_of_pairs(d, depth);
    w->threads = onednn_threads_for(d->l, onednn_ns(d->l, d->p));
    set_window(w, p);
    if (!machine_lanes(m) ||
        !indirect_follow_layer(w, p, is_for_avx2(m) ? MAX_PIXELS : most_pixels_of(m)))
        return NULL;
    choose_bands(m, p, w);
    if (w->band * w->taps > MAX_POINTERS)
        return NULL;
    w->panel = variants_panel(d, w, weights);
    choose_piece(w);
    indirect_follow_blocks(w);
    *ns = estimate(d->l, w);
    choose_bytes(d, w, ns);
    choose_fours(d, w, ns);
    return w;
}

double indirect_ns_in(const Lowering *l, const DnnlIndirect *w, const Panel *panel)
{
    DnnlIndirect other = *w;
    other.panel = *panel;
    choose_piece(&other);
    return estimate(l, &other);
}

/* An element of pairs is two numbers of 16 bits, or two bytes. */
void indirect_pack(const DnnlIndirect *w, const DnnlMemory *m, float *packed)
{
    const size_t width = (size_t)panel_packed_width(&w->panel), channels = (size_t)w->channels,
                 taps = (size_t)w->taps;
    const bool product =
        m->rank == 2; /* [channels, outputs]; of a convolution [outputs, channels, …] */
    const size_t output = (size_t)m->strides[product], channel = (size_t)m->strides[!product];
    int16_t *halves = (int16_t *)(void *)packed;
    int8_t *bytes = (int8_t *)(void *)packed;
    const float *data = m->data;
    const size_t across = w->pairs ? (size_t)w->across : 1;
    for (size_t k = 0; k < (size_t)w->outputs; k++)
        for (size_t i_tap = 0; i_tap < taps * across; i_tap++) {
            const size_t tap = i_tap / across, before = i_tap % across * (size_t)w->pairs;
            size_t from = k * output, rest = i_tap;
            for (int i = m->rank - 1; i >= 2; i--) {
                from += rest % (size_t)m->dims[i] * (size_t)m->strides[i];
                rest /= (size_t)m->dims[i];
            }
            const size_t at = ((k / width * taps + tap) * channels) * width + k % width;
            for (size_t c = 0; c < (size_t)w->pairs; c++) {
                const size_t in_tap = before + c,
                             number = 2 * (at + in_tap / 2 * width) + in_tap % 2;
                if (w->bytes)
                    bytes[number] = (int8_t)data[from + c * channel];
                else
                    halves[number] = (int16_t)data[from + c * channel];
            }
            for (size_t c = 0; c < channels && !w->pairs; c++)
                packed[at + c * width] = data[from + c * channel];
        }
}

/* Other tiles, if a search says so. */
static void search_tiles(const Describe *d, DnnlIndirect *w)
{
    Panel all[MAX_PANELS];
    const char *names[MAX_PANELS];
    const PanelProduct product = indirect_product(w);
    const uint32_t n = panel_list(&d->l->machine, &product, all);
    for (uint32_t i = 0; i < n; i++)
        names[i] = arena_printf(d->l->arena, "%lldx%lld", (long long)all[i].rows,
                                (long long)panel_width(&all[i]));
    w->panel = all[search_ask(d->l->options.search, d->l->g, d->n, "tiles", names, n)];
    if (w->bytes)
        panel_of_bytes(&w->panel);
    choose_piece(w);
    indirect_follow_blocks(w);
}

void indirect_weights_dims(const DnnlIndirect *w, int64_t dims[4])
{
    const int64_t width = panel_packed_width(&w->panel);
    const int64_t panels[4] = {w->panel.blocks * (w->panel.beside + 1), w->taps, w->channels,
                               w->bytes ? width / 2 : width},
                  mixed[4] = {1, 1, 1, w->floats};
    memcpy(dims, w->fours ? mixed : panels, sizeof panels);
}

static const float *packed_weights(const Describe *d, const DnnlIndirect *w)
{
    const DnnlMemory *m = onednn_memory_of(d->p, ARG_WEIGHTS);
    if (w->fours)
        return mixed_pack(d->l->arena, w, m);
    float *packed = ARENA_ARRAY(d->l->arena, float, panel_floats(&w->panel, w->taps * w->channels));
    indirect_pack(w, m, packed);
    return packed;
}

void indirect_take(Describe *d, DnnlIndirect *w)
{
    if (d->l->options.search && !w->fours)
        search_tiles(d, w);
    int64_t dims[4];
    indirect_weights_dims(w, dims);
    describe_weights_of_c(d, dims, packed_weights(d, w));
    d->p->kind = KIND_INDIRECT;
    d->p->indirect = w;
    d->p->scratch_bytes = w->scratch_bytes;
    d->p->impl =
        arena_printf(d->l->arena, "C, tiles of %lldx%lld%s%s%s", (long long)w->panel.rows,
                     (long long)panel_width(&w->panel), w->pairs ? ", pairs of 16 bits" : "",
                     w->bytes ? ", weights of a byte" : "", mixed_proof(d->l->arena, w));
}
