/* Portable C for ConvTranspose: per output channel a product, then a scatter. */
#include "../../kernel/layers.h"
#include "nn.h"
#include "tile.h"
#include "window.h"

void emit_c_conv_transpose(CKernel *k)
{
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
