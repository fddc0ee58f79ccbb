/* Portable C for ConvTranspose: per output channel a product, then a scatter. */
#include "../../kernel/layers.h"
#include "nn.h"
#include "tile.h"
#include "window.h"

static void emit_last(CKernel *k)
{
    const Transposed s = transposed_of(k->g, k->node);
    const int64_t made = k->plan->width;
    int64_t channels = 32;
    while (s.m % channels)
        channels /= 2;
    Bindings *b = nn_bindings(k);
    c_bind_window(b, &s.w);
    bind_int(b, "C", s.c);
    bind_int(b, "M", s.m);
    bind_int(b, "taps", s.w.kernel_size);
    bind_int(b, "odd", s.w.kernel_size * s.m / TRANSPOSED_LANES % 2);
    bind_int(b, "channels", channels);
    bind_int(b, "made", made);
    bind_int(b, "kept", conv_transpose_kept(&s, made));
    bind_int(b, "at_once", k->plan->at_once);
    bind(b, "plus_bias", nn_has_in(k, 2) ? " + bias[c + f]" : "");
    nn_bind_result(k, b, DT_F32);
    nn_share(k, b, true, arena_printf(k->arena, "%lld * H", (long long)s.n));
    if (k->shared && made >= s.w.dst[0]) { /* images */
        bind(b, "from", "(ptrdiff_t)from * H");
        bind(b, "to", "(ptrdiff_t)to * H");
    }
    nn_render(k, "c/conv_transpose_last.c", b);
}

void emit_c_conv_transpose(CKernel *k)
{
    if (k->plan->variant == C_conv_transpose_last) {
        emit_last(k);
        return;
    }
    const Transposed s = transposed_of(k->g, k->node);
    Arena *a = k->arena;
    const char *type = dtype_c(s.type), *sum = c_compute_type(s.type);
    Tile t = {.type_a = type,
              .type_b = type,
              .type_dst = sum,
              .type_sum = sum,
              .m = s.w.kernel_size,
              .k = s.c,
              .a_row = 1,
              .a_k = s.m * s.w.kernel_size,
              .b_k = s.w.dst_size,
              .dst_row = s.w.dst_size,
              .result = "sum[r][j]"};
    t.a = nn_load(k, s.type, c_tile_element(k, "a", "r", 1, "k", t.a_k));
    t.b = nn_load(k, s.type, c_tile_element(k, "b", "k", t.b_k, "j", 1));
    c_emit_tile(k, &t);
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", s.type);
    c_bind_window(b, &s.w);
    bind_int(b, "planes", s.n * s.group * s.m);
    bind_int(b, "M", s.m);
    bind_int(b, "C", s.c);
    bind_int(b, "plane", s.w.src_size);
    bind_int(b, "src_plane", s.w.dst_size);
    bind_int(b, "taps", s.w.kernel_size);
    bind_int(b, "tall", s.w.n > 1);
    bind_int(b, "deep", s.w.n > 2);
    bind_int(b, "channels", s.group * s.m);
    nn_bind_result(k, b, s.type);
    bind(b, "T_dst", "%s", dtype_c(k->program->buffers[k->step->out[0]].type.dtype));
    bind_int(b, "sum_at", (int64_t)k->plan->second_at / (s.type == DT_F64 ? 8 : 4));
    bind_int(b, "ragged", s.w.src[s.w.n - 1] % s.w.stride[s.w.n - 1]);
    const char *first_tap = s.m == 1 ? "0" : "plane % M * TAPS";
    const char *group =
        s.group > 1 ? arena_printf(a, "plane / M %% %lld * (C * M * TAPS)", (long long)s.group)
                    : "0";
    bind(b, "weights", "%s",
         s.group == 1 && s.m == 1 ? "weights"
         : s.group == 1           ? arena_printf(a, "weights + %s", first_tap)
         : s.m == 1               ? arena_printf(a, "weights + %s", group)
                                  : arena_printf(a, "weights + %s + %s", group, first_tap));
    bind(b, "first", "%s",
         nn_has_in(k, 2)
             ? nn_load(k, nn_in(k, 2)->dtype,
                       arena_printf(a, "bias[plane %% %lld]", (long long)(s.group * s.m)))
             : nn_const(k, s.type, 0));
    c_bind_tile_call(&t, b, "call", "w", "image", NULL, "part", "SRC_PLANE");
    nn_render(k, "c/conv_transpose.c", b);
}
