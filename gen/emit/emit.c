/* The emitted folder as a whole: all files are made in memory, then written. */
#include "emit.h"

#include "../dnnl/plan.h"

#include "../base/names.h"
#include "../ops/ops.h"
#include "c/emit_c.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void emit_add(Emit *e, const char *name, const void *data, size_t size)
{
    ARENA_PUSH(e->arena, e->files, e->n_files, e->cap_files,
               (EmitFile){arena_strdup(e->arena, name), data, size});
}

void emit_add_c(Emit *e, const char *name, const Text *code)
{
    Text wrapped = text_new(e->arena);
    wrap_lines(&wrapped, e->arena, code->data);
    emit_add(e, name, wrapped.data, wrapped.size);
}

const char *unit_name(const Emit *e, uint32_t region)
{
    const char *target = target_word(e->p->regions[region].target);
    return arena_printf(e->arena, "%s_%s_%u", e->o->origin.name, target, region);
}

const char *kernel_file_name(const Emit *e, uint32_t file)
{
    return arena_printf(e->arena, "%s_kernels_%u", e->o->origin.name, file);
}

/* C members for the ports, no two of the first `each` alike; those of other variants have the same. */
static const char **member_names(Arena *arena, const Port *ports, uint32_t n, uint32_t each,
                                 const char *upper)
{
    Names *taken = names_new(arena);
    const char **names = ARENA_ARRAY(arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        names[i] =
            i < each ? names_unique(taken, c_member(arena, ports[i].name, upper)) : names[i - each];
    return names;
}

bool unit_begins_file(const Emit *e, uint32_t region)
{
    return e->file_of[region] == region;
}

static bool is_first_alike(const Emit *e, uint32_t start, uint32_t step)
{
    for (uint32_t i = start; i < step; i++)
        if (e->layers[i].alike == e->layers[step].alike)
            return false;
    return true;
}

/* The steps of a unit that a file grows by that begins with unit `first`: functions are written once. */
static uint32_t count_new(const Emit *e, uint32_t first, uint32_t unit)
{
    uint32_t n = 0;
    for (uint32_t i = e->p->unit_start[unit]; i < e->p->unit_start[unit + 1]; i++)
        n += is_first_alike(e, e->p->unit_start[first], i);
    return n;
}

/* Units of one target share a file, and with oneDNN the functions that their layers have in common, until it has so many steps. */
static void choose_unit_files(Emit *e)
{
    enum { TARGETS = TARGET_DNNL + 1 };
    static const uint32_t most[TARGETS] = {[TARGET_DNNL] = 128, [TARGET_C] = 512};
    uint32_t file[TARGETS] = {0}, n[TARGETS] = {0};
    bool any[TARGETS] = {false};
    e->file_of = ARENA_ARRAY(e->arena, uint32_t, e->p->n_regions + 1);
    e->has_loops = ARENA_ARRAY(e->arena, bool, e->p->n_regions + 1);
    for (uint32_t r = 0; r < e->p->n_regions; r++) {
        const Target t = e->p->regions[r].target;
        if (!any[t] || n[t] >= most[t]) {
            file[t] = r;
            n[t] = 0;
            any[t] = true;
        }
        e->file_of[r] = file[t];
        n[t] += count_new(e, file[t], r);
    }
}

static void emit_kernels(Emit *e)
{
    Text header = text_new(e->arena);
    if (!kernel_files(e->kernels))
        return;
    emit_kernel_header(e->kernels, &header);
    emit_add_c(e, arena_printf(e->arena, "%s_kernels.h", e->o->origin.name), &header);
    if (kernel_files(e->kernels) > 1) {
        Text helpers = text_new(e->arena);
        emit_kernel_helpers(e->kernels, &helpers);
        emit_add_c(e, arena_printf(e->arena, "%s_helpers.h", e->o->origin.name), &helpers);
    }
    const Algorithms *algorithms = kernel_algorithms(e->kernels);
    for (size_t i = 0; i < algorithms_count(algorithms); i++) {
        Text t = text_new(e->arena);
        emit_algorithm(algorithms, i, e->names.banner, &t);
        emit_add_c(e, algorithm_file(algorithms, i), &t);
    }
    for (uint32_t i = 0; i < kernel_files(e->kernels); i++) {
        Text t = text_new(e->arena);
        emit_kernel_file(e->kernels, i, &t);
        emit_add_c(e, arena_printf(e->arena, "%s.c", kernel_file_name(e, i)), &t);
    }
}

/* NAME_c_K.c: the units of C that stand in the file of unit K. */
static void emit_c_file(const Emit *e, uint32_t first, Text *out)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind_c_file(b, &e->names);
    Places *places = places_new(e->p);
    for (uint32_t r = first; r < e->p->n_regions; r++)
        if (e->p->regions[r].target == TARGET_C && e->file_of[r] == first)
            bind_c_unit(e->p, r, &e->names, e->kernels, places, b);
    bind_places(places, b);
    render(out, "c/units.c", b);
}

static void emit_units(Emit *e)
{
    for (uint32_t r = 0; r < e->p->n_regions; r++) {
        Text t = text_new(e->arena);
        if (!unit_begins_file(e, r))
            continue;
        if (e->p->regions[r].target == TARGET_DNNL)
            emit_dnnl_file(e, r, &t);
        else
            emit_c_file(e, r, &t);
        emit_add_c(e, arena_printf(e->arena, "%s.c", unit_name(e, r)), &t);
    }
}

static bool calls_dnnl(const Program *p)
{
    for (uint32_t r = 0; r < p->n_regions; r++)
        if (p->regions[r].target == TARGET_DNNL)
            return true;
    return false;
}

/* One C file can hold the weights, or leaves them out; and nothing builds what was in the folder before. */
static bool can_amalgamate(const Program *p, const EmitOptions *o)
{
    if (o->weights == WEIGHTS_C && p->weights_bytes > WEIGHTS_PART)
        return refuse(p->graph->diag,
                      "--amalgamate: %zu MiB of weights are too many for a C array; --weights file "
                      "leaves them out of it",
                      p->weights_bytes >> 20);
    if (!access(arena_printf(p->arena, "%s/build.ninja", o->dir), F_OK))
        return refuse(p->graph->diag,
                      "%s: has a build.ninja; --amalgamate wants a folder that has none", o->dir);
    return true;
}

static void keep_code(const Emit *e, EmittedCode *code)
{
    code->files = arena_copy(e->arena, e->files, e->n_files * sizeof *e->files);
    code->n = e->n_files;
    code->function = ARENA_ARRAY(e->arena, const char *, e->p->n_steps + 1);
    for (uint32_t i = 0; i < e->p->n_steps; i++)
        code->function[i] =
            e->p->steps[i].target == TARGET_DNNL ? e->layers[i].label : kernel_name(e->kernels, i);
}

bool emit_folder(const Program *p, const EmitOptions *wanted)
{
    /* A model without a single oneDNN unit needs no engine, no OpenMP and no library. */
    EmitOptions actual = *wanted;
    const EmitOptions *options = &actual;
    if (!calls_dnnl(p)) {
        actual.origin.dnnl = false;
        actual.origin.isa = "any";
    }
    if (wanted->amalgamate && wanted->weights == WEIGHTS_EMBED)
        actual.weights = WEIGHTS_C;
    if (wanted->amalgamate && !can_amalgamate(p, &actual))
        return false;
    Emit e = {.p = p, .o = options, .arena = p->arena, .has_fallback = wanted->origin.dnnl};
    const Graph *g = p->graph;
    const char *file = options->origin.model ? options->origin.model : g->file;
    e.names = (EmitNames){
        .name = options->origin.name,
        .upper = arena_upper(e.arena, options->origin.name),
        .banner = arena_printf(
            e.arena,
            "/* Written by dnnlc %s from %s; do not edit.\n * Model SHA-256: %s\n * Command: %s "
            "*/\n",
            DNNLC_VERSION, c_safe_text(e.arena, strrchr(file, '/') ? strrchr(file, '/') + 1 : file),
            options->origin.model_hash, c_safe_text(e.arena, options->origin.command)),
        .threads = options->origin.threads,
        .weights_in_file = options->weights == WEIGHTS_FILE,
    };
    e.in_names = member_names(e.arena, g->inputs, g->n_inputs, inputs_each(g), e.names.upper);
    e.out_names = member_names(e.arena, g->outputs, g->n_outputs, outputs_each(g), e.names.upper);
    if (!choose_linked(&e))
        return false;
    e.kernels = kernel_set_new(p, &e.names);
    find_layers_alike(&e);
    find_equal_primitives(&e);
    e.weights = emit_weights_image(&e);
    choose_unit_files(&e);
    emit_kernels(&e);
    emit_units(&e);
    if (options->code)
        keep_code(&e, options->code);
    e.code_hash = options->weights == WEIGHTS_FILE ? hash_code(&e) : 0;
    if (options->replace_weights) {
        if (!can_replace_weights(&e))
            return false;
        e.n_files = 0;
        emit_weights(&e);
        return write_folder(options->dir, e.files, e.n_files, options->force, g->diag);
    }
    emit_selftest(&e);
    emit_debug(&e);
    emit_driver(&e);
    emit_cpp(&e);
    emit_weights(&e);
    emit_build_files(&e);
    if (options->amalgamate)
        emit_amalgamated(&e);
    const char *manifest = emit_manifest(&e);
    if (options->code)
        options->code->manifest = manifest;
    emit_sbom(&e);
    return write_folder(options->dir, e.files, e.n_files, options->force, g->diag);
}
