/* Convolution and transposed convolution as oneDNN primitives. Activations have the channels last. */
#include "family.h"

#include "../kernel/kernel.h"

/* ONNX counts dilation from 1, oneDNN from 0. */
bool describe_window(Describe *d)
{
    const TensorType *src = type_of(d->l->g, d->n->in[0]);
    const int64_t *strides = attr_ints(d->n, "strides", NULL),
                  *dilations = attr_ints(d->n, "dilations", NULL);
    const int64_t *pads = attr_ints(d->n, "pads", NULL),
                  *kernel = attr_ints(d->n, "kernel_shape", NULL);
    int n = src->rank - 2;
    if (n < 1 || n > MAX_SPATIAL || !strides || !pads)
        return false;
    d->p->spatial = n;
    for (int i = 0; i < n; i++) {
        d->p->strides[i] = strides[i];
        d->p->dilates[i] = dilations ? dilations[i] - 1 : 0;
        d->p->pad_l[i] = pads[i];
        d->p->pad_r[i] = pads[n + i];
        d->p->kernel[i] = kernel ? kernel[i] : 0;
    }
    return true;
}

/* The weights of a (transposed) convolution as oneDNN names their dimensions: [g,] out, in, kernel…. `data_in_first`:
 * ONNX's ConvTranspose stores in before out. */
bool describe_conv_weights(Describe *d, ValueId weights, const void *data, bool transposed)
{
    const Value *w = value_at(d->l->g, weights);
    int64_t group = attr_int(d->n, "group", 1), plain[MAX_RANK], dims[MAX_RANK], strides[MAX_RANK];
    int rank = w->type.rank, at = group > 1 ? 1 : 0;
    Layout rows = layout_plain(rank);
    if (w->kind != VALUE_CONST || rank + at > MAX_RANK)
        return false;
    layout_strides(&rows, &w->type, plain);
    int64_t d0 = w->type.dims[0] / group; /* per group: out, or in if transposed */
    dims[0] = group;
    strides[0] = d0 * plain[0];
    dims[at] = transposed ? w->type.dims[1] : d0;
    strides[at] = transposed ? plain[1] : plain[0];
    dims[at + 1] = transposed ? d0 : w->type.dims[1];
    strides[at + 1] = transposed ? plain[0] : plain[1];
    for (int i = 2; i < rank; i++) {
        dims[at + i] = w->type.dims[i];
        strides[at + i] = plain[i];
    }
    describe_add_weights(d, rank + at, dims, strides, weights, data ? data : w->data);
    return true;
}

/* One number for each channel of the result. */
bool describe_add_bias(Describe *d, ValueId bias)
{
    const TensorType *t = type_of(d->l->g, bias);
    const int64_t channels = type_of(d->l->g, d->n->out[0])->dims[1], row[2] = {1, channels};
    return onednn_computes(t->dtype) && type_count(t) == channels &&
           describe_takes_bias(d, describe_add_rows(d, ARG_BIAS, "bias", bias, d->pixels ? 2 : 1,
                                                    d->pixels ? row : &channels));
}

static bool add_bias(Describe *d)
{
    ValueId bias = node_in(d->n, 2);
    if (!has_value(bias) && d->c)
        bias = d->c->bias;
    else if (d->c && has_value(d->c->bias) && !same_value(d->c->bias, bias))
        return false; /* two biases: not as one primitive */
    int64_t channels = type_of(d->l->g, d->n->out[0])->dims[1];
    if (!has_value(bias) && composite_has_depthwise(d->c))
        describe_add_view(d, ARG_BIAS, "bias", describe_zeros(d, channels), 1, &channels);
    return !has_value(bias) || describe_add_bias(d, bias);
}

/* oneDNN 3.7.2's brgemm convolution computes wrong numbers where src has one channel, dst is one column wide and the stride
 * along it is not 1. */
static bool has_strided_column(const Describe *d)
{
    const TensorType *dst = type_of(d->l->g, d->n->out[0]);
    return dst->dims[dst->rank - 1] == 1 && d->p->strides[d->p->spatial - 1] != 1 &&
           type_of(d->l->g, d->n->in[1])->dims[1] == 1;
}

static int64_t last_reach(const Describe *d)
{
    const TensorType *w = type_of(d->l->g, d->n->in[1]);
    const int last = d->p->spatial - 1;
    return (w->dims[w->rank - 1] - 1) * (d->p->dilates[last] + 1) + 1;
}

/* The stride of a single column says nothing: it is made 1. False where the window would have to end before src does. */
static bool end_with_src(Describe *d)
{
    const TensorType *src = type_of(d->l->g, d->n->in[0]);
    const int last = d->p->spatial - 1;
    const int64_t pad = last_reach(d) - src->dims[src->rank - 1] - d->p->pad_l[last];
    if (pad < 0)
        return false;
    d->p->strides[last] = 1;
    d->p->pad_r[last] = pad;
    return true;
}

/* Of lines with one channel, which are one after the other, each makes one pixel: they are one line, whose window goes from image to image, and
 * dst has one column for each image. False where something stands in memory that could not be seen so. */
static bool join_lines(Describe *d)
{
    const TensorType *src = type_of(d->l->g, d->n->in[0]);
    const int64_t images = src->dims[0], width = src->dims[2], reach = last_reach(d);
    const Layout last = layout_nxc(3);
    if (d->p->spatial != 1 || src->dims[1] != 1 || d->p->pad_l[0] || reach > width)
        return false;
    for (uint32_t i = 0; i < d->p->n_memory; i++) {
        DnnlMemory *m = &d->p->memory[i];
        if (m->arg == ARG_WEIGHTS || m->rank != 3)
            continue;
        const bool is_src = m->arg == ARG_SRC;
        if (m->form != FORM_TAG || (!is_src && m->dims[2] != 1))
            return false;
        m->dims[2] = is_src ? (images - 1) * width + reach : m->dims[0];
        m->dims[0] = 1;
        m->tag = layout_tag(d->l->arena, &last);
    }
    d->p->strides[0] = images > 1 ? width : 1;
    d->p->pad_r[0] = 0;
    return true;
}

static bool is_single(const DnnlPrimitive *p, int i)
{
    for (uint32_t m = 0; m < p->n_memory; m++) {
        const int arg = p->memory[m].arg;
        if ((arg == ARG_SRC || arg == ARG_DST || arg == ARG_WEIGHTS) &&
            p->memory[m].dims[p->memory[m].rank - p->spatial + i] != 1)
            return false;
    }
    return p->pad_l[i] == 0 && p->pad_r[i] == 0 && p->kernel[i] <= 1;
}

static void swap(int64_t *v, int i, int k)
{
    const int64_t was = v[i];
    v[i] = v[k];
    v[k] = was;
}

/* Nothing but the spatial dimensions' names: one that is single takes no part in the order of elements. */
static void swap_dimensions(DnnlPrimitive *p, int i, int k)
{
    for (uint32_t m = 0; m < p->n_memory; m++) {
        const int first = p->memory[m].rank - p->spatial;
        if (p->memory[m].rank < p->spatial + 2)
            continue;
        swap(p->memory[m].dims, first + i, first + k);
        swap(p->memory[m].strides, first + i, first + k);
    }
    swap(p->kernel, i, k);
    swap(p->strides, i, k);
    swap(p->dilates, i, k);
    swap(p->pad_l, i, k);
    swap(p->pad_r, i, k);
}

/* oneDNN's kernels take several pixels of a line at a time, and threads lines or parts of them: what is one pixel wide lies down.
 * f32[1,256,512,1] by 512 filters of 5x1, AVX-512: 2.97 ms on one thread and 2.14 on two, lying 2.95 and 1.49. A single
 * pixel stays where it is: with strides, oneDNN 3.7.2 has that wrong more often than not. Columns by constant weights are lines in the graph already, so that kernels of C
 * are planned for lines too (passes/simplify/whole.c); these are bytes, transposed ones, three dimensions and weights that the model makes. */
void describe_lay_down(DnnlPrimitive *p)
{
    const int last = p->spatial - 1;
    const DnnlMemory *dst = onednn_memory_of(p, ARG_DST);
    for (int i = last - 1; i >= 0 && p->kind != KIND_CONVOLUTION_DEPTHWISE && is_single(p, last);
         i--)
        if (!is_single(p, i) && dst->dims[dst->rank - p->spatial + i] > 1) {
            p->strides[last] = 1;
            swap_dimensions(p, i, last);
        }
}

/* Every pixel of dst depends on one pixel of src, the next on the next. oneDNN's convolutions want dense activations; its
 * matrix product, which is as fast for such a kernel, does not. (But oneDNN 3.7.2 writes wrong places where a matrix with a row pitch
 * is one column wide.) */
bool describe_multiplies_pixels(const Describe *d, ValueId weights)
{
    const Value *w = value_at(d->l->g, weights);
    for (int i = 0; i < d->p->spatial; i++)
        if (w->type.dims[2 + i] != 1 || d->p->strides[i] != 1 || d->p->pad_l[i] || d->p->pad_r[i])
            return false;
    return attr_int(d->n, "group", 1) == 1 && w->kind == VALUE_CONST && w->type.dims[0] > 1 &&
           w->type.dims[1] > 1;
}

void describe_pixels(Describe *d, BufferId src, ValueId weights, const void *data)
{
    const Value *w = value_at(d->l->g, weights);
    const int64_t outputs = w->type.dims[0], channels = w->type.dims[1];
    const int64_t dims[2] = {channels, outputs}, strides[2] = {1, channels};
    d->p->kind = KIND_MATMUL;
    d->p->spatial = 0;
    d->pixels = true;
    describe_add_pixels(d, ARG_SRC, "src", src);
    describe_add_weights(d, 2, dims, strides, weights, data);
}

static bool describe_product_of_pixels(Describe *d, BufferId src, const Layout *layout)
{
    describe_pixels(d, src, d->n->in[1], value_at(d->l->g, d->n->in[1])->data);
    if (!add_bias(d) || !describe_finish(d, layout, 0, NULL))
        return false;
    describe_product_algorithm(d);
    if (d->p->kind == KIND_MATMUL)
        describe_epilogue(d);
    return !d->needs_epilogue || d->p->kind == KIND_WITH_EPILOGUE || d->p->kind == KIND_INDIRECT;
}

bool describe_conv(Describe *d)
{
    Layout layout = lower_reads(d->l, d->n->out[0]);
    const bool last = !layout_is_plain(&layout);
    d->p->kind = KIND_CONVOLUTION;
    if (!describe_window(d))
        return false;
    const bool joins_lines = has_strided_column(d) && !end_with_src(d);
    BufferId src = lower_value_in(d->l, d->n->in[0], &layout);
    if (last && describe_multiplies_pixels(d, d->n->in[1]) &&
        (d->l->p->buffers[src].layout.pitch || lower_writes_part(d->l, d->result) ||
         describe_wants_epilogue(d)))
        return describe_product_of_pixels(d, src, &layout);
    describe_add(d, ARG_SRC, "src", src);
    if (!describe_conv_weights(d, d->n->in[1], NULL, false) || !add_bias(d) ||
        !describe_finish(d, &layout, 0, NULL) || (joins_lines && !join_lines(d)))
        return false;
    describe_lay_down(d->p);
    if (last) {
        describe_algorithm(d);
        if (d->p->kind == KIND_CONVOLUTION)
            describe_epilogue(d);
    }
    return d->p->kind != KIND_CONVOLUTION || !describe_is_very_slow(d->l, d->c);
}

bool describe_conv_transpose(Describe *d)
{
    Layout layout = layout_nxc(type_of(d->l->g, d->n->in[0])->rank);
    const int64_t *more = attr_ints(d->n, "output_padding", NULL);
    d->p->kind = KIND_DECONVOLUTION;
    if (!describe_window(d))
        return false;
    for (int i = 0; more && i < d->p->spatial; i++)
        d->p->pad_r[i] -= more[i];
    describe_add_src(d, &layout);
    if (!describe_conv_weights(d, d->n->in[1], NULL, true) || !add_bias(d) ||
        !describe_finish(d, &layout, 0, NULL))
        return false;
    describe_lay_down(d->p);
    return true;
}

/* --- which ones oneDNN takes -------------------------------------------------------------------------------------- */

static bool pads_fit(const Node *n, const char **why)
{
    size_t count;
    const int64_t *pads = attr_ints(n, "pads", &count);
    return !any_below(pads, count, 0) || no(why, "a pad is negative");
}

/* Groups of one channel with several filters each have no kernel of their own in oneDNN: they run as convolutions of one
 * channel, at a tenth of the speed (measured: 64 to 256 channels, 3x3, 56x56: 0.64 ms; in C 0.3 ms). Those of signals run as a product
 * of matrices for each channel, at a hundredth of the peak: docs/measurements.md. */
bool supports_conv(const Graph *g, const Node *n, const char **why)
{
    int64_t groups = attr_int(n, "group", 1);
    const TensorType *dst = type_of(g, n->out[0]);
    if (!pads_fit(n, why))
        return false;
    if (dst->dims[1] > groups && c_conv_last(g, n) == CONV_LAST_DEPTHWISE)
        return no(why, "several filters for each channel are quicker in C");
    if (dst->rank == 3 && c_conv_last(g, n) == CONV_LAST_DEPTHWISE)
        return no(why, "a depthwise convolution of a signal is quicker in C");
    return c_conv_last(g, n) != CONV_LAST_FEW || no(why, "so few filters are quicker in C");
}

bool supports_deconv(const Graph *g, const Node *n, const char **why)
{
    size_t count;
    (void)g;
    if (!pads_fit(n, why))
        return false;
    const int64_t *extra = attr_ints(n, "output_padding", &count);
    const int64_t *strides = attr_ints(n, "strides", NULL);
    for (size_t i = 0; i < count; i++)
        if (extra[i] >= strides[i])
            return no(why, "output_padding reaches the stride");
    return true;
}

/* oneDNN's kernels go backwards through a convolution and compute a register of channels of the result at least. Microseconds, oneDNN and C, AVX-512
 * (Zen 4): 32 to 1 channels, 4x4, 28x28: 43, 3; 64 to 1, 2x2, 160x160: 570, 46; 64 to 2, 4x4, 56x56: 254, 39; 32 to 4, 2x2, 80x80: 89, 25; 64 to
 * 8, 2x2, 56x56: 81, 40; 64 to 32, 4x4, 14x14: 34, 64. */
const char *small_deconv(const Machine *m, const Graph *g, const Node *n)
{
    const int64_t channels = type_of(g, n->out[0])->dims[1] / attr_int(n, "group", 1);
    return 2 * channels <= machine_lanes(m) ? "so few channels are quicker in C" : NULL;
}
