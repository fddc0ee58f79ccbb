/* Prints the convolutions that go along the lines of an image: kernel/conv_flat.h. */
#include "conv_flat.h"
#include "../../machine/machine.h"

#include "epilogue.h"
#include "window.h"

static void bind_store(CKernel *k, Bindings *b)
{
    Arena *a = k->arena;
    const char *items[EPILOGUE_OPERANDS_MAX + 8], *given[EPILOGUE_OPERANDS_MAX + 8];
    size_t n = 0;
    const char *type = dtype_c(k->program->buffers[k->step->out[0]].type.dtype);
    given[n] = "sums";
    items[n++] = "const float *restrict sums";
    for (uint32_t i = 2; i < k->step->n_in; i++)
        if (k->step->in[i] != NO_BUFFER) {
            const Buffer *in = &k->program->buffers[k->step->in[i]];
            given[n] = k->input[i];
            items[n++] = arena_printf(a, "const %s *%s", dtype_c(in->type.dtype), k->input[i]);
        }
    given[n] = "dst";
    items[n++] = arena_printf(a, "%s *dst", type);
    given[n] = "at";
    items[n++] = "const ptrdiff_t at";
    given[n] = "m";
    items[n++] = "const ptrdiff_t m";
    items[n++] = "const ptrdiff_t filters";
    items[n++] = "const ptrdiff_t rows";
    given[n - 1] = "rows";
    bind_items(b, "store_params", "param", items, n);
    given[n - 2] = "FILTERS";
    bind_items(b, "call_store", "arg", given, n);
    given[n - 2] = "REST";
    bind_items(b, "call_store_rest", "arg", given, n);
    bind(b, "sum", nn_has_in(k, 2) ? "sum[x] + bias[channel]" : "sum[x]");
    nn_bind_result(k, b, DT_F32);
}

void c_emit_conv_flat(CKernel *k, const ConvShape *s)
{
    const CPlan *plan = k->plan;
    Bindings *b = nn_bindings(k);
    c_bind_window(b, &s->w);
    bind_store(k, b);
    bind_int(b, "images", s->n);
    bind_int(b, "C", s->c);
    bind_int(b, "M", s->m);
    bind_int(b, "pitch", plan->pitch);
    bind_int(b, "at_once", plan->at_once);
    bind_int(b, "slack", plan->slack);
    bind_int(b, "line", plan->line);
    bind_int(b, "filters", plan->rows);
    bind_int(b, "columns", plan->columns);
    const int64_t lanes = k->program->lanes;
    const bool vectors = lanes == AVX512_LANES && plan->columns % lanes == 0;
    bind_int(b, "vectors", vectors);
    bind_int(b, "lanes", lanes);
    bind_int(b, "bytes", lanes * (int64_t)sizeof(float));
    bind(b, "tile", "%s", vectors ? "vectors" : "tile");
    bind_int(b, "rest", s->m % plan->rows);
    bind_int(b, "blocks", plan->blocks);
    nn_share(k, b, true, "IMAGES * CHUNKS * BLOCKS");
    nn_render(k, "c/conv_flat.c", b);
}
