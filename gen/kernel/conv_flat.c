/* When convolutions go along the lines of an image in C, and in what pieces. See conv_flat.h.
 *
 * oneDNN's kernels have the channels in their registers, 16 or 8 of them: a convolution with 8 or 12 filters computes 16, and with
 * a single channel of source they load as much as they multiply. Here a register holds neighbours in a row, which every image has.
 * Microseconds of one thread, AVX-512, oneDNN and this: 1 to 8 channels, 5x5, 28x28: 7.0, 2.5; 1 to 16, 8x8, 49x40: 25.4, 23.8; 16 to
 * 12, 6x6, 24x20: 39.8, 38.7; 8 to 16, 5x5, 14x14: 7.5, 7.1. */
#include "conv_flat.h"
#include "kernel.h"

#include "../ops/ops.h"

#include <string.h>

enum {
    MOST_SUMS = 24 << 10, /* bytes, of a tile's filters: half of L1 */
    /* Of scratch memory; and, as long as it is not more than half of the image, where one row of the result needs more. */
    MOST_BYTES = 64 << 10,
    MOST_LARGE = 256 << 10
};

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

FlatTile conv_flat_tile(int64_t filters, int lanes)
{
    const int64_t most_filters = lanes == AVX512_LANES ? CONV_FLAT_FILTERS : CONV_FLAT_FILTERS / 2;
    FlatTile t = {.filters = divide_up(filters, divide_up(filters, most_filters))};
    /* with AVX-512 sums, what is under this tap and the next, and a weight fit into 32 registers; else sums, a vector of each column and a weight into 16. Fewer than
     * eight sums would wait for each other. */
    if (lanes == AVX512_LANES)
        t.columns = t.filters > 5 ? 48 : CONV_FLAT_COLUMNS;
    else
        t.columns = t.filters > 2 ? 24 : CONV_FLAT_COLUMNS / t.filters;
    return t;
}

/* Rows of the source beyond those of the result. */
static int64_t more_rows(const ConvShape *s)
{
    return s->w.n > 1 ? (s->w.kernel[0] - 1) * s->w.dilation[0] : 0;
}

/* Zeros between the columns of two rows. */
static int64_t reach(const ConvShape *s)
{
    const int last = s->w.n - 1;
    return (s->w.kernel[last] - 1) * s->w.dilation[last];
}

size_t conv_flat_scratch(const ConvShape *s, ConvFlat *flat, FlatTile tile)
{
    const int64_t rows = flat->at_once;
    flat->line = round_up(round_up(rows * flat->pitch, tile.columns), 16);
    flat->slack = tile.columns + reach(s) + s->w.dilation[s->w.n - 1]; /* behind the last tap too */
    const int64_t padded = s->c * (rows + more_rows(s)) * flat->pitch + flat->slack;
    return align_up((size_t)(padded + tile.filters * flat->line) * 4);
}

/* With the largest tile. */
static size_t plan_rows(const ConvShape *s, ConvFlat *flat, int64_t rows)
{
    flat->at_once = rows;
    flat->chunks = divide_up(s->w.n > 1 ? s->w.dst[0] : 1, rows);
    return conv_flat_scratch(s, flat, (FlatTile){CONV_FLAT_FILTERS, CONV_FLAT_COLUMNS});
}

/* Tiles of `columns` along all lines. */
static int64_t pieces(const ConvShape *s, const ConvFlat *flat, int64_t columns)
{
    const int64_t last = (s->w.n > 1 ? s->w.dst[0] : 1) - (flat->chunks - 1) * flat->at_once;
    return (flat->chunks - 1) * divide_up(flat->at_once * flat->pitch, columns) +
           divide_up(last * flat->pitch, columns);
}

/* For comparing numbers of rows: tiles, times their depth, and rows copied. */
static double cost(const ConvShape *s, const ConvFlat *flat)
{
    enum { COLUMNS = 48, COPY = 2 };
    const double depth = (double)(s->c * s->w.kernel_size),
                 filters = (double)divide_up(s->m, CONV_FLAT_FILTERS);
    return (double)pieces(s, flat, COLUMNS) * depth * filters +
           (double)(flat->chunks * (flat->at_once + more_rows(s)) * s->c) * COPY;
}

static bool fits(const Graph *g, const Node *n, const ConvShape *s)
{
    if (s->group != 1 || s->w.n > 2 || s->w.kernel_size < 2)
        return false;
    for (int d = 0; d < s->w.n; d++)
        if (s->w.stride[d] != 1 || s->w.pad_begin[d] < 0 || s->w.src[d] < 1)
            return false;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (has_value(n->in[i]) && type_of(g, n->in[i])->dtype != DT_F32)
            return false;
    return s->c * s->w.kernel_size <= 1 << 14 && s->w.src_size < 1 << 24 && s->m < 1 << 20;
}

static size_t most_scratch(const ConvShape *s, ConvFlat flat)
{
    const size_t half = (size_t)(s->c * s->w.src_size) * sizeof(float) / 2;
    const bool enough = plan_rows(s, &flat, 1) <= MOST_BYTES || half <= MOST_BYTES;
    return enough ? MOST_BYTES : half < MOST_LARGE ? half : MOST_LARGE;
}

bool conv_flat_plan(const Graph *g, const Node *n, ConvShape *s, ConvFlat *flat, int64_t at_once)
{
    if (n->op != OP_Conv || type_count(type_of(g, n->out[0])) == 0)
        return false;
    *s = conv_shape(n, type_of(g, n->in[0]), type_of(g, n->in[1]), type_of(g, n->out[0]));
    if (!fits(g, n, s))
        return false;
    const int last = s->w.n - 1;
    const int64_t before = s->w.pad_begin[last],
                  behind = s->w.dst[last] + reach(s) - before - s->w.src[last];
    flat->pitch = s->w.src[last] + most(before, behind);
    if (flat->pitch < s->w.dst[last])
        return false;
    const int64_t rows = last ? s->w.dst[0] : 1;
    const size_t limit = most_scratch(s, *flat);
    ConvFlat best = {.at_once = 0};
    for (int64_t r = rows; r > 0; r--) {
        ConvFlat c = *flat;
        if ((!at_once || r == at_once) && plan_rows(s, &c, r) <= limit &&
            (r == 1 || CONV_FLAT_FILTERS * c.line * 4 <= MOST_SUMS) &&
            (!best.at_once || cost(s, &c) < cost(s, &best)))
            best = c;
    }
    *flat = best;
    return best.at_once > 0;
}

/* --- whether it pays -------------------------------------------------------------------------------------------------- */

/* Of the peak of multiply-adds. */
static const double onednn_peak = 0.985;

enum { STARTS = 4 }; /* products that starting a tile takes */

/* Multiply-adds of all tiles, with what starting one takes. */
static double multiplications(const ConvShape *s, const ConvFlat *flat, int lanes)
{
    const FlatTile t = conv_flat_tile(s->m, lanes);
    const int64_t tiles = pieces(s, flat, t.columns) * divide_up(s->m, t.filters);
    return (double)(s->n * tiles * t.filters * t.columns) *
           ((double)(s->c * s->w.kernel_size) + STARTS);
}

/* What else there is to do, in operations. */
static double moves(const ConvShape *s)
{
    const double call = 2000, moved = 0.3; /* moved: an element that is padded or stored */
    return call + moved * (double)(s->n * (s->c * s->w.src_size + s->m * s->w.dst_size));
}

double conv_flat_operations(const ConvShape *s, const ConvFlat *flat, int lanes)
{
    const double macs = 0.65;
    return moves(s) + multiplications(s, flat, lanes) / (macs * (lanes ? lanes : 8));
}

/* With AVX2, fitted to 85 convolutions of 1 to 24 channels and 4 to 32 filters, 3x3 and 5x5, of 10x10 to 48x40 pixels on a Zen 3, to 8 %; see docs/measurements.md.
 * With AVX-512 to four. */
static double flat_ns(const ConvShape *s, const ConvFlat *flat, const Machine *m)
{
    const double filters = (double)(s->n * s->m), depth = (double)(s->c * s->w.kernel_size);
    if (machine_lanes(m) == AVX512_LANES)
        return moves(s) * m->loop_ns +
               multiplications(s, flat, AVX512_LANES) / (0.93 * m->peak_macs);
    const double lines = (double)(s->w.n > 1 ? s->w.dst[0] : 1),
                 products = multiplications(s, flat, machine_lanes(m)) * depth / (depth + STARTS),
                 copied = (double)(s->n * s->c) * lines * (double)flat->pitch,
                 stored = filters * ((double)s->w.dst_size + lines);
    return 0.2 * m->call_ns + products / (0.9 * m->peak_macs) +
           (4.4 * copied + 5.9 * stored) * m->loop_ns;
}

/* With AVX2, what a tap takes for a pixel of as many filters as there are lanes besides, in products. Where more than five columns of padding stand at an end of a line oneDNN takes a slow way: two
 * channels to 16, 22 x 256, Zen 3, us with and without padding: 1 x 9 54 and 50, 1 x 13 181 and 57, 1 x 25 281 and 95, 1 x 49 527 and 169. */
static double products_of_tap(const ConvShape *s)
{
    enum { FEW_COLUMNS = 5 };
    const int d = s->w.n - 1;
    const bool slow = most(s->w.pad_begin[d], s->w.pad_end[d]) > FEW_COLUMNS;
    return slow ? 57 : 3.9;
}

/* oneDNN's primitive. With AVX2 to 6 %, of the same layers: it takes long to start, begins anew with each line, and where filters do not fill the last register
 * it masks what it loads and stores. */
static double onednn_ns(const ConvShape *s, const Machine *m)
{
    const int lanes = machine_lanes(m);
    const double depth = (double)(s->c * s->w.kernel_size), pixels = (double)(s->n * s->w.dst_size),
                 vectors = (double)divide_up(s->m, lanes), macs = pixels * vectors * lanes * depth;
    if (lanes == AVX512_LANES) {
        /* With few channels of the source, more is loaded for each multiplication; with one, what goes by results weighs as much as so many products. */
        const double calls = 2.4, results = 20,
                     few = s->c == 1  ? (depth + results) / depth
                           : s->c < 4 ? 1.2
                                      : 1;
        return calls * m->call_ns + few * macs / (onednn_peak * m->peak_macs);
    }
    const double lines = (double)(s->n * (s->w.n > 1 ? s->w.dst[0] : 1)),
                 taps = products_of_tap(s) * pixels * vectors * (double)s->w.kernel_size,
                 masked = s->m % lanes ? 0.27 * macs + 250 * pixels : 0;
    return (8.4 + 0.3 * lines) * m->call_ns + (macs / 0.93 + taps + masked) / m->peak_macs;
}

/* By itself; *gained: nanoseconds. */
static bool is_quicker(const Graph *g, const Node *n, const Machine *m, double *gained)
{
    static const double worth = 0.85; /* of oneDNN's time: an estimate is not exact */
    ConvShape s;
    ConvFlat flat;
    if (!machine_lanes(m) || n->op != OP_Conv || value_at(g, n->in[1])->kind != VALUE_CONST ||
        !conv_flat_plan(g, n, &s, &flat, 0))
        return false;
    if ((s.w.kernel_size == 9 || s.w.kernel_size == 25) && s.c >= 16 && s.m > 8)
        return false; /* Winograd's method may be quicker than both */
    *gained = worth * onednn_ns(&s, m) - flat_ns(&s, &flat, m);
    return *gained > 0;
}

/* A layer that may have its channels last, if oneDNN computes it: so the layouts will be chosen. */
static bool wants_last(const Graph *g, const Node *n, const Machine *m)
{
    double gained;
    return op_info(n->op)->order == ORDER_CHANNELS &&
           !(n->op == OP_Conv && is_quicker(g, n, m, &gained));
}

enum { FAR = 12 }; /* layers */

static double reorder_ns(const Graph *g, const Machine *m, ValueId v)
{
    return machine_reorder_ns(m, (double)type_bytes(type_of(g, v)));
}

/* A single channel comes first and last. */
static bool has_one_order(const Graph *g, ValueId v)
{
    const TensorType *t = type_of(g, v);
    return t->rank > 1 && t->dims[1] == 1;
}

/* Nanoseconds for giving v, which is row-major, to its readers: a reorder before those that want the channels last. */
static double behind_ns(const Graph *g, const Machine *m, const Uses *uses, ValueId v, int left)
{
    double ns = 0;
    if (has_one_order(g, v))
        return 0;
    for (uint32_t u = uses->start[v.i]; left && u < uses->start[v.i + 1]; u++) {
        const Node *n = node_at(g, uses->node[u]);
        if (wants_last(g, n, m))
            return reorder_ns(g, m, v);
        if (!op_keeps_order(n->op) || type_of(g, n->out[0])->rank != type_of(g, v)->rank)
            continue;
        ns += behind_ns(g, m, uses, n->out[0], left - 1);
    }
    return ns;
}

/* The same for having v row-major. */
static double before_ns(const Graph *g, const Machine *m, ValueId v, int left)
{
    const Value *value = value_at(g, v);
    if (value->kind != VALUE_NODE || !left || has_one_order(g, v))
        return 0;
    const Node *n = node_at(g, value->def);
    if (wants_last(g, n, m))
        return reorder_ns(g, m, v);
    double ns = 0;
    for (uint32_t i = 0; op_keeps_order(n->op) && i < n->n_in; i++)
        if (has_value(n->in[i]) && type_of(g, n->in[i])->rank == type_of(g, v)->rank)
            ns += before_ns(g, m, n->in[i], left - 1);
    return ns;
}

bool conv_flat_pays(const Graph *g, const Node *n, const Machine *m)
{
    double gained;
    if (!is_quicker(g, n, m, &gained))
        return false;
    Arena *scratch = arena_new();
    const Uses uses = graph_uses(g, scratch);
    gained -= behind_ns(g, m, &uses, n->out[0], FAR) + before_ns(g, m, n->in[0], FAR);
    if (value_at(g, n->in[0])->kind == VALUE_INPUT && type_of(g, n->in[0])->dims[1] > 1)
        gained += reorder_ns(
            g, m, n->in[0]); /* row-major: oneDNN's convolution would read a reorder of it */
    arena_free(scratch);
    return gained > 0;
}

/* Some of its images, where they are: what a batch is cut into. */
static bool takes_images(const Graph *g, const Node *n)
{
    const TensorType *from = n->op == OP_Slice ? type_of(g, n->in[0]) : NULL;
    const TensorType *to = type_of(g, n->out[0]);
    bool all = from != NULL;
    for (int d = 1; all && d < to->rank; d++)
        all = from->dims[d] == to->dims[d];
    return all;
}

/* Another view of memory, or one channel of a row-major tensor turned round, which is a copy in whatever order. */
static bool moves_rows(const Graph *g, const Node *n)
{
    const TensorType *to = type_of(g, n->out[0]);
    return n->op == OP_Reshape || (n->op == OP_Transpose && to->rank > 1 && to->dims[1] == 1);
}

/* An input of the model, images or another view of one, or made of such element by element. */
static bool is_row_major(const Graph *g, ValueId v, int left)
{
    const Value *value = value_at(g, v);
    const Node *n = value->kind == VALUE_NODE ? node_at(g, value->def) : NULL;
    if (n && left && (takes_images(g, n) || moves_rows(g, n)))
        return is_row_major(g, n->in[0], left - 1);
    bool made = n && left && op_info(n->op)->class == CLASS_ELTWISE;
    for (uint32_t i = 0; made && i < n->n_in; i++)
        made = !has_value(n->in[i]) || !same_shape(type_of(g, n->in[i]), &value->type) ||
               is_row_major(g, n->in[i], left - 1);
    return made || value->kind == VALUE_INPUT || value->kind == VALUE_CONST;
}

/* With more than some sixty products to a sum oneDNN is near the peak, and C gains less than the reorder takes: docs/measurements.md. */
bool conv_image_pays(const Graph *g, const Node *n, const Machine *m)
{
    enum { MOST_DEPTH = 64 };
    if (!machine_lanes(m) || c_conv_last(g, n) != CONV_LAST_IMAGE ||
        !is_row_major(g, n->in[0], FAR) ||
        dims_product(type_of(g, n->in[1]), 1, type_of(g, n->in[1])->rank) > MOST_DEPTH)
        return false;
    if (machine_lanes(m) != AVX512_LANES && type_of(g, n->in[0])->dims[1] == 1)
        return true; /* oneDNN's has its channels last as well, and takes longer */
    Arena *scratch = arena_new();
    const Uses uses = graph_uses(g, scratch);
    const bool wanted = behind_ns(g, m, &uses, n->out[0], FAR) > 0; /* with the channels last */
    arena_free(scratch);
    return wanted;
}
