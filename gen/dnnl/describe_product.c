/* By which algorithm rows are multiplied by constant weights: as oneDNN's matmul or inner product, or by tiles in C that fetch weights
 * ahead. Few rows wait for their weights most of the time; panel.c and docs/measurements.md have figures. */
#include "algorithm.h"

#include <string.h>

/* oneDNN's inner product is never behind its matmul there by more than chance, and ahead of it on AVX2. */
enum { INNER_ROWS_MIN = 2, INNER_ROWS_MAX = 64 };

/* Below, oneDNN's kernels for AVX-512 need few registers and multiply while they read on; all algorithms take the time of reading, which one or two rows have less of in tiles
 * that read several panels (panel.c). Those for AVX2 wait: two to four rows by
 * 1024 x 1024 take them 97 to 119 us where tiles take 77 to 94, a single row, which is gemm's, 84 and 63 (Zen 3, weights from the last cache). */
enum { WAITING_ROWS = 8 };

static const double other_of_two =
    1.1; /* the time of the one of the two primitives that is not preferred */

/* Where there is no AVX-512 the matmul is gemm, and bias and post-ops are a pass over its results: multiply-adds for each of these. Zen 3, us, rows x depth x columns,
 * gemm with a bias and ReLU, tiles in C that end with them: 3025 x 16 x 64 108, 76; 729 x 32 x 128 78, 66; 169 x 64 x 256 69, 58; 400 x 128 x 128 140, 136. */
static const double pass_of_gemm = 9.5;
/* A loop in C behind it is another: 169 x 128 x 128 with a swish 69, 65. */
static const double pass_of_loop = 6;

/* A function that describe_is_very_slow: 4 ns. */
static const double very_slow = 200;

/* [rows, depth], dense; weights that oneDNN packs as it likes. */
static bool has_inner_product(const DnnlPrimitive *p)
{
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC);
    if (p->kind != KIND_MATMUL || src->rank != 2 || src->form != FORM_TAG ||
        onednn_memory_of(p, ARG_WEIGHTS)->form != FORM_ANY ||
        onednn_memory_of(p, ARG_DST)->form != FORM_TAG)
        return false;
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (p->memory[i].dtype != DT_F32)
            return false;
    return true;
}

static DnnlPrimitive *as_inner_product(Arena *arena, const DnnlPrimitive *p)
{
    DnnlPrimitive *inner = arena_copy(arena, p, sizeof *p);
    inner->memory = arena_copy(arena, p->memory, p->n_memory * sizeof *p->memory);
    inner->kind = KIND_INNER_PRODUCT;
    DnnlMemory *w = onednn_memory_of(inner, ARG_WEIGHTS), *bias = onednn_memory_of(inner, ARG_BIAS);
    const int64_t dims[2] = {w->dims[1], w->dims[0]}, strides[2] = {w->strides[1], w->strides[0]};
    memcpy(w->dims, dims, sizeof dims);
    memcpy(w->strides, strides, sizeof strides);
    if (bias) {
        Layout plain = layout_plain(1);
        bias->rank = 1;
        bias->dims[0] = dims[0];
        bias->tag = layout_tag(arena, &plain);
    }
    return inner;
}

static bool prefers_inner_product(const DnnlPrimitive *inner, int64_t rows)
{
    return inner && rows >= INNER_ROWS_MIN && rows <= INNER_ROWS_MAX;
}

/* gemm packs its operands only where the product has many rows and many columns (3.7.2, for AVX2). Else rows of 4 KB, or of 2, bring what it reads of a column of
 * the weights into the same few sets of the first cache. Zen 3, 128 rows x depth x columns, multiply-adds/ns: 384 and 768 columns 42 to 46, 512 columns 31,
 * 1024 to 3072 columns 21; with rows of weights 64 bytes longer, or transposed ones, as many as elsewhere. */
double gemm_crowding(const Machine *m, int64_t rows, int64_t columns)
{
    static const double unpacked = 0.0038, of_pages = 2.1, of_halves = 1.45;
    enum { PAGE = 4096 };
    const int64_t pitch = 4 * columns;
    if (machine_lanes(m) != AVX2_LANES || pitch % (PAGE / 2) ||
        1 / (double)rows + 1 / (double)columns < unpacked)
        return 1;
    return pitch % PAGE ? of_halves : of_pages;
}

static double passes_ns(const Describe *d, double results)
{
    const Machine *m = &d->l->machine;
    if (machine_lanes(m) != 8 || (!d->p->n_post && !onednn_memory_of(d->p, ARG_BIAS)))
        return 0;
    const double loop = d->pixels && describe_wants_epilogue(d) ? pass_of_loop : 0,
                 slow = !loop && describe_is_very_slow(d->l, d->c) ? very_slow : 0;
    return (pass_of_gemm + loop + slow) * results / m->conv_macs;
}

/* As the inner product, or as the matmul, which is gemm where that is not preferred. */
static double direct_ns(const Describe *d, const DnnlPrimitive *inner, int64_t rows)
{
    const DnnlMemory *w = onednn_memory_of(d->p, ARG_WEIGHTS);
    const double reading = 4 * (double)(w->dims[0] * w->dims[1]) / d->l->weights.rate;
    const double passes = prefers_inner_product(inner, rows) && !describe_is_very_slow(d->l, d->c)
                              ? 0
                              : passes_ns(d, (double)(rows * w->dims[1]));
    const double both = algorithm_direct_ns(d->l, d->p) + passes;
    const bool waits = rows >= WAITING_ROWS || machine_lanes(&d->l->machine) == AVX2_LANES;
    const double ns = waits ? both : both - reading > reading ? both - reading : reading;
    return algorithm_over_c_ns(d->l) + ns;
}

static uint32_t add_algorithms(Describe *d, DnnlPrimitive *inner,
                               LayerAlgorithm algorithm[MAX_ALGORITHMS])
{
    const int64_t rows = onednn_memory_of(d->p, ARG_SRC)->dims[0];
    const double direct = direct_ns(d, inner, rows),
                 crowding = gemm_crowding(&d->l->machine, rows,
                                          onednn_memory_of(d->p, ARG_WEIGHTS)->dims[1]);
    const bool prefer = prefers_inner_product(inner, rows);
    uint32_t n = 0;
    LayerAlgorithm matmul = {.name = "matmul", .ns = direct * crowding, .primitive = d->p},
                   product = {.name = "inner product", .ns = direct, .primitive = inner};
    algorithm[n++] = prefer ? product : matmul;
    algorithm[n] = prefer ? matmul : product;
    algorithm[n].ns *= other_of_two;
    n += inner != NULL;
    if (!algorithm_finishes_in_c(d))
        return n;
    algorithm[n] = (LayerAlgorithm){.name = "C"};
    algorithm[n].indirect = indirect_plan(d, &algorithm[n].ns);
    return n + (algorithm[n].indirect != NULL);
}

/* Only the fixed choice between the two primitives is left. */
static bool is_forced(const LowerOptions *options)
{
    return options->conv >= CONV_WINOGRAD_2;
}

void describe_product_algorithm(Describe *d)
{
    LayerAlgorithm algorithm[MAX_ALGORITHMS];
    if (d->p->kind != KIND_MATMUL || onednn_memory_of(d->p, ARG_WEIGHTS)->form != FORM_ANY ||
        onednn_memory_of(d->p, ARG_SRC)->rank != 2)
        return;
    const LowerOptions *options = &d->l->options;
    DnnlPrimitive *inner =
        !d->pixels && has_inner_product(d->p) ? as_inner_product(d->l->arena, d->p) : NULL;
    uint32_t n = add_algorithms(d, inner, algorithm);
    LayerAlgorithm *best = &algorithm[0];
    if (options->conv == CONV_INDIRECT)
        best = algorithm[n - 1].indirect ? &algorithm[n - 1] : best;
    else if (!is_forced(options)) {
        if (options->tune && n > 1)
            n = algorithm_measure(d, algorithm, n);
        best = algorithm_choose(d, algorithm, n, false);
    }
    if (best->primitive)
        *d->p = *best->primitive;
    else
        indirect_take(d, best->indirect);
    if (n > 1)
        algorithm_say_why(d, algorithm, n, best);
}
