/* Portable C for Narrow: see templates/c/narrow.c. */
#include "../../base/narrow.h"
#include "nn.h"
#include "ops.h"

/* A power of two and what lies between it and the next one: subnormals of f32 are all but 2^-127 less than half of the least. */
static const char *rounded_up(NarrowRounding rounding)
{
    return rounding == NARROW_UP ? "((own_bits & 0x7fffff) > (power ? 0u : 0x400000u))"
           : rounding == NARROW_NEAREST
               ? "((own_bits & 0x7fffff) >= (power ? 0x400000u : 0x600000u))"
               : "0";
}

void emit_c_narrow(CKernel *k)
{
    const NarrowType *t = narrow_type(attr_int(k->node, "to", 0));
    const size_t count = (size_t)type_count(nn_in(k, 0));
    const bool floats = dtype_is_float(t->as), saturate = attr_int(k->node, "saturate", 1) != 0;
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", t->as);
    bind_int(b, "count", (int64_t)count);
    bind_int(b, "bytes", (int64_t)narrow_bytes(t, count));
    bind_int(b, "rest", count % (size_t)(8 / t->bits) != 0);
    bind_int(b, "bits", t->bits);
    bind_int(b, "mask", (1 << t->bits) - 1);
    bind_int(b, "floats", floats && t->has_sign);
    bind_int(b, "powers", floats && !t->has_sign);
    bind_int(b, "integers", !floats);
    bind_int(b, "signed_zero", t->nan != 0x80);
    bind_int(b, "mantissa", t->mantissa);
    bind_int(b, "least", t->least);
    bind(b, "most", "0x%xu", t->most);
    bind(b, "beyond", "0x%xu", saturate ? t->most : t->over);
    bind(b, "nan", "0x%xu", t->nan);
    bind(b, "sign", "0x%xu", 1u << (t->bits - 1));
    bind(b, "round_up", "%s", rounded_up(narrow_rounding(attr_string(k->node, "rounding", ""))));
    nn_render(k, "c/narrow.c", b);
}
