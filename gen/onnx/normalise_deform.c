/* DeformConv: each tap of the kernel reads where an offset says, between pixels. GridSample gathers what the taps read, as if the rows of all taps
 * stood below each other in one picture; the rest is a product with the weights. */
#include "ml.h"
#include "table.h"

typedef struct Deform {
    OnnxNode *c;
    TensorType x, w; /* [N, C, H, W], [M, C / group, kh, kw] */
    OnnxWindow window;
    int64_t group, offset_group, taps, height, width; /* of dst */
} Deform;

static bool deform_sizes(Deform *d)
{
    OnnxNode *c = d->c;
    d->x = *type_in(c, 0);
    d->w = *type_in(c, 1);
    const TensorType o = *type_in(c, 2);
    if (d->x.rank != 4 || d->w.rank != 4 || o.rank != 4)
        return refuse_onnx(c, "only two spatial dimensions are supported");
    if (!onnx_window(c, &d->x, d->w.dims + 2, &d->window))
        return false;
    d->group = get_int(c, "group", 1);
    d->offset_group = get_int(c, "offset_group", 1);
    d->taps = d->w.dims[2] * d->w.dims[3];
    d->height = o.dims[2];
    d->width = o.dims[3];
    bool fits = type_count(&d->x) > 0 && d->group > 0 && d->offset_group > 0 &&
                d->x.dims[1] % d->group == 0 && d->x.dims[1] / d->group == d->w.dims[1] &&
                d->w.dims[0] % d->group == 0 && d->x.dims[1] % d->offset_group == 0 &&
                o.dims[0] == d->x.dims[0] && o.dims[1] == 2 * d->offset_group * d->taps;
    for (int i = 0; fits && i < 2; i++) {
        const OnnxWindow *w = &d->window;
        const int64_t room = d->x.dims[2 + i] + w->pads[i] + w->pads[2 + i] -
                             (w->kernel[i] - 1) * w->dilations[i] - 1;
        fits = room >= 0 && o.dims[2 + i] == room / w->strides[i] + 1;
    }
    return ok(c) && (fits || refuse_onnx(c, "its inputs do not belong together"));
}

/* Coordinates of what is read along axis 0 (down) or 1, as GridSample counts: [N * offset groups, taps * height, width, 1]. */
static ValueId coordinates(const Deform *d, int axis)
{
    OnnxNode *c = d->c;
    const OnnxWindow *w = &d->window;
    const int64_t rows = d->taps * d->height, images = d->x.dims[0] * d->offset_group;
    const double size = (double)d->x.dims[2 + axis];
    const TensorType t = type_make(DT_F32, 4, (int64_t[]){1, rows, d->width, 1});
    if (failed(c) || !onnx_claim(c->im, type_bytes(&t)))
        return NO_VALUE;
    float *at = arena_alloc(c->arena, type_bytes(&t));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < d->width; j++) {
            const int64_t tap = i / d->height, k = axis ? tap % w->kernel[1] : tap / w->kernel[1],
                          pixel = axis ? j : i % d->height;
            const int64_t read = pixel * w->strides[axis] - w->pads[axis] + k * w->dilations[axis];
            at[i * d->width + j] = (float)((2 * (double)read + 1) / size - 1);
        }
    ValueId offset = reshape(c, cast(c, in_at(c, 2), DT_F32), 5,
                             (int64_t[]){images, d->taps, 2, d->height, d->width});
    offset =
        reshape(c, slice_axis(c, offset, 2, axis, 1), 4, (int64_t[]){images, rows, d->width, 1});
    return add(c, mul(c, offset, const_scalar(c, DT_F32, 2 / size)), emit_const(c, t, at));
}

/* What the taps read: [N * offset groups, channels, taps * height, width]. */
static ValueId read_by_taps(const Deform *d)
{
    OnnxNode *c = d->c;
    const int64_t images = d->x.dims[0] * d->offset_group;
    ValueId grid =
        emit(c, OP_Concat, IN(coordinates(d, 1), coordinates(d, 0)), ATTRS(ATTR_I("axis", 3)));
    ValueId x =
        reshape(c, cast(c, in_at(c, 0), DT_F32), 4,
                (int64_t[]){images, d->x.dims[1] / d->offset_group, d->x.dims[2], d->x.dims[3]});
    x = emit(c, OP_GridSample, IN(x, grid),
             ATTRS(ATTR_I("align_corners", 0), ATTR_S("mode", "linear"),
                   ATTR_S("padding_mode", "zeros")));
    if (!has_in(c, 4))
        return x;
    return mul(c, x,
               reshape(c, cast(c, in_at(c, 4), DT_F32), 4,
                       (int64_t[]){images, 1, d->taps * d->height, d->width}));
}

bool norm_deform_conv(OnnxNode *c)
{
    Deform d = {.c = c};
    if (!deform_sizes(&d))
        return false;
    const int64_t n = d.x.dims[0], m = d.w.dims[0], depth = d.w.dims[1] * d.taps,
                  pixels = d.height * d.width;
    ValueId columns = reshape(c, read_by_taps(&d), 4, (int64_t[]){n, d.group, depth, pixels});
    ValueId w =
        reshape(c, cast(c, in_at(c, 1), DT_F32), 4, (int64_t[]){1, d.group, m / d.group, depth});
    ValueId y = reshape(c, emit(c, OP_MatMul, IN(w, columns), NULL), 4,
                        (int64_t[]){n, m, d.height, d.width});
    if (has_in(c, 3))
        y = add(c, y, reshape(c, cast(c, in_at(c, 3), DT_F32), 4, (int64_t[]){1, m, 1, 1}));
    return alias(c, 0, cast(c, y, d.x.dtype));
}
