/* Pooling. */
#include "table.h"

bool norm_pool(OnnxNode *c)
{
    OnnxWindow w;
    Op op = c->row->op;
    if (!onnx_window(c, type_in(c, 0), NULL, &w))
        return false;
    const Attr common[] = {
        ATTR_IS("kernel_shape", w.kernel, w.n), ATTR_IS("strides", w.strides, w.n),
        ATTR_IS("dilations", w.dilations, w.n), ATTR_IS("pads", w.pads, 2 * w.n)};
    Attr attrs[8] = {{0}};
    memcpy(attrs, common, sizeof common);
    Attr *at = attrs + COUNT_OF(common);
    if (op == OP_MaxPool)
        *at++ = ATTR_I("storage_order", get_int(c, "storage_order", 0) != 0);
    if (op == OP_AveragePool) {
        *at++ = ATTR_I("count_include_pad", get_int(c, "count_include_pad", 0) != 0);
        *at++ = ATTR_IS("ceil_pads", w.ceil_pads, w.n);
    }
    if (op == OP_LpPool)
        *at++ = ATTR_I("p", c->opset < 2 ? (int64_t)get_float(c, "p", 2) : get_int(c, "p", 2));
    *at = ATTR_END;
    if (op == OP_MaxPool)
        return finish_all(c, wants(c, 1) ? 2 : 1, op, IN(in_at(c, 0)), attrs);
    return finish(c, 0, op, IN(in_at(c, 0)), attrs);
}

/* The whole plane is the kernel. */
bool norm_global_pool(OnnxNode *c)
{
    static const int64_t ones[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t zeros[2 * MAX_RANK] = {0};
    TensorType t = *type_in(c, 0);
    if (t.rank < 3)
        return refuse_onnx(c, "its input has rank %d; at least 3 is needed", t.rank);
    size_t n = (size_t)t.rank - 2;
    for (size_t d = 0; d < n; d++)
        if (t.dims[d + 2] < 1)
            return refuse_onnx(c, "its input is empty");
    Op op = c->row->op;
    int64_t p = op != OP_LpPool ? 0
                : c->opset < 2  ? (int64_t)get_float(c, "p", 2)
                                : get_int(c, "p", 2);
    Attr last = op == OP_LpPool    ? ATTR_I("p", p)
                : op == OP_MaxPool ? ATTR_I("storage_order", 0)
                                   : ATTR_I("count_include_pad", 0);
    return ok(c) &&
           finish(c, 0, op, IN(in_at(c, 0)),
                  ATTRS(ATTR_IS("kernel_shape", t.dims + 2, n), ATTR_IS("strides", ones, n),
                        ATTR_IS("dilations", ones, n), ATTR_IS("pads", zeros, 2 * n), last,
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
        return ok(c) && refuse_onnx(c, "output_shape has %zu numbers", n);
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
