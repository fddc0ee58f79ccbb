/* One oneDNN subgraph as a translation unit: for each layer what create.c and its siblings write, a table of what creates them, and
 * the function that runs them in order. */
#include "emit_dnnl.h"

#include "../../ops/ops.h"

static void emit_run(const Emit *e, const Step *s, uint32_t index, Text *out)
{
    const DnnlPrimitive *d = s->dnnl;
    Bindings *b = bindings_new(e->arena, NULL);
    bind_layer(e, s, index, b);
    for (uint32_t i = 0; i <= d->n_memory; i++)
        bind(bind_row(b, "arguments"), "arg", "{%s, ctx->memory[%s]}",
             i < d->n_memory ? onednn_arg_name(e->arena, d->memory[i].arg) : "DNNL_ARG_SCRATCHPAD",
             place_index(e, "slot", s->slot, i));
    bind_int(b, "n_args", onednn_slots_of(s));
    text_puts(out, "\n");
    render(out, "dnnl/run.c", b);
}

/* The caller's tensors may be elsewhere at every run. */
static void emit_handles(const Emit *e, const Step *s, Text *out)
{
    uint32_t slot = s->slot;
    for (uint32_t i = 0; i < s->dnnl->n_memory; i++)
        if (onednn_is_port(e->p, s->dnnl->memory[i].buffer)) {
            bool is_const = s->dnnl->memory[i].arg != ARG_DST;
            const char *where = buffer_expr(e->arena, e->p, s->dnnl->memory[i].buffer, is_const);
            text_printf(out, "    dnnl_memory_set_data_handle(ctx->memory[%u], (void *)%s%s);\n",
                        slot + i, is_const ? "(uintptr_t)" : "", where);
        }
}

/* What the C in the file needs. */
static void emit_c_head(const Emit *e, const CHelpers *helpers, Text *out)
{
    text_puts(out, "\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    emit_clones_head(e->arena, e->p->lanes, out);
    emit_c_helpers(out, e->arena, helpers);
    emit_panel_head(e, out);
    emit_winograd_head(e, out);
    emit_indirect_head(e, out);
}

void emit_layer(const Emit *e, uint32_t index, Text *out)
{
    const Step *s = &e->p->steps[index];
    if (s->dnnl->winograd)
        emit_winograd(e, s, index, out);
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
    if (s->dnnl->winograd)
        emit_winograd_loops(e, s, out);
    else if (s->dnnl->indirect)
        emit_indirect_loops(e, s, out);
    else if (s->dnnl->epilogue)
        emit_epilogue_loops(e, s, out);
}

/* The layer's functions, or nothing where those of one before will do. */
static void emit_functions(Emit *e, uint32_t index, Text *out)
{
    const Step *s = &e->p->steps[index];
    if (first_layer_alike(e, index) != index)
        return;
    text_printf(out, "\n/*\n%s", step_comment(e->arena, e->p, s));
    text_printf(out, " * Planned for: %s\n", s->dnnl->impl);
    const uint32_t more = count_layers_alike(e, index) - 1;
    if (more)
        text_printf(out, " * The same for %u more layer%s.\n", more, more > 1 ? "s" : "");
    text_puts(out, " */\n");
    emit_loops(e, s, out);
    emit_layers_alike(e, index, out);
}

static bool has_primitive(const Step *s)
{
    const DnnlPrimitive *p = s->dnnl;
    return p && !p->indirect && !(p->winograd && !p->winograd->matmul);
}

/* Its primitives are made for a single thread. */
static bool parts_for_one(const DnnlPrimitive *d)
{
    return d->winograd    ? d->winograd->matmul->one_thread
           : d->attention ? d->attention->part[0]->one_thread
                          : d->one_thread;
}

static void emit_creator(const Emit *e, uint32_t step, Text *out)
{
    const LayerFunctions *f = &e->layers[step];
    if (f->row == NO_ROW)
        text_printf(out, "    {.create = create_%s", f->label);
    else
        text_printf(out, "    {.create_row = create_%s, .row = &at_%s[%u]", f->label, f->label,
                    f->row);
    text_printf(out, "%s},\n",
                e->p->threads > 1 && parts_for_one(e->p->steps[step].dnnl) ? ", .one_thread = true"
                                                                           : "");
}

/* What creates the layers of a unit, as a table: threads take rows of it. */
static void emit_creators(const Emit *e, uint32_t unit, const char *name, Text *out)
{
    const Program *p = e->p;
    bool any = false;
    for (uint32_t i = p->unit_start[unit]; i < p->unit_start[unit + 1]; i++) {
        if (!has_primitive(&p->steps[i]))
            continue;
        if (!any)
            text_printf(out, "\nstatic const struct dnnlc_creator %s_layers[] = {\n", name);
        any = true;
        emit_creator(e, i, out);
    }
    if (any)
        text_puts(out, "};\n");
    text_printf(out, "\nvoid %s_create(struct dnnlc_setup *s)\n{\n", name);
    if (any)
        text_printf(
            out,
            "    dnnlc_create_layers(s, %s_layers, sizeof %s_layers / sizeof *%s_layers);\n}\n",
            name, name, name);
    else
        text_puts(out, "    (void)s;\n}\n");
}

/* Its function looks for the tensors by itself. */
static bool sets_handles(const Step *s)
{
    return s->dnnl->winograd || s->dnnl->indirect || s->dnnl->epilogue || s->dnnl->attention;
}

/* oneDNN takes as many threads as there are, and one for layers that are not worth more. A change of the number stands outside of
 * the block of `before`, which might be left out: true if that was ended. */
static bool emit_threads(const Program *p, bool one, const Step *before, bool *is_one, Text *out)
{
    const bool change = p->threads > 1 && one != *is_one;
    if (change) {
        emit_guard(p, before, NULL, out);
        text_printf(out, "    omp_set_num_threads(%s);\n", one ? "1" : "ctx->threads");
    }
    *is_one = one;
    return change;
}

static void emit_dnnl_call(const Emit *e, uint32_t index, Text *out)
{
    const Step *s = &e->p->steps[index];
    const LayerFunctions *f = &e->layers[index];
    const char *row =
        f->row == NO_ROW ? "" : arena_printf(e->arena, ", &at_%s[%u]", f->label, f->row);
    c_put_indented(
        out, guard_indent(s),
        arena_printf(e->arena,
                     "if ((status = run_%s(ctx%s%s)) != dnnl_success)\n    return %s_fail(ctx, %u, "
                     "status);\n%s_trace(m, %u);\n",
                     f->label, sets_handles(s) ? ", m" : "", row, e->names.name, index,
                     e->names.name, index));
}

static void emit_unit_run(const Emit *e, uint32_t region, Text *out)
{
    const Program *p = e->p;
    const char *unit = unit_name(e, region), *name = e->names.name;
    const uint32_t first = p->unit_start[region], end = p->unit_start[region + 1];
    const Step *before = NULL;
    bool is_one = false;
    text_printf(out,
                "\nint %s_run(%s_context *ctx, const struct %s_memory *m)\n{\n    dnnl_status_t "
                "status;\n",
                unit, name, name);
    for (uint32_t i = first; i < end; i++)
        if (p->steps[i].dnnl && !sets_handles(&p->steps[i]))
            emit_handles(e, &p->steps[i], out);
    for (uint32_t i = first; i < end; i++) {
        const Step *s = &p->steps[i];
        if ((s->dnnl || kernel_is_shared(e->kernels, i)) &&
            emit_threads(p, s->dnnl && s->dnnl->one_thread, before, &is_one, out))
            before = NULL;
        emit_guard(p, before, s, out);
        before = s;
        if (s->dnnl)
            emit_dnnl_call(e, i, out);
        else
            emit_kernel_call(e->kernels, i, out);
    }
    if (!emit_threads(p, false, before, &is_one, out))
        emit_guard(p, before, NULL, out);
    text_puts(out, "    return dnnl_success;\n}\n");
}

/* Whether a layer of oneDNN's has loops in C too; the helpers that these call. */
static bool has_loop_in_c(const Emit *e, const Step *s, CHelpers *helpers)
{
    const DnnlPrimitive *p = s->dnnl;
    if (!p->winograd && !p->indirect && !p->epilogue)
        return p->attention && p->attention->n_ops;
    post_text_needs(post_text(e->arena, s), helpers);
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
    Text units;
    text_init(&units, e->arena);
    e->file_first = p->unit_start[first];
    for (uint32_t r = first; r < p->n_regions; r++)
        if (p->regions[r].target == TARGET_DNNL && e->file_of[r] == first)
            e->file_end = p->unit_start[r + 1];
    for (uint32_t r = first; r < p->n_regions; r++) {
        if (p->regions[r].target != TARGET_DNNL || e->file_of[r] != first)
            continue;
        calls = emit_layers(e, r, &helpers, &loops, &units) || calls;
        emit_creators(e, r, unit_name(e, r), &units);
        emit_unit_run(e, r, &units);
    }
    text_printf(out,
                "%s#include \"%s_internal.h\"\n\n#include \"dnnlc_primitives.h\"\n\n#include "
                "<math.h>\n#include <oneapi/dnnl/dnnl_version.h>\n",
                e->names.banner, e->names.name);
    text_puts(out, "\n#if DNNL_VERSION_MAJOR != 3 || DNNL_VERSION_MINOR < 7\n"
                   "#error \"this file needs oneDNN 3.7 or later (3.x)\"\n#endif\n");
    if (calls)
        text_printf(out, "\n#include \"%s_kernels.h\"\n", e->names.name);
    e->has_loops[first] = loops;
    if (loops)
        emit_c_head(e, &helpers, out);
    text_append(out, units.data, units.size);
}
