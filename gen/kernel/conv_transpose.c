/* How C computes ConvTranspose: for each channel of the result a product, then sums of what its parts bring to each row. */
#include "conv_flat.h"
#include "layers.h"
#include "plan.h"

Transposed transposed_of(const Graph *g, const Node *n)
{
    const TensorType *src = type_of(g, n->in[0]), *dst = type_of(g, n->out[0]);
    Transposed t = {.w = window_of(n, dst, src, type_of(g, n->in[1])->dims + 2),
                    .type = src->dtype,
                    .n = src->dims[0],
                    .group = attr_int(n, "group", 1)};
    t.c = src->dims[1] / t.group;
    t.m = dst->dims[1] / t.group;
    return t;
}

static bool has_layout(const CStep *k, BufferId b, const Layout *want)
{
    return b != NO_BUFFER && layout_equal(&k->p->buffers[b].layout, want);
}

/* What every tap contributes to one channel of the result, then the sums of one of its rows. Of large planes, whose rows lie in the same
 * few sets of the cache, all of a few taps are computed at once: the source is read once. */
bool fit_conv_transpose(CStep *k)
{
    enum { TAPS = 9, COLUMNS = 32, LARGE = 1024 };
    const Layout plain = layout_plain(type_of(k->g, k->n->in[0])->rank);
    if (!has_layout(k, k->s->in[0], &plain) || !has_layout(k, k->s->out[0], &plain))
        return false;
    const Transposed t = transposed_of(k->g, k->n);
    const int last = t.w.n - 1;
    const size_t size = t.type == DT_F64 ? 8 : 4;
    k->plan->second_at = size * (size_t)(t.w.kernel_size * t.w.dst_size);
    k->plan->scratch_bytes =
        k->plan->second_at + size * (size_t)round_up(t.w.src[last], t.w.stride[last]);
    const int64_t taps = t.w.kernel_size, rows = divide_up(taps, divide_up(taps, TAPS));
    return t.w.dst_size < LARGE ? c_free_tile(k->plan)
                                : c_free_number(&k->plan->rows, rows, 2 * TAPS) &&
                                      c_free_number(&k->plan->columns, COLUMNS, 2 * COLUMNS);
}

/* --- channels last ------------------------------------------------------------------------------------------------------- */

bool conv_transpose_vectors(const Graph *g, const Node *n)
{
    const TensorType *dst = type_of(g, n->out[0]);
    if (dst->dtype != DT_F32 || dst->rank != 4 || value_at(g, n->in[1])->kind != VALUE_CONST ||
        type_count(dst) == 0 || attr_int(n, "group", 1) != 1)
        return false;
    const Transposed t = transposed_of(g, n);
    bool plain = t.m % TRANSPOSED_LANES == 0;
    for (int d = 0; d < t.w.n; d++)
        plain = plain && t.w.dilation[d] == 1 && t.w.pad_begin[d] >= 0;
    return plain;
}

/* oneDNN's kernels of strides have an overhead for each image and row of the result, and are at their best from some millions of multiply-adds on. Where the stride does not divide
 * the result, it takes others, which make 9 to 21 multiply-adds a nanosecond where C makes 24 to 43 (Zen 3, AVX2): docs/measurements.md. */
bool conv_transpose_pays(const Graph *g, const Node *n)
{
    enum { MOST_MACS = 1 << 22 }; /* of an image */
    const Transposed t = transposed_of(g, n);
    return t.w.src[0] % t.w.stride[0] || t.w.src[1] % t.w.stride[1] ||
           t.w.dst_size * t.w.kernel_size * t.c * t.m <= MOST_MACS;
}

/* The ring has whole numbers of what is made at once, and beside the newest rows those that a row of the result reads as well. */
int64_t conv_transpose_kept(const Transposed *t, int64_t made)
{
    const int64_t read = divide_up(t->w.kernel[0], t->w.stride[0]);
    return made >= t->w.dst[0] ? made : round_up(made + read - 1, made);
}

/* As many rows as the second cache has room for beside weights, or as are no more than the weights, which are read anew each time; fewer where threads share an image. */
static int64_t rows_made(const CStep *k, const Transposed *t, size_t row)
{
    enum { BYTES = 1 << 18 };
    const size_t weights = sizeof(float) * (size_t)(t->w.kernel_size * t->c * t->m);
    const size_t most = weights > BYTES ? weights : BYTES;
    const int64_t all = t->w.dst[0], threads = k->p->threads > t->n ? k->p->threads : 1;
    int64_t made = divide_up(all, threads);
    while (made > 1 && row * (size_t)conv_transpose_kept(t, made) > most)
        made = divide_up(made, 2);
    return made;
}

/* Twice five sums, and two vectors of weights, fill 16 registers; as many pixels at once each time. */
static int64_t pixels_at_once(int64_t pixels)
{
    enum { MOST = 5 };
    return divide_up(pixels, divide_up(pixels, MOST));
}

bool fit_conv_transpose_last(CStep *k)
{
    enum { MOST = 8 };
    const double operations = 2.5; /* of a vector's multiply-adds */
    const Layout last = layout_nxc(4);
    if (!conv_transpose_vectors(k->g, k->n) || !has_layout(k, k->s->in[0], &last) ||
        !has_layout(k, k->s->out[0], &last))
        return false;
    const Transposed t = transposed_of(k->g, k->n);
    const int64_t rows = t.w.dst[0];
    const size_t row = sizeof(float) * (size_t)(t.w.dst[1] * t.w.kernel_size * t.m);
    if (!c_free_number(&k->plan->width, rows_made(k, &t, row), rows))
        return false;
    const int64_t made = k->plan->width, fewest = (rows % made ? rows % made : made) * t.w.dst[1];
    if (!c_free_number(&k->plan->at_once, pixels_at_once(fewest), fewest < MOST ? fewest : MOST))
        return false;
    k->plan->scratch_bytes = row * (size_t)conv_transpose_kept(&t, made);
    k->iterations = t.n * (made < rows ? t.w.src[0] : 1);
    k->operations =
        operations * (double)(t.n * t.w.dst_size * t.w.kernel_size * t.c * t.m) / TRANSPOSED_LANES;
    return true;
}
