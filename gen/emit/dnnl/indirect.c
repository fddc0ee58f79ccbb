/* Convolutions in C in a oneDNN unit: products by tiles (emit/dnnl/panel.c), and what follows on them. */
#include "emit_dnnl.h"

#include "../../base/template.h"

#include <string.h>

static const DnnlIndirect *indirect_of(const Emit *e, uint32_t step)
{
    const DnnlPrimitive *p = e->p->steps[step].dnnl;
    return p ? p->indirect : NULL;
}

/* Some layer takes whole numbers two to an element. */
static bool any_of_pairs(const Emit *e)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const DnnlIndirect *w = indirect_of(e, i);
        if (w && w->pairs)
            return true;
    }
    return false;
}

/* The first statement adds the bias, if there is one. */
static void bind_finish(const Emit *e, const Step *s, Bindings *b)
{
    static const char plus[] = "v += ";
    const char *text = post_text(e, s), *end = strchr(text, '\n');
    const bool adds = !strncmp(text, plus, strlen(plus));
    bind(b, "label", "%s", first_that_ends_like(e, s)->label);
    const char *plus_bias =
        adds ? arena_printf(e->arena, " + %.*s", (int)(end - text - (ptrdiff_t)strlen(plus)),
                            text + strlen(plus))
             : "";
    bind(b, "value", "%s%s",
         s->dnnl->indirect->pairs ? "indirect_sum(sums + (c - first))" : "sums[c - first]",
         plus_bias);
    bind(b, "plus", "%s", plus_bias);
    bind_operands(e, s->dnnl, b);
    bind_statements(e->arena, b, adds ? end + 1 : text);
}

static void emit_finish(const Emit *e, const Step *s, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind_finish(e, s, b);
    put_part(out, "dnnl/indirect_finish.c", b);
}

void emit_indirect_end(const Emit *e, const Step *s, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind_finish(e, s, b);
    bind_int(b, "is_short", !post_text_is_long(post_text(e, s)));
    put_part(out, "dnnl/indirect_end.c", b);
}

void emit_indirect_head(const Emit *e, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    Text finish = text_new(e->arena);
    bool one_thread = false, shared = false;
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const Step *s = &e->p->steps[i];
        const DnnlIndirect *w = indirect_of(e, i);
        if (!w)
            continue;
        one_thread = one_thread || w->threads == 1;
        shared = shared || w->threads > 1;
        if (first_that_ends_like(e, s) == s)
            emit_finish(e, s, &finish);
    }
    if (!finish.size)
        return;
    bind_int(b, "one_thread", one_thread);
    bind_int(b, "shared", shared);
    bind_int(b, "pairs", any_of_pairs(e));
    bind_int(b, "ends", file_has_ends(e));
    bind_int(b, "mixed", file_has_mixed(e));
    put_part(out, "dnnl/indirect_common.c", b);
    text_puts(out, finish.data);
}

/* "{1, 3, at->window_x}" */
static const char *triple(const Emit *e, const char *name, const int64_t v[MAX_SPATIAL])
{
    static const char axis[] = "zyx";
    const char *at[MAX_SPATIAL];
    for (int d = 0; d < MAX_SPATIAL; d++)
        at[d] = place_int(e, PLACE_INT, arena_printf(e->arena, "%s_%c", name, axis[d]), v[d]);
    return arena_printf(e->arena, "{%s, %s, %s}", at[0], at[1], at[2]);
}

/* As the tiles see the layer: where taps side by side are one, pixels of dst begin side by side, all within their line. */
static DnnlIndirect as_seen(const DnnlIndirect *w)
{
    DnnlIndirect seen = *w;
    if (w->across > 1) {
        seen.size[2] = w->out[2];
        seen.window[2] = seen.stride[2] = seen.dilation[2] = 1;
        seen.pad[2] = 0;
    }
    return seen;
}

/* Members of a DnnlIndirect. */
#define INT(member) PLACE_OF(w, member, PLACE_INT)
#define OFFSET(member) PLACE_OF(w, member, PLACE_OFFSET)

static void bind_shape(const Emit *e, const Step *s, Bindings *b)
{
    const DnnlIndirect seen = as_seen(s->dnnl->indirect), *w = &seen;
    const PlaceNumber before[] = {INT(channels), INT(outputs), INT(images)},
                      behind[] = {INT(src_pixel),   INT(dst_pixel),  INT(line),
                                  INT(pixels),      INT(band),       INT(bands),
                                  OFFSET(zeros_at), OFFSET(sums_at), OFFSET(sums_floats),
                                  OFFSET(set_bytes)};
    bool varies = false;
    bind_fields(e, b, before, COUNT_OF(before), &varies);
    bind_field(b, "size", triple(e, "size", w->size), &varies);
    bind_field(b, "out", triple(e, "out", w->out), &varies);
    bind_field(b, "window", triple(e, "window", w->window), &varies);
    bind_field(b, "stride", triple(e, "stride", w->stride), &varies);
    bind_field(b, "dilation", triple(e, "dilation", w->dilation), &varies);
    bind_field(b, "pad", triple(e, "pad", w->pad), &varies);
    bind_fields(e, b, behind, COUNT_OF(behind), &varies);
    if (any_of_pairs(e)) {
        const PlaceNumber pairs[] = {INT(pairs), INT(float_pixel), INT(width),      INT(before),
                                     INT(room),  INT(gathers),     OFFSET(pairs_at)};
        bind_fields(e, b, pairs, COUNT_OF(pairs), &varies);
    }
    if (file_has_mixed(e)) {
        const PlaceNumber mixed[] = {INT(fours), INT(low)};
        bind_fields(e, b, mixed, COUNT_OF(mixed), &varies);
    }
    bind_field(b, "finish",
               place_value(e, PLACE_FINISH, "finish",
                           arena_printf(e->arena, "finish_%s", first_that_ends_like(e, s)->label)),
               &varies);
    if (file_has_ends(e))
        bind_field(
            b, "to_end",
            place_value(e, PLACE_TO_END, "to_end", w->ends ? panel_to_end_name(e, s) : "NULL"),
            &varies);
    bind_field(b, "panel", place_panel(e, s), &varies);
    bind_constant(e, b, varies);
}

void emit_indirect(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlIndirect *w = s->dnnl->indirect;
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    bind_shape(e, s, b);
    bind(b, "reads", bind_operands(e, s->dnnl, b) ? "operands" : "NULL");
    bind_scratch_start(e, s, b);
    bind(b, "one_thread", "%d", w->threads == 1);
    bind_tensor_address(e, s, ARG_SRC, "src", b);
    bind_tensor_address(e, s, ARG_WEIGHTS, "weights", b);
    bind_tensor_address(e, s, ARG_DST, "dst", b);
    render(out, "dnnl/indirect.c", b);
}
