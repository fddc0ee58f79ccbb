/* Products of bytes. QLinearConv is a convolution. With scales s and zero points z, and sums that are exact in s32,
 *     dst = round(s_src s_weights / s_dst (sum (src - z_src) (weights - z_weights) + bias)) + z_dst,
 * so that one factor for each channel is left, the weights' scale to oneDNN, and the bias is scaled by it too. */
#include "family.h"

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

/* n's operand k, only where it is not 0, which oneDNN takes for granted. */
static void add_zero_point(Describe *d, const Node *n, uint32_t k, int arg, const char *name)
{
    const ValueId v = node_in(n, k);
    const int32_t zero = has_value(v) ? (int32_t)const_number(d->l->g, v, 0) : 0;
    if (zero)
        add_numbers(d, ARG_ATTR_ZERO_POINTS | arg, name, DT_I32, 1, &zero);
}

void describe_quantize(Describe *d, const Node *n)
{
    const float scale = (float)const_number(d->l->g, n->in[1], 0);
    add_numbers(d, ARG_ATTR_SCALES | ARG_DST, "dst_scale", DT_F32, 1, &scale);
    add_zero_point(d, n, 2, ARG_DST, "dst_zero_point");
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
    add_zero_point(d, d->n, 2, ARG_SRC, "src_zero_point");
    add_zero_point(d, d->n, 7, ARG_DST, "dst_zero_point");
    return true;
}

/* Sums in s32, or what the composite makes of them. What the padding stands for is the zero point, so that it counts for nothing; oneDNN sees to that. */
bool describe_conv_integer(Describe *d)
{
    const ValueId w = d->n->in[1], zero = node_in(d->n, 2);
    Layout layout = layout_nxc(type_of(d->l->g, d->n->in[0])->rank);
    const int64_t one = 1;
    d->p->kind = KIND_CONVOLUTION;
    if (!onednn_engine_has_int8(d->l->engine) || !describe_window(d))
        return false;
    describe_add_src(d, &layout);
    if (!describe_conv_weights(d, w, value_at(d->l->g, w)->data, false) ||
        (d->c && has_value(d->c->bias) && !describe_add_bias(d, d->c->bias)) ||
        !describe_finish(d, &layout, 0, NULL))
        return false;
    describe_lay_down(d->p);
    if (has_value(zero))
        describe_add_rows(d, ARG_ATTR_ZERO_POINTS | ARG_SRC, "src_zero_point", zero, 1, &one);
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
    describe_add_rows(d, ARG_SRC, "src", d->n->in[0], 2, src);
    describe_add_weights(d, 2, b->type.dims, strides, d->n->in[1], b->data);
    return describe_finish(d, &plain, 2, dst);
}

/* --- which ones oneDNN takes -------------------------------------------------------------------------------------- */

static bool is_number(const Graph *g, ValueId v)
{
    return !has_value(v) || (value_at(g, v)->kind == VALUE_CONST && type_count(type_of(g, v)) == 1);
}

/* Weights less their zero points, which oneDNN wants to be signed bytes. */
static bool fits_signed(const Graph *g, const Node *n)
{
    const TensorType *w = type_of(g, n->in[3]);
    int64_t count = type_count(w), per = count / w->dims[0];
    bool fits = w->dtype == DT_I8; /* most have no zero points, and nothing to look through */
    for (int64_t c = 0; c < w->dims[0] && fits && has_value(n->in[5]); c++)
        fits = const_number(g, n->in[5], c) == 0;
    for (int64_t i = 0; i < count && !fits; i++) {
        double zero = has_value(n->in[5]) ? const_number(g, n->in[5], i / per) : 0;
        double x = const_number(g, n->in[3], i) - zero;
        if (x < INT8_MIN || x > INT8_MAX)
            return false;
    }
    return true;
}

/* oneDNN 3.7.2's brg_conv_fwd for bytes gives wrong numbers where the result is one column wide, the stride along it more than 1 and
 * the channels no multiple of 4 (found by the random graphs: 1 channel wrong, 4 right; strides 2 and 3 wrong, 1 right). */
static bool gives_wrong_column(const Node *n, const TensorType *src, const TensorType *dst)
{
    size_t count;
    const int64_t *strides = attr_ints(n, "strides", &count);
    return dst->dims[dst->rank - 1] == 1 && strides[count - 1] > 1 &&
           src->dims[1] / attr_int(n, "group", 1) % 4 != 0;
}

/* Of three dimensions, in groups and dilated, oneDNN 3.7.2 takes gemm, and where there are 8 groups of one channel and 8 taps it packs the weights without
 * what makes up for the zero point of src, or for its sign (found by the test of the pattern table: 2x2x2 and 4x2x1 are wrong, 3x3x3 with 27 groups and 4x2x2 with 16 right). */
static bool is_packed_wrongly(const Node *n, const TensorType *src)
{
    size_t count;
    const int64_t *dilations = attr_ints(n, "dilations", &count);
    return src->rank == 5 && attr_int(n, "group", 1) > 1 && any_above(dilations, count, 1);
}

/* The geometry of a convolution of bytes. */
static bool byte_conv(const Graph *g, const Node *n, uint32_t weights, const char **why)
{
    size_t count;
    const TensorType *src = type_of(g, n->in[0]), *dst = type_of(g, n->out[0]);
    const int64_t *pads = attr_ints(n, "pads", &count);
    const int64_t groups = attr_int(n, "group", 1);
    if (value_at(g, n->in[weights])->kind != VALUE_CONST)
        return no(why, "its weights are no constant");
    if (src->rank > 5 || any_below(pads, count, 0) || type_count(src) == 0 ||
        type_count(dst) == 0 || type_count(type_of(g, n->in[weights])) == 0 ||
        type_count(src) > INT32_MAX || type_count(dst) > INT32_MAX)
        return no(why, "a shape or pad that the primitive does not take");
    if (groups > 1 && src->dims[1] == groups && dst->dims[1] > groups)
        return no(why, "several filters for each channel");
    if (is_packed_wrongly(n, src))
        return no(why, "oneDNN packs weights of dilated groups of three dimensions wrongly");
    return !gives_wrong_column(n, src, dst) ||
           no(why, "oneDNN computes one column of so few channels wrongly");
}

/* src, weights, src's zero point as oneDNN wants it; the weights' has gone into them. */
bool supports_conv_integer(const Graph *g, const Node *n, const char **why)
{
    ValueId zero = node_in(n, 2);
    if (type_of(g, n->in[1])->dtype != DT_I8 || has_value(node_in(n, 3)))
        return no(why, "its weights are no signed bytes without a zero point");
    if (has_value(zero) && (type_of(g, zero)->dtype != DT_I32 || type_count(type_of(g, zero)) != 1))
        return no(why, "its zero point is not one number of 32 bits");
    return byte_conv(g, n, 1, why);
}

/* src, scale, zero; weights, scale, zero; dst's scale, zero; bias */
bool supports_qlinear_conv(const Graph *g, const Node *n, const char **why)
{
    for (uint32_t k = 3; k < n->n_in; k++)
        if (has_value(n->in[k]) && value_at(g, n->in[k])->kind != VALUE_CONST)
            return no(why, "its weights, scales or zero points are no constants");
    if (!is_number(g, n->in[1]) || !is_number(g, n->in[2]) || !is_number(g, n->in[6]) ||
        !is_number(g, n->in[7]))
        return no(why, "a scale or zero point of src or dst is no constant number");
    return byte_conv(g, n, 3, why) &&
           (fits_signed(g, n) || no(why, "weights less their zero points are no signed bytes"));
}

/* Without zero points, by constant weights [K, N]. */
bool supports_matmul_integer(const Graph *g, const Node *n, const char **why)
{
    const TensorType *a = type_of(g, n->in[0]), *b = type_of(g, n->in[1]);
    if (has_value(node_in(n, 2)) || has_value(node_in(n, 3)))
        return no(why, "it has zero points");
    if (value_at(g, n->in[1])->kind != VALUE_CONST || b->dtype != DT_I8 || b->rank != 2)
        return no(why, "its weights are no constant matrix of signed bytes");
    return (a->rank >= 2 && type_count(a) > 0 && type_count(b) > 0 && type_count(a) <= INT32_MAX) ||
           no(why, "a shape that the primitive does not take");
}
