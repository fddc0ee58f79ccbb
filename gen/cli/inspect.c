/* dnnlc inspect: reads, imports and plans the model as a compilation would, and says what came of it. */
#include "inspect.h"

#include "../dnnl/engine.h"
#include "../inspect/inspect.h"
#include "compile.h"
#include "load.h"
#include "terminal.h"
#include "variants.h"

#include <stdio.h>
#include <unistd.h>

/* The words of the file itself. Several values of options: the first ones. */
static bool survey(Arena *arena, Diag *diag, const Options *o, Inspection *in)
{
    MappedFile file;
    Combinations c;
    if (!map_file(arena, o->model, &file, diag))
        return false;
    memory_allow(file.size);
    in->onnx = !is_text_ir(o->model, (const char *)file.data, file.size);
    if (!in->onnx)
        return true;
    if (!combine_options(arena, diag, o, &c))
        return false;
    const Options *first = &c.options[0];
    const ImportOptions options = {.dims = first->dims,
                                   .n_dims = first->n_dims,
                                   .shapes = first->shapes,
                                   .n_shapes = first->n_shapes,
                                   .binds = first->binds,
                                   .n_binds = first->n_binds};
    return survey_onnx(arena, diag, o->model, file, &options, &in->survey);
}

/* A refusal that came behind the import is the last. */
static void take_last(Inspection *in, Diag *diag)
{
    if (diag->message && !in->refusals.n)
        refusals_take(&in->refusals, diag, in->file, (Refusal){UINT32_MAX, "", "", NULL});
    diag->message = NULL;
}

/* The program as far as it gets; whoever wants to compile by recorded answers needs all of them. */
static bool plan(Graph *g, Program *p, Compiler *c, const Inspection *in, DnnlEngine **engine)
{
    if (!plan_graph(g, p, c, in->hash, engine))
        return false;
    return may_be_emitted(g->diag, c->o, *engine);
}

static bool has_open(const Survey *s)
{
    for (size_t i = 0; i < s->n_symbols; i++)
        if (s->symbols[i].value < 0)
            return true;
    return false;
}

/* Sizes are open: nodes are judged by an example, since what is refused then is mostly refused with others too, and what is computed by oneDNN or C mostly is. */
static void try_example(Arena *arena, const Options *o, const Compiler *c, Inspection *in,
                        DnnlEngine **engine)
{
    Options with = *o;
    Compiler own = *c;
    char hash[65];
    Program *p = ARENA_NEW(arena, Program);
    Diag diag = {.arena = arena};
    Refusals *all = &in->refusals, found = {.arena = arena};
    const char **dims = ARENA_ARRAY(arena, const char *, o->n_dims + 1);
    for (size_t i = 0; i < o->n_dims; i++)
        dims[i] = o->dims[i];
    dims[with.n_dims++] = arena_printf(arena, "*=%d", INSPECT_EXAMPLE);
    with.dims = dims;
    with.quiet = true;
    with.refusals = &found;
    own.o = &with;
    Graph *g = load_graph(arena, &diag, &with, hash, p);
    const int64_t macs = g ? graph_macs(g) : -1;
    if (g && plan(g, p, &own, in, engine)) {
        in->example = p;
        in->macs = macs;
    } else if (g && !found.n) {
        refusals_take(&found, &diag, in->file, (Refusal){UINT32_MAX, "", "", NULL});
    }
    for (uint32_t i = 0; i < found.n; i++)
        ARENA_PUSH(arena, all->rows, all->n, all->cap, found.rows[i]);
    all->hint = in->example
                    ? arena_printf(arena,
                                   "with %d for every size that is open, as an example, it would "
                                   "be compiled; operators and multiply-adds are of that",
                                   INSPECT_EXAMPLE)
                    : arena_printf(arena,
                                   "what is refused besides, or all of it, is so with %d for "
                                   "every size that is open, as an example",
                                   INSPECT_EXAMPLE);
}

static void examine(Arena *arena, Diag *diag, const Options *o, Compiler *c, Inspection *in,
                    DnnlEngine **engine)
{
    char hash[65];
    Program *p = ARENA_NEW(arena, Program);
    Graph *g = load_graph(arena, diag, o, hash, p);
    in->hash = arena_strdup(arena, hash);
    in->graph = g;
    if (!g && in->onnx && has_open(&in->survey))
        try_example(arena, o, c, in, engine);
    if (!g)
        return;
    in->was_program = p->lowered;
    if (!in->onnx)
        survey_graph(g, &in->survey);
    in->macs = graph_macs(g);
    if (p->lowered || plan(g, p, c, in, engine) || p->placed)
        in->program = p;
    in->machine = c->machine;
    in->isa = p->origin.isa ? p->origin.isa : "any";
    in->threads = p->origin.threads;
    in->target_c = p->origin.dnnl == false;
}

static void write_inspection(const Inspection *in, const Options *o)
{
    Text t = text_new(in->arena);
    if (o->json)
        inspect_json(in, &t);
    else
        inspect_table(in, terminal_width(), terminal_has_colour(STDOUT_FILENO), &t);
    fwrite(t.data, 1, t.size, stdout);
}

bool inspect_command(Arena *arena, Diag *diag, const Options *o)
{
    Compiler c;
    DnnlEngine *engine = NULL;
    Inspection in = {.arena = arena, .file = o->model, .macs = -1};
    Options own = *o;
    in.refusals.arena = arena;
    own.refusals = &in.refusals;
    if (!begin_compiler(arena, diag, &own, &c) || !survey(arena, diag, &own, &in))
        return false;
    in.isa = o->isa ? o->isa : "native";
    in.target_c = o->target_c;
    in.threads = o->threads;
    examine(arena, diag, &own, &c, &in, &engine);
    if (!in.graph && !in.onnx)
        return false; /* text that is none */
    take_last(&in, diag);
    judge_operators(&in);
    write_inspection(&in, o);
    onednn_engine_close(engine);
    return in.refusals.n == 0;
}
