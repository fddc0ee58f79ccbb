/* Products of bytes. QLinearConv is a convolution. With scales s and zero points z, and sums that are exact in s32,
 *     dst = round(s_src s_weights / s_dst (sum (src - z_src) (weights - z_weights) + bias)) + z_dst,
 * so that one factor for each channel is left, the weights' scale to oneDNN, and the bias is scaled by it too. */
#include "describe.h"

#include <string.h>

static double number_at(const Describe *d, uint32_t k, int64_t i, double missing)
{
    ValueId v = node_in(d->n, k);
    return has_value(v) ? const_number(d->l->g, v, i) : missing;
}

static const int8_t *signed_weights(const Describe *d)
{
    const Value *w = value_at(d->l->g, d->n->in[3]);
    int64_t count = type_count(&w->type), per = count / w->type.dims[0];
    int8_t *to = ARENA_ARRAY(d->l->arena, int8_t, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        to[i] = (int8_t)(elem_i64(w->type.dtype, w->data, (size_t)i) -
                         (int64_t)number_at(d, 5, i / per, 0));
    return to;
}

/* A bias has the rank of dst where that is a matrix. */
static void add_numbers(Describe *d, int arg, const char *name, DType t, int64_t n,
                        const void *data)
{
    const bool row = arg == ARG_BIAS && d->pixels;
    const int64_t dims[2] = {1, n};
    size_t bytes = (size_t)n * dtype_size(t);
    void *copy = arena_copy(d->l->arena, data, bytes);
    BufferId b = lower_const(d->l, type_make(t, 1, &n), copy, bytes);
    describe_add_view(d, arg, name, b, row ? 2 : 1, row ? dims : &n);
}

/* Only where it is not 0, which oneDNN takes for granted. */
static void add_zero_point(Describe *d, int arg, const char *name, uint32_t k)
{
    const int32_t zero = (int32_t)number_at(d, k, 0, 0);
    if (zero)
        add_numbers(d, ARG_ATTR_ZERO_POINTS | arg, name, DT_I32, 1, &zero);
}

/* Only the product of pixels works on parts of wider tensors. */
static bool add_operands(Describe *d, const Layout *layout)
{
    const ValueId weights = d->n->in[3];
    const bool pixels = describe_multiplies_pixels(d, weights);
    if (!pixels)
        d->l->may_read_parts = d->l->may_write_parts = false;
    BufferId src = lower_value_in(d->l, d->n->in[0], layout);
    if (pixels && (d->l->p->buffers[src].layout.pitch || lower_writes_part(d->l, d->result)))
        describe_pixels(d, src, weights, signed_weights(d));
    else {
        describe_add(d, ARG_SRC, "src", src);
        if (!describe_conv_weights(d, weights, signed_weights(d), false))
            return false;
    }
    onednn_memory_of(d->p, ARG_WEIGHTS)->dtype = DT_I8;
    return true;
}

bool describe_qlinear_conv(Describe *d)
{
    const TensorType *src = type_of(d->l->g, d->n->in[0]);
    const int64_t channels = type_of(d->l->g, d->n->out[0])->dims[1];
    Layout layout = layout_nxc(src->rank);
    float *scales = ARENA_ARRAY(d->l->arena, float, (size_t)channels),
          *bias = ARENA_ARRAY(d->l->arena, float, (size_t)channels);
    d->p->kind = KIND_CONVOLUTION;
    if (!onednn_engine_has_int8(d->l->engine) || !describe_window(d))
        return false;
    for (int64_t c = 0; c < channels; c++) {
        double scale = number_at(d, 1, 0, 1) * number_at(d, 4, c, 1) / number_at(d, 6, 0, 1);
        scales[c] = (float)scale;
        bias[c] = (float)(scale * number_at(d, 8, c, 0));
    }
    if (!add_operands(d, &layout))
        return false;
    if (has_value(node_in(d->n, 8)))
        add_numbers(d, ARG_BIAS, "bias", DT_F32, channels, bias);
    if (!describe_finish(d, &layout, 0, NULL))
        return false;
    if (!d->pixels)
        describe_lay_down(d->p);
    add_numbers(d, ARG_ATTR_SCALES | ARG_WEIGHTS, "weights_scales", DT_F32, channels, scales);
    add_zero_point(d, ARG_SRC, "src_zero_point", 2);
    add_zero_point(d, ARG_DST, "dst_zero_point", 7);
    return true;
}

/* Sums in s32. What the padding stands for is the zero point, so that it counts for nothing; oneDNN sees to that. */
bool describe_conv_integer(Describe *d)
{
    const ValueId w = d->n->in[1], zero = node_in(d->n, 2);
    Layout layout = layout_nxc(type_of(d->l->g, d->n->in[0])->rank), plain = layout_plain(0);
    const int64_t one = 1;
    d->p->kind = KIND_CONVOLUTION;
    if (!onednn_engine_has_int8(d->l->engine) || !describe_window(d))
        return false;
    describe_add(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &layout));
    if (!describe_conv_weights(d, w, value_at(d->l->g, w)->data, false) ||
        !describe_finish(d, &layout, 0, NULL))
        return false;
    describe_lay_down(d->p);
    if (has_value(zero))
        describe_add_view(d, ARG_ATTR_ZERO_POINTS | ARG_SRC, "src_zero_point",
                          lower_value_in(d->l, zero, &plain), 1, &one);
    return true;
}

bool describe_matmul_integer(Describe *d)
{
    const TensorType *a = type_of(d->l->g, d->n->in[0]);
    const Value *b = value_at(d->l->g, d->n->in[1]);
    const int64_t depth = b->type.dims[0], columns = b->type.dims[1], rows = type_count(a) / depth;
    const int64_t src[2] = {rows, depth}, dst[2] = {rows, columns}, strides[2] = {columns, 1};
    Layout plain = layout_plain(a->rank);
    if (!onednn_engine_has_int8(d->l->engine))
        return false;
    d->p->kind = KIND_MATMUL;
    describe_add_view(d, ARG_SRC, "src", lower_value_in(d->l, d->n->in[0], &plain), 2, src);
    describe_add_weights(d, 2, b->type.dims, strides, d->n->in[1], b->data);
    return describe_finish(d, &plain, 2, dst);
}
