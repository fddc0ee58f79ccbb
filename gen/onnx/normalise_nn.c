/* Convolutions, matrix products and what looks at regions of an image. */
#include "table.h"

bool norm_conv(OnnxNode *c)
{
    OnnxWindow w;
    return conv_window(c, in_at(c, 0), 1, &w) &&
           finish(c, 0, OP_Conv, IN(in_at(c, 0), in_at(c, 1), in_at(c, 2)),
                  ATTRS(CONV_WINDOW(w), ATTR_I("group", get_int(c, "group", 1))));
}

/* The pads that give the wanted size. Where none would, the output is extended instead. */
static void pads_for_output(OnnxWindow *w, size_t d, int64_t want, bool upper, int64_t *extra)
{
    int64_t extent = (w->kernel[d] - 1) * w->dilations[d] + 1;
    int64_t total = (w->src[d] - 1) * w->strides[d] + *extra + extent - want;
    if (total < 0) {
        *extra -= total;
        total = 0;
    }
    split_pads(w, d, total, upper);
}

static bool output_sizes(OnnxNode *c, OnnxWindow *w, int64_t *extra)
{
    size_t n;
    const int64_t *want = get_ints(c, "output_shape", &n);
    const char *auto_pad = get_string(c, "auto_pad", "NOTSET");
    bool upper = !strcmp(auto_pad, "SAME_UPPER"), lower = !strcmp(auto_pad, "SAME_LOWER");
    if (failed(c) || (want && n != w->n && n != w->n + 2))
        return refuse_onnx(c, "output_shape has %zu numbers", n);
    for (size_t d = 0; d < w->n; d++) {
        int64_t size = want ? want[n - w->n + d] : w->src[d] * w->strides[d];
        if (want && (size < 1 || size > INT32_MAX))
            return refuse_onnx(c, "output_shape is invalid");
        if (want || upper || lower)
            pads_for_output(w, d, size, upper, &extra[d]);
    }
    return true;
}

bool norm_conv_transpose(OnnxNode *c)
{
    OnnxWindow w;
    size_t n;
    int64_t extra[MAX_RANK] = {0};
    const int64_t *given = get_ints(c, "output_padding", &n);
    if (!conv_window(c, in_at(c, 0), 1, &w))
        return false;
    if (given && n != w.n)
        return refuse_onnx(c, "output_padding has %zu numbers, %zu are needed", n, w.n);
    for (size_t d = 0; given && d < n; d++) {
        if (given[d] < 0 || given[d] > INT32_MAX)
            return refuse_onnx(c, "output_padding is invalid");
        extra[d] = given[d];
    }
    return output_sizes(c, &w, extra) &&
           finish(c, 0, OP_ConvTranspose, IN(in_at(c, 0), in_at(c, 1), in_at(c, 2)),
                  ATTRS(CONV_WINDOW(w), ATTR_IS("output_padding", extra, w.n),
                        ATTR_I("group", get_int(c, "group", 1))));
}

/* Columns back to an image: each column is a transposed convolution's contribution, through weights that put
 * element k of a block at place k. [N, C·b, L] -> [N·C, b, blocks…] -> [N·C, 1, image…] -> [N, C, image…] */
bool norm_col2im(OnnxNode *c)
{
    size_t n, n_block;
    OnnxWindow w;
    const int64_t *image = known_ints(c, 1, "image_shape", &n);
    const int64_t *block = known_ints(c, 2, "block_shape", &n_block);
    TensorType t = *type_in(c, 0);
    if (failed(c) || n != n_block || n < 1 || n > MAX_RANK - 2 || t.rank != 3)
        return refuse_onnx(c, "its inputs' shapes do not belong together");
    TensorType plane = {.dtype = t.dtype, .rank = (int)n + 2, .dims = {1, 1}};
    memcpy(plane.dims + 2, image, n * sizeof *image);
    int64_t size = 1, blocks[MAX_RANK], out[MAX_RANK], nothing[MAX_RANK] = {0};
    if (!type_valid(&plane) || !onnx_window(c, &plane, block, &w))
        return refuse_onnx(c, "image_shape is invalid");
    for (size_t d = 0; d < n; d++) {
        int64_t extent = (w.kernel[d] - 1) * w.dilations[d] + 1;
        int64_t slack = image[d] + w.pads[d] + w.pads[n + d] - extent;
        blocks[d + 2] = slack / w.strides[d] + 1;
        nothing[d] = slack % w.strides[d]; /* what no block reaches */
        if (slack < 0 || !mul_i64(size, block[d], &size) || size > 4096)
            return refuse_onnx(c, "block_shape is invalid or too large");
    }
    if (t.dims[1] % size)
        return refuse_onnx(c, "%lld channels are no multiple of the block's size",
                           (long long)t.dims[1]);
    blocks[0] = t.dims[0] * (t.dims[1] / size);
    blocks[1] = size;
    TensorType weights = {.dtype = t.dtype, .rank = plane.rank, .dims = {size, 1}};
    memcpy(weights.dims + 2, block, n * sizeof *block);
    if (!onnx_claim(c->im, type_bytes(&weights)))
        return false;
    void *eye = arena_alloc(c->arena, type_bytes(&weights));
    for (int64_t i = 0; i < size; i++)
        elem_set_f64(t.dtype, eye, (size_t)(i * size + i), 1);
    memcpy(out + 2, image, n * sizeof *image);
    out[0] = t.dims[0];
    out[1] = t.dims[1] / size;
    ValueId v = reshape(c, in_at(c, 0), plane.rank, blocks);
    v = emit(c, OP_ConvTranspose, IN(v, emit_const(c, weights, eye)),
             ATTRS(CONV_WINDOW(w), ATTR_IS("output_padding", nothing, n), ATTR_I("group", 1)));
    return finish(c, 0, OP_Reshape, IN(v), ATTRS(ATTR_IS("shape", out, n + 2)));
}

/* The operands have no elements, and so the sums of products no terms: v, a product, is 0 everywhere; NO_VALUE: it is not so. */
static ValueId empty_sums(OnnxNode *c, ValueId v)
{
    const TensorType type = value_type(c, v);
    if (type_count(type_in(c, 0)) > 0 || type_count(&type) == 0)
        return NO_VALUE;
    return filled(c, type, const_scalar(c, type.dtype, 0));
}

bool norm_matmul(OnnxNode *c)
{
    if (type_count(type_in(c, 0)) > 0)
        return finish(c, 0, OP_MatMul, IN(in_at(c, 0), in_at(c, 1)), NULL);
    const ValueId v = emit(c, OP_MatMul, IN(in_at(c, 0), in_at(c, 1)), NULL),
                  zeros = empty_sums(c, v);
    return alias(c, 0, has_value(zeros) ? zeros : v);
}

bool norm_gemm(OnnxNode *c)
{
    if (!need_inputs(c, c->opset < 11 ? 3 : 2, 3))
        return false;
    const double beta = get_float(c, "beta", 1);
    const Attr *attrs = read_attrs(c, OP_Gemm, "alpha=1 beta=1 transA=0 transB=0", NULL);
    if (type_count(type_in(c, 0)) > 0)
        return finish(c, 0, OP_Gemm, IN(in_at(c, 0), in_at(c, 1), in_at(c, 2)), attrs);
    const ValueId v = emit(c, OP_Gemm, IN(in_at(c, 0), in_at(c, 1), in_at(c, 2)), attrs),
                  zeros = empty_sums(c, v);
    if (!has_value(zeros) || !has_in(c, 2) || beta == 0)
        return alias(c, 0, has_value(zeros) ? zeros : v);
    const DType t = dtype_of(c, zeros);
    return finish(c, 0, OP_Add, IN(zeros, mul(c, in_at(c, 2), const_scalar(c, t, beta))), NULL);
}

/* Opset 20 renamed the modes. */
bool norm_grid_sample(OnnxNode *c)
{
    const char *mode = get_string(c, "mode", "linear");
    mode = !strcmp(mode, "bilinear") ? "linear" : !strcmp(mode, "bicubic") ? "cubic" : mode;
    return finish(c, 0, OP_GridSample, IN(in_at(c, 0), in_at(c, 1)),
                  read_attrs(c, OP_GridSample, "padding_mode=zeros align_corners=0",
                             ATTRS(ATTR_S("mode", mode))));
}

bool norm_roi_align(OnnxNode *c)
{
    const char *places = get_string(c, "coordinate_transformation_mode",
                                    c->opset < 16 ? "output_half_pixel" : "half_pixel");
    const bool half = !strcmp(places, "half_pixel");
    if (!half && strcmp(places, "output_half_pixel"))
        return refuse_onnx(c, "coordinate_transformation_mode '%s' is unknown", places);
    return finish(
        c, 0, OP_RoiAlign, IN(in_at(c, 0), in_at(c, 1), in_at(c, 2)),
        read_attrs(c, OP_RoiAlign,
                   "mode=avg output_height=1 output_width=1 sampling_ratio=0 spatial_scale=1",
                   ATTRS(ATTR_I("half_pixel", half))));
}

/* Row p of the base grid: the coordinates of output position p, fastest dimension first, then a 1. */
static void fill_base_grid(DType dtype, void *data, const int64_t *sizes, int n, bool align)
{
    int64_t count = 1;
    for (int d = 0; d < n; d++)
        count *= sizes[d];
    for (int64_t p = 0; p < count; p++) {
        int64_t rest = p;
        for (int d = n - 1; d >= 0; d--) {
            int64_t at = rest % sizes[d], size = sizes[d];
            double place = !align     ? (double)(2 * at + 1) / (double)size - 1
                           : size > 1 ? 2 * (double)at / (double)(size - 1) - 1
                                      : -1;
            elem_set_f64(dtype, data, (size_t)(p * (n + 1) + (n - 1 - d)), place);
            rest /= size;
        }
        elem_set_f64(dtype, data, (size_t)(p * (n + 1) + n), 1);
    }
}

/* theta [N, n, n+1] times the base grid [positions, n+1]: [N, spatial…, n] */
bool norm_affine_grid(OnnxNode *c)
{
    size_t n_size;
    const int64_t *size = known_ints(c, 1, "size", &n_size);
    TensorType t = *type_in(c, 0);
    int n = (int)n_size - 2;
    if (failed(c) || n < 2 || n > 3 || t.rank != 3 || t.dims[1] != n || t.dims[2] != n + 1 ||
        t.dims[0] != size[0])
        return refuse_onnx(c, "theta %s and a size of %zu numbers do not belong together",
                           type_text(c->arena, &t), n_size);
    TensorType grid = {.dtype = t.dtype, .rank = n + 1};
    memcpy(grid.dims, size + 2, (size_t)n * sizeof *size);
    grid.dims[n] = n + 1;
    if (!type_valid(&grid) || !onnx_claim(c->im, type_bytes(&grid)))
        return refuse_onnx(c, "size is invalid");
    void *data = arena_alloc(c->arena, type_bytes(&grid) + 1);
    fill_base_grid(t.dtype, data, size + 2, n, get_int(c, "align_corners", 0) != 0);
    TensorType rows = {.dtype = t.dtype, .rank = 2, .dims = {type_count(&grid) / (n + 1), n + 1}};
    int64_t shape[5] = {t.dims[0]};
    memcpy(shape + 1, size + 2, (size_t)n * sizeof *size);
    shape[n + 1] = n;
    ValueId theta = transpose(c, in_at(c, 0), (int64_t[]){0, 2, 1});
    ValueId v = emit(c, OP_MatMul, IN(emit_const(c, rows, data), theta), NULL);
    return finish(c, 0, OP_Reshape, IN(v), ATTRS(ATTR_IS("shape", shape, (size_t)n + 2)));
}
