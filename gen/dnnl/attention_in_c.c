/* Attention in C: a head's keys and values are packed in panels, and a few rows of queries at a time go through both products and the softmax
 * between them (templates/dnnl/attention_common.c). Before AVX-512 oneDNN's matmul is gemm, which makes 43 % of the peak of products as small as
 * those of a head, and packs keys and values for each of its calls. With AVX-512 its kernels are good, but its softmax takes half as long again, and narrow heads cost it as much as wide ones.
 *
 * One thread, Zen 3, AVX2, ms by primitives and in C, heads x rows x keys x (size of keys + of values):
 *     1 x 1024 x 1024 x (64 + 64)   4.46  3.26        8 x 512 x 512 x (32 + 32)     8.13  3.88
 *     8 x 1024 x 1024 x ( 4 +  4)  16.7   5.57        8 x 400 x 400 x (16 + 16)     3.65  1.47
 *     4 x  128 x  128 x (64 + 64)   0.287 0.219      48 x  50 x  50 x ( 8 +  8)     0.484 0.202 */
#include "describe_attention.h"

enum { ROWS = 6, VECTORS = 2 }; /* of a tile, as in the template */

static const double product = 1.08; /* multiply-adds, to those of a direct convolution */
static const double softmax = 1.4;  /* of a function: a score, with the largest and the sum */
static const double packing = 3;    /* operations of a loop in C: an element of key and value */
/* A step along the depth takes as long as sums wait for themselves, however few rows there are. */
static const int64_t least_rows = 4;

int64_t attention_score_row(const DnnlAttention *a)
{
    return round_up(a->block[3], VECTORS * a->lanes);
}

double attention_in_c_ns(const Machine *m, const int64_t *block, int64_t depth, int64_t width)
{
    const int64_t lanes = machine_lanes(m), tiles = divide_up(block[2], ROWS);
    const int64_t in_tile = divide_up(block[2], tiles);
    const double rows = (double)(tiles * (in_tile < least_rows ? least_rows : in_tile));
    const double heads = (double)(block[0] * block[1]), keys = (double)block[3];
    const double multiplied = rows * ((double)round_up(block[3], lanes) * (double)depth +
                                      keys * (double)round_up(width, lanes));
    const double packed = keys * (double)(depth + width);
    const double stream = 4 * packed * (double)tiles / machine_weights(m, 4 * packed).rate;
    const double multiplying = product * multiplied / m->conv_macs;
    return m->kernel_call_ns + heads * ((multiplying > stream ? multiplying : stream) +
                                        softmax * m->function_ns * (double)block[2] * keys +
                                        packing * m->loop_ns * packed);
}

void attention_follow_blocks(DnnlAttention *a)
{
    const int64_t columns = VECTORS * a->lanes, keys = a->block[3];
    const int64_t depth = a->query.dims[3], width = a->value.dims[3];
    a->tiles = divide_up(a->block[2], ROWS);
    a->rows = divide_up(a->block[2], a->tiles);
    a->whole = a->block[2] - a->tiles * (a->rows - 1);
    a->keys_at = align_up((size_t)(a->rows * attention_score_row(a)) * 4);
    a->values_at = a->keys_at + align_up((size_t)(round_up(keys, columns) * depth) * 4);
    a->set_bytes = a->values_at + align_up((size_t)(round_up(width, columns) * keys) * 4);
    a->probabilities_at = a->scratchpad_at = a->scratchpad_bytes = 0;
}

/* Elements of a row of dst that C stores by vectors stand together. */
bool attention_takes_tiles(const Machine *m, const DnnlAttention *a)
{
    return machine_lanes(m) >= AVX2_LANES && a->dst.strides[3] == 1;
}

/* --- what a program says ------------------------------------------------------------------------------------------ */

enum { MOST = 1 << 24 };

static bool has_dims(const DnnlHeads *h, int64_t batch, int64_t heads, int64_t rows,
                     int64_t columns)
{
    const int64_t dims[HEAD_RANK] = {batch, heads, rows, columns};
    for (int d = 0; d < HEAD_RANK; d++)
        if (h->dims[d] != dims[d] && h->dims[d] != 1)
            return false;
    return h->dims[2] == rows && h->dims[3] == columns;
}

static bool blocks_fit(const DnnlAttention *a)
{
    int64_t blocks = 1;
    for (int d = 0; d < HEAD_RANK; d++) {
        if (a->dims[d] < 1 || a->dims[d] > MOST || a->block[d] < 1 || a->dims[d] % a->block[d] ||
            !mul_i64(blocks, a->dims[d] / a->block[d], &blocks))
            return false;
    }
    return a->block[0] == 1 && a->block[1] == 1 && a->block[3] == a->dims[3] && blocks == a->blocks;
}

static bool masks_fit(const DnnlAttention *a)
{
    for (uint32_t i = 0; i < a->n_ops; i++)
        for (int d = 0; a->op[i].kind != SCORE_SCALE && d < HEAD_RANK; d++)
            if (a->mask[i].dims[d] != 1 && a->mask[i].dims[d] != a->dims[d])
                return false;
    return true;
}

const char *attention_wrong_numbers(const DnnlPrimitive *p, int threads)
{
    DnnlAttention same = *p->attention;
    const DnnlAttention *a = &same;
    const int64_t depth = a->query.dims[3], width = a->value.dims[3];
    if ((a->lanes != AVX2_LANES && a->lanes != AVX512_LANES) || !blocks_fit(a) || depth < 1 ||
        depth > MOST || width < 1 || width > MOST ||
        !has_dims(&a->query, a->dims[0], a->dims[1], a->dims[2], depth) ||
        !has_dims(&a->key, a->dims[0], a->dims[1], depth, a->dims[3]) ||
        !has_dims(&a->value, a->dims[0], a->dims[1], a->dims[3], width) ||
        !has_dims(&a->dst, a->dims[0], a->dims[1], a->dims[2], width) || !masks_fit(a) ||
        a->dst.strides[3] != 1)
        return "its heads are not those of an attention";
    if (a->threads < 1 || a->threads > threads || (a->sets != 1 && a->sets != a->threads) ||
        (a->sets == 1 && p->one_thread != (a->threads == 1)))
        return "as many threads as there are not";
    attention_follow_blocks(&same);
    const DnnlAttention *said = p->attention;
    if (said->tiles != a->tiles || said->rows != a->rows || said->whole != a->whole ||
        said->keys_at != a->keys_at || said->values_at != a->values_at ||
        said->set_bytes != a->set_bytes || p->scratch_bytes != (size_t)a->sets * a->set_bytes)
        return "its tiles and scratch memory are not what follows from its blocks";
    return NULL;
}
