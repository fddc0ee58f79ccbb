/* Portable C for convolutions that oneDNN has no good kernel for, with the channels last as its own have them: depthwise ones
 * (conv_depthwise_tiles.c; conv_depthwise_last.c, several filters for each channel), those of groups of a few channels (conv_group_tiles.c), those with few filters (conv_few_last.c), and those of an image (conv_image.c). */
#include "../../kernel/conv_flat.h"
#include "conv_flat.h"
#include "epilogue.h"
#include "window.h"

static void emit_few(CKernel *k, Bindings *b, const ConvShape *s)
{
    const Buffer *dst = &k->program->buffers[k->step->out[0]];
    Layout nxc = layout_nxc(dst->layout.rank);
    bool last = layout_equal(&dst->layout, &nxc);
    bind(b, "pixel", "%s",
         last ? "pixel * M" : "pixel / (OH * OW) * (M * OH * OW) + pixel % (OH * OW)");
    bind(b, "sum", "sum[(pixel - first) * M + m]%s", nn_has_in(k, 2) ? " + bias[m]" : "");
    bind(b, "m", last ? "m" : "m * (OH * OW)");
    nn_bind_result(k, b, DT_F32);
    bind_int(b, "C", s->c);
    bind_int(b, "M", s->m);
    bind_int(b, "at_once", k->plan->at_once);
    nn_share(k, b, true, "PIXELS");
    if (k->shared) {
        bind(b, "from", "(ptrdiff_t)from * AT_ONCE");
        bind(b, "to", "(ptrdiff_t)to * AT_ONCE");
    }
    nn_render(k, "c/conv_few_last.c", b);
}

static void emit_depthwise(CKernel *k, Bindings *b, const ConvShape *s)
{
    bind_int(b, "C", s->group);
    bind_int(b, "M", s->m);
    bind(b, "first", nn_has_in(k, 2) ? "bias[i]" : "0");
    nn_bind_result(k, b, DT_F32);
    for (int64_t tap = 0; tap < s->w.kernel_size; tap++) {
        Bindings *row = bind_row(b, "tap");
        bind_int(row, "k", tap);
        bind(row, "s", "s%lld", (long long)tap);
    }
    nn_share(k, b, true, "IMAGES * OH * OW");
    nn_render(k, "c/conv_depthwise_last.c", b);
}

static void emit_tiles(CKernel *k, Bindings *b, const ConvShape *s)
{
    bind(b, "plus_bias", nn_has_in(k, 2) ? " + bias[c + f]" : "");
    nn_bind_result(k, b, DT_F32);
    bind_int(b, "C", s->group);
    bind_int(b, "at_once", k->plan->at_once);
    const int64_t single = conv_depthwise_single(s->group, k->plan->lanes);
    bind_int(b, "channels", k->plan->columns);
    bind_int(b, "single", single);
    const bool overlap = s->group % k->plan->columns || s->group % single;
    bind_int(b, "overlap", overlap);
    bind(b, "next", "%s", overlap ? "next" : "c");
    bind_int(b, "block", k->plan->width);
    bind_int(b, "lanes", k->plan->lanes);
    bind_int(b, "bytes", k->plan->lanes * (int64_t)sizeof(float));
    nn_share(k, b, true, "IMAGES * OH");
    nn_render(k, "c/conv_depthwise_tiles.c", b);
}

/* Vectors of filters of several groups multiply their own channels each, those of one group all of its channels. */
static void emit_groups(CKernel *k, Bindings *b, const ConvShape *s)
{
    const int64_t lanes = 8;
    const bool shuffled = s->m < lanes;
    bind(b, "plus_bias", nn_has_in(k, 2) ? " + bias[c + f]" : "");
    nn_bind_result(k, b, DT_F32);
    bind_int(b, "sources", s->group * s->c);
    bind_int(b, "filters", s->group * s->m);
    bind_int(b, "of_group", s->c);
    bind_int(b, "at_once", k->plan->at_once);
    bind_int(b, "single", conv_depthwise_single(s->group * s->m, lanes));
    bind_int(b, "block", k->plan->width);
    bind_int(b, "deep", k->plan->width / s->m * s->c);
    bind_int(b, "shuffled", shuffled);
    bind(b, "first", "%s",
         shuffled ? "c"
                  : arena_printf(k->arena, "c / %lld * %lld", (long long)s->m, (long long)s->c));
    bind(b, "next", "v * %s", shuffled ? "LANES" : "CHANNELS");
    bind_list(b, "channel", "");
    if (shuffled)
        c_need(k, CH_EACH);
    for (int64_t c = 0; shuffled && c < s->c; c++) {
        Bindings *row = bind_row(b, "channel");
        const char *each = "";
        for (int64_t i = 0; i < lanes; i++)
            each = arena_printf(k->arena, "%s%s%lld", each, i ? ", " : "",
                                (long long)(i / s->c * s->c + c));
        bind(row, "each", "%s", each);
        bind_int(row, "k", c);
    }
    nn_share(k, b, true, "IMAGES * OH");
    nn_render(k, "c/conv_group_tiles.c", b);
}

static void emit_image(CKernel *k, Bindings *b, const ConvShape *s)
{
    bind(b, "sum", nn_has_in(k, 2) ? "sum[p][f] + bias[m + f]" : "sum[p][f]");
    nn_bind_result(k, b, DT_F32);
    bind_int(b, "C", s->c);
    bind_int(b, "M", s->m);
    bind_int(b, "at_once", k->plan->at_once);
    bind_int(b, "filters", k->plan->columns);
    bind_int(b, "lanes", k->plan->lanes);
    bind_int(b, "bytes", k->plan->lanes * (int64_t)sizeof(float));
    nn_share(k, b, true, "IMAGES * OH");
    nn_render(k, "c/conv_image.c", b);
}

void c_emit_conv_last(CKernel *k, const ConvShape *s)
{
    Bindings *b = nn_bindings(k);
    c_bind_window(b, &s->w);
    bind_int(b, "images", s->n);
    if (k->plan->variant == C_conv_few_last)
        emit_few(k, b, s);
    else if (k->plan->variant == C_conv_depthwise_tiles)
        emit_tiles(k, b, s);
    else if (k->plan->variant == C_conv_group_tiles)
        emit_groups(k, b, s);
    else if (k->plan->variant == C_conv_image)
        emit_image(k, b, s);
    else
        emit_depthwise(k, b, s);
}
