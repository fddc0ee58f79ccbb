/* dnnlc verify: compiles the model with --debug into a folder that does not stay, builds and runs it there, and compares. */
#include "verify.h"

#include "../../passes/integers/ports.h"
#include "../dnnl/engine.h"
#include "../layers/layers.h"
#include "../tune/process.h"
#include "beside.h"
#include "compile.h"
#include "inputs.h"
#include "load.h"
#include "runs.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Runs the built program with --dump-layers. */
static bool run_program(Arena *arena, Diag *diag, const Options *o, const char *program,
                        const Run *run, const char *layers)
{
    Text said = text_new(arena);
    const char **words = ARENA_ARRAY(arena, const char *, run->n + 4);
    words[0] = program;
    words[1] = "--dump-layers";
    words[2] = layers;
    memcpy(words + 3, run->words, run->n * sizeof *words);
    words[run->n + 3] = NULL;
    return run_command(words, NULL, &said) ||
           refuse(diag, "%s: %s", o->model, end_of_output(&said));
}

/* The folder of --program is looked at before time is spent. */
static bool has_debug(Arena *arena, Diag *diag, const Options *o)
{
    return access(arena_printf(arena, "%s/%s_debug.c", o->program, o->name), R_OK) == 0 ||
           refuse(diag,
                  "%s: no %s_debug.c is there: compile the model with --debug, and say its --name",
                  o->program, o->name);
}

/* The model as it was read, beside that which the passes have changed. */
static Graph *read_again(Arena *arena, Diag *diag, const Options *o)
{
    char hash[65];
    Program p = {0};
    Options quiet = *o;
    quiet.quiet = true;
    Graph *g = load_graph(arena, diag, &quiet, hash, &p);
    Text notes = text_new(arena);
    if (g && o->no_float)
        ports_in_bytes(g, &notes);
    return g;
}

static bool check_graph(const Graph *g, const Program *p, const Options *o)
{
    if (p->lowered)
        return refuse(g->diag, "%s: is a program: verify compares with the model it was made of",
                      o->model);
    return !o->onnxruntime || beside_takes(g, o);
}

/* What one round is looked at with. */
typedef struct Rounds {
    const Program *p;
    const Options *o;
    const Graph *model; /* as it was read */
    Runtime runtime;
    const char *folder;
} Rounds;

/* Files of the user choose a variant; otherwise each runs. */
static bool run_round(const Rounds *all, const Round *round, size_t number, const char **dirs)
{
    const Options *o = all->o;
    Arena *arena = all->p->arena;
    Diag *diag = all->p->graph->diag;
    const char *program = arena_printf(arena, "%s/%s", o->dir, o->name);
    const uint32_t n = o->n_inputs ? 1 : all->p->graph->variants.n;
    uint32_t variant = 0;
    for (uint32_t k = 0; k < n; k++) {
        dirs[k] = arena_printf(arena, "%s/layers_%zu_%u", all->folder, number, k);
        if (!run_program(arena, diag, o, program, &round->runs[k], dirs[k]))
            return false;
    }
    if (o->n_inputs && all->p->graph->variants.n > 1) {
        const char *dir = dirs[0];
        if (!dumped_variant(all->p, dir, o->dir, &variant, diag))
            return false;
        dirs[0] = NULL;
        dirs[variant] = dir;
    }
    return true;
}

/* The other runtime reads what the program has read. */
static bool run_other(const Rounds *all, LayersCheck *c, const Tensor *outputs)
{
    const Graph *g = all->p->graph;
    Tensor *made = ARENA_ARRAY(c->arena, Tensor, g->n_outputs + 1);
    for (uint32_t k = 0; k < g->variants.n; k++)
        if (c->dirs[k]) {
            const char *other = arena_printf(c->arena, "%s/other_%u", all->folder, k);
            if (!runtime_run(c->arena, g->diag, &all->runtime, all->o->model, c->dirs[k], other) ||
                !dumped_outputs(c, k, other, outputs, made, g->diag))
                return false;
        }
    c->runtime = made;
    return true;
}

static bool check_round(const Rounds *all, const Round *round, size_t number, LayersCheck *c)
{
    const Options *o = all->o;
    Arena *arena = all->p->arena;
    const char **dirs = ARENA_ARRAY(arena, const char *, all->p->graph->variants.n);
    Tensor *inputs, *outputs;
    *c = (LayersCheck){.p = all->p,
                       .arena = arena,
                       .file = o->model,
                       .program = o->dir,
                       .dirs = dirs,
                       .about = inputs_text(arena, o)};
    return run_round(all, round, number, dirs) &&
           dumped_read(c, o->name, &inputs, &outputs, all->p->graph->diag) &&
           (!o->onnxruntime || run_other(all, c, outputs)) &&
           layers_compare(c, all->model, inputs, outputs);
}

static bool print_checks(const LayersCheck *checks, size_t n, const Options *o)
{
    Text t = text_new(checks->arena);
    bool agree = true;
    for (size_t r = 0; r < n; r++) {
        agree = agree && layers_agree(&checks[r]);
        if (!o->json)
            layers_table(&checks[r], terminal_width(), terminal_has_colour(STDOUT_FILENO), &t);
    }
    if (o->json)
        layers_json(checks, n, &t);
    else
        text_puts(&t, agree ? "all layers and outputs are within their bounds\n" : "");
    fwrite(t.data, 1, t.size, stdout);
    return agree;
}

/* The program is planned; it is emitted unless it is there. */
static bool check_program(const Program *p, const Compiler *c, const Folder *folder)
{
    Arena *arena = p->arena;
    Diag *diag = p->graph->diag;
    Options o = *c->o;
    Rounds all = {.p = p, .o = &o, .folder = folder->path};
    size_t n;
    const Round *rounds = runs_of_program(p->graph, &o, arena, &n);
    LayersCheck *checks = ARENA_ARRAY(arena, LayersCheck, n);
    o.dir = o.program ? o.program : arena_printf(arena, "%s/program", folder->path);
    o.quiet = o.has_dir = o.debug = true;
    if ((o.onnxruntime && !runtime_find(arena, diag, o.onnxruntime, &all.runtime)) ||
        (!o.program && !emit_program(p, &o, &c->machine)) ||
        !build_folder(diag, o.model, o.dir, o.name) || !(all.model = read_again(arena, diag, &o)))
        return false;
    for (size_t r = 0; r < n; r++)
        if (!check_round(&all, &rounds[r], r, &checks[r]))
            return false;
    return print_checks(checks, n, &o);
}

bool verify_command(Arena *arena, Diag *diag, const Options *o)
{
    char hash[65];
    Compiler c;
    Program p = {0};
    Folder folder;
    DnnlEngine *engine = NULL;
    if (!begin_compiler(arena, diag, o, &c) || (o->program && !has_debug(arena, diag, o)))
        return false;
    c.keeps = true;
    Graph *g = load_graph(arena, diag, o, hash, &p);
    if (!g || !check_graph(g, &p, o) || !make_folder(arena, diag, &folder))
        return false;
    const bool agrees = plan_graph(g, &p, &c, arena_strdup(arena, hash), &engine) &&
                        may_be_emitted(diag, o, engine) && check_program(&p, &c, &folder);
    onednn_engine_close(engine);
    remove_folder(&folder);
    return agrees;
}
