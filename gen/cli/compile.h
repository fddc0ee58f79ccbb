/* dnnlc MODEL: the command without a subcommand, and its stages for others. */
#pragma once

#include "../machine/machine.h"
#include "options.h"

struct PatternTable; /* passes/pattern/table.h */
struct DnnlEngine;   /* dnnl/engine.h */

/* The times that are known; NULL: without --tune. Whether layers are planned by them; whom planners ask besides, or NULL. */
typedef struct Tuning {
    struct Tune *tune;
    bool measured;
    struct Search *search;
} Tuning;

/* What a compilation has besides its model. */
typedef struct Compiler {
    const Options *o;
    const struct PatternTable *patterns;
    Machine machine;
    Tuning tuning;
    struct Runtime *beside; /* of --verify=onnxruntime; NULL: without */
    bool keeps; /* the graph's constants, for who evaluates it when it is compiled */
    const struct PassWatch *watch; /* passes/pass.h; NULL: nobody looks on while passes run */
} Compiler;

/* Checks the options against each other, reads the files that they name, and sets the bounds of memory and time. False after a refusal. */
bool begin_compiler(Arena *arena, Diag *diag, const Options *o, Compiler *c);
/* Passes, lowering and places in memory, as the options want them; *p becomes the program, where one is wanted. `hash` is the model's; c->machine becomes that of a file of --engine. The
 * engine stays open, for whoever writes the program: onednn_engine_close. False after a refusal. */
bool plan_graph(Graph *g, Program *p, Compiler *c, const char *hash, struct DnnlEngine **engine);

/* Whether an engine of recorded answers has told all that is packed; refuses if not. */
bool may_be_emitted(Diag *diag, const Options *o, const struct DnnlEngine *engine);

/* Writes the folder, and the page of --report. m: what was planned for; NULL: that was another time. */
bool emit_program(const Program *p, const Options *o, const Machine *m);

/* Compiles the model, and writes what is asked for. False after a refusal. */
bool compile_command(Arena *arena, Diag *diag, const Options *o);
