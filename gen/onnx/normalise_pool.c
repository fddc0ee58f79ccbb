/* Pooling. */
#include "table.h"

/* The attributes that are the op's own. */
static Attr own_attr(OnnxNode *c, bool global)
{
    if (c->row->op == OP_LpPool)
        return ATTR_I("p", c->opset < 2 ? (int64_t)get_float(c, "p", 2) : get_int(c, "p", 2));
    const char *name = c->row->op == OP_MaxPool ? "storage_order" : "count_include_pad";
    return ATTR_I(name, !global && get_int(c, name, 0) != 0);
}

bool norm_pool(OnnxNode *c)
{
    OnnxWindow w;
    const Op op = c->row->op;
    if (!onnx_window(c, type_in(c, 0), NULL, &w))
        return false;
    const Attr *attrs =
        ATTRS(POOL_WINDOW(w), own_attr(c, false),
              op == OP_AveragePool ? ATTR_IS("ceil_pads", w.ceil_pads, w.n) : ATTR_END);
    return finish_all(c, op == OP_MaxPool && wants(c, 1) ? 2 : 1, op, IN(in_at(c, 0)), attrs);
}

/* The whole plane is the kernel. */
bool norm_global_pool(OnnxNode *c)
{
    static const int64_t zeros[2 * MAX_RANK] = {0};
    TensorType t = *type_in(c, 0);
    if (t.rank < 3)
        return refuse_onnx(c, "its input has rank %d; at least 3 is needed", t.rank);
    size_t n = (size_t)t.rank - 2;
    for (size_t d = 0; d < n; d++)
        if (t.dims[d + 2] < 1)
            return refuse_onnx(c, "its input is empty");
    const Op op = c->row->op;
    return finish(c, 0, op, IN(in_at(c, 0)),
                  ATTRS(ATTR_IS("kernel_shape", t.dims + 2, n), ATTR_IS("strides", dims_of_1, n),
                        ATTR_IS("dilations", dims_of_1, n), ATTR_IS("pads", zeros, 2 * n),
                        own_attr(c, true),
                        op == OP_AveragePool ? ATTR_IS("ceil_pads", zeros, n) : ATTR_END));
}

/* Indices count in the shape the geometry gives; a larger output_shape adds zeros at the ends. */
bool norm_max_unpool(OnnxNode *c)
{
    OnnxWindow w;
    size_t n = 0;
    if (!onnx_window(c, type_in(c, 0), NULL, &w))
        return false;
    const int64_t *want = has_in(c, 2) ? known_ints(c, 2, "output_shape", &n) : NULL;
    TensorType t = *type_in(c, 0);
    int64_t pads[2 * MAX_RANK] = {0};
    bool any = false;
    if (failed(c) || (want && n != (size_t)t.rank))
        return refuse_onnx(c, "output_shape has %zu numbers", n);
    for (size_t d = 0; d < w.n; d++)
        t.dims[d + 2] = (w.src[d] - 1) * w.strides[d] + w.kernel[d] - w.pads[d] - w.pads[w.n + d];
    if (!type_valid(&t))
        return refuse_onnx(c, "its output shape is invalid");
    for (int d = 0; want && d < t.rank; d++) {
        pads[t.rank + d] = want[d] - t.dims[d];
        any = any || pads[t.rank + d];
        if (pads[t.rank + d] < 0)
            return refuse_onnx(c, "output_shape is smaller than its geometry gives");
    }
    ValueId in[] = {in_at(c, 0), in_at(c, 1)};
    const Attr *attrs = ATTRS(ATTR_IS("shape", t.dims, (size_t)t.rank));
    if (!any)
        return finish(c, 0, OP_MaxUnpool, in, 2, attrs);
    ValueId v = emit(c, OP_MaxUnpool, in, 2, attrs);
    return finish(c, 0, OP_Pad, IN(v),
                  ATTRS(ATTR_S("mode", "constant"), ATTR_F("value", 0),
                        ATTR_IS("pads", pads, 2 * (size_t)t.rank)));
}
