/* Elementwise nodes, moves, reductions and quantisation whose ONNX form is not just the node. */
#include "exporter.h"

#include "../ops/ops.h"

#include <math.h>
#include <string.h>

static bool written_as(ExportNode *e, const char *op, const char *const *in, size_t n_in)
{
    put_node(e, op, in, n_in, e->out, 1);
    return true;
}

bool write_gelu_tanh(ExportNode *e)
{
    put_value(e, put_node(e, "Gelu", e->in, 1, e->out, 1), ATTR_S("approximate", "tanh"));
    return true;
}

/* x * sigmoid(alpha * x) */
bool write_swish(ExportNode *e)
{
    const double alpha = attr_float(e->n, "alpha", 1);
    const char *x = e->in[0], *v = x;
    if (alpha != 1)
        v = put(e, "Mul", NAMES(x, const_single(e, "alpha", export_in(e, 0)->dtype, alpha)));
    return written_as(e, "Mul", NAMES(x, put(e, "Sigmoid", NAMES(v))));
}

/* What a type can hold; attributes hold doubles. */
static void type_range(DType t, double *lowest, double *highest)
{
    const int bits = (int)dtype_size(t) * 8;
    *lowest = dtype_is_float(t) ? -INFINITY : dtype_is_signed_int(t) ? -ldexp(1, bits - 1) : 0;
    *highest =
        dtype_is_float(t) ? INFINITY : ldexp(1, dtype_is_signed_int(t) ? bits - 1 : bits) - 1;
}

/* A number of the type, without loss. */
static bool exact(DType t, double v)
{
    return dtype_is_float(t) || (v == trunc(v) && fabs(v) < 9007199254740992.0);
}

bool write_clip(ExportNode *e)
{
    const DType t = export_in(e, 0)->dtype;
    const double min = attr_float(e->n, "min", -INFINITY), max = attr_float(e->n, "max", INFINITY);
    double lowest, highest;
    type_range(t, &lowest, &highest);
    const bool below = max<highest, above = min> lowest;
    if (!(min <= max) || min > highest || max < lowest || (above && !exact(t, min)) ||
        (below && !exact(t, max)))
        return refuse_export(e, "bounds of %g and %g mean something else there", min, max);
    const char *low = above ? const_single(e, "min", t, min) : "";
    const char *high = below ? const_single(e, "max", t, max) : "";
    return written_as(e, "Clip", NAMES(e->in[0], low, high));
}

bool write_bit_shift(ExportNode *e)
{
    Proto *p = put_node(e, "BitShift", e->in, 2, e->out, 1);
    put_value(e, p, ATTR_S("direction", attr_int(e->n, "left", 0) ? "LEFT" : "RIGHT"));
    return true;
}

/* There the slope broadcasts to x, never the other way round. */
bool write_prelu(ExportNode *e)
{
    if (!same_shape(export_in(e, 0), export_out(e, 0)))
        return refuse_export(e, "its slope is larger than what it is applied to");
    return write_plain(e);
}

/* Sum is for floats there. */
bool write_sum(ExportNode *e)
{
    if (dtype_is_float(export_in(e, 0)->dtype))
        return write_plain(e);
    const uint32_t n = e->n->n_in;
    if (n == 1)
        return written_as(e, "Identity", e->in, 1);
    const char *v = e->in[0];
    for (uint32_t k = 1; k + 1 < n; k++)
        v = put(e, "Add", NAMES(v, e->in[k]));
    return written_as(e, "Add", NAMES(v, e->in[n - 1]));
}

bool write_slice(ExportNode *e)
{
    const TensorType *src = export_in(e, 0);
    const size_t r = (size_t)src->rank;
    size_t n;
    const int64_t *starts = attr_ints(e->n, "starts", &n), *sizes = attr_ints(e->n, "sizes", &n),
                  *steps = attr_ints(e->n, "steps", &n);
    int64_t ends[MAX_RANK], axes[MAX_RANK];
    for (size_t d = 0; d < r; d++) {
        const int64_t step = steps[d], last = starts[d] + (sizes[d] - 1) * step;
        axes[d] = (int64_t)d;
        if (sizes[d] == 0)
            ends[d] = starts[d];
        else if (step > 0)
            ends[d] = last + 1;
        else
            ends[d] = last > 0 ? last - 1 : -src->dims[d] - 1; /* -1 would be the last element */
    }
    return written_as(e, "Slice",
                      NAMES(e->in[0], const_list(e, "starts", starts, r),
                            const_list(e, "ends", ends, r), const_list(e, "axes", axes, r),
                            const_list(e, "steps", steps, r)));
}

bool write_pad(ExportNode *e)
{
    size_t n;
    const int64_t *pads = attr_ints(e->n, "pads", &n);
    const double value = attr_float(e->n, "value", 0);
    const DType t = export_in(e, 0)->dtype;
    const bool constant = !strcmp(attr_string(e->n, "mode", ""), "constant");
    const char *fill =
        constant && (value != 0 || signbit(value)) ? const_single(e, "value", t, value) : "";
    if (*fill && !exact(t, value))
        return refuse_export(e, "its value %g is no number of its type", value);
    return put_attr(
        e, put_node(e, "Pad", NAMES(e->in[0], const_list(e, "pads", pads, n), fill), e->out, 1),
        "mode");
}

bool write_one_hot(ExportNode *e)
{
    /* of the indices' type where it can hold it: ONNX Runtime has not all pairs */
    const int64_t n = attr_int(e->n, "depth", 0);
    const bool narrow = export_in(e, 0)->dtype == DT_I32 && n <= INT32_MAX;
    const char *depth =
        narrow ? const_single(e, "depth", DT_I32, (double)n) : const_int(e, "depth", n);
    return put_attr(e, put_node(e, "OneHot", NAMES(e->in[0], depth, e->in[1]), e->out, 1), "axis");
}

/* No axes at all mean all of them there: for a scalar that is the same. */
bool write_reduce(ExportNode *e)
{
    size_t n;
    const int64_t *axes = attr_ints(e->n, "axes", &n);
    if (n == 0 && export_in(e, 0)->rank)
        return refuse_export(e, "a reduction along no axis");
    const char *list = n ? const_list(e, "axes", axes, n) : "";
    return put_attr(e, put_node(e, op_info(e->n->op)->name, NAMES(e->in[0], list), e->out, 1),
                    "keepdims");
}

/* Several dimensions taken together are made one before. */
bool write_softmax(ExportNode *e)
{
    const TensorType *src = export_in(e, 0);
    const int axis = (int)attr_int(e->n, "axis", 0), end = (int)attr_int(e->n, "axis_end", 0);
    if (end == axis + 1)
        return put_attr(e, put_node(e, op_info(e->n->op)->name, e->in, 1, e->out, 1), "axis");
    int64_t dims[MAX_RANK + 1];
    size_t n = 0;
    for (int d = 0; d < axis; d++)
        dims[n++] = src->dims[d];
    dims[n++] = dims_product(src, axis, end);
    for (int d = end; d < src->rank; d++)
        dims[n++] = src->dims[d];
    if (type_count(src) == 0)
        return refuse_export(e, "it has no elements");
    const char *flat = put(e, "Reshape", NAMES(e->in[0], const_list(e, "flat", dims, n)));
    const char *v = fresh(e, op_info(e->n->op)->name);
    put_value(e, put_node(e, op_info(e->n->op)->name, &flat, 1, &v, 1), ATTR_I("axis", axis));
    return written_as(e, "Reshape", NAMES(v, const_list(e, "shape", src->dims, (size_t)src->rank)));
}

/* One scale for everything has no axis. */
static bool put_axis(ExportNode *e, Proto *p)
{
    return export_in(e, 1)->rank == 0 || put_attr(e, p, "axis");
}

/* The zero point tells the type; without one it is u8 unless said. */
bool write_quantize(ExportNode *e)
{
    const DType to = export_out(e, 0)->dtype;
    Proto *p = put_node(e, "QuantizeLinear", e->in, e->n->n_in, e->out, 1);
    if (!has_value(node_in(e->n, 2)) && to != DT_U8)
        put_value(e, p, ATTR_I("output_dtype", to));
    return put_axis(e, p);
}

bool write_dequantize(ExportNode *e)
{
    return put_axis(e, put_node(e, "DequantizeLinear", e->in, e->n->n_in, e->out, 1));
}

/* oneDNN has src's zero point in i32, ONNX in src's type: what was widened, or a constant. */
bool write_conv_integer(ExportNode *e)
{
    const Graph *g = e->x->g;
    const DType t = export_in(e, 0)->dtype;
    const ValueId v = node_in(e->n, 2);
    const Value *zero = has_value(v) ? value_at(g, v) : NULL;
    const char *in[] = {e->in[0], e->in[1], "", e->n->n_in > 3 ? e->in[3] : ""};
    double lowest, highest, number = 0;
    if (!zero || zero->type.dtype == t)
        return write_plain(e);
    type_range(t, &lowest, &highest);
    if (zero->data)
        number = elem_f64(zero->type.dtype, zero->data, 0);
    const Node *cast = zero->kind == VALUE_NODE ? def_of(g, v) : NULL;
    if (cast && cast->op == OP_Cast && type_of(g, cast->in[0])->dtype == t)
        in[2] = e->x->name[cast->in[0].i];
    else if (zero->data && type_count(&zero->type) == 1 && number >= lowest && number <= highest)
        in[2] = const_single(e, "zero_point", t, number);
    else
        return refuse_export(e, "the zero point of its source is no byte");
    return put_attrs(e, put_node(e, "ConvInteger", in, COUNT_OF(in), e->out, 1), "");
}
