/* Products of bytes beside those of pairs of 16 bits, on CPUs without VNNI (templates/dnnl/panel.c).
 *
 * vpmaddubsw multiplies bytes without a sign by bytes with one, adds two products each, and keeps the sum within 16 bits whatever it is. So it is exact where no sum of two leaves
 * these: products are up to 255 times a weight, so that two weights of one sign may be 128 together. A block of columns has its channels in fours. Those whose weights are so in all columns
 * of the block take it, which is half as many instructions for a product as pairs take; the others are pairs. Which ones they are stands in front of
 * the weights of each block, as the element of a row of src that each row of weights is for: a row has all channels as bytes, then all as pairs.
 *
 * For src to have no sign a number is added to it. What this makes of the sums is taken off by a last pair: twice that number, by two weights that are less
 * than nothing by the sum of those of the fours. */
#include "algorithm.h"

#include <string.h>

enum { FOUR = 4, LARGEST_SUM = 128 };

_Static_assert(LARGEST_SUM *UINT8_MAX <= INT16_MAX, "two products stay within 16 bits");

/* Of a product of pairs: vpmaddubsw, vpmaddwd by ones and an addition make twice as many products as vpmaddwd and an addition. What is left as pairs begins pieces of its own. */
static const double cost_of_four = 0.8, cost_beside = 1.12;

/* Weights of a layer as [channels, outputs]. */
typedef struct Weights {
    const float *data;
    size_t channel, output; /* floats between neighbours */
    int64_t channels, outputs;
} Weights;

static Weights weights_of(const DnnlIndirect *w, const DnnlMemory *m)
{
    const bool product = m->rank == 2;
    return (Weights){m->data, (size_t)m->strides[!product], (size_t)m->strides[product], w->pairs,
                     w->outputs};
}

/* 0 beyond the last ones. */
static int weight(const Weights *w, int64_t channel, int64_t output)
{
    return channel < w->channels && output < w->outputs
               ? (int)w->data[(size_t)channel * w->channel + (size_t)output * w->output]
               : 0;
}

static bool stays_within(int a, int b)
{
    const int up = (a > 0 ? a : 0) + (b > 0 ? b : 0), down = a + b - up;
    return up <= LARGEST_SUM && -down <= LARGEST_SUM && a <= INT8_MAX && b <= INT8_MAX;
}

/* Of the columns from `first` on. */
static bool is_four(const Weights *w, int64_t four, int64_t first, int64_t width)
{
    for (int64_t j = first; j < first + width; j++)
        for (int64_t c = four * FOUR; c < (four + 1) * FOUR; c += 2)
            if (!stays_within(weight(w, c, j), weight(w, c + 1, j)))
                return false;
    return true;
}

static int sum_of_four(const Weights *w, int64_t four, int64_t output)
{
    int sum = 0;
    for (int64_t c = four * FOUR; c < (four + 1) * FOUR; c++)
        sum += weight(w, c, output);
    return sum;
}

/* How many fours a block has; less than 0: the sum of those of a column is too large for the last pair. sum: for each column. */
static int64_t count_fours(const DnnlIndirect *w, const Weights *weights, int64_t first,
                           int64_t *sum)
{
    const int64_t width = panel_width(&w->panel);
    int64_t n = 0;
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int64_t four = 0; four < w->fours; four++) {
        if (!is_four(weights, four, first, width))
            continue;
        n++;
        for (int64_t j = 0; j < width; j++)
            sum[j] += sum_of_four(weights, four, first + j);
    }
    for (int64_t j = 0; j < width; j++)
        if (sum[j] > 2 * INT16_MAX || sum[j] < -2 * INT16_MAX)
            return -1;
    return n;
}

int64_t indirect_row(const DnnlIndirect *w)
{
    return w->fours ? 3 * w->fours + 1 : w->channels;
}

/* Rows of pairs if so many are fours: what is left, and the last one. */
static int64_t rows_of_pairs(const DnnlIndirect *w, int64_t fours)
{
    return 2 * (w->fours - fours) + 1;
}

/* In front of the weights of a block: two numbers and an element for each row. */
static int64_t head_floats(const DnnlIndirect *w, int64_t fours)
{
    const int64_t width = panel_width(&w->panel);
    return divide_up(2 + fours + rows_of_pairs(w, fours), width) * width;
}

static int64_t block_floats(const DnnlIndirect *w, int64_t fours)
{
    return head_floats(w, fours) + (fours + rows_of_pairs(w, fours)) * panel_width(&w->panel);
}

/* Where each block begins, and where the last one ends. */
static int64_t table_floats(const DnnlIndirect *w)
{
    const int64_t width = panel_width(&w->panel);
    return round_up(w->panel.blocks + 1, width);
}

bool mixed_fits(const DnnlIndirect *w)
{
    return w->pairs && w->gathers && !w->bytes && !w->panel.beside &&
           w->panel.lanes == AVX2_LANES && w->fours == divide_up(w->pairs, FOUR) && w->low >= -1 &&
           w->low <= UINT8_MAX && w->floats <= INT32_MAX && w->rows_of_fours >= 0 &&
           w->rows_of_fours <= w->panel.blocks * w->fours;
}

bool mixed_count(const Describe *d, DnnlIndirect *w)
{
    const Weights weights = weights_of(w, onednn_memory_of(d->p, ARG_WEIGHTS));
    const int64_t width = panel_width(&w->panel);
    int64_t *sum = ARENA_ARRAY(d->l->arena, int64_t, (size_t)width);
    w->fours = divide_up(w->pairs, FOUR);
    w->rows_of_fours = 0;
    if (!span_of_bytes(d->l->g, d->n->in[0], &w->low))
        return false;
    w->floats = table_floats(w);
    for (int64_t block = 0; block < w->panel.blocks; block++) {
        const int64_t fours = count_fours(w, &weights, block * width, sum);
        if (fours < 0)
            return false;
        w->rows_of_fours += fours;
        w->floats += block_floats(w, fours);
    }
    return mixed_fits(w);
}

double mixed_cost(const DnnlIndirect *w)
{
    if (!w->fours)
        return 1;
    const double share = (double)w->rows_of_fours / (double)(w->panel.blocks * w->fours);
    return share * cost_of_four + (1 - share) * cost_beside;
}

/* A row of weights of some channels, for each column as many numbers side by side. */
static void pack_fours(const Weights *w, int64_t four, int64_t first, int64_t width, int8_t *row)
{
    for (int64_t j = 0; j < width; j++)
        for (int64_t i = 0; i < FOUR; i++)
            *row++ = (int8_t)weight(w, four * FOUR + i, first + j);
}

static void pack_pairs(const Weights *w, int64_t pair, int64_t first, int64_t width, int16_t *row)
{
    for (int64_t j = 0; j < width; j++)
        for (int64_t i = 0; i < 2; i++)
            *row++ = (int16_t)weight(w, 2 * pair + i, first + j);
}

/* Halves of what the fours of a column are less than nothing. */
static void pack_last(const Weights *w, const int32_t *fours, int64_t n, int64_t first,
                      int64_t width, int16_t *row)
{
    for (int64_t j = 0; j < width; j++) {
        int64_t sum = 0;
        for (int64_t k = 0; k < n; k++)
            sum += sum_of_four(w, fours[k], first + j);
        *row++ = (int16_t)(-sum / 2);
        *row++ = (int16_t)(-sum - -sum / 2);
    }
}

static int64_t pack_block(const DnnlIndirect *w, const Weights *weights, int64_t block,
                          float *packed)
{
    const int64_t width = panel_width(&w->panel), first = block * width;
    int32_t *n = (int32_t *)(void *)packed, *order = n + 2;
    for (int64_t four = 0; four < w->fours; four++)
        if (is_four(weights, four, first, width))
            order[n[0]++] = (int32_t)four;
    float *row = packed + head_floats(w, n[0]);
    for (int32_t k = 0; k < n[0]; k++, row += width)
        pack_fours(weights, order[k], first, width, (int8_t *)(void *)row);
    int32_t *of_pairs = order + n[0];
    for (int64_t pair = 0, k = 0; pair < 2 * w->fours; pair++) {
        if (k < n[0] && order[k] == pair / 2) {
            k += pair % 2;
            continue;
        }
        of_pairs[n[1]++] = (int32_t)(w->fours + pair);
        pack_pairs(weights, pair, first, width, (int16_t *)(void *)row);
        row += width;
    }
    of_pairs[n[1]++] = (int32_t)(3 * w->fours);
    pack_last(weights, order, n[0], first, width, (int16_t *)(void *)row);
    return block_floats(w, n[0]);
}

float *mixed_pack(Arena *arena, const DnnlIndirect *w, const DnnlMemory *m)
{
    const Weights weights = weights_of(w, m);
    float *packed = ARENA_ARRAY(arena, float, (size_t)w->floats);
    int32_t *start = (int32_t *)(void *)packed;
    memset(packed, 0, (size_t)w->floats * sizeof *packed);
    int64_t at = table_floats(w);
    for (int64_t block = 0; block < w->panel.blocks; block++) {
        start[block] = (int32_t)at;
        at += pack_block(w, &weights, block, packed + at);
    }
    start[w->panel.blocks] = (int32_t)at;
    return packed;
}

static bool block_fits(const DnnlIndirect *w, const int32_t *n, int64_t left)
{
    const int32_t *order = n + 2;
    if (left < 2 || n[0] < 0 || n[0] > w->fours || n[1] != rows_of_pairs(w, n[0]) ||
        left != block_floats(w, n[0]))
        return false;
    for (int32_t k = 0; k < n[0] + n[1]; k++)
        if (order[k] < 0 || order[k] >= indirect_row(w))
            return false;
    return true;
}

const char *mixed_wrong_tables(const DnnlIndirect *w, const void *data, size_t bytes)
{
    const int32_t *start = data;
    const int64_t table = table_floats(w);
    bool fits = data && w->floats >= table && bytes >= (size_t)w->floats * sizeof(float) &&
                start[0] == table && start[w->panel.blocks] == w->floats;
    for (int64_t i = 0; fits && i < w->panel.blocks; i++)
        fits = start[i] >= table && start[i + 1] <= w->floats && start[i] < start[i + 1] &&
               block_fits(w, start + start[i], start[i + 1] - start[i]);
    return fits ? NULL : "its weights do not say where each is";
}

const char *mixed_proof(Arena *arena, const DnnlIndirect *w)
{
    return w->fours
               ? arena_printf(arena,
                              ", vpmaddubsw in %lld of %lld rows of weights, where no two "
                              "products leave 16 bits",
                              (long long)w->rows_of_fours, (long long)(w->panel.blocks * w->fours))
               : "";
}
