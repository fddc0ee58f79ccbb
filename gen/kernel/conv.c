/* How C computes convolutions: Conv, ConvInteger and QLinearConv. */
#include "conv_flat.h"
#include "kernel.h"
#include "layers.h"
#include "plan.h"

enum { MAX_UNROLLED_TAPS = 11 };

ConvShape conv_shape_of(const Graph *g, const Node *n)
{
    return conv_shape(n, type_of(g, n->in[0]), type_of(g, n->in[c_kernels[n->op].inputs.weights]),
                      type_of(g, n->out[0]));
}

bool is_all_zero(const Graph *g, ValueId v)
{
    if (!has_value(v) || !value_at(g, v)->data)
        return false;
    const Value *value = value_at(g, v);
    for (int64_t i = 0; i < type_count(&value->type); i++)
        if (elem_f64(value->type.dtype, value->data, (size_t)i) != 0)
            return false;
    return true;
}

/* The variant for channels last, if the source lies so; the result, where the source is an image. */
static ConvLast last_of(const CStep *k)
{
    const Layout nxc = layout_nxc(type_of(k->g, k->n->in[0])->rank);
    const ConvLast last = c_conv_last(k->g, k->n);
    const BufferId b = last == CONV_LAST_IMAGE ? k->s->out[0] : k->s->in[0];
    return b != NO_BUFFER && layout_equal(&k->p->buffers[b].layout, &nxc) ? last : CONV_LAST_NONE;
}

/* The gathered source would be the source itself. */
static bool is_direct(const CStep *k, const ConvShape *s)
{
    const uint32_t zero = c_kernels[k->n->op].inputs.src_zero;
    for (int d = 0; d < s->w.n; d++)
        if (s->w.kernel[d] != 1 || s->w.stride[d] != 1 || s->w.src[d] != s->w.dst[d] ||
            s->w.pad_begin[d] != 0)
            return false;
    return !is_half(type_of(k->g, k->n->in[0])->dtype) &&
           (zero == NO_INPUT || !has_value(node_in(k->n, zero)) ||
            is_all_zero(k->g, k->n->in[zero]));
}

static bool is_depthwise(const CStep *k, const ConvShape *s)
{
    return s->c == 1 && s->group > 1 && s->w.n <= 2 && k->n->op == OP_Conv &&
           s->w.kernel[s->w.n - 1] <= MAX_UNROLLED_TAPS &&
           dtype_is_float(type_of(k->g, k->n->in[0])->dtype);
}

/* --- products ----------------------------------------------------------------------------------------------------------- */

/* Bytes of an element of the gathered source: floats, or 16 bits for an 8-bit element less its zero point. */
static size_t panel_element(DType t)
{
    return t == DT_F64 ? 8 : dtype_is_float(t) ? 4 : 2;
}

/* How many output positions are gathered at a time: whole register blocks, as many as L2 holds beside the weights. Where
 * the weights are small, reading them more often costs nothing, and small devices have no RAM to give away. */
static int64_t panel_width(const ConvShape *s, DType t)
{
    enum { PANEL_BYTES = 256 << 10, SMALL = 48 << 10, MAX_WIDTH = 10 * TILE_COLUMNS };
    int64_t row = (int64_t)panel_element(t) * s->c * s->w.kernel_size;
    int64_t bytes = s->m > 0 && row <= SMALL / s->m ? SMALL : PANEL_BYTES;
    int64_t width = row > 0 ? bytes / row / TILE_COLUMNS * TILE_COLUMNS : MAX_WIDTH;
    width = width < TILE_COLUMNS ? TILE_COLUMNS : width > MAX_WIDTH ? MAX_WIDTH : width;
    return width < s->w.dst_size ? width : s->w.dst_size;
}

/* The multipliers of all channels stand at the start of the scratch memory. */
static size_t multiplier_bytes(const Node *n, const ConvShape *s)
{
    size_t bytes = (size_t)(s->group * s->m) * sizeof(float);
    return n->op == OP_QLinearConv ? align_up(bytes) : 0;
}

/* Of bytes on a core without floats: sums of 32 bits, where the zero points are known to be there or not. */
static bool is_of_bytes(const CStep *k, const ConvShape *s)
{
    enum { BYTES = 255 * 128 };
    const ConvInputs in = c_kernels[k->n->op].inputs;
    return k->p->lanes == 1 && k->n->op == OP_ConvInteger && s->w.n <= 2 &&
           s->c * s->w.kernel_size <= INT32_MAX / BYTES &&
           type_of(k->g, k->n->in[in.weights])->dtype == DT_I8 &&
           (!has_value(node_in(k->n, in.weights_zero)) ||
            is_all_zero(k->g, k->n->in[in.weights_zero]));
}

int64_t conv_taps_rows(const ConvShape *s, int64_t pitch)
{
    enum { BLOCK = 4, ELEMENTS = 64 };
    const int64_t rows = s->w.n > 1 ? s->w.dst[0] : 1, most = ELEMENTS / pitch;
    return pitch > round_up(s->w.dst[s->w.n - 1], BLOCK) || most < 2 ? 1
           : most < rows                                             ? most
                                                                     : rows;
}

/* Filters that share no window to gather; a line has an element behind it, since taps are read in pairs. Lines of few results that lie one
 * step apart are computed several at a time, as one line, whose results between them nobody wants, if these are no more than what is left
 * of a block behind each line otherwise. */
bool fit_conv_taps(CStep *k)
{
    enum { FEW_FILTERS = 2, BLOCK = 4 };
    const ConvShape s = conv_shape_of(k->g, k->n);
    const int last = s.w.n - 1;
    if (!is_of_bytes(k, &s) || s.c != 1 || s.m > FEW_FILTERS)
        return false;
    int64_t span[2] = {1, 1};
    for (int d = 0; d < s.w.n; d++) {
        span[d] = (s.w.kernel[d] - 1) * s.w.dilation[d] + 1;
        if (s.w.pad_begin[d] >= span[d])
            return false;
    }
    const int64_t results = round_up(s.w.dst[last], BLOCK);
    const int64_t joined = (s.w.dst[last] + span[last]) / 2 * 2;
    const bool steps = s.w.stride[0] == 1 && s.w.stride[last] == 1;
    k->plan->pitch = ((results - 1) * s.w.stride[last] + span[last] + 2) / 2 * 2;
    if (steps && conv_taps_rows(&s, joined) > 1)
        k->plan->pitch = joined;
    const int64_t rows = conv_taps_rows(&s, k->plan->pitch),
                  lines = rows + (last ? span[0] : 1) - 1;
    const int64_t sums = rows > 1 ? round_up(rows * joined, BLOCK) : results;
    const int64_t behind = rows > 1 ? BLOCK + span[last] : 0;
    k->plan->scratch_bytes = (size_t)sums * sizeof(int32_t) +
                             (size_t)(lines * k->plan->pitch + behind) * sizeof(int16_t);
    return true;
}

/* What each filter's sums begin with, windows, and the bytes of one. */
bool fit_conv_dots(CStep *k)
{
    enum { ALIGN = 4, WINDOWS = 4 };
    const ConvShape s = conv_shape_of(k->g, k->n);
    if (!is_of_bytes(k, &s))
        return false;
    const int64_t window = (s.c * s.w.kernel_size + ALIGN - 1) / ALIGN * ALIGN;
    k->plan->scratch_bytes = (size_t)s.m * sizeof(int32_t) + (size_t)((WINDOWS + 1) * window);
    return true;
}

bool fit_conv_1x1(CStep *k)
{
    const ConvShape s = conv_shape_of(k->g, k->n);
    k->plan->scratch_bytes = multiplier_bytes(k->n, &s);
    return !last_of(k) && is_direct(k, &s) && c_free_tile(k->plan);
}

bool fit_conv_im2col(CStep *k)
{
    const DType t = type_of(k->g, k->n->in[0])->dtype;
    const ConvShape s = conv_shape_of(k->g, k->n);
    if (last_of(k) || !c_free_tile(k->plan) ||
        !c_free_number(&k->plan->width, panel_width(&s, t), s.w.dst_size))
        return false;
    k->plan->second_at = multiplier_bytes(k->n, &s);
    k->plan->scratch_bytes =
        k->plan->second_at + (size_t)(k->plan->width * s.c * s.w.kernel_size) * panel_element(t);
    return true;
}

/* --- without products ----------------------------------------------------------------------------------------------------- */

bool fit_conv_depthwise(CStep *k)
{
    const ConvShape s = conv_shape_of(k->g, k->n);
    const size_t row =
        (size_t)s.w.dst[s.w.n - 1] * (type_of(k->g, k->n->in[0])->dtype == DT_F64 ? 8 : 4);
    k->iterations = s.n * s.group * s.m;
    k->operations = (double)(k->iterations * s.w.dst_size * s.w.kernel_size);
    k->plan->scratch_bytes = row > C_STACK_BYTES ? row : 0;
    return !last_of(k) && is_depthwise(k, &s);
}

bool fit_conv_flat(CStep *k)
{
    ConvShape s;
    ConvFlat flat;
    if (last_of(k) || !conv_flat_plan(k->g, k->n, &s, &flat, k->plan->at_once))
        return false;
    const FlatTile tile = conv_flat_tile(s.m, k->p->lanes);
    if (!c_free_number(&k->plan->rows, tile.filters, CONV_FLAT_FILTERS) ||
        !c_free_number(&k->plan->columns, tile.columns, CONV_FLAT_COLUMNS))
        return false;
    k->plan->scratch_bytes =
        conv_flat_scratch(&s, &flat, (FlatTile){k->plan->rows, k->plan->columns});
    k->plan->at_once = flat.at_once;
    k->plan->pitch = flat.pitch;
    k->plan->line = flat.line;
    k->plan->slack = flat.slack;
    k->plan->blocks = (s.m + k->plan->rows - 1) / k->plan->rows;
    k->iterations = s.n * flat.chunks * k->plan->blocks;
    k->operations = conv_flat_operations(&s, &flat, k->p->lanes);
    return true;
}

/* Of a multiply-add, in the loops over channels. */
static const double last_operations = 0.6;

bool fit_conv_depthwise_tiles(CStep *k)
{
    enum {
        MOST_PIXELS = 16,
        MOST_CHANNELS = 64,
        OPERATIONS = 3
    }; /* of a vector's multiply-adds: loads bound them */
    const ConvShape s = conv_shape_last(k->g, k->n);
    if (last_of(k) != CONV_LAST_DEPTHWISE)
        return false;
    const DepthwiseTile t = conv_depthwise_tile(&s, k->p->lanes);
    if (!t.pixels || !c_free_number(&k->plan->at_once, t.pixels, MOST_PIXELS) ||
        !c_free_number(&k->plan->columns, t.channels, MOST_CHANNELS) ||
        !c_free_number(&k->plan->width, t.block, t.block > s.group ? t.block : s.group) ||
        !c_free_lanes(k->plan, t.lanes) || s.group < k->plan->lanes)
        return false;
    k->iterations = s.n * s.w.dst[0];
    k->operations =
        OPERATIONS * (double)(s.n * s.w.dst_size * s.group * s.w.kernel_size) / (double)t.lanes;
    return k->plan->columns % k->plan->lanes == 0 && s.group >= k->plan->columns &&
           k->plan->width % k->plan->columns == 0 &&
           k->plan->width % conv_depthwise_single(s.group, k->plan->lanes) == 0;
}

bool fit_conv_depthwise_last(CStep *k)
{
    const ConvShape s = conv_shape_of(k->g, k->n);
    k->iterations = s.n * s.w.dst_size;
    k->operations = last_operations * (double)(k->iterations * s.group * s.m * s.w.kernel_size);
    return last_of(k) == CONV_LAST_DEPTHWISE;
}

bool fit_conv_group_tiles(CStep *k)
{
    enum { MOST = 16, LANES = 8, OPERATIONS = 3 }; /* of a vector's multiply-adds, as above */
    const ConvShape s = conv_shape_last(k->g, k->n);
    if (last_of(k) != CONV_LAST_GROUPS)
        return false;
    const GroupTile t = conv_group_tile(&s);
    const int64_t filters = s.group * s.m;
    k->iterations = s.n * s.w.dst[0];
    k->operations =
        OPERATIONS * (double)(s.n * s.w.dst_size * filters * s.c * s.w.kernel_size) / LANES;
    return c_free_number(&k->plan->at_once, t.pixels, MOST) &&
           c_free_number(&k->plan->width, t.block, filters) && k->plan->width % t.single == 0;
}

bool fit_conv_few_last(CStep *k)
{
    enum { MOST = 16 };
    const ConvShape s = conv_shape_of(k->g, k->n);
    const int64_t pixels = s.n * s.w.dst_size;
    if (last_of(k) != CONV_LAST_FEW || !c_free_number(&k->plan->at_once, s.m == 1 ? 8 : 4,
                                                      MOST)) /* gcc keeps these in registers */
        return false;
    k->iterations = (pixels + k->plan->at_once - 1) / k->plan->at_once;
    k->operations = last_operations * (double)(pixels * s.c * s.m * s.w.kernel_size);
    return true;
}

bool fit_conv_image(CStep *k)
{
    enum { MOST_PIXELS = 16, MOST_FILTERS = 64 };
    const double operations = 2.5; /* of a vector's multiply-adds */
    const ConvShape s = conv_shape_last(k->g, k->n);
    if (last_of(k) != CONV_LAST_IMAGE)
        return false;
    const ImageTile t = conv_image_tile(&s, k->p->lanes);
    k->iterations = s.n * s.w.dst[0];
    k->operations =
        operations * (double)(s.n * s.w.dst_size * s.c * s.m * s.w.kernel_size) / (double)t.lanes;
    return c_free_number(&k->plan->at_once, t.pixels, MOST_PIXELS) &&
           c_free_number(&k->plan->columns, t.filters, MOST_FILTERS) &&
           c_free_lanes(k->plan, t.lanes) &&
           conv_image_stack(&s, k->plan->at_once) <= C_STACK_BYTES && s.m % k->plan->columns == 0 &&
           k->plan->columns % k->plan->lanes == 0;
}
