/* dnnlc MODEL: from the file to what is written. */
#include "compile.h"

#include "../../passes/common/images.h"
#include "../../passes/integers/ports.h"
#include "../../passes/pass.h"
#include "../../passes/pattern/table.h"
#include "../dnnl/engine.h"
#include "../explain/explain.h"
#include "../lower/lower.h"
#include "../onnx/export.h"
#include "../program/text.h"
#include "../report/report.h"
#include "../text/text_ir.h"
#include "../tune/search.h"
#include "../verify/run.h"
#include "beside.h"
#include "compiler.h"
#include "depfile.h"
#include "limits.h"
#include "load.h"
#include "machines.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_program(const Program *p)
{
    Text t = text_new(p->arena);
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
    if (tune_save(tune, &why))
        return;
    fflush(stdout); /* so that the line stands alone where both streams go to one file */
    fprintf(stderr, "dnnlc: the measured times are not kept: %s\n", why);
}

/* What else is asked for has to be what the answers are for. */
static bool replay_engine(Graph *g, const Options *o, DnnlEngine **engine)
{
    if (!onednn_engine_replay(g->arena, g->diag, o->engine, engine))
        return false;
    if (!isa_is_native(o->isa) && strcmp(o->isa, onednn_engine_isa(*engine)) != 0)
        return refuse(g->diag, "--isa %s: %s holds answers for %s", o->isa, o->engine,
                      onednn_engine_isa(*engine));
    if (o->threads && o->threads != onednn_engine_threads(*engine))
        return refuse(g->diag, "--threads %d: %s holds answers for %d", o->threads, o->engine,
                      onednn_engine_threads(*engine));
    return fits_compiler(g->arena, g->diag, o, onednn_engine_isa(*engine));
}

static bool open_engine(Graph *g, const Options *o, const Machine *m, int threads,
                        DnnlEngine **engine)
{
    if (o->target_c)
        return true;
    if (o->engine ? !replay_engine(g, o, engine)
                  : !onednn_engine_open(g->arena, g->diag, isa_of(o, m), threads, engine))
        return false;
    if (o->record_engine &&
        !onednn_engine_record(g->arena, g->diag, o->record_engine, *engine, engine))
        return false;
    return !o->bf16 || onednn_engine_has_bf16(*engine) ||
           refuse(g->diag,
                  "%s: --precision bf16 needs a CPU with AVX512_BF16, AMX or AVX_NE_CONVERT, and "
                  "--isa %s means %s here, where oneDNN would emulate it",
                  o->model, o->isa ? o->isa : "native", onednn_engine_isa(*engine));
}

/* The page shows what was measured of just this program: that is read before anything is written. Of a program that was read as text the machine is not known,
 * but for its instruction set. */
static bool emit_with_report(const Program *p, EmitOptions *options, const Options *o,
                             const Machine *m)
{
    const Machine typical = machine_of_isa(p->origin.isa);
    Diag *diag = p->graph->diag;
    EmittedCode code = {0};
    Profile profile;
    LayerErrors errors;
    const ReportFacts facts = {.p = p,
                               .machine = m ? m : &typical,
                               .code = &code,
                               .profile = o->profile ? &profile : NULL,
                               .errors = o->verified ? &errors : NULL};
    if ((o->profile && !profile_read(p, o->profile, diag, &profile)) ||
        (o->verified && !errors_read(p, o->verified, diag, &errors)))
        return false;
    options->code = &code;
    return emit_folder(p, options) && report_write(&facts, o->report, diag);
}

bool emit_program(const Program *p, const Options *o, const Machine *m)
{
    const char *from = p->origin.name, *name = o->named || !from ? o->name : from;
    EmitOptions options = {.dir = o->has_dir ? o->dir : name,
                           .origin = p->origin,
                           .weights = o->weights,
                           .amalgamate = o->amalgamate,
                           .debug = o->debug,
                           .replace_weights = o->replace_weights,
                           .force = o->force,
                           .full = o->full,
                           .also = o->also};
    const char *host = p->origin.dnnl ? onednn_isa_host(p->origin.isa) : NULL;
    const char *cc = !o->cc && host ? arena_printf(p->arena, "%s-gcc", host) : o->cc;
    options.origin.name = name;
    options.host = host;
    if (!p->placed)
        return refuse(p->graph->diag,
                      "--passes %s: to emit a program it needs what 'plan-memory' makes",
                      o->passes ? o->passes : "");
    if (o->explain)
        print_program(p);
    if (cc && !ask_compiler(p->graph->diag, o->model, cc, &options))
        return false;
    const char *made = o->amalgamate        ? arena_printf(p->arena, "%s.c", name)
                       : o->replace_weights ? arena_printf(p->arena, "%s_weights.bin", name)
                                            : "build.ninja";
    if (!(o->report ? emit_with_report(p, &options, o, m) : emit_folder(p, &options)) ||
        !write_depfile(p->graph->diag, o, arena_printf(p->arena, "%s/%s", options.dir, made)))
        return false;
    if (o->quiet)
        return true;
    if (o->replace_weights) {
        printf("%s/%s_weights.bin: the weights of this model\n", options.dir, name);
        return true;
    }
    printf("%s: %u layer%s in %u unit%s, workspace %.1f KiB, weights %.1f KiB; build it with: "
           "%s%s\n",
           options.dir, p->n_steps, p->n_steps == 1 ? "" : "s", p->n_regions,
           p->n_regions == 1 ? "" : "s", (double)p->workspace_bytes / 1024,
           (double)p->weights_bytes / 1024,
           o->amalgamate ? "a C compiler, as its head says" : "ninja -C ",
           o->amalgamate ? "" : options.dir);
    return true;
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

/* A program where the passes have made one, and as text; the graph otherwise. */
static bool write_form(const Graph *g, const Program *p, const Options *o)
{
    if (!strcmp(o->emit, "onnx"))
        return write_onnx(g);
    Text t = text_new(g->arena);
    if (!strcmp(o->emit, "text") && p->lowered)
        print_program_text(p, &t);
    else if (!strcmp(o->emit, "text"))
        print_text_ir(g, &t);
    else
        print_dot(g, &t);
    fwrite(t.data, 1, t.size, stdout);
    return true;
}

static bool check_request(Diag *diag, const Options *o)
{
    if (o->bf16 && o->target_c)
        return refuse(diag,
                      "%s: --precision bf16 is for oneDNN: --target c would emulate bf16, which is "
                      "slower than f32",
                      o->model);
    if (o->no_float && !o->target_c)
        return refuse(diag, "%s: --no-float is for --target c", o->model);
    if (o->emit && !strcmp(o->emit, "onnx") && isatty(STDOUT_FILENO))
        return refuse(diag,
                      "%s: --emit onnx writes bytes, which a terminal does not show: send "
                      "them to a file",
                      o->model);
    if ((o->engine || o->record_engine) && o->target_c)
        return refuse(diag, "%s: --target c asks no engine", o->model);
    if (o->depfile && (o->emit || o->stop_after))
        return refuse(diag,
                      "%s: --depfile is for what is written into a folder, and %s writes none",
                      o->model, o->emit ? "--emit" : "--stop-after");
    if (o->engine && (o->tune || o->record_engine))
        return refuse(diag, "%s: --engine %s: %s needs oneDNN itself", o->model, o->engine,
                      o->tune ? "--tune" : "--record-engine");
    return true;
}

static bool run_chosen(Graph *g, Program *p, const PassOptions *passes, const Options *o)
{
    Text log = text_new(g->arena), printed = text_new(g->arena);
    const bool ok =
        run_passes(g, p, passes, o->passes, o->print_after, o->stop_after, &log, &printed);
    if (ok)
        printf("%s%s", printed.data, o->explain ? log.data : "");
    return ok;
}

/* --verify; p has the origin, and is made into a program where `lowers` says so. */
static bool run_verified(Graph *g, Program *p, bool lowers, const PassOptions *passes,
                         const Compiler *c)
{
    const Options *o = c->o;
    Text log = text_new(g->arena), printed = text_new(g->arena);
    Verified verified;
    if ((c->beside && !beside_takes(g, o)) ||
        !run_passes_verified(g, lowers ? p : NULL, passes, o->passes, o->print_after, o->stop_after,
                             &log, &printed, &verified))
        return false;
    const bool ok = !c->beside || beside_compare(p, o, c->beside, &verified, &printed);
    printf("%s%s", printed.data, ok && o->explain ? log.data : "");
    return ok;
}

static bool write_result(Graph *g, const Program *p, const Options *o, const Machine *m)
{
    return o->emit ? write_form(g, p, o) : o->stop_after || emit_program(p, o, m);
}

static int threads_of(const Options *o)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return o->threads ? o->threads : o->target_c || cpus < 1 ? 1 : (int)cpus;
}

static ProgramOrigin origin_of(const Graph *g, const Options *o, const char *hash)
{
    return (ProgramOrigin){.model = base_name(g->file),
                           .model_hash = hash,
                           .name = o->name,
                           .command = o->command,
                           .threads = threads_of(o),
                           .dnnl = !o->target_c,
                           .bf16 = o->bf16,
                           .keep_denormals = o->keep_denormals || o->no_float};
}

bool plan_graph(Graph *g, Program *p, Compiler *c, const char *hash, DnnlEngine **engine)
{
    const Options *o = c->o;
    const Tuning *tuning = &c->tuning;
    Machine *machine = &c->machine;
    *p = (Program){.graph = g, .arena = g->arena, .origin = origin_of(g, o, hash)};
    const bool program = wants_program(o->passes, o->stop_after, !o->emit);
    const int threads = p->origin.threads;
    if (!o->target_c && !library_is_there && !o->engine && !onednn_isa_host(isa_of(o, machine)))
        return refuse_without_library(g->diag, o->model);
    const bool file = o->engine || o->record_engine;
    if ((program || file) && !open_engine(g, o, machine, threads, engine))
        return false;
    if (file && !fit_machine(g->diag, o, onednn_engine_isa(*engine), machine))
        return false;
    const char *isa = file ? onednn_engine_isa(*engine) : isa_of(o, machine);
    PassOptions passes = {.target_c = o->target_c,
                          .isa = isa,
                          .threads = file ? onednn_engine_threads(*engine) : o->threads,
                          .bf16 = o->bf16,
                          .no_float = o->no_float,
                          .keep_denormals = o->keep_denormals,
                          .machine = machine,
                          .int8 = !o->target_c && onednn_isa_has_int8(isa),
                          .patterns = c->patterns,
                          .watch = c->watch};
    const LowerOptions lowering = {.conv = o->no_winograd ? CONV_NO_WINOGRAD : CONV_WHERE_FASTER,
                                   .tune = *engine && tuning->measured ? tuning->tune : NULL,
                                   .search = tuning->search,
                                   .no_float = o->no_float,
                                   .frees = !c->keeps && !o->verify && !o->emit && !o->stop_after,
                                   .machine = machine};
    p->origin.threads = *engine ? onednn_engine_threads(*engine) : threads;
    p->origin.isa = *engine ? onednn_engine_isa(*engine) : "any";
    p->origin.machine = machine->hash;
    passes.engine = *engine;
    passes.lowering = &lowering;
    if (o->no_float) {
        Text notes = text_new(g->arena);
        ports_in_bytes(g, &notes);
        fputs(o->quiet ? "" : notes.data, stderr);
    }
    if (o->selftest && !(p->origin.golden = evaluate_random(g)))
        return false;
    p->origin.rows_apart = computes_rows_apart(g);
    p->origin.coarse = o->bf16 || graph_quantises(g);
    return (o->verify ? run_verified(g, p, program, &passes, c)
                      : run_chosen(g, program ? p : NULL, &passes, o)) &&
           onednn_engine_finish(*engine, g->diag);
}

bool may_be_emitted(Diag *diag, const Options *o, const DnnlEngine *engine)
{
    const char *lacks = onednn_engine_lacks(engine);
    return !lacks ||
           refuse(diag,
                  "%s: to pack '%s' needs oneDNN itself; by its answers alone the model can be "
                  "explained, not emitted",
                  o->engine ? o->engine : o->model, lacks);
}

/* What is written of the result. */
static bool finish(Graph *g, const Program *p, const Compiler *c, const DnnlEngine *engine)
{
    const Options *o = c->o;
    Text explained = text_new(g->arena);
    if (o->explain)
        explain_text(g, &explained);
    fputs(explained.data, stdout);
    if (c->tuning.tune && !o->quiet)
        finish_tune(c->tuning.tune, o->explain);
    const char *lacks = onednn_engine_lacks(engine);
    const bool has_weights = o->emit ? !strcmp(o->emit, "text") && p->lowered : !o->stop_after;
    if (lacks && has_weights && o->explain && p->placed)
        print_program(p);
    return (!has_weights || may_be_emitted(g->diag, o, engine)) &&
           write_result(g, p, o, &c->machine);
}

/* A file that holds a program: all that is left to choose is how it is emitted. */
static bool go_on(Program *p, const PassOptions *passes, const Options *o)
{
    Graph *g = (Graph *)p->graph;
    if (o->target_c || o->cc || o->no_float || o->bf16 || o->keep_denormals || o->no_winograd ||
        o->tune || o->verify || o->selftest || o->threads || o->engine || o->record_engine ||
        o->patterns || o->n_dims || o->n_shapes || o->n_binds || o->n_states ||
        !isa_is_native(o->isa) || o->also || o->machine)
        return refuse(g->diag,
                      "%s: a program is compiled already, with '%s'; what can be chosen is -o, "
                      "--name, --weights and --full",
                      o->model, p->origin.command ? p->origin.command : "");
    p->origin.command =
        arena_printf(g->arena, "%s%s", p->origin.command ? p->origin.command : "dnnlc", o->more);
    return run_chosen(g, p, passes, o) && write_result(g, p, o, NULL);
}

/* From the file to what is written; p is the program, if one is made. */
static bool compile_model(Arena *arena, Diag *diag, const Compiler *c, Program *p)
{
    const Options *o = c->o;
    char hash[65];
    DnnlEngine *engine = NULL;
    Graph *g = load_graph(arena, diag, o, hash, p);
    if (!g)
        return false;
    if (p->lowered)
        return go_on(p, &(PassOptions){0}, o);
    if (g->variants.n > 1 && o->tune_seconds)
        return refuse_graph(
            g, "--tune=SECONDS takes a model of one size, and this one has %u variants",
            g->variants.n);
    if (g->variants.n > 1 && o->emit && !strcmp(o->emit, "onnx"))
        return refuse_graph(g,
                            "--emit onnx writes one graph, and this model has one for each of %u "
                            "variants: give each option one value",
                            g->variants.n);
    Compiler own = *c;
    const bool ok =
        plan_graph(g, p, &own, arena_strdup(arena, hash), &engine) && finish(g, p, &own, engine);
    onednn_engine_close(engine);
    return ok;
}

/* A program to be timed: nothing is said of it. */
static const Program *compile_candidate(void *user, Arena *arena, Search *search, bool measured,
                                        const char *dir, Diag *diag)
{
    Compiler c = *(const Compiler *)user;
    Options o = *c.o;
    Program *p = ARENA_NEW(arena, Program);
    o.quiet = o.has_dir = true;
    o.explain = o.verify = o.selftest = o.debug = false;
    c.beside = NULL;
    o.emit = o.print_after = o.stop_after = o.report = o.depfile = NULL;
    o.dir = dir;
    o.weights = WEIGHTS_EMBED;
    c.o = &o;
    c.tuning.measured = measured;
    c.tuning.search = search;
    return compile_model(arena, diag, &c, p) ? p : NULL;
}

/* What a plan depends on, besides what is in keys of times in any case. */
static bool name_plan(Arena *arena, Diag *diag, const Options *o, const char **name)
{
    MappedFile file;
    char hash[65];
    if (!map_file(arena, o->model, &file, diag))
        return false;
    sha256_hex(file.data, file.size, hash);
    const char *all = arena_printf(arena, "%s %s", hash, o->command);
    sha256_hex(all, strlen(all), hash);
    *name = arena_printf(arena, "program %s", hash);
    return true;
}

/* The times that are known for what is planned for; with --tune=SECONDS more are measured first. */
static bool begin_tuning(Arena *arena, Diag *diag, const Options *o, Compiler *c, Search *final)
{
    const int threads = threads_of(o);
    DnnlEngine *engine = NULL;
    int plan = PLAN_MEASURED;
    if (!o->tune || !wants_program(o->passes, o->stop_after, !o->emit) ||
        (o->target_c ? !o->tune_seconds : !library_is_there))
        return true;
    if (!o->target_c && !onednn_engine_open(arena, diag, isa_of(o, &c->machine), threads, &engine))
        return false;
    c->tuning.tune = tune_open(arena, engine ? onednn_engine_isa(engine) : "any", threads);
    onednn_engine_close(engine);
    const char *isa = isa_of(o, &c->machine);
    SearchRequest r = {.name = o->name,
                       .isa = o->target_c || isa_is_native(isa) ? NULL : isa,
                       .seconds = o->tune_seconds,
                       .threads = threads,
                       .quiet = o->quiet,
                       .compile = compile_candidate,
                       .user = c};
    if (o->tune_seconds && (!name_plan(arena, diag, o, &r.model) ||
                            !search_plan(arena, diag, c->tuning.tune, &r, &plan)))
        return false;
    *final = (Search){.arena = arena, .tune = c->tuning.tune, .says = true};
    c->tuning.measured = plan & PLAN_MEASURED;
    c->tuning.search = plan & PLAN_SEARCHED ? final : NULL;
    return true;
}

bool begin_compiler(Arena *arena, Diag *diag, const Options *o, Compiler *c)
{
    PatternTable *patterns = pattern_table_new(arena);
    *c = (Compiler){
        .o = o, .patterns = patterns, .beside = o->beside ? ARENA_NEW(arena, Runtime) : NULL};
    limit_memory(o);
    limit_time(o);
    if (o->report && !report_can_write(diag, o->report))
        return false;
    return check_request(diag, o) && find_machine(arena, diag, o, &c->machine) &&
           (o->target_c || o->engine || fits_compiler(arena, diag, o, isa_of(o, &c->machine))) &&
           (!c->beside || runtime_find(arena, diag, o->onnxruntime, c->beside)) &&
           (!o->patterns || pattern_file_read(arena, diag, o->patterns, patterns));
}

bool compile_command(Arena *arena, Diag *diag, const Options *o)
{
    Program p = {0};
    Compiler c;
    Search search;
    return begin_compiler(arena, diag, o, &c) && begin_tuning(arena, diag, o, &c, &search) &&
           compile_model(arena, diag, &c, &p);
}
