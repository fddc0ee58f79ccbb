/* Layers that look at windows of an image or step through a sequence. */
#include "exporter.h"

#include "../ops/ops.h"

#include "../ops/rnn.h"

#include <math.h>
#include <string.h>

/* What ceil_mode adds to the end of dimension d, of which `slack` is left beside the first window. */
static int64_t ceil_pad(int64_t src, int64_t begin, int64_t slack, int64_t stride)
{
    const int64_t last = slack < 0 ? 0 : (slack / stride + 1) * stride;
    return slack < 0 || slack % stride == 0 || last >= src + begin ? 0 : last - slack;
}

/* Padding is counted or not; what ceil_mode adds never is, so that it only matters in the first case. */
bool write_average_pool(ExportNode *e)
{
    size_t n, s;
    const int64_t *given = attr_ints(e->n, "pads", &n), *extra = attr_ints(e->n, "ceil_pads", &s),
                  *kernel = attr_ints(e->n, "kernel_shape", &s),
                  *strides = attr_ints(e->n, "strides", &s),
                  *dilations = attr_ints(e->n, "dilations", &s), *src = export_in(e, 0)->dims + 2;
    int64_t pads[2 * MAX_RANK];
    bool any = false, same = true;
    memcpy(pads, given, n * sizeof *pads);
    for (size_t d = 0; d < s; d++) {
        pads[s + d] -= extra[d];
        const int64_t slack = src[d] + pads[d] + pads[s + d] - (kernel[d] - 1) * dilations[d] - 1;
        any = any || extra[d];
        same = same && ceil_pad(src[d], pads[d], slack, strides[d]) == extra[d];
    }
    if (any && !same && attr_int(e->n, "count_include_pad", 0))
        return refuse_export(e, "a part of its padding counts and a part does not");
    const bool ceil = any && same;
    Proto *p = put_node(e, "AveragePool", e->in, 1, e->out, 1);
    put_value(e, p, ATTR_IS("pads", ceil ? pads : given, n));
    if (ceil)
        put_value(e, p, ATTR_I("ceil_mode", 1));
    return put_attrs(e, p, "pads ceil_pads");
}

/* Indices count in the output: the kernel that gives its size with steps of 1. */
bool write_max_unpool(ExportNode *e)
{
    const TensorType *src = export_in(e, 0), *dst = export_out(e, 0);
    const size_t n = (size_t)src->rank - 2;
    int64_t kernel[MAX_RANK];
    bool fits = src->dims[0] == dst->dims[0] && src->dims[1] == dst->dims[1];
    for (size_t d = 0; d < n; d++) {
        kernel[d] = dst->dims[d + 2] - src->dims[d + 2] + 1;
        fits = fits && kernel[d] >= 1;
    }
    if (!fits)
        return refuse_export(e, "its output is smaller than its source, or has other channels");
    put_value(e, put_node(e, "MaxUnpool", e->in, 2, e->out, 1), ATTR_IS("kernel_shape", kernel, n));
    return true;
}

/* Scales are given where the size follows from them, in single precision as ONNX has it; else sizes, where the scale does. */
bool write_resize(ExportNode *e)
{
    const TensorType *src = export_in(e, 0), *dst = export_out(e, 0);
    const size_t r = (size_t)src->rank;
    size_t n;
    const double *scales = attr_floats(e->n, "scales", &n), *roi = attr_floats(e->n, "roi", &n);
    bool by_scale = true, by_size = true;
    for (size_t d = 0; d < r; d++) {
        const double size = (double)src->dims[d], part = roi ? roi[r + d] - roi[d] : 1;
        const float scale = (float)scales[d];
        by_scale = by_scale && (double)scale == scales[d] &&
                   (double)floorf((float)size * (float)(scales[d] * part)) == (double)dst->dims[d];
        by_size = by_size && (size > 0 ? (double)dst->dims[d] / size : 1) == scales[d];
    }
    if (!by_scale && !by_size)
        return refuse_export(e, "its scales are not those of its sizes");
    const char *in[] = {e->in[0], roi ? const_reals(e, "roi", roi, 2 * r) : "", "", ""};
    if (by_scale)
        in[2] = const_reals(e, "scales", scales, r);
    else
        in[3] = const_list(e, "sizes", dst->dims, r);
    return put_attrs(e, put_node(e, "Resize", in, 4, e->out, 1), "scales sizes roi");
}

bool write_roi_align(ExportNode *e)
{
    Proto *p = put_node(e, "RoiAlign", e->in, 3, e->out, 1);
    put_value(e, p,
              ATTR_S("coordinate_transformation_mode",
                     attr_int(e->n, "half_pixel", 1) ? "half_pixel" : "output_half_pixel"));
    return put_attrs(e, p, "half_pixel");
}

/* x / sqrt(mean(x * x) + epsilon) * scale, which match-spelled finds again */
static const char *put_rms(ExportNode *e, const char *x, DType t)
{
    const int64_t axis = attr_int(e->n, "axis", 0);
    int64_t axes[MAX_RANK];
    size_t n = 0;
    for (int64_t d = axis; d < export_in(e, 0)->rank; d++)
        axes[n++] = d;
    const char *squares = put(e, "Mul", NAMES(x, x));
    const char *mean = put(e, "ReduceMean", NAMES(squares, const_list(e, "axes", axes, n)));
    const char *epsilon = const_single(e, "epsilon", t, attr_float(e->n, "epsilon", 0));
    return put(e, "Div", NAMES(x, put(e, "Sqrt", NAMES(put(e, "Add", NAMES(mean, epsilon))))));
}

bool write_rms_norm(ExportNode *e)
{
    const DType t = export_in(e, 0)->dtype;
    const bool half = t == DT_F16 || t == DT_BF16; /* f32 in between */
    if (!half) {
        put_node(e, "Mul", NAMES(put_rms(e, e->in[0], t), e->in[1]), e->out, 1);
        return true;
    }
    const char *v = put_rms(e, put_cast(e, e->in[0], DT_F32, NULL), DT_F32);
    v = put(e, "Mul", NAMES(v, put_cast(e, e->in[1], DT_F32, NULL)));
    put_cast(e, v, t, e->out[0]);
    return true;
}

/* --- recurrent layers -------------------------------------------------------------------------------------------- */

/* Parameters are listed for those activations that have them. */
static void put_activations(ExportNode *e, Proto *p, const RnnShape *s)
{
    double alpha[6], beta[6];
    size_t n_alpha = 0, n_beta = 0;
    for (int d = 0; d < s->directions; d++)
        for (int i = 0; i < s->n_acts; i++) {
            const RnnAct *act = &s->act[d][i];
            if (rnn_acts[act->kind].params > 0)
                alpha[n_alpha++] = act->alpha;
            if (rnn_acts[act->kind].params > 1)
                beta[n_beta++] = act->beta;
        }
    put_strings(e, p, "activations", attr_string(e->n, "activations", ""));
    if (n_alpha)
        put_value(e, p, ATTR_FS("activation_alpha", alpha, n_alpha));
    if (n_beta)
        put_value(e, p, ATTR_FS("activation_beta", beta, n_beta));
}

/* The weights whose product with X that is projected already picks each direction's part: [directions, rows, directions * rows]. */
static const char *picking_weights(ExportNode *e, const RnnShape *s)
{
    enum { MOST_BYTES = 64 << 20 };
    const int64_t rows = s->gates * s->hidden, all = s->directions * rows;
    const DType dtype = export_in(e, RNN_X)->dtype;
    const TensorType t = {.dtype = dtype, .rank = 3, .dims = {s->directions, rows, all}};
    if (!type_valid(&t) || type_bytes(&t) > MOST_BYTES) {
        refuse_export(e,
                      "its input is projected already, and the weights that say so are too large");
        return NULL;
    }
    void *data = arena_alloc(e->arena, type_bytes(&t) + 1);
    for (int64_t i = 0; i < all; i++)
        elem_set_f64(dtype, data, (size_t)(i * all + i), 1);
    return const_of(e, "pick", &t, data);
}

bool write_rnn(ExportNode *e)
{
    RnnShape s;
    const Node *n = e->n;
    if (!rnn_shape(e->x->g, n, export_in(e, RNN_X), export_in(e, RNN_R), &s))
        return false;
    if (s.quantised_state)
        return refuse_export(e, "its state is quantised before each step");
    const char *in[RNN_P + 1] = {"", "", "", "", "", "", "", ""};
    memcpy(in, e->in, n->n_in * sizeof *in);
    if (s.projected && !(in[RNN_W] = picking_weights(e, &s)))
        return false;
    Proto *p = put_node(e, op_info(e->n->op)->name, in, COUNT_OF(in), e->out, n->n_out);
    put_activations(e, p, &s);
    if (s.clip > 0)
        put_attr(e, p, "clip");
    return put_attrs(e, p,
                     "activations activation_alpha activation_beta clip layout projected "
                     "quantised_state");
}
