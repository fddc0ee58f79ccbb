/* dnnlc verify: compiles the model with --debug into a folder that does not stay, builds and runs it there, and compares. */
#include "verify.h"

#include "../../passes/integers/ports.h"
#include "../base/utf8.h"
#include "../dnnl/engine.h"
#include "../layers/layers.h"
#include "../layers/runtime.h"
#include "../tune/process.h"
#include "compile.h"
#include "load.h"
#include "terminal.h"

#include <stdio.h>
#include <unistd.h>

/* Runs the built program with --dump-layers. */
static bool run_program(Arena *arena, Diag *diag, const Options *o, const char *program,
                        const char *layers)
{
    size_t n = 0;
    Text said = text_new(arena);
    const char **words = ARENA_ARRAY(arena, const char *, 6 + 2 * o->n_inputs);
    words[n++] = program;
    words[n++] = "--dump-layers";
    words[n++] = layers;
    if (o->random || !o->n_inputs) {
        words[n++] = "--random";
        words[n++] = o->random ? o->random : "1";
    }
    for (size_t i = 0; i < o->n_inputs; i++) {
        words[n++] = "--input";
        words[n++] = o->inputs[i];
    }
    words[n] = NULL;
    return run_command(words, NULL, &said) ||
           refuse(diag, "%s: %s", o->model, end_of_words(arena, &said));
}

static bool build_program(Arena *arena, Diag *diag, const Options *o, const char *dir)
{
    Text said = text_new(arena);
    const char *const words[] = {"ninja", "-C", dir, o->name, NULL};
    return run_command(words, NULL, &said) ||
           refuse(diag, "%s: what is emitted could not be built here by ninja: %s", o->model,
                  end_of_words(arena, &said));
}

/* The folder of --program is looked at before time is spent. */
static bool has_debug(Arena *arena, Diag *diag, const Options *o)
{
    return access(arena_printf(arena, "%s/%s_debug.c", o->program, o->name), R_OK) == 0 ||
           refuse(diag,
                  "%s: no %s_debug.c is there: compile the model with --debug, and say its --name",
                  o->program, o->name);
}

static const char *about_inputs(Arena *arena, const Options *o)
{
    const char *seed = arena_printf(arena, "random inputs of seed %s", o->random ? o->random : "1");
    if (!o->n_inputs)
        return seed;
    return arena_printf(arena, "inputs of %zu file%s%s%s", o->n_inputs, o->n_inputs > 1 ? "s" : "",
                        o->random ? ", others " : "", o->random ? seed : "");
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
    if (g->variants.n > 1)
        return refuse_graph(g,
                            "verify takes a model of one size, and this one has %u variants: give "
                            "each option one value",
                            g->variants.n);
    if (o->onnxruntime && o->no_float)
        return refuse(
            g->diag,
            "--onnxruntime: the model's inputs and outputs are no bytes, as those of --no-float are");
    return !graph_has_bounds(g) ||
           refuse_graph(g, "verify takes no bounded dimensions: give each one number");
}

static bool compare(LayersCheck *c, const Options *o, const char *layers, const char *other)
{
    Diag *diag = c->p->graph->diag;
    Tensor *inputs, *outputs;
    if (!dumped_read(c, layers, o->name, &inputs, &outputs, diag))
        return false;
    Runtime runtime;
    if (o->onnxruntime && (!runtime_find(c->arena, diag, o->onnxruntime, &runtime) ||
                           !runtime_run(c->arena, diag, &runtime, o->model, layers, other) ||
                           !dumped_outputs(c, other, outputs, &c->runtime, diag)))
        return false;
    const Graph *model = read_again(c->arena, diag, o);
    return model && layers_compare(c, model, inputs, outputs);
}

static bool print_check(const LayersCheck *c, const Options *o)
{
    Text t = text_new(c->arena);
    if (o->json)
        layers_json(c, &t);
    else
        layers_table(c, terminal_width(), terminal_has_colour(STDOUT_FILENO), &t);
    fwrite(t.data, 1, t.size, stdout);
    return layers_agree(c);
}

/* The program is planned; it is emitted unless it is there. */
static bool check_program(const Program *p, const Compiler *c, const Folder *folder)
{
    Arena *arena = p->arena;
    Diag *diag = p->graph->diag;
    Options o = *c->o;
    const char *layers = arena_printf(arena, "%s/layers", folder->path);
    o.dir = o.program ? o.program : arena_printf(arena, "%s/program", folder->path);
    o.quiet = o.has_dir = o.debug = true;
    LayersCheck check = {.p = p,
                         .arena = arena,
                         .file = o.model,
                         .program = o.dir,
                         .about = about_inputs(arena, &o)};
    return (o.program || emit_program(p, &o, &c->machine)) &&
           build_program(arena, diag, &o, o.dir) &&
           run_program(arena, diag, &o, arena_printf(arena, "%s/%s", o.dir, o.name), layers) &&
           compare(&check, &o, layers, arena_printf(arena, "%s/other", folder->path)) &&
           print_check(&check, &o);
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
