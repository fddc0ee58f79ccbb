/* dnnlc: the command. */
#include "../passes/integers/ports.h"
#include "../passes/pass.h"
#include "../passes/pattern/table.h"
#include "base/utf8.h"
#include "cli/compiler.h"
#include "cli/variants.h"
#include "dnnl/engine.h"
#include "explain/explain.h"
#include "lower/lower.h"
#include "onnx/export.h"
#include "onnx/import.h"
#include "program/text.h"
#include "text/text_ir.h"
#include "tune/measure.h"
#include "tune/search.h"
#include "verify/run.h"

#include <signal.h>
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

static Graph *import(Arena *arena, Diag *diag, const Options *o, MappedFile file, int64_t part)
{
    Text notes = text_new(arena);
    const ImportOptions options = {.dims = o->dims,
                                   .n_dims = o->n_dims,
                                   .shapes = o->shapes,
                                   .n_shapes = o->n_shapes,
                                   .binds = o->binds,
                                   .n_binds = o->n_binds,
                                   .max_trips = o->max_trips,
                                   .part = part,
                                   .notes = part ? NULL : &notes};
    Graph *g = import_onnx_bytes(arena, diag, o->model, file, &options);
    if (!part && !o->quiet)
        fputs(notes.data, stderr);
    return g;
}

/* Of a model with bounds also plans for a half and a quarter of them, where those are as the whole one is: a run takes the smallest that has
 * room for its rows. */
static void add_smaller(Arena *arena, const Options *o, MappedFile file, Graph *g)
{
    enum { LEAST = 2 }; /* rows that a plan of its own is worth */
    const uint32_t n = g->n_inputs;
    Variants *v = &g->variants;
    int64_t least = INT64_MAX;
    size_t n_dims = 0, cap_dims = 0, n_sizes = 0, cap = 0;
    for (uint32_t i = 0; i < n; i++)
        if (graph_bound(g, i) >= 0) {
            ARENA_PUSH(arena, v->dims, n_dims, cap_dims, g->inputs[i].name);
            ARENA_PUSH(arena, v->sizes, n_sizes, cap, graph_bound(g, i));
            least = graph_bound(g, i) < least ? graph_bound(g, i) : least;
        }
    for (int64_t part = 2; part <= 4 && least / part >= LEAST; part *= 2) {
        Diag none = {0};
        memory_allow(file.size);
        Graph *other = o->max_variants && v->n >= (uint32_t)o->max_variants
                           ? NULL
                           : import(arena, &none, o, file, part);
        if (!other || !graph_add_smaller(g, other))
            break;
        for (size_t d = 0; d < n_dims; d++)
            ARENA_PUSH(arena, v->sizes, n_sizes, cap, (v->sizes[d] + part - 1) / part);
    }
    v->n_dims = v->n > 1 ? (uint32_t)n_dims : 0;
}

/* Pairs of --state. */
static bool keep_states(Graph *g, const Options *o)
{
    Text notes = text_new(g->arena);
    if (!graph_keep_states(g, o->states, o->n_states, &notes))
        return false;
    fputs(notes.data && !o->quiet ? notes.data : "", stderr);
    return true;
}

/* Whether states become longer: a plan for fewer rows would have them at other row pitches. */
static bool has_longer_states(const Graph *g)
{
    for (uint32_t i = 0; i < g->n_inputs; i++)
        if (g->inputs[i].state && g->inputs[i].n_counts)
            return true;
    return false;
}

/* A graph for each combination of sizes, side by side. */
static Graph *import_all(Arena *arena, Diag *diag, const Options *o, MappedFile file)
{
    Combinations c;
    if (!combine_options(arena, diag, o, &c))
        return NULL;
    Graph *g = import(arena, diag, &c.options[0], file, 0);
    if (!g || (o->n_states && !keep_states(g, o)))
        return NULL;
    for (uint32_t k = 1; k < c.n; k++) {
        memory_allow(file.size);
        const Graph *other = import(arena, diag, &c.options[k], file, 0);
        if (!other || !graph_add_variant(g, other))
            return NULL;
    }
    if (c.n > 1)
        g->variants = (Variants){c.n, c.n_dims, c.dims, c.sizes};
    else if (graph_has_bounds(g) && !has_longer_states(g))
        add_smaller(arena, &c.options[0], file, g);
    return graph_keep_in_all(g) ? g : NULL;
}

/* The graph; also its program, where the file holds one. The bytes that are hashed are those that are read. */
static Graph *load(Arena *arena, Diag *diag, const Options *o, char hash[65], Program *p)
{
    MappedFile file;
    if (!map_file(arena, o->model, &file, diag))
        return NULL;
    sha256_hex(file.data, file.size, hash);
    rest_file(&file, file.data, file.size);
    memory_allow(file.size);
    const char *text = (const char *)file.data;
    if (!is_text_ir(o->model, text, file.size))
        return import_all(arena, diag, o, file);
    Graph *g = parse_program_text(arena, diag, o->model, arena_strndup(arena, text, file.size),
                                  file.size, p);
    const bool keeps = g && o->n_states && !p->lowered; /* go_on refuses it of a program */
    return !keeps || (keep_states(g, o) && graph_keep_in_all(g)) ? g : NULL;
}

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
    if (!tune_save(tune, &why))
        fprintf(stderr, "dnnlc: the measured times are not kept: %s\n", why);
}

/* To limit oneDNN to; NULL: to nothing. */
static const char *isa_of(const Options *o, const Machine *machine)
{
    return o->isa ? o->isa : o->machine ? machine->isa : NULL;
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
    return true;
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

static bool emit(const Program *p, const Options *o)
{
    const char *from = p->origin.name, *name = o->named || !from ? o->name : from;
    EmitOptions options = {.dir = o->has_dir ? o->dir : name,
                           .origin = p->origin,
                           .weights = o->weights,
                           .amalgamate = o->amalgamate,
                           .replace_weights = o->replace_weights,
                           .force = o->force,
                           .full = o->full,
                           .also = o->also};
    options.origin.name = name;
    if (!p->placed)
        return refuse(p->graph->diag,
                      "--passes %s: to emit a program it needs what 'plan-memory' makes",
                      o->passes ? o->passes : "");
    if (o->explain)
        print_program(p);
    if (o->cc && !ask_compiler(p->graph->diag, o->model, o->cc, &options))
        return false;
    if (!emit_folder(p, &options))
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

static bool list_patterns(Arena *arena, Diag *diag, const Options *o)
{
    PatternTable *table = pattern_table_new(arena);
    Text t = text_new(arena);
    if (o->patterns && !pattern_file_read(arena, diag, o->patterns, table))
        return false;
    print_patterns(table, &t);
    fputs(t.data, stdout);
    return true;
}

/* To the instruction set that is planned for: figures of a file have to be for its like. */
static bool fit_machine(Diag *diag, const Options *o, const char *isa, Machine *m)
{
    if (!o->machine)
        *m = machine_of_isa(isa);
    else if (!machine_same_class(isa, m->isa))
        return refuse(diag, "%s: these are figures of a machine with %s, which do not fit %s",
                      o->machine, m->isa, isa);
    m->isa = isa;
    return true;
}

/* "native": by --measure-machine, for this CPU and the instruction set. */
static bool read_machine(Arena *arena, Diag *diag, const Options *o, Machine *m)
{
    if (strcmp(o->machine, "native"))
        return machine_read(arena, diag, o->machine, m);
    const char *path = machine_measured_path(arena, onednn_isa_name(o->isa));
    return (path && !access(path, R_OK) && machine_read(arena, diag, path, m)) ||
           refuse(diag, "--machine native: nothing is measured for this CPU and instruction set; "
                        "dnnlc --measure-machine does that");
}

/* Of the file, or else of the instruction set. Where nothing is said of that, the file's is taken. */
static bool find_machine(Arena *arena, Diag *diag, const Options *o, Machine *m)
{
    if (!onednn_isa_known(diag, o->isa))
        return false;
    if (!o->machine)
        return fit_machine(diag, o, o->target_c ? "sse41" : onednn_isa_name(o->isa), m);
    /* where nothing is said of the instruction set, oneDNN is not asked for its own: then it could not be limited any more */
    return read_machine(arena, diag, o, m) && onednn_isa_known(diag, m->isa) &&
           (!o->isa || fit_machine(diag, o, onednn_isa_name(o->isa), m));
}

static bool print_this_machine(Arena *arena, Diag *diag, const Options *o)
{
    Machine m;
    Text t = text_new(arena);
    if (!find_machine(arena, diag, o, &m))
        return false;
    machine_print(&m, &t);
    fputs(t.data, stdout);
    return true;
}

/* The figures of this machine to where --machine native finds them. */
static bool measure_this_machine(Arena *arena, Diag *diag, const Options *o)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    DnnlEngine *engine;
    Text notes = text_new(arena), out = text_new(arena);
    if (!onednn_isa_known(diag, o->isa) ||
        !onednn_engine_open(arena, diag, o->isa, cpus > 0 ? (int)cpus : 1, &engine))
        return false;
    Machine m = machine_of_isa(onednn_engine_isa(engine));
    const char *path = machine_measured_path(arena, m.isa);
    if (!path || !tune_make_folders(arena_printf(arena, "%s/machine", tune_folder(arena)), arena))
        return refuse(diag, "--measure-machine: there is no folder to keep the figures in");
    machine_measure(engine, &m, &notes);
    onednn_engine_close(engine);
    fputs(notes.data, stderr);
    text_printf(&out, "// %s, oneDNN %s\n", tune_cpu(arena), ONEDNN_VERSION_TEXT);
    machine_print(&m, &out);
    return write_file_if_changed(path, out.data, out.size, diag) && printf("%s\n", path) > 0;
}

/* --isa A,B: oneDNN plans for the first. */
static bool split_isas(Arena *arena, Diag *diag, Options *o)
{
    const size_t n = o->isa ? strcspn(o->isa, ",") : 0;
    if (!n || !o->isa[n])
        return true;
    o->also = o->isa + n + 1;
    o->isa = arena_strndup(arena, o->isa, n);
    if (o->target_c || o->full)
        return refuse(diag, "--isa %s,%s: %s", o->isa, o->also,
                      o->full ? "--full links for all there are" : "--target c takes one");
    for (const char *at = o->also; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const char *isa = arena_strndup(arena, at, strcspn(at, ","));
        const char *before = arena_printf(arena, ",%s,%.*s", o->isa, (int)(at - o->also), o->also);
        if (isa_is_native(isa) || strstr(before, arena_printf(arena, ",%s,", isa)))
            return refuse(diag, "--isa %s,%s: native can be the first only, and each be there once",
                          o->isa, o->also);
        if (!onednn_isa_known(diag, isa))
            return false;
    }
    return true;
}

static bool check_request(Diag *diag, const Options *o)
{
    if (o->bf16 && o->target_c)
        return refuse(diag,
                      "%s: --precision bf16 is for oneDNN: --target c would emulate bf16, which is "
                      "slower than f32",
                      o->model);
    if (o->cc && !o->target_c)
        return refuse(diag, "%s: --cc is for --target c: oneDNN is a library of this CPU",
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
    if (o->engine && (o->tune || o->record_engine))
        return refuse(diag, "%s: --engine %s: %s needs oneDNN itself", o->model, o->engine,
                      o->tune ? "--tune" : "--record-engine");
    return true;
}

static bool run_chosen(Graph *g, Program *p, const PassOptions *passes, const Options *o)
{
    Text log = text_new(g->arena), printed = text_new(g->arena);
    bool ok = (o->verify ? run_passes_verified : run_passes)(
        g, p, passes, o->passes, o->print_after, o->stop_after, &log, &printed);
    if (ok)
        printf("%s%s", printed.data, o->explain ? log.data : "");
    return ok;
}

static bool write_result(Graph *g, const Program *p, const Options *o)
{
    return o->emit ? write_form(g, p, o) : o->stop_after || emit(p, o);
}

/* The times that are known; NULL: without --tune. Whether layers are planned by them; whom planners ask besides, or NULL. */
typedef struct Tuning {
    Tune *tune;
    bool measured;
    Search *search;
} Tuning;

/* Passes, and what is written of their result. */
static bool compile(Graph *g, Program *p, const PatternTable *patterns, const Options *o,
                    Machine *machine, const Tuning *tuning, DnnlEngine **engine)
{
    const bool program = wants_program(o->passes, o->stop_after, !o->emit);
    const int threads = p->origin.threads;
    if (!o->target_c && !library_is_there && !o->engine)
        return refuse(g->diag,
                      "%s: oneDNN is not built into this compiler: it has --target c, and --engine",
                      o->model);
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
                          .patterns = patterns};
    const LowerOptions lowering = {.conv = o->no_winograd ? CONV_NO_WINOGRAD : CONV_WHERE_FASTER,
                                   .tune = *engine && tuning->measured ? tuning->tune : NULL,
                                   .search = tuning->search,
                                   .no_float = o->no_float,
                                   .frees = !o->verify && !o->emit && !o->stop_after,
                                   .machine = machine};
    p->origin.threads = *engine ? onednn_engine_threads(*engine) : threads;
    p->origin.isa = *engine ? onednn_engine_isa(*engine) : "any";
    p->origin.machine = machine->hash;
    passes.engine = *engine;
    passes.lowering = &lowering;
    if (o->no_float) {
        Text notes = text_new(g->arena);
        ports_in_bytes(g, &notes);
        fputs(notes.data, stderr);
    }
    if (o->selftest && !(p->origin.golden = evaluate_random(g)))
        return false;
    p->origin.coarse = o->bf16 || graph_quantises(g);
    if (!run_chosen(g, program ? p : NULL, &passes, o) || !onednn_engine_finish(*engine, g->diag))
        return false;
    Text explained = text_new(g->arena);
    if (o->explain)
        explain_text(g, &explained);
    fputs(explained.data, stdout);
    if (tuning->tune && !o->quiet)
        finish_tune(tuning->tune, o->explain);
    const char *lacks = onednn_engine_lacks(*engine);
    const bool has_weights = o->emit ? !strcmp(o->emit, "text") && p->lowered : !o->stop_after;
    if (lacks && has_weights && o->explain && p->placed)
        print_program(p);
    if (lacks && has_weights)
        return refuse(g->diag,
                      "%s: to pack '%s' needs oneDNN itself; by its answers alone the model can be "
                      "explained, not emitted",
                      o->engine, lacks);
    return write_result(g, p, o);
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
    return run_chosen(g, p, passes, o) && write_result(g, p, o);
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
                           .keep_denormals = o->keep_denormals};
}

/* What is taken beside what the model's own size allows (memory_allow). */
static void limit_memory(const Options *o)
{
    enum { BESIDE_MIB = 1024 };
    memory_limit((size_t)(o->max_memory ? o->max_memory : BESIDE_MIB) << 20, o->max_memory > 0);
}

static char time_is_over[96];

static void end_in_time(int signal)
{
    (void)signal;
    if (write(STDERR_FILENO, time_is_over, strlen(time_is_over)) < 0)
        _exit(2); /* nobody will read it */
    _exit(1);
}

/* Seconds of the clock on the wall. While the folder is written the signal waits, and ends that as SIGTERM would (emit/folder.h). */
static void limit_time(const Options *o)
{
    if (!o->max_time)
        return;
    snprintf(time_is_over, sizeof time_is_over,
             "dnnlc: this takes more than %d second%s; --max-time SECONDS sets another bound\n",
             o->max_time, o->max_time == 1 ? "" : "s");
    signal(SIGALRM, end_in_time);
    alarm((unsigned)o->max_time);
}

typedef struct Compiler {
    const Options *o;
    const PatternTable *patterns;
    Machine machine;
    Tuning tuning;
} Compiler;

/* From the file to what is written; p is the program, if one is made. */
static bool compile_model(Arena *arena, Diag *diag, const Options *o, const Compiler *c, Program *p)
{
    char hash[65];
    DnnlEngine *engine = NULL;
    Machine machine = c->machine;
    Graph *g = load(arena, diag, o, hash, p);
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
    *p =
        (Program){.graph = g, .arena = arena, .origin = origin_of(g, o, arena_strdup(arena, hash))};
    bool ok = compile(g, p, c->patterns, o, &machine, &c->tuning, &engine);
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
    o.explain = o.verify = o.selftest = false;
    o.emit = o.print_after = o.stop_after = NULL;
    o.dir = dir;
    o.weights = WEIGHTS_EMBED;
    c.tuning.measured = measured;
    c.tuning.search = search;
    return compile_model(arena, diag, &o, &c, p) ? p : NULL;
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

static bool run(Arena *arena, Diag *diag, const Options *o)
{
    Program p = {0};
    PatternTable *patterns = pattern_table_new(arena);
    Compiler c = {.o = o, .patterns = patterns};
    Search search;
    limit_memory(o);
    limit_time(o);
    return check_request(diag, o) && find_machine(arena, diag, o, &c.machine) &&
           (!o->patterns || pattern_file_read(arena, diag, o->patterns, patterns)) &&
           begin_tuning(arena, diag, o, &c, &search) && compile_model(arena, diag, o, &c, &p);
}

int main(int argc, char **argv)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Options o;
    int status = 0;
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error like others */
    if (!parse_options(arena, argc, argv, &o))
        status = 2;
    else if (o.help)
        print_help(arena);
    else if (o.version)
        printf("dnnlc %s, %s\n", DNNLC_VERSION,
               library_is_there ? "oneDNN " ONEDNN_VERSION_TEXT : "without oneDNN");
    else if (!(o.list_patterns                 ? list_patterns(arena, &diag, &o)
               : o.print_machine               ? print_this_machine(arena, &diag, &o)
               : !split_isas(arena, &diag, &o) ? false
               : o.measure_machine             ? measure_this_machine(arena, &diag, &o)
                                               : run(arena, &diag, &o))) {
        fprintf(stderr, "dnnlc: %s\n",
                utf8_one_line(arena, diag.message ? diag.message : "refused"));
        status = 1;
    }
    if (status == 0 && (fflush(stdout) || ferror(stdout))) {
        fputs("dnnlc: the output could not be written\n", stderr);
        status = 1;
    }
    arena_free(arena);
    return status;
}
