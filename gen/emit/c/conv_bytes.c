/* Portable C for convolutions of bytes on a core without floats: products of filters by gathered windows (conv_dots.c), and lines of results
 * of filters that read one plane (conv_taps.c). */
#include "../../kernel/layers.h"
#include "bytes.h"
#include "conv_flat.h"
#include "epilogue.h"
#include "quant.h"
#include "window.h"

void c_emit_conv_bytes(CKernel *k, const ConvShape *s)
{
    Bindings *b = nn_bindings(k);
    const DType t = nn_in(k, 0)->dtype;
    const ConvInputs in = c_kernels[k->node->op].inputs;
    const uint32_t zeros[] = {in.src_zero, in.weights_zero};
    const bool taps = k->plan->variant == C_conv_taps, known = c_no_zero_point(k, in.src_zero);
    c_need(k, taps ? CH_TAPS : CH_DOTS);
    if (!taps && window_padded(&s->w) && s->w.dilation[s->w.n - 1] == 1)
        c_need(k, CH_FEW_BYTES);
    c_bind_window(b, &s->w);
    c_bind_byte_result(k, b);
    bind(b, "T_x", "%s", dtype_c(t));
    bind_int(b, "is_signed", t == DT_I8);
    bind(b, "zero", "%s", known ? "0" : arena_printf(k->arena, "%s[0]", k->input[in.src_zero]));
    bind_int(b, "padded", window_padded(&s->w));
    bind_int(b, "dilated", s->w.dilation[s->w.n - 1] > 1);
    bind_int(b, "images", s->n * s->group);
    bind_int(b, "group", s->group);
    bind_int(b, "C", s->c);
    bind_int(b, "M", s->m);
    const int64_t rows = taps ? conv_taps_rows(s, k->plan->pitch) : 1;
    bind_int(b, "pitch", k->plan->pitch);
    bind_int(b, "rows", rows);
    bind_int(b, "joined", rows > 1);
    bind(b, "sums", rows > 1 ? "SUMS" : "(OW + 3) / 4 * 4");
    bind_list(b, "not_read", "");
    for (size_t i = 0; i < COUNT_OF(zeros); i++)
        if (nn_has_in(k, zeros[i]) && c_no_zero_point(k, zeros[i]))
            bind(bind_row(b, "not_read"), "unused", "%s", k->input[zeros[i]]);
    nn_render(k, taps ? "c/conv_taps.c" : "c/conv_dots.c", b);
}
