/* Convolutions of C with the channels last, which oneDNN has no good kernel for: which these are, and how their weights lie. */
#include "../eval/nn.h"
#include "conv_flat.h"
#include "kernel.h"

/* oneDNN's kernels compute at least a register of output channels, 16 with AVX-512, so a convolution with two filters takes as
 * long as one with 16. Dot products over the channels waste nothing: 64 channels, 3x3, 56x56, one thread, AVX-512: 1, 2, 3, 4 filters
 * take 0.10, 0.08, 0.10, 0.13 ms, oneDNN 0.27 for each. From 8 on oneDNN is as fast. With 16 channels the
 * dot products are short, and a large kernel is quicker along the width: 9x9, 3 filters, 256x256, Zen 4: 15.8 ms, conv_flat.h 9.3. */
enum {
    LANES = 16,
    FEW_FILTERS = 4,
    FEW_MAX_TAPS = 121,
    FEW_SHORT_TAPS = 16,       /* of 16 channels */
    DEPTHWISE_MAX_TAPS = 25,   /* which are written out one by one */
    DEPTHWISE_TILE_TAPS = 128, /* which tiles go through in loops */
    IMAGE_CHANNELS = 4,
    IMAGE_LANES = 8,
    IMAGE_MAX_TAPS = 25, /* of stride 1 */
    IMAGE_PIXELS = 8
};

/* With 32 registers, 8 pixels of up to three vectors of filters; with 16, a product of both that leaves room for the weights. The lines of the
 * source under all of them stand on the stack where the image ends. */
ImageTile conv_image_tile(const ConvShape *s, int lanes)
{
    ImageTile t = {.lanes = lanes == LANES && s->m % LANES == 0 ? LANES : IMAGE_LANES};
    const int64_t vectors = s->m / t.lanes, at_once = vectors % 2 == 0 ? 2 : vectors % 3 ? 1 : 3;
    t.filters = at_once * t.lanes;
    t.pixels = lanes == LANES || at_once == 1 ? IMAGE_PIXELS : at_once == 2 ? 4 : 3;
    while (t.pixels && conv_image_stack(s, t.pixels) > C_STACK_BYTES)
        t.pixels--;
    return t;
}

int64_t conv_image_stack(const ConvShape *s, int64_t pixels)
{
    const int64_t span =
        (pixels - 1) * s->w.stride[1] + (s->w.kernel[1] - 1) * s->w.dilation[1] + 1;
    return s->c * s->w.kernel[0] * span * (int64_t)sizeof(float);
}

/* As many vectors as divide those of all channels, the last one of which may overlap with the one before, four at most: one pixel is multiplied at a time, and sums have to wait for themselves. */
int64_t conv_depthwise_single(int64_t channels, int64_t lanes)
{
    int64_t at_once = 4;
    while (at_once > 1 && (divide_up(channels, lanes) % at_once || at_once * lanes > channels))
        at_once /= 2;
    return at_once * lanes;
}

/* Two vectors are a line of the cache with AVX2, which is then read once. With 16 registers there is room for six sums beside weights and a few of
 * the source, with 32 for twelve. A strip of the image is as wide as a tile; so many of its channels leave room in the first cache. Where vectors do
 * not divide the channels, the last tile begins so much sooner. */
DepthwiseTile conv_depthwise_tile(const ConvShape *s, int lanes)
{
    enum { BLOCK = 128 };
    const int64_t c = s->group;
    DepthwiseTile t = {.lanes = lanes == LANES && c % LANES == 0 ? LANES : IMAGE_LANES};
    if (s->m != 1 || c < t.lanes)
        return t;
    const int64_t single = conv_depthwise_single(c, t.lanes);
    const int64_t vectors = single > t.lanes ? 2 : 1, blocks = divide_up(c, BLOCK);
    t.channels = vectors * t.lanes;
    t.pixels = (lanes == LANES ? 12 : 6) / vectors;
    t.pixels = t.pixels < s->w.dst[1] ? t.pixels : s->w.dst[1];
    t.block = divide_up(divide_up(c, blocks), single) * single;
    return t;
}

/* Pixels of a line whose windows have all their columns within the image. */
static int64_t inside(const ConvShape *s)
{
    const int64_t stride = s->w.stride[1], before = s->w.pad_begin[1];
    const int64_t first = divide_up(before, stride);
    const int64_t room = s->w.src[1] + before - (s->w.kernel[1] - 1) * s->w.dilation[1] - 1;
    const int64_t end = room < 0 ? 0 : room / stride + 1;
    return (end < s->w.dst[1] ? end : s->w.dst[1]) - first;
}

/* Small groups keep the pixels beside the sums, others only sums; fewer than eight wait for themselves. The largest tile of those that take the least time over
 * a line, of which pixels that are left over take as long as two. Weights of a strip stay in a near cache. */
GroupTile conv_group_tile(const ConvShape *s)
{
    enum { SHUFFLED = 6, MOST = 10, FULL = 8, ALONE = 2, WEIGHT_BYTES = 1 << 15, BLOCK = 128 };
    const int64_t lanes = IMAGE_LANES, filters = s->group * s->m;
    GroupTile t = {0};
    if (filters % lanes || (s->m != lanes && (s->m != s->c || (s->m != 2 && s->m != 4))))
        return t;
    const int64_t pixels = inside(s), most = s->m < lanes ? SHUFFLED : MOST;
    int64_t least = INT64_MAX;
    t.pixels = 1;
    for (int64_t at = 2; at <= most && at <= pixels; at++) {
        const int64_t cost = pixels / at * (at < FULL ? FULL : at) + pixels % at * ALONE;
        t.pixels = cost <= least ? at : t.pixels;
        least = cost < least ? cost : least;
    }
    t.single = conv_depthwise_single(filters, lanes);
    const int64_t fit = WEIGHT_BYTES / (s->c * s->w.kernel_size * (int64_t)sizeof(float)),
                  block = fit < BLOCK ? fit : BLOCK;
    t.block = block < t.single ? t.single : block / t.single * t.single;
    t.block = t.block < filters ? t.block : filters;
    return t;
}

/* A signal is an image of one line. */
ConvShape conv_shape_last(const Graph *g, const Node *n)
{
    ConvShape s = conv_shape(n, type_of(g, n->in[0]), type_of(g, n->in[1]), type_of(g, n->out[0]));
    if (s.w.n == 1)
        window_add_line(&s.w);
    return s;
}

/* The first layer of a network, mostly. oneDNN's kernels want its channels last: three of them, which a reorder puts side by side, and which fill
 * no vector, or one. Convolutions of stride 1 may go along the width (conv_flat.h); those of a single channel, with taps in one line or few in all, are quicker so:
 * docs/measurements.md. */
static bool is_image(const ConvShape *s)
{
    const bool one_channel =
        s->c == 1 && (s->w.kernel[0] == 1 || s->w.kernel_size <= IMAGE_MAX_TAPS);
    return s->c <= IMAGE_CHANNELS && s->m % IMAGE_LANES == 0 &&
           (s->w.stride[0] > 1 || s->w.stride[1] > 1 || one_channel) &&
           conv_image_tile(s, LANES).pixels;
}

ConvLast c_conv_last(const Graph *g, const Node *n)
{
    if (n->op == OP_ConvTranspose)
        return conv_transpose_vectors(g, n) ? CONV_LAST_TRANSPOSED : CONV_LAST_NONE;
    if (n->op != OP_Conv || type_of(g, n->in[0])->dtype != DT_F32 ||
        value_at(g, n->in[1])->kind != VALUE_CONST || type_count(type_of(g, n->out[0])) == 0)
        return CONV_LAST_NONE;
    ConvShape s = conv_shape_last(g, n);
    ConvFlat flat;
    if (s.w.n != 2)
        return CONV_LAST_NONE;
    if (s.group > 1) {
        const bool tiles = conv_depthwise_tile(&s, IMAGE_LANES).pixels > 0;
        return s.c == 1 && s.w.kernel_size <= (tiles ? DEPTHWISE_TILE_TAPS : DEPTHWISE_MAX_TAPS)
                   ? CONV_LAST_DEPTHWISE
               : s.c > 1 && conv_group_tile(&s).pixels ? CONV_LAST_GROUPS
                                                       : CONV_LAST_NONE;
    }
    const int64_t most_taps =
        s.c == LANES && conv_flat_plan(g, n, &s, &flat, 0) ? FEW_SHORT_TAPS : FEW_MAX_TAPS;
    if (is_image(&s))
        return CONV_LAST_IMAGE;
    bool few = s.m <= FEW_FILTERS && s.c % LANES == 0 && s.w.kernel_size > 1 &&
               s.w.kernel_size <= most_taps;
    return few ? CONV_LAST_FEW : CONV_LAST_NONE;
}

/* C reaches half of the peak and more, oneDNN with AVX2 a quarter to a third. With the 32 registers of AVX-512 oneDNN reaches as much as C, by what
 * --measure-machine has found; there a search may choose C: docs/measurements.md. Of groups oneDNN computes sixteen filters at least: 3.2, 9.5 and 26 multiply-adds a nanosecond
 * with 2, 4 and 8 channels and filters where C makes 35 to 40, and as many as C with 16 (Zen 3, AVX2); with AVX-512 6, 20 and 46 of 59 where C makes 44, 43 and 30 to 45 (Zen 4). */
bool conv_tiles_pay(const Graph *g, const Node *n, const Machine *m)
{
    const int64_t lanes = machine_lanes(m);
    const ConvLast last = c_conv_last(g, n);
    if (last == CONV_LAST_GROUPS)
        return lanes == IMAGE_LANES ||
               (lanes > IMAGE_LANES && conv_shape_last(g, n).m < IMAGE_LANES);
    if (lanes != IMAGE_LANES)
        return false;
    if (last == CONV_LAST_TRANSPOSED && conv_transpose_pays(g, n))
        return true;
    if (2 * m->depthwise_macs > m->peak_macs || last != CONV_LAST_DEPTHWISE)
        return false;
    const ConvShape s = conv_shape_last(g, n);
    return conv_depthwise_tile(&s, IMAGE_LANES).pixels > 0;
}

/* The taps first, but for groups; then the filters of each channel, or 16 channels of each filter. Of an image the channels first. */
Layout c_conv_weights_last(const Graph *g, const Node *n)
{
    const ConvLast last = c_conv_last(g, n);
    const int rank = type_of(g, n->in[1])->rank, taps = rank - 2;
    const bool image = last == CONV_LAST_IMAGE, few = last == CONV_LAST_FEW;
    if (last ==
        CONV_LAST_TRANSPOSED) /* of each tap vectors of filters, of each of these the channels */
        return (Layout){.rank = 4, .order = {2, 3, 1, 0}, .block_dim = 1, .block = IMAGE_LANES};
    if (last == CONV_LAST_GROUPS) { /* vectors of filters, of each the taps, then the channels */
        Layout vectors = layout_nxc(rank);
        vectors.block = IMAGE_LANES;
        return vectors;
    }
    Layout layout = {.rank = (int8_t)rank};
    for (int i = 0; i < taps; i++)
        layout.order[i + image] = (int8_t)(i + 2);
    layout.order[image ? 0 : taps] = image || few;
    layout.order[rank - 1] = !image && !few;
    if (few) {
        layout.block_dim = 1;
        layout.block = LANES;
    }
    return layout;
}
