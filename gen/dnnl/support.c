/* What oneDNN takes: the conditions under which its primitives compute what ONNX defines. f32, and
 * bf16 (with f32 parameters beside it, and f32 inside). */
#include "support.h"

#include "../kernel/kernel.h"
#include "../ops/ops.h"
#include "../ops/window.h"
#include "plan.h"

#include <math.h>
#include <string.h>

static bool no(const char **why, const char *reason)
{
    *why = reason;
    return false;
}

static int64_t sum_of(const int64_t *v, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum;
}

static bool any_below(const int64_t *v, size_t n, int64_t limit)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] < limit)
            return true;
    return false;
}

static bool any_above(const int64_t *v, size_t n, int64_t limit)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] > limit)
            return true;
    return false;
}

static bool wanted(const Node *n, uint32_t k)
{
    return k < n->n_out && has_value(n->out[k]);
}

bool onednn_computes(DType t)
{
    return t == DT_F32 || t == DT_BF16;
}

/* Everything is f32 or bf16, something is there, and the shapes are of a rank oneDNN knows. */
static bool check_types(const Graph *g, const Node *n, int rank_min, int rank_max, const char **why)
{
    const TensorType *t = NULL;
    for (uint32_t k = 0; k < n->n_in + n->n_out; k++) {
        ValueId v = k < n->n_in ? n->in[k] : n->out[k - n->n_in];
        if (!has_value(v))
            continue;
        t = type_of(g, v);
        if (!onednn_computes(t->dtype))
            return no(why, "not everything is f32 or bf16");
        if (type_count(t) == 0)
            return no(why, "a tensor is empty");
        if (type_count(t) > INT32_MAX)
            return no(why, "a tensor has more than 2^31 elements");
    }
    t = type_of(g, n->in[0]);
    if (t->rank < rank_min || t->rank > rank_max)
        return no(why, "the rank is not one that the primitive takes");
    return true;
}

static bool pads_fit(const Graph *g, const Node *n, const char **why)
{
    size_t count;
    const int64_t *pads = attr_ints(n, "pads", &count);
    if (!check_types(g, n, 3, 5, why))
        return false;
    return !any_below(pads, count, 0) || no(why, "a pad is negative");
}

/* Groups of one channel with several filters each have no kernel of their own in oneDNN: they run as convolutions of one
 * channel, at a tenth of the speed (measured: 64 to 256 channels, 3x3, 56x56: 0.64 ms; in C 0.3 ms). */
static bool supports_conv(const Graph *g, const Node *n, const char **why)
{
    int64_t groups = attr_int(n, "group", 1);
    const TensorType *dst = type_of(g, n->out[0]);
    if (!pads_fit(g, n, why))
        return false;
    if (dst->dims[1] > groups && c_conv_last(g, n) == CONV_LAST_DEPTHWISE)
        return no(why, "several filters for each channel are quicker in C");
    return c_conv_last(g, n) != CONV_LAST_FEW || no(why, "so few filters are quicker in C");
}

static bool is_byte(DType t)
{
    return t == DT_I8 || t == DT_U8;
}

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
    return !gives_wrong_column(n, src, dst) ||
           no(why, "oneDNN computes one column of so few channels wrongly");
}

/* src, weights, src's zero point as oneDNN wants it; the weights' has gone into them. */
static bool supports_conv_integer(const Graph *g, const Node *n, const char **why)
{
    ValueId zero = node_in(n, 2);
    if (type_of(g, n->in[1])->dtype != DT_I8 || has_value(node_in(n, 3)))
        return no(why, "its weights are no signed bytes without a zero point");
    if (has_value(zero) && (type_of(g, zero)->dtype != DT_I32 || type_count(type_of(g, zero)) != 1))
        return no(why, "its zero point is not one number of 32 bits");
    return byte_conv(g, n, 1, why);
}

/* src, scale, zero; weights, scale, zero; dst's scale, zero; bias */
static bool supports_qlinear_conv(const Graph *g, const Node *n, const char **why)
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
static bool supports_matmul_integer(const Graph *g, const Node *n, const char **why)
{
    const TensorType *a = type_of(g, n->in[0]), *b = type_of(g, n->in[1]);
    if (has_value(node_in(n, 2)) || has_value(node_in(n, 3)))
        return no(why, "it has zero points");
    if (value_at(g, n->in[1])->kind != VALUE_CONST || b->dtype != DT_I8 || b->rank != 2)
        return no(why, "its weights are no constant matrix of signed bytes");
    return (a->rank >= 2 && type_count(a) > 0 && type_count(b) > 0 && type_count(a) <= INT32_MAX) ||
           no(why, "a shape that the primitive does not take");
}

static bool supports_deconv(const Graph *g, const Node *n, const char **why)
{
    size_t count;
    if (!pads_fit(g, n, why))
        return false;
    const int64_t *extra = attr_ints(n, "output_padding", &count);
    const int64_t *strides = attr_ints(n, "strides", NULL);
    for (size_t i = 0; i < count; i++)
        if (extra[i] >= strides[i])
            return no(why, "output_padding reaches the stride");
    return true;
}

static bool supports_matmul(const Graph *g, const Node *n, const char **why)
{
    if (!check_types(g, n, 2, 6, why))
        return false;
    int rank = type_of(g, n->in[1])->rank;
    return (rank >= 2 && rank <= 6) ||
           no(why, "an operand is a vector or has more than 6 dimensions");
}

static bool supports_gemm(const Graph *g, const Node *n, const char **why)
{
    if (!check_types(g, n, 2, 2, why))
        return false;
    if (attr_float(n, "alpha", 1) != 1)
        return no(why, "alpha is not 1");
    if (!has_value(node_in(n, 2)))
        return true;
    if (attr_float(n, "beta", 1) != 1)
        return no(why, "beta is not 1");
    const TensorType *c = type_of(g, n->in[2]), *out = type_of(g, n->out[0]);
    bool row = c->rank >= 1 && c->dims[c->rank - 1] == out->dims[1];
    return (row && type_count(c) == out->dims[1]) || no(why, "C is not one number per column");
}

/* Each window has to touch the source, and begin in front of its end. */
static bool check_windows(const Graph *g, const Node *n, const char **why)
{
    size_t spatial;
    const int64_t *kernel = attr_ints(n, "kernel_shape", &spatial);
    const int64_t *strides = attr_ints(n, "strides", NULL);
    const int64_t *dilations = attr_ints(n, "dilations", NULL);
    const int64_t *pads = attr_ints(n, "pads", NULL);
    const TensorType *src = type_of(g, n->in[0]), *dst = type_of(g, n->out[0]);
    for (size_t i = 0; i < spatial; i++) {
        int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
        int64_t last = (dst->dims[i + 2] - 1) * strides[i] - pads[i];
        if (pads[i] >= reach || last >= src->dims[i + 2])
            return no(why, "a window lies wholly in the padding");
    }
    return true;
}

static bool supports_max_pool(const Graph *g, const Node *n, const char **why)
{
    if (wanted(n, 1))
        return no(why, "the indices are wanted");
    const TensorType *t = type_of(g, n->in[0]);
    if (is_byte(t->dtype))
        return (t->rank >= 3 && t->rank <= 5 && type_count(t) > 0 && type_count(t) <= INT32_MAX &&
                type_count(type_of(g, n->out[0])) > 0 && check_windows(g, n, why)) ||
               no(why, "a shape that the primitive does not take");
    return check_types(g, n, 3, 5, why) && check_windows(g, n, why);
}

/* Terms of a mean that oneDNN may compute. Its norms of groups and its pools add them up in f32 one after the other, so that a sum of n may
 * be n 2^-24 of itself off: this many stay within the 1e-3 that --check allows. A plane of 480 x 640 that was normalised was 1e-3 off, and 3e-3
 * with two threads; the mean of one of 2048 x 2048 was 2 % off. C adds in parts (docs/accuracy.md). */
enum { LONGEST_SUM = 1 << 14 };

static bool supports_average_pool(const Graph *g, const Node *n, const char **why)
{
    size_t count;
    if (!check_types(g, n, 3, 5, why) || !check_windows(g, n, why))
        return false;
    const int64_t *dilations = attr_ints(n, "dilations", &count);
    if (any_above(dilations, count, 1))
        return no(why, "an average over a dilated window");
    const Window w = window_of(n, type_of(g, n->in[0]), type_of(g, n->out[0]), NULL);
    if (w.kernel_size > LONGEST_SUM)
        return no(why, "so large a window is added up more exactly in C");
    const int64_t *ceil_pads = attr_ints(n, "ceil_pads", &count);
    if (attr_int(n, "count_include_pad", 0) && sum_of(ceil_pads, count) != 0)
        return no(why, "padding counts in the average, but that of ceil_mode does not");
    return true;
}

static bool supports_batch_norm(const Graph *g, const Node *n, const char **why)
{
    return check_types(g, n, 2, 5, why);
}

static bool supports_lrn(const Graph *g, const Node *n, const char **why)
{
    if (attr_int(n, "size", 1) % 2 == 0)
        return no(why, "the window is not symmetric");
    return check_types(g, n, 3, 5, why);
}

static bool supports_softmax(const Graph *g, const Node *n, const char **why)
{
    if (attr_int(n, "axis_end", 0) != attr_int(n, "axis", 0) + 1)
        return no(why, "it runs over several axes together");
    return check_types(g, n, 1, 6, why);
}

static bool supports_layer_norm(const Graph *g, const Node *n, const char **why)
{
    if (wanted(n, 1) || wanted(n, 2))
        return no(why, "the statistics are wanted");
    if (!check_types(g, n, 2, 5, why))
        return false;
    const TensorType *src = type_of(g, n->in[0]);
    if (attr_int(n, "axis", 0) != src->rank - 1)
        return no(why, "it normalises more than the last axis");
    for (uint32_t k = 1; k < n->n_in; k++)
        if (has_value(n->in[k]) && type_count(type_of(g, n->in[k])) != src->dims[src->rank - 1])
            return no(why, "scale or bias is broadcast");
    return true;
}

static bool supports_group_norm(const Graph *g, const Node *n, const char **why)
{
    if (!check_types(g, n, 3, 5, why))
        return false;
    const TensorType *t = type_of(g, n->in[0]);
    const int64_t groups =
        n->op == OP_GroupNormalization ? attr_int(n, "num_groups", 1) : t->dims[1];
    return type_count(t) <= t->dims[0] * groups * LONGEST_SUM ||
           no(why, "so large a group is added up more exactly in C");
}

static bool supports_reduction(const Graph *g, const Node *n, const char **why)
{
    size_t count;
    const int64_t *axes = attr_ints(n, "axes", &count);
    if (!check_types(g, n, 1, 6, why))
        return false;
    int rank = type_of(g, n->in[0])->rank;
    for (size_t i = 0; i < count; i++)
        if (axes[i] != rank - (int64_t)count + (int64_t)i)
            return no(why, "oneDNN reduces other than the last axes by its slow reference code");
    if (n->op != OP_ReduceMax && n->op != OP_ReduceMin &&
        type_count(type_of(g, n->in[0])) > type_count(type_of(g, n->out[0])) * LONGEST_SUM)
        return no(why, "so long a sum is more exact in C");
    return count > 0 || no(why, "nothing is reduced");
}

static bool supports_eltwise(const Graph *g, const Node *n, const char **why)
{
    Algorithm alg;
    float alpha, beta;
    if (!check_types(g, n, 1, 6, why))
        return false;
    return onednn_eltwise_of(n, &alg, &alpha, &beta) || no(why, "no such eltwise algorithm");
}

/* Does oneDNN's generated code broadcast this way? From the third dimension on, first those that are
 * broadcast, then those that are not; and the first two, the spatial ones and the last in one of
 * six combinations (jit_uni_binary of oneDNN 3.7, is_bcast_allowed). The rest is left to its
 * reference code, which takes some 50 ns an element. */
static bool generated_broadcast(const TensorType *full, const TensorType *other)
{
    bool same[6], any = false, all = true;
    int rank = full->rank;
    for (int d = 0; d < rank; d++) {
        int behind = rank - other->rank;
        same[d] = full->dims[d] == (d < behind ? 1 : other->dims[d - behind]);
        if (d < 2)
            continue;
        if (any && !same[d])
            return false;
        any |= same[d];
        all &= same[d];
    }
    if (rank <= 2)
        return true;
    return same[rank - 1] ? !same[1] || all : !any && (same[1] || !same[0]);
}

static bool supports_binary(const Graph *g, const Node *n, const char **why)
{
    if (!check_types(g, n, 0, 6, why))
        return false;
    const TensorType *a = type_of(g, n->in[0]), *b = type_of(g, n->in[1]);
    const TensorType *out = type_of(g, n->out[0]);
    bool commutes = op_has(n->op, TRAIT_COMMUTES | TRAIT_NEARLY_COMMUTES);
    if (out->rank < 1 || out->rank > 6)
        return no(why, "the rank is not one that the primitive takes");
    const TensorType *other = same_shape(a, out) ? b : a;
    if (!same_shape(a, out) && !(commutes && same_shape(b, out)))
        return no(why, "the operand that must have the full shape is broadcast");
    return generated_broadcast(out, other) ||
           no(why, "oneDNN broadcasts this way by its slow reference code");
}

static bool supports_prelu(const Graph *g, const Node *n, const char **why)
{
    return check_types(g, n, 1, 5, why);
}

/* A view of the same bytes: it costs nothing and goes where its neighbours are. */
static bool supports_reshape(const Graph *g, const Node *n, const char **why)
{
    (void)g;
    (void)n;
    *why = "a view";
    return true;
}

static bool supports_any_f32(const Graph *g, const Node *n, const char **why)
{
    return check_types(g, n, 1, 6, why);
}

static bool supports_concat(const Graph *g, const Node *n, const char **why)
{
    const TensorType *t = type_of(g, n->out[0]);
    for (uint32_t k = 0; is_byte(t->dtype) && k < n->n_in; k++)
        if (type_count(type_of(g, n->in[k])) == 0)
            return no(why, "a tensor is empty");
    if (is_byte(t->dtype))
        return (t->rank >= 1 && t->rank <= 6 && type_count(t) <= INT32_MAX) ||
               no(why, "a shape that the primitive does not take");
    return supports_any_f32(g, n, why);
}

static bool supports_resampling(const Graph *g, const Node *n, const char **why)
{
    if (!check_types(g, n, 3, 5, why))
        return false;
    const char *differs = onednn_resampling_differs(g, n);
    return !differs || no(why, differs);
}

/* Elementwise ones get their own reason. */
static bool supports_nothing(const Graph *g, const Node *n, const char **why)
{
    if (op_info(n->op)->class == CLASS_ELTWISE && n->n_in == 1)
        return supports_eltwise(g, n, why);
    return no(why, "no primitive for this operator");
}

/* --- the table -------------------------------------------------------------------------------- */

typedef bool SupportFn(const Graph *g, const Node *n, const char **why);

static const struct SupportRow {
    SupportFn *supports;
    bool worthwhile, bytes;
} rows[PRIMITIVE_COUNT] = {
#define PRIMITIVE(name, supports, worth, bytes, ...) {supports_##supports, worth, bytes},
#include "primitives.def"
};

static const struct SupportRow *row_of(Op op)
{
    return &rows[onednn_ops[op].primitive];
}

bool onednn_supports(const Graph *g, const Node *anchor, const char **why)
{
    if (anchor->n_out == 0 || !has_value(anchor->out[0]))
        return no(why, "its first output is not wanted");
    return row_of(anchor->op)->supports(g, anchor, why);
}

bool onednn_worthwhile(Op op)
{
    return row_of(op)->worthwhile;
}

bool onednn_takes_bytes(Op op)
{
    return row_of(op)->bytes;
}
