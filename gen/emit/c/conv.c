/* Portable C for Conv, ConvInteger and QLinearConv: a product of the weights with the source gathered by taps
 * (conv.c), or with the source as it is when the kernel is 1x1; depthwise ones by rows (conv_depthwise.c). Those that work with
 * the channels last: emit/c/conv_last.c. */
#include "../../kernel/layers.h"
#include "conv_flat.h"
#include "nn.h"
#include "quant.h"
#include "tile.h"
#include "window.h"

#include <string.h>

/* --- the product ----------------------------------------------------------------------------------------------- */

typedef struct ConvKernel {
    CKernel *k;
    ConvShape s;
    ConvInputs in;
    DType type, weights_type, out_type;
    bool direct, integer;
    Tile tile;
    const char *operand[TILE_OPERANDS_MAX]; /* arguments for the tile's operands, of group g */
} ConvKernel;

static void add_operand(ConvKernel *c, uint32_t input, const char *name, bool by_row)
{
    Arena *a = c->k->arena;
    Tile *t = &c->tile;
    const TensorType *type = nn_in(c->k, input);
    int64_t step = by_row && type_count(type) > 1;
    c->operand[t->n_operands] = c->k->input[input];
    if (step && c->s.group > 1)
        c->operand[t->n_operands] = arena_printf(a, "%s + group * M", c->operand[t->n_operands]);
    t->operand[t->n_operands++] = (TileOperand){dtype_c(type->dtype), name, step, 0};
}

static const char *row_of(const ConvKernel *c, const char *name)
{
    for (int i = 0; i < c->tile.n_operands; i++)
        if (!strcmp(c->tile.operand[i].name, name))
            return arena_printf(c->k->arena, "%s[%s]", name, c->tile.operand[i].row ? "r" : "0");
    bug("no operand '%s'", name);
}

static const char *float_result(ConvKernel *c)
{
    const char *sum = "sum[r][j]";
    if (nn_has_in(c->k, c->in.bias)) {
        add_operand(c, c->in.bias, "bias", true);
        sum = arena_printf(c->k->arena, "%s + %s", sum,
                           nn_load(c->k, nn_in(c->k, c->in.bias)->dtype, row_of(c, "bias")));
    }
    return c_tile_result(c->k, &c->tile, c->type, sum, true);
}

static void quantised_result(ConvKernel *c)
{
    Arena *a = c->k->arena;
    Tile *t = &c->tile;
    const char *zero = "0", *sum = "(int32_t)sum[r][j]";
    if (!c_no_zero_point(c->k, 7)) {
        add_operand(c, 7, "dst_zero", false);
        zero = "dst_zero[0]";
    }
    if (nn_has_in(c->k, 8)) {
        add_operand(c, 8, "bias", true);
        sum = arena_printf(a, "(int32_t)(sum[r][j] + (uint32_t)%s)", row_of(c, "bias"));
    }
    c->operand[t->n_operands] = c->s.group > 1 ? "scale + group * M" : "scale";
    t->operand[t->n_operands++] = (TileOperand){"float", "scale", 1, 0};
    t->value = arena_printf(a, "(float)%s * scale[r]", sum);
    t->result = c_tile_result(c->k, t, c->out_type,
                              arena_printf(a, "%s_quantize(x, %s)", c->k->fn, zero), true);
}

/* The weights less their zero point, where that is not known to be zero. */
static const char *weight_element(ConvKernel *c)
{
    CKernel *k = c->k;
    const char *w = c_tile_element(k, "a", "r", c->tile.a_row, "k", 1);
    if (!c->integer)
        return nn_load(k, c->weights_type, w);
    if (c_no_zero_point(k, c->in.weights_zero))
        return arena_printf(k->arena, "(uint32_t)%s", w);
    add_operand(c, c->in.weights_zero, "zero", true);
    return arena_printf(k->arena, "(uint32_t)(%s - %s)", w, row_of(c, "zero"));
}

static void make_tile(ConvKernel *c)
{
    CKernel *k = c->k;
    Tile *t = &c->tile;
    *t = (Tile){.type_a = dtype_c(c->weights_type),
                .type_dst = dtype_c(k->program->buffers[k->step->out[0]].type.dtype),
                .type_sum = c->integer ? "uint32_t" : c_compute_type(c->type),
                .m = c->s.m,
                .k = c->s.c * c->s.w.kernel_size,
                .dst_row = c->s.w.dst_size};
    t->a_row = t->k;
    t->a_k = 1;
    t->b_k = c->direct ? c->s.w.dst_size : k->plan->width;
    t->type_b = c->direct ? dtype_c(c->type) : c->integer ? "int16_t" : t->type_sum;
    t->a = weight_element(c);
    t->b = c_tile_element(k, "b", "k", t->b_k, "j", 1);
    if (c->integer)
        t->b = arena_printf(k->arena, "(uint32_t)%s", t->b);
    if (k->node->op == OP_QLinearConv)
        quantised_result(c);
    else if (c->integer)
        t->result = c_tile_result(k, t, c->out_type, "sum[r][j]", true);
    else
        t->result = float_result(c);
}

/* An element of the source as the panel holds it. */
static const char *gathered(ConvKernel *c, bool zero)
{
    static const char at[] = "src[at + i * SW]";
    if (!c->integer)
        return nn_load(c->k, c->type, at);
    return zero ? arena_printf(c->k->arena, "(int16_t)(%s - zero)", at) : at;
}

static void bind_gather(ConvKernel *c, Bindings *b)
{
    CKernel *k = c->k;
    Arena *a = k->arena;
    const int64_t width = k->plan->width;
    bool zero = c->integer && !c_no_zero_point(k, c->in.src_zero);
    const char *items[5], *full[5], *rest[5];
    size_t n = 0;
    full[n] = rest[n] = "x";
    items[n++] = arena_printf(a, "const %s *restrict src", dtype_c(c->type));
    full[n] = rest[n] = "panel";
    items[n++] = arena_printf(a, "%s *restrict panel", c->tile.type_b);
    if (zero) {
        full[n] = rest[n] = arena_printf(a, "%s[0]", k->input[c->in.src_zero]);
        items[n++] = "const int32_t zero";
    }
    full[n] = "(ptrdiff_t)p";
    rest[n] = "FULL";
    items[n++] = "const ptrdiff_t first";
    full[n] = "WIDTH";
    rest[n] = "PLANE - FULL";
    items[n++] = "const ptrdiff_t count";
    bind_items(b, "gather_params", "param", items, n);
    bind_items(b, "call_gather", "arg", full, n);
    bind_items(b, "call_gather_rest", "arg", rest, n);
    bind(b, "gathered", "%s", gathered(c, zero));
    bind(b, "T_panel", "%s", c->tile.type_b);
    bind_int(b, "width", width);
    bind_int(b, "full", c->s.w.dst_size - c->s.w.dst_size % width);
    bind_int(b, "rest", c->s.w.dst_size % width);
    bind_int(b, "taps", c->s.w.kernel_size);
    bind_int(b, "padded", window_padded(&c->s.w));
    bind_int(b, "deep", c->s.w.n > 2);
    bind_int(b, "tall", c->s.w.n > 1);
    bind(b, "row", "%s", c->s.w.n > 2 ? "(first + j) / OW % OH" : "(first + j) / OW");
    bind(b, "at", "%s",
         c->s.w.n > 2   ? "((channel * D + sz) * H + sy) * W + sx"
         : c->s.w.n > 1 ? "(channel * H + sy) * W + sx"
                        : "channel * W + sx");
    c_bind_window(b, &c->s.w);
}

static const char *quantised_multiplier(CKernel *k)
{
    return arena_printf(k->arena, "src_scale[0] * %s / dst_scale[0]", c_per_axis(k, 4, "i"));
}

/* The operands of the epilogue, for the pixels from `first` on. */
static void pass_epilogue(ConvKernel *c, const char *first)
{
    c_tile_epilogue_arguments(c->k, &c->tile, c->operand,
                              arena_printf(c->k->arena, "image * M * PLANE%s", first),
                              c->s.group > 1 ? "group * M" : NULL);
}

static void emit_product(ConvKernel *c)
{
    CKernel *k = c->k;
    make_tile(c);
    if (k->node->op == OP_QLinearConv)
        c_emit_quantize(k, c->out_type);
    c_emit_tile(k, &c->tile);
    Bindings *b = nn_bindings(k);
    nn_type(c->k, b, "x", c->type);
    const char *w = "weights";
    if (c->s.group > 1)
        w = "weights + group * FILTERS";
    const Tile *t = &c->tile;
    pass_epilogue(c, "");
    c_bind_tile_call(t, b, "call_direct", w, "x", c->operand, "y", "PLANE");
    pass_epilogue(c, " + p");
    c_bind_tile_call(t, b, "call", w, "panel", c->operand, "y + p", "WIDTH");
    pass_epilogue(c, " + FULL");
    c_bind_tile_call(t, b, "call_rest", w, "panel", c->operand, "y + FULL", "PLANE - FULL");
    bind_int(b, "direct", c->direct);
    bind_int(b, "grouped", c->s.group > 1);
    bind_int(b, "images", c->s.n * c->s.group);
    bind_int(b, "group", c->s.group);
    bind_int(b, "filters", c->s.m * c->tile.k);
    bind_int(b, "C", c->s.c);
    bind_int(b, "M", c->s.m);
    bind_int(b, "plane", c->s.w.dst_size);
    bind_int(b, "src_plane", c->s.w.src_size);
    const bool quantised = k->node->op == OP_QLinearConv;
    bind_int(b, "quantised", quantised);
    bind_int(b, "channels", c->s.group * c->s.m);
    bind(b, "multiplier", "%s", quantised ? quantised_multiplier(k) : "");
    bind(b, "panel", k->plan->second_at ? "(void *)((char *)scratch + PANEL_AT)" : "scratch");
    bind_int(b, "panel_at", (int64_t)k->plan->second_at);
    if (!c->direct)
        bind_gather(c, b);
    bool unused = c->integer && c_no_zero_point(k, c->in.weights_zero);
    bind(b, "unused_weights_zero", "%s",
         unused && nn_has_in(k, c->in.weights_zero) ? k->input[c->in.weights_zero] : "");
    unused = c->integer && c_no_zero_point(k, c->in.src_zero) && nn_has_in(k, c->in.src_zero);
    bind(b, "unused_src_zero", "%s", unused ? k->input[c->in.src_zero] : "");
    unused = k->node->op == OP_QLinearConv && c_no_zero_point(k, 7) && nn_has_in(k, 7);
    bind(b, "unused_dst_zero", "%s", unused ? "dst_zero_point" : "");
    nn_render(k, c->direct ? "c/conv_1x1.c" : "c/conv.c", b);
}

/* --- depthwise ------------------------------------------------------------------------------------------------- */

/* The output columns all of whose taps lie inside the source. */
static void inner_columns(const Window *w, int64_t *lo, int64_t *hi)
{
    int last = w->n - 1;
    int64_t unused;
    window_inside(w, last, 0, lo, &unused);
    window_inside(w, last, w->kernel[last] - 1, &unused, hi);
    *hi = *hi > *lo ? *hi : *lo;
}

static void emit_depthwise(ConvKernel *c)
{
    CKernel *k = c->k;
    const Window *w = &c->s.w;
    int last = w->n - 1;
    int64_t lo, hi;
    Bindings *b = nn_bindings(k);
    nn_type(c->k, b, "x", c->type);
    nn_bind_result(k, b, c->type);
    c_bind_window(b, w);
    inner_columns(w, &lo, &hi);
    bind_int(b, "lo", lo);
    bind_int(b, "hi", hi);
    bind_int(b, "edges", lo > 0 || hi < w->dst[last]);
    bind_int(b, "tall", w->kernel[0] > 1 && w->n > 1);
    bind_int(b, "planes", c->s.n * c->s.group * c->s.m);
    bind_int(b, "M", c->s.group * c->s.m);
    bind(b, "plane_in", "%s",
         c->s.m == 1 ? "plane" : arena_printf(k->arena, "plane / %lld", (long long)c->s.m));
    bind(b, "sum_row", !k->plan->scratch_bytes ? "sum[OW]" : "*restrict sum = scratch");
    bind(b, "first", "%s",
         nn_has_in(k, 2) ? nn_load(k, nn_in(k, 2)->dtype, "bias[plane % M]")
                         : nn_const(k, c->type, 0));
    for (int64_t tap = 0; tap < w->kernel[last]; tap++) {
        Bindings *row = bind_row(b, "tap");
        const char *ahead = tap == 0 ? "- LEFT"
                            : tap == 1
                                ? "+ (DW - LEFT)"
                                : arena_printf(k->arena, "+ (%lld * DW - LEFT)", (long long)tap);
        bind(row, "weight", "%s",
             nn_load(k, c->type, arena_printf(k->arena, "w[%lld]", (long long)tap)));
        bind(row, "source", "%s",
             nn_load(k, c->type, arena_printf(k->arena, "s[x * SW %s]", ahead)));
    }
    nn_share(k, b, true, "PLANES");
    nn_render(k, "c/conv_depthwise.c", b);
}

void emit_c_conv(CKernel *k)
{
    ConvKernel c = {.k = k, .in = c_kernels[k->node->op].inputs, .s = conv_shape_of(k->g, k->node)};
    c.type = nn_in(k, 0)->dtype;
    c.weights_type = nn_in(k, c.in.weights)->dtype;
    c.out_type = nn_out(k, 0)->dtype;
    c.integer = !dtype_is_float(c.type);
    c.direct = k->plan->variant == C_conv_1x1;
    switch (k->plan->variant) {
    case C_conv_depthwise:
        emit_depthwise(&c);
        break;
    case C_conv_dots:
    case C_conv_taps:
        c_emit_conv_bytes(k, &c.s);
        break;
    case C_conv_flat:
        c_emit_conv_flat(k, &c.s);
        break;
    case C_conv_depthwise_tiles:
    case C_conv_depthwise_last:
    case C_conv_group_tiles:
    case C_conv_few_last:
    case C_conv_image:
        c_emit_conv_last(k, &c.s);
        break;
    default:
        emit_product(&c);
    }
}
