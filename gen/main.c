/* dnnlc: the command. */
#include "../passes/pass.h"
#include "../passes/pattern_table.h"
#include "../passes/plan_memory.h"
#include "dnnl/engine.h"
#include "explain.h"
#include "lower/lower.h"
#include "onnx/export.h"
#include "onnx/import.h"
#include "options.h"
#include "text/text_ir.h"
#include "tune/tune.h"
#include "verify/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Text IR is told by its suffix or by its first word. */
static bool is_text_ir(const char *path, const char *data, size_t size)
{
    const char *dot = strrchr(path, '.');
    if (dot && (!strcmp(dot, ".ir") || !strcmp(dot, ".dnnlc")))
        return true;
    if (dot && !strcmp(dot, ".onnx"))
        return false;
    while (size && (*data == ' ' || *data == '\n' || *data == '\t'))
        data++, size--;
    return size > 6 && (!strncmp(data, "graph ", 6) || !strncmp(data, "//", 2));
}

static Graph *load(Arena *arena, Diag *diag, const Options *o, char hash[65])
{
    char *data;
    size_t size;
    if (!read_file(arena, o->model, &data, &size, diag))
        return NULL;
    sha256_hex(data, size, hash);
    if (is_text_ir(o->model, data, size))
        return parse_text_ir(arena, diag, o->model, data, size);
    Text notes;
    text_init(&notes, arena);
    const ImportOptions import = {.dims = o->dims,
                                  .n_dims = o->n_dims,
                                  .shapes = o->shapes,
                                  .n_shapes = o->n_shapes,
                                  .binds = o->binds,
                                  .n_binds = o->n_binds,
                                  .notes = &notes};
    Graph *g = import_onnx(arena, diag, o->model, &import);
    fputs(notes.data, stderr);
    return g;
}

static void print_explanation(const Graph *g)
{
    Text t;
    text_init(&t, g->arena);
    explain_text(g, &t);
    fputs(t.data, stdout);
}

static void print_program(const Program *p)
{
    Text t;
    text_init(&t, p->arena);
    explain_program(p, &t);
    fputs(t.data, stdout);
}

static void finish_tune(Tune *tune, bool explain)
{
    size_t measured, found;
    const char *why;
    if (explain)
        fputs(tune_notes(tune)->data, stdout);
    tune_count(tune, &measured, &found);
    printf("--tune: %zu times measured, %zu from the cache\n", measured, found);
    if (!tune_save(tune, &why))
        fprintf(stderr, "dnnlc: the measured times are not kept: %s\n", why);
}

static bool compile(Graph *g, const Options *o, const char *hash)
{
    DnnlEngine *engine = NULL;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = o->threads ? o->threads : o->target_c ? 1 : cpus > 0 ? (int)cpus : 1;
    if (!o->target_c && !dnnl_engine_open(g->arena, g->diag, o->isa, threads, &engine))
        return false;
    Tune *tune = o->tune && engine ? tune_open(g->arena, dnnl_engine_isa(engine), threads) : NULL;
    const LowerOptions lowering = {.conv = o->no_winograd ? CONV_NO_WINOGRAD : CONV_WHERE_FASTER,
                                   .tune = tune};
    if (o->bf16 && !dnnl_engine_has_bf16(engine)) {
        refuse(
            g->diag,
            "%s: --precision bf16 needs a CPU with AVX512_BF16, AMX or AVX_NE_CONVERT, and --isa "
            "%s means %s here, where oneDNN would emulate it",
            o->model, o->isa, dnnl_engine_isa(engine));
        dnnl_engine_close(engine);
        return false;
    }
    Program *p = lower(g, engine, &lowering);
    if (tune)
        finish_tune(tune, o->explain);
    const EmitOptions emit = {.dir = o->dir,
                              .name = o->name,
                              .command = o->command,
                              .model_hash = hash,
                              .isa = engine ? dnnl_engine_isa(engine) : "any",
                              .threads = threads,
                              .weights = o->weights,
                              .dnnl = !o->target_c,
                              .bf16 = o->bf16};
    bool ok = p && plan_memory(p) && verify_program(p);
    if (ok && o->explain)
        print_program(p);
    ok = ok && emit_folder(p, &emit);
    dnnl_engine_close(engine);
    if (ok)
        printf("%s: %u layer%s in %u unit%s, workspace %.1f KiB, weights %.1f KiB; build it with: "
               "ninja -C %s\n",
               o->dir, p->n_steps, p->n_steps == 1 ? "" : "s", p->n_regions,
               p->n_regions == 1 ? "" : "s", (double)p->workspace_bytes / 1024,
               (double)p->weights_bytes / 1024, o->dir);
    return ok;
}

static bool write_onnx(const Graph *g)
{
    uint8_t *bytes;
    size_t size;
    if (!export_onnx(g, g->arena, &bytes, &size))
        return false;
    fwrite(bytes, 1, size, stdout);
    return true;
}

static bool write_form(const Graph *g, const Options *o)
{
    Text t;
    if (!strcmp(o->emit, "onnx"))
        return write_onnx(g);
    text_init(&t, g->arena);
    if (!strcmp(o->emit, "text"))
        print_text_ir(g, &t);
    else
        print_dot(g, &t);
    fwrite(t.data, 1, t.size, stdout);
    return true;
}

static bool list_patterns(Arena *arena, Diag *diag, const Options *o)
{
    PatternTable *table = pattern_table_new(arena);
    Text t;
    text_init(&t, arena);
    if (o->patterns && !pattern_file_read(arena, diag, o->patterns, table))
        return false;
    print_patterns(table, &t);
    fputs(t.data, stdout);
    return true;
}

static bool run(Arena *arena, Diag *diag, const Options *o)
{
    if (o->bf16 && o->target_c)
        return refuse(diag,
                      "%s: --precision bf16 is for oneDNN: --target c would emulate bf16, which is "
                      "slower than f32",
                      o->model);
    if (o->emit && !strcmp(o->emit, "onnx") && isatty(STDOUT_FILENO))
        return refuse(diag,
                      "%s: --emit onnx writes bytes, which a terminal does not show: send "
                      "them to a file",
                      o->model);
    if (!dnnl_isa_known(diag, o->isa))
        return false;
    if (!o->target_c && !library_is_there)
        return refuse(diag, "%s: oneDNN is not built into this compiler: it has --target c only",
                      o->model);
    char hash[65];
    Text printed;
    text_init(&printed, arena);
    PatternTable *patterns = pattern_table_new(arena);
    if (o->patterns && !pattern_file_read(arena, diag, o->patterns, patterns))
        return false;
    Graph *g = load(arena, diag, o, hash);
    const PassOptions passes = {.target_c = o->target_c,
                                .isa = o->isa,
                                .threads = o->threads,
                                .bf16 = o->bf16,
                                .lanes = o->target_c ? 0 : dnnl_isa_lanes(o->isa),
                                .int8 = !o->target_c && dnnl_isa_has_int8(o->isa),
                                .patterns = patterns};
    if (!g)
        return false;
    if (!o->verify) {
        if (!run_passes(g, &passes, o->passes, o->print_after, o->stop_after, NULL, &printed))
            return false;
    } else if (!run_passes_verified(g, &passes, o->passes, o->print_after, o->stop_after, &printed))
        return false;
    fputs(printed.data, stdout);
    if (o->explain)
        print_explanation(g);
    if (o->emit)
        return write_form(g, o);
    return o->stop_after ? true : compile(g, o, hash);
}

int main(int argc, char **argv)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Options o;
    int status = 0;
    if (!parse_options(arena, argc, argv, &o))
        status = 2;
    else if (o.help)
        print_help(arena);
    else if (o.version)
        printf("dnnlc %s, %s\n", DNNLC_VERSION,
               library_is_there ? "oneDNN " ONEDNN_VERSION_TEXT : "without oneDNN");
    else if (!(o.list_patterns ? list_patterns(arena, &diag, &o) : run(arena, &diag, &o))) {
        fprintf(stderr, "dnnlc: %s\n", diag.message ? diag.message : "refused");
        status = 1;
    }
    if (status == 0 && (fflush(stdout) || ferror(stdout))) {
        fputs("dnnlc: the output could not be written\n", stderr);
        status = 1;
    }
    arena_free(arena);
    return status;
}
