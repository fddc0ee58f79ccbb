/* Portable C for convolutions that oneDNN has no good kernel for, with the channels last as its own have them: depthwise ones with
 * several filters for each channel (conv_depthwise_last.c), and those with few filters (conv_few_last.c). */
#include "../../eval/nn.h"
#include "tail.h"
#include "window.h"

/* oneDNN's kernels compute at least a register of output channels, 16 with AVX-512, so a convolution with two filters takes as
 * long as one with 16. Dot products over the channels waste nothing: 64 channels, 3x3, 56x56, one thread, AVX-512: 1, 2, 3, 4 filters
 * take 0.10, 0.08, 0.10, 0.13 ms, oneDNN 0.27 for each. From 8 on oneDNN is as fast. */
enum { LANES = 16, FEW_FILTERS = 4, FEW_MAX_TAPS = 121, DEPTHWISE_MAX_TAPS = 25 };

static ConvShape shape_of(const Graph *g, const Node *n)
{
    return conv_shape(n, type_of(g, n->in[0]), type_of(g, n->in[1]), type_of(g, n->out[0]));
}

ConvLast c_conv_last(const Graph *g, const Node *n)
{
    if (n->op != OP_Conv || type_of(g, n->in[0])->dtype != DT_F32 ||
        value_at(g, n->in[1])->kind != VALUE_CONST || type_count(type_of(g, n->out[0])) == 0)
        return CONV_LAST_NONE;
    ConvShape s = shape_of(g, n);
    if (s.w.n != 2)
        return CONV_LAST_NONE;
    if (s.group > 1)
        return s.c == 1 && s.w.kernel_size <= DEPTHWISE_MAX_TAPS ? CONV_LAST_DEPTHWISE
                                                                 : CONV_LAST_NONE;
    bool few = s.m <= FEW_FILTERS && s.c % LANES == 0 && s.w.kernel_size > 1 &&
               s.w.kernel_size <= FEW_MAX_TAPS;
    return few ? CONV_LAST_FEW : CONV_LAST_NONE;
}

/* The taps first; then the filters of each channel, or 16 channels of each filter. */
Layout c_conv_weights_last(const Graph *g, const Node *n)
{
    Layout layout = {.rank = 4, .order = {2, 3, 0, 1}};
    if (c_conv_last(g, n) == CONV_LAST_FEW)
        layout = (Layout){.rank = 4, .order = {2, 3, 1, 0}, .block_dim = 1, .block = LANES};
    return layout;
}

static void emit_few(CKernel *k, Bindings *b, const ConvShape *s)
{
    Layout nxc = layout_nxc(4);
    const Buffer *dst = &k->program->buffers[k->step->out[0]];
    const char *items[] = {"const float *const *restrict tap", "const float *restrict w",
                           "float *restrict sum"};
    bind(b, "dots_head", "%s", nn_head(k, "void", "dots", items, COUNT_OF(items)));
    bool last = layout_equal(&dst->layout, &nxc);
    bind(b, "pixel", "%s",
         last ? "pixel * M" : "pixel / (OH * OW) * (M * OH * OW) + pixel % (OH * OW)");
    const char *sum = arena_printf(k->arena, "sum[(pixel - first) * M + m]%s",
                                   nn_has_in(k, 2) ? " + src2[m]" : "");
    const char *m = last ? "m" : "m * (OH * OW)";
    const char *result = nn_result(k, DT_F32, sum, arena_printf(k->arena, "at + %s", m), "m");
    bind(b, "store", "%s = %s;\n", arena_printf(k->arena, "dst[%s]", m), result);
    bind_int(b, "C", s->c);
    bind_int(b, "M", s->m);
    const int64_t at_once = s->m == 1 ? 8 : 4; /* what keeps gcc's sums in registers */
    const int64_t pixels = s->n * s->w.dst_size;
    bind_int(b, "at_once", at_once);
    nn_share(k, b, true, "PIXELS", (pixels + at_once - 1) / at_once,
             0.6 * (double)(pixels * s->c * s->m * s->w.kernel_size));
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
    bind(b, "first", nn_has_in(k, 2) ? "src2[i]" : "0");
    bind(b, "store", "dst[i] = %s;\n", nn_result(k, DT_F32, "v", "pixel * (C * M) + i", "i"));
    for (int64_t tap = 0; tap < s->w.kernel_size; tap++) {
        Bindings *row = bind_row(b, "tap");
        bind_int(row, "k", tap);
        bind(row, "s", "s%lld", (long long)tap);
    }
    const int64_t pixels = s->n * s->w.dst_size;
    nn_share(k, b, true, "IMAGES * OH * OW", pixels,
             0.6 * (double)(pixels * s->group * s->m * s->w.kernel_size));
    nn_render(k, "c/conv_depthwise_last.c", b);
}

void c_emit_conv_last(CKernel *k)
{
    ConvShape s = shape_of(k->g, k->node);
    Bindings *b = nn_bindings(k);
    c_bind_window(b, &s.w);
    bind_int(b, "images", s.n);
    if (c_conv_last(k->g, k->node) == CONV_LAST_FEW)
        emit_few(k, b, &s);
    else
        emit_depthwise(k, b, &s);
}
