/* Portable C for quantisation. */
#include "emit_c_quant.h"

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
    return arena_printf(k->arena, "src%u[%s]", input, many ? index : "0");
}

bool c_no_zero_point(const CKernel *k, uint32_t i)
{
    return !nn_has_in(k, i) || nn_is_zero(k->g, k->node->in[i]);
}
