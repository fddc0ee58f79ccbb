/* Portable C for quantisation. */
#include "quant.h"

#include "../../kernel/layers.h"

void c_emit_quantize(CKernel *k, DType to)
{
    static const struct {
        DType type;
        int low, high;
    } ranges[] = {{DT_U8, 0, UINT8_MAX},
                  {DT_I8, INT8_MIN, INT8_MAX},
                  {DT_U16, 0, UINT16_MAX},
                  {DT_I16, INT16_MIN, INT16_MAX}};
    Bindings *b = nn_bindings(k);
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        if (ranges[i].type == to) {
            bind(b, "T_q", "%s", dtype_c(to));
            bind_int(b, "low", ranges[i].low);
            bind_int(b, "high", ranges[i].high);
            nn_render(k, "c/quantize.c", b);
            return;
        }
    bug("%s is no type to quantise to", dtype_name(to));
}

const char *c_per_axis(CKernel *k, uint32_t input, const char *index)
{
    bool many = type_count(nn_in(k, input)) > 1;
    return arena_printf(k->arena, "%s[%s]", k->input[input], many ? index : "0");
}

bool c_no_zero_point(const CKernel *k, uint32_t i)
{
    return !nn_has_in(k, i) || is_all_zero(k->g, k->node->in[i]);
}

/* --- QuantizeLinear, DequantizeLinear -------------------------------------------------------------------------- */

/* Binds the loops over the node's first input, and what is common to both templates; returns the template. */
static const char *bind_linear(CKernel *k, Bindings *b, DType zero_type)
{
    const TensorType *t = nn_in(k, 0), *scale = nn_in(k, 1);
    const bool zero = !c_no_zero_point(k, 2);
    int axis = (int)attr_int(k->node, "axis", 1);
    bind(b, "T_src", "%s", dtype_c(t->dtype));
    bind(b, "T_dst", "%s", dtype_c(nn_out(k, 0)->dtype));
    bind(b, "scale", "%s", nn_load(k, scale->dtype, c_per_axis(k, 1, "c")));
    bind(b, "A_scale", "%s", c_compute_type(scale->dtype));
    bind_int(b, "has_zero", zero);
    bind(b, "zero", "%s", zero ? c_per_axis(k, 2, "c") : "");
    bind(b, "T_zero", "%s", dtype_c(zero_type));
    bind(b, "unused_zero", "%s", nn_has_in(k, 2) && !zero ? "zero_point" : "");
    bind_int(b, "size", type_count(t));
    if (k->plan->variant == C_quantize_all) {
        nn_share(k, b, false, "SIZE");
        return "c/quantize_all.c";
    }
    nn_share(k, b, false, "ROWS");
    bind_int(b, "rows", dims_product(t, 0, axis + 1));
    bind_int(b, "channels", t->dims[axis]);
    bind_int(b, "inner", dims_product(t, axis + 1, t->rank));
    return "c/quantize_linear.c";
}

void emit_c_quantize_linear(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    DType t = nn_in(k, 0)->dtype;
    c_emit_quantize(k, nn_out(k, 0)->dtype);
    const char *path = bind_linear(k, b, DT_I32);
    const char *x = type_count(nn_in(k, 1)) > 1 ? "src_row[j]" : "src[j]";
    x = t == DT_I32 ? arena_printf(k->arena, "(float)%s", x) : nn_load(k, t, x);
    bind(b, "result", "%s_quantize(%s / step, %s)", k->fn, x, c_no_zero_point(k, 2) ? "0" : "zero");
    nn_render(k, path, b);
}

void emit_c_dequantize_linear(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    DType t = nn_in(k, 0)->dtype, to = nn_out(k, 0)->dtype;
    const char *path = bind_linear(k, b, t == DT_I32 ? DT_I64 : DT_I32);
    const char *x = type_count(nn_in(k, 1)) > 1 ? "src_row[j]" : "src[j]";
    x = c_no_zero_point(k, 2) ? arena_printf(k->arena, "(float)%s", x)
                              : arena_printf(k->arena, "(float)(%s - zero)", x);
    bind(b, "result", "%s", nn_store(k, to, arena_printf(k->arena, "%s * step", x)));
    nn_render(k, path, b);
}

void emit_c_dynamic_quantize_linear(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    int64_t size = type_count(nn_in(k, 0));
    c_emit_quantize(k, DT_U8);
    bind_int(b, "size", size);
    bind_int(b, "full", size - size % k->plan->lanes);
    bind_int(b, "lanes", k->plan->lanes);
    bind_int(b, "block", k->plan->width);
    bind_int(b, "rest", size % k->plan->width);
    nn_render(k, "c/dynamic_quantize.c", b);
}
