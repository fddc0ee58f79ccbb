/* One oneDNN subgraph as a translation unit: for each layer what create.c and its siblings write, a table of what creates them, and
 * the function that runs them in order. */
#include "emit_dnnl.h"
#include "../c/copy.h"

#include "../../program/guard.h"

#include <string.h>

/* "{DNNL_ARG_SRC, DNNL_ARG_DST}" behind so many columns, on a line each where they do not fit on one. */
static const char *argument_list(Arena *arena, const DnnlPrimitive *d, size_t column)
{
    static const char *const separators[][3] = {{"{", ", ", "}"}, {"{\n    ", ",\n    ", ",\n}"}};
    Text t;
    for (size_t i = 0; i < COUNT_OF(separators); i++) {
        t = text_new(arena);
        for (uint32_t k = 0; k < d->n_memory; k++)
            text_printf(&t, "%s%s", separators[i][k > 0], onednn_arg_name(arena, d->memory[k].arg));
        text_puts(&t, separators[i][2]);
        if (column + t.size + strlen(";") <= 100)
            break;
    }
    return t.data;
}

void bind_arguments(const Emit *e, const Step *s, const DnnlPrimitive *d, Bindings *b)
{
    const size_t column = strlen("static const int args_[] = ") + strlen(layer_label(e));
    const char *slot = place_index(e, "slot", s->slot, 0);
    bind(b, "arguments", "%s", argument_list(e->arena, d, column));
    bind_int(b, "n_args", d->n_memory);
    bind(b, "memory", strcmp(slot, "0") ? "ctx->memory + %s" : "ctx->memory", slot);
}

void bind_scratch_start(const Emit *e, const Step *s, Bindings *b)
{
    bind(b, "scratch", "%s", place_offset(e, "scratch", buffer_offset(e->p, s->scratch)));
}

void bind_tensor_address(const Emit *e, const Step *s, int arg, const char *name, Bindings *b)
{
    const BufferId buffer = onednn_memory_of(s->dnnl, arg)->buffer;
    bind(b, name, "%s", place_operand(e, name, buffer, arg != ARG_DST));
}

static void emit_run(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    bind_arguments(e, s, s->dnnl, b);
    put_part(out, "dnnl/run.c", b);
}

/* The caller's tensors may be elsewhere at every run. */
static void bind_handles(const Emit *e, const Step *s, Bindings *b)
{
    for (uint32_t i = 0; i < s->dnnl->n_memory; i++)
        if (onednn_is_port(e->p, s->dnnl->memory[i].buffer)) {
            bool is_const = s->dnnl->memory[i].arg != ARG_DST;
            Bindings *handle = bind_row(b, "handles");
            bind_int(handle, "slot", s->slot + i);
            bind(handle, "handle", "%s%s", is_const ? "(void *)(uintptr_t)" : "",
                 buffer_expr(e->arena, e->p, s->dnnl->memory[i].buffer, is_const));
        }
}

/* Products and transformations in C, whose loops are written out. */
static bool has_tiles(const Emit *e)
{
    for (uint32_t i = e->file_first; i < e->file_end; i++) {
        const DnnlPrimitive *p = e->p->steps[i].dnnl;
        if (p && (p->winograd || p->indirect || is_attention_in_c(p)))
            return true;
    }
    return false;
}

/* What the C in the file needs. */
static void emit_c_head(const Emit *e, const CHelpers *helpers, Text *out)
{
    emit_c_helpers(out, e->arena, helpers);
    if (has_tiles(e))
        put_part(out, "dnnl/unroll.c", bindings_new(e->arena, NULL));
    emit_panel_head(e, out);
    emit_winograd_head(e, out);
    emit_indirect_head(e, out);
}

void emit_layer(const Emit *e, uint32_t index, Text *out)
{
    const Step *s = &e->p->steps[index];
    if (s->dnnl->winograd)
        emit_winograd(e, s, index, out);
    else if (is_attention_in_c(s->dnnl))
        emit_attention_in_c(e, s, index, out);
    else if (s->dnnl->attention)
        emit_attention(e, s, index, out);
    else if (s->dnnl->indirect)
        emit_indirect(e, s, index, out);
    else if (s->dnnl->epilogue)
        emit_with_epilogue(e, s, index, out);
    else {
        emit_create(e, s, s->dnnl, 0, index, out);
        emit_run(e, s, index, out);
    }
}

/* Loops in C that the layer is the first of its file to call. */
static void emit_loops(const Emit *e, const Step *s, Text *out)
{
    if (s->dnnl->winograd && first_that_ends_like(e, s) == s)
        emit_winograd_output(e, s, out);
    else if (s->dnnl->epilogue && first_that_ends_like(e, s) == s)
        emit_epilogue_loop(e, s, out);
}

/* The layer's functions, or nothing where those of one before will do. */
static void emit_functions(Emit *e, uint32_t index, Text *out)
{
    const Step *s = &e->p->steps[index];
    if (first_layer_alike(e, index) != index)
        return;
    Bindings *b = bindings_new(e->arena, NULL);
    Text functions = text_new(e->arena);
    emit_loops(e, s, &functions);
    emit_layers_alike(e, index, &functions);
    bind_step_comment(e->arena, b, e->p, s);
    bind(b, "impl", "%s", planned_alike(e, index) ? s->dnnl->impl : "");
    bind_more_layers(b, count_layers_alike(e, index) - 1);
    bind(b, "functions", "%s", functions.data);
    render(out, "dnnl/layer.c", b);
}

/* Its primitives are made for a single thread. */
static bool parts_for_one(const DnnlPrimitive *d)
{
    return d->winograd    ? d->winograd->matmul->one_thread
           : d->attention ? d->attention->part[0]->one_thread
                          : d->one_thread;
}

/* What creates the layers of a unit, as a table: threads take rows of it. */
static void bind_creators(const Emit *e, uint32_t unit, Bindings *b)
{
    const Program *p = e->p;
    bind_list(b, "creators", "");
    for (uint32_t i = p->unit_start[unit]; i < p->unit_start[unit + 1]; i++) {
        const LayerFunctions *f = &e->layers[i];
        if (!layer_has_primitive(&p->steps[i]))
            continue;
        const bool one_thread = p->threads > 1 && parts_for_one(p->steps[i].dnnl);
        Bindings *creator = bind_row(b, "creators");
        bind(creator, "label", "%s", f->label);
        bind_int(creator, "has_row", f->row != NO_ROW);
        bind_int(creator, "row", f->row);
        bind(creator, "more", "%s%s", one_thread ? ", .one_thread = true" : "",
             f->like == NO_ROW ? "" : arena_printf(e->arena, ", .like = %u", f->like + 1));
    }
}

/* Its function looks for the tensors by itself. */
static bool sets_handles(const Step *s)
{
    return s->dnnl->winograd || s->dnnl->indirect || s->dnnl->epilogue || s->dnnl->attention;
}

static void bind_dnnl_call(const Emit *e, uint32_t index, Bindings *call)
{
    const LayerFunctions *f = &e->layers[index];
    bind(call, "label", "%s", f->label);
    bind_int(call, "index", index);
    bind(bind_row(call, "args"), "arg", "ctx");
    if (sets_handles(&e->p->steps[index]))
        bind(bind_row(call, "args"), "arg", "m");
    if (f->row != NO_ROW)
        bind(bind_row(call, "args"), "arg", "&at_%s[%u]", f->label, f->row);
}

/* oneDNN takes as many threads as there are, and one for layers that are not worth more. The number is changed between blocks, which
 * might be left out. */
static void bind_unit_run(const Emit *e, uint32_t region, Bindings *b)
{
    const Program *p = e->p;
    const uint32_t first = p->unit_start[region], end = p->unit_start[region + 1];
    Bindings *block = NULL;
    bool is_one = false;
    for (uint32_t i = first; i < end; i++) {
        const Step *s = &p->steps[i];
        const bool by_threads = p->threads > 1 && (s->dnnl || kernel_is_shared(e->kernels, i));
        const bool one = by_threads ? s->dnnl && s->dnnl->one_thread : is_one;
        if (s->dnnl && !sets_handles(s))
            bind_handles(e, s, b);
        if (!block || one != is_one || !guard_same_block(s - 1, s)) {
            block = bind_block(p, b, s);
            bind(block, "threads", "%s", one == is_one ? "" : one ? "1" : "ctx->threads");
        }
        is_one = one;
        Bindings *call = bind_row(block, "calls");
        bind_int(call, "is_kernel", !s->dnnl);
        if (s->dnnl)
            bind_dnnl_call(e, i, call);
        else
            bind_kernel_call(e->kernels, i, 0, NULL, call);
    }
    bind_int(b, "restores", is_one);
}

static void emit_unit(const Emit *e, uint32_t region, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "unit", "%s", unit_name(e, region));
    bind(b, "name", "%s", e->names.name);
    bind_creators(e, region, b);
    bind_unit_run(e, region, b);
    render(out, "dnnl/unit.c", b);
}

/* Whether a layer of oneDNN's has loops in C too; the helpers that these call. */
static bool has_loop_in_c(const Emit *e, const Step *s, CHelpers *helpers)
{
    const DnnlPrimitive *p = s->dnnl;
    if (is_attention_in_c(p)) {
        c_helpers_need(helpers, CH_EXP_NEGATIVE);
        c_helpers_need(helpers, c_transposition(p->attention->lanes, DT_F32).helper);
    }
    if (!p->winograd && !p->indirect && !p->epilogue)
        return is_attention_in_c(p) || (p->attention && p->attention->n_ops);
    post_text_needs(post_text(e, s), helpers);
    return true;
}

/* The unit's layers; true if some of them are kernels of C. */
static bool emit_layers(Emit *e, uint32_t unit, CHelpers *helpers, bool *loops, Text *out)
{
    const Program *p = e->p;
    bool calls = false;
    for (uint32_t i = p->unit_start[unit]; i < p->unit_start[unit + 1]; i++) {
        const DnnlPrimitive *d = p->steps[i].dnnl;
        calls = calls || !d;
        if (!d)
            continue;
        emit_functions(e, i, out);
        *loops = has_loop_in_c(e, &p->steps[i], helpers) || *loops;
    }
    return calls;
}

void emit_dnnl_file(Emit *e, uint32_t first, Text *out)
{
    const Program *p = e->p;
    CHelpers helpers = {.need = {false}};
    bool loops = false, calls = false;
    Text units = text_new(e->arena);
    e->file_first = p->unit_start[first];
    for (uint32_t r = first; r < p->n_regions; r++)
        if (p->regions[r].target == TARGET_DNNL && e->file_of[r] == first)
            e->file_end = p->unit_start[r + 1];
    for (uint32_t r = first; r < p->n_regions; r++) {
        if (p->regions[r].target != TARGET_DNNL || e->file_of[r] != first)
            continue;
        calls = emit_layers(e, r, &helpers, &loops, &units) || calls;
        emit_unit(e, r, &units);
    }
    e->has_loops[first] = loops;
    Bindings *b = bindings_new(e->arena, NULL);
    Text clones = text_new(e->arena), head = text_new(e->arena);
    if (loops) {
        emit_clones_head(e->arena, p->lanes, &clones);
        emit_c_head(e, &helpers, &head);
    }
    bind(b, "banner", "%s", e->names.banner);
    bind(b, "internal", "\"%s_internal.h\"", e->names.name);
    bind(b, "primitives", "\"dnnlc_primitives.h\"");
    bind(b, "kernels", "\"%s_kernels.h\"", e->names.name);
    bind_int(b, "calls", calls);
    bind_int(b, "loops", loops);
    bind(b, "clones", "%s", clones.data);
    bind(b, "helpers", "%s", head.data);
    bind(b, "units", "%s", units.data);
    render(out, "dnnl/file.c", b);
}
