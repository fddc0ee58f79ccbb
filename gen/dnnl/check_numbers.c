/* The numbers of a Winograd convolution, and of one in C, as a program says them: those that follow from the layer, the tile, the blocks and the panel are made again and compared, so that
 * emitted code stays within its operands and its scratch memory whatever a text says. What planning is free to choose may be anything within bounds. */
#include "algorithm.h"

#include <string.h>

static bool is_one_of(int64_t n, int64_t a, int64_t b)
{
    return n == a || n == b;
}

/* How many times as long as the rest of it the table of pointers may be is no matter of a program's text. */
enum { MOST_PIXELS = 1 << 22 };

/* Strides may be nothing, so that a small buffer would hold any number of them. */
static bool elements_fit(const DnnlMemory *m)
{
    int64_t count = 1;
    for (int i = 0; i < m->rank; i++)
        if (!mul_i64(count, m->dims[i], &count) || count > INT64_C(1) << 44)
            return false;
    return true;
}

/* Both operands are f32 with as many dimensions as the layer has, one image for each. */
static bool has_operands(const DnnlPrimitive *p)
{
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC), *dst = onednn_memory_of(p, ARG_DST);
    int64_t src_pixel, dst_pixel;
    return src->dtype == DT_F32 && dst->dtype == DT_F32 && src->rank == p->spatial + 2 &&
           dst->rank == src->rank && src->dims[0] == dst->dims[0] &&
           onednn_pixel_stride(src, &src_pixel) && onednn_pixel_stride(dst, &dst_pixel) &&
           src_pixel <= INT32_MAX && dst_pixel <= INT32_MAX && elements_fit(src);
}

/* A number for each column; there may be none. */
static bool bias_fits(const DnnlPrimitive *p, int64_t outputs)
{
    const DnnlMemory *m = onednn_memory_of(p, ARG_BIAS);
    int64_t count = 1;
    for (int i = 0; m && i < m->rank; i++)
        if (m->dims[i] < 0 || !mul_i64(count, m->dims[i], &count))
            return false;
    return !m || (m->dtype == DT_F32 && count == outputs);
}

/* Packed for products in C: [units, panels, channels, width] or [panels, units, …], f32, one after the other. */
static bool weights_fit(const DnnlPrimitive *p, const int64_t dims[4])
{
    const DnnlMemory *m = onednn_memory_of(p, ARG_WEIGHTS);
    bool fits = m->dtype == DT_F32 && m->rank == 4 && m->form == FORM_TAG;
    for (int i = 0; fits && i < 4; i++)
        fits = m->dims[i] == dims[i] && m->tag[i] == 'a' + i;
    return fits;
}

static const char *const other_weights =
    "its weights are not packed in as many panels as its numbers say";

static bool same_layer(const DnnlWinograd *a, const DnnlWinograd *b)
{
    return a->planes == b->planes && a->channels == b->channels && a->pairs == b->pairs &&
           a->outputs == b->outputs && a->height == b->height && a->width == b->width &&
           a->out_height == b->out_height && a->out_width == b->out_width &&
           a->pad_top == b->pad_top && a->pad_left == b->pad_left && a->src_pixel == b->src_pixel &&
           a->dst_pixel == b->dst_pixel && a->src_row == b->src_row && a->dst_row == b->dst_row &&
           a->src_short == b->src_short && a->dst_short == b->dst_short && a->rows == b->rows &&
           a->columns == b->columns && a->tiles == b->tiles;
}

/* A line may be one of columns. */
static bool layer_fits(const DnnlWinograd *w, const DnnlPrimitive *p)
{
    const bool dense = p->spatial >= 1 && p->spatial <= 2 && has_operands(p) &&
                       winograd_steps_by_one(p, w->tile == 1);
    for (int down = 0; dense && down <= (w->tile == 1 && p->spatial == 2); down++) {
        DnnlWinograd follows = *w;
        if (winograd_follow_layer(&follows, p, down) && same_layer(&follows, w))
            return true;
    }
    return false;
}

static bool scratch_fits(const DnnlWinograd *w, const DnnlPrimitive *p)
{
    DnnlWinograd follows = *w;
    winograd_follow_blocks(&follows);
    return w->product_width == follows.product_width && w->src_plane == follows.src_plane &&
           w->dst_plane == follows.dst_plane && w->edges == follows.edges &&
           w->product_at == follows.product_at && w->edge_at == follows.edge_at &&
           w->edge_floats == follows.edge_floats && w->scratchpad_at == follows.scratchpad_at &&
           w->set_bytes == winograd_set_bytes(w) && w->set_bytes <= SIZE_MAX / (size_t)w->sets &&
           p->scratch_bytes == (size_t)w->sets * w->set_bytes;
}

static bool is_matrix(const DnnlMemory *m, int64_t planes, int64_t rows, int64_t columns,
                      int64_t plane)
{
    return m->dtype == DT_F32 && m->rank == 3 && m->dims[0] == planes && m->dims[1] == rows &&
           m->dims[2] == columns &&
           (m->form == FORM_ANY || (m->form == FORM_STRIDES && m->strides[0] == plane &&
                                    m->strides[1] == columns && m->strides[2] == 1));
}

static bool matmul_fits(const DnnlWinograd *w)
{
    const DnnlPrimitive *p = w->matmul;
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC),
                     *weights = onednn_memory_of(p, ARG_WEIGHTS),
                     *dst = onednn_memory_of(p, ARG_DST);
    return p->kind == KIND_MATMUL && p->n_memory == 3 && !p->n_post && weights->form == FORM_ANY &&
           src->form == FORM_STRIDES && dst->form == FORM_STRIDES &&
           is_matrix(src, w->planes, w->block, w->channels, w->src_plane) &&
           is_matrix(weights, w->planes, w->channels, w->outputs, 0) &&
           is_matrix(dst, w->planes, w->block, w->outputs, w->dst_plane);
}

const char *winograd_wrong_numbers(const DnnlPrimitive *p, int threads)
{
    const DnnlWinograd *w = p->winograd;
    const bool in_c = !w->matmul;
    if ((!is_one_of(w->tile, 1, 2) && w->tile != 4) ||
        (!is_one_of(w->window, 3, 5) && (w->window != 7 || w->tile != 1)))
        return "there is no such tile of Winograd's method";
    if (!layer_fits(w, p) || !bias_fits(p, w->outputs))
        return "its planes, tiles or lines are not those of its layer";
    if (w->block < 1 || w->block > w->tiles || w->blocks != divide_up(w->tiles, w->block) ||
        !is_one_of(w->threads, 1, threads) || !is_one_of(w->sets, 1, w->threads))
        return "its blocks are not all of its tiles, or not for its threads";
    if (in_c && (!panel_is_right(&w->panel, w->block, w->outputs, 4) || w->panel.beside ||
                 w->channels_at_once < 1 || w->channels_at_once > w->channels ||
                 !is_one_of(w->taps, 0, winograd_holds_taps(w) ? winograd_taps(w) : 0) ||
                 (w->pairs && (w->tile != 4 || w->window != 3))))
        return "its panels do not hold its products";
    if (!in_c && (w->pairs || memcmp(&w->panel, &(Panel){0}, sizeof w->panel) != 0 || w->taps))
        return "its products are by oneDNN, and have panels";
    if (!scratch_fits(w, p))
        return "its scratch memory is not that of its blocks";
    if (!in_c)
        return matmul_fits(w) ? NULL : "its matrix product has other sizes";
    const int64_t dims[4] = {winograd_units(w), w->panel.blocks, w->channels,
                             panel_packed_width(&w->panel)};
    return weights_fit(p, dims) ? NULL : other_weights;
}

static bool same_triple(const int64_t *a, const int64_t *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool convolution_fits(const DnnlIndirect *w, const DnnlPrimitive *p)
{
    DnnlIndirect follows = *w;
    return has_operands(p) && indirect_follow_layer(&follows, p, MOST_PIXELS) &&
           w->channels == follows.channels && w->pairs == follows.pairs &&
           w->outputs == follows.outputs && w->images == follows.images &&
           w->taps == follows.taps && w->pixels == follows.pixels &&
           w->src_pixel == follows.src_pixel && w->dst_pixel == follows.dst_pixel &&
           w->float_pixel == follows.float_pixel && w->across == follows.across &&
           w->line == follows.line && w->width == follows.width && w->before == follows.before &&
           w->room == follows.room && w->gathers == follows.gathers &&
           same_triple(w->size, follows.size) && same_triple(w->out, follows.out) &&
           same_triple(w->stride, follows.stride) && same_triple(w->dilation, follows.dilation) &&
           same_triple(w->pad, follows.pad) && bias_fits(p, w->outputs);
}

/* Several taps at once where these have all their channels. */
static bool pieces_fit(const DnnlIndirect *w)
{
    return w->channels_at_once >= 1 && w->channels_at_once <= w->channels && w->taps_at_once >= 1 &&
           w->taps_at_once <= w->taps &&
           (w->taps_at_once == 1 || w->channels_at_once == w->channels);
}

const char *indirect_wrong_numbers(const DnnlPrimitive *p, int threads)
{
    const DnnlIndirect *w = p->indirect;
    DnnlIndirect follows = *w;
    if (!convolution_fits(w, p))
        return "its pixels, taps or strides are not those of its layer";
    if (!is_one_of(w->threads, 1, threads))
        return "its threads are neither one nor all";
    if (!indirect_bands_fit(w))
        return "its bands are not all of its pixels";
    if (!is_one_of(w->bytes, 0, w->pairs > 0) ||
        !panel_is_right(&w->panel, w->band, w->outputs, w->bytes ? 2 : 4) || !pieces_fit(w) ||
        (w->fours && !mixed_fits(w)))
        return "its panels do not hold its sums, or not in such pieces";
    indirect_follow_blocks(&follows);
    if (w->zeros_at != follows.zeros_at || w->sums_at != follows.sums_at ||
        w->sums_floats != follows.sums_floats || w->pairs_at != follows.pairs_at ||
        w->set_bytes != follows.set_bytes || w->scratch_bytes != follows.scratch_bytes ||
        p->scratch_bytes != w->scratch_bytes)
        return "its scratch memory is not that of its pixels";
    int64_t dims[4];
    indirect_weights_dims(w, dims);
    return weights_fit(p, dims) ? NULL : other_weights;
}
