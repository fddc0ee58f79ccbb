/* The pass table: name, help, what a pass works on, needs and makes, entry function. */
#pragma once

#include "../gen/program/program.h"

/* Who looks on while passes run. `ended` says whether to go on; if not, the passes end as after a refusal, without a message. */
typedef struct PassWatch {
    bool (*begins)(void *user, const Graph *g, const char *pass);
    bool (*ended)(void *user, const Graph *g, const char *pass);
    void *user;
} PassWatch;

typedef struct PassOptions {
    bool target_c;   /* --target c: nothing goes to oneDNN */
    const char *isa; /* NULL: native */
    int threads;
    bool bf16;                     /* --precision bf16 */
    bool no_float;                 /* --no-float: integers alone */
    bool keep_denormals;           /* --denormals keep */
    const struct Machine *machine; /* planned for; NULL: whatever it is */
    bool int8; /* the ISA has instructions that add up products of bytes: onednn_isa_has_int8 */
    const struct PatternTable *patterns; /* NULL: the built-in ones */
    /* For the passes that make the program: oneDNN, NULL with --target c; gen/lower/lower.h, NULL for its defaults. */
    struct DnnlEngine *engine;
    const struct LowerOptions *lowering;
    const PassWatch *watch; /* NULL: nobody */
} PassOptions;

/* Returns false after a refusal. Reports what it did in one line of `report` (into the graph's
 * arena). */
typedef bool PassFn(Graph *g, const PassOptions *options, const char **report);

/* The same for what makes the program of a graph or completes it. The graph stays as it is. */
typedef bool ProgramPassFn(Graph *g, Program *p, const PassOptions *options, const char **report);

/* What passes need and make: columns of the graph, the program, places in it. */
enum PassColumns { COL_COMPOSITE = 1, COL_TARGET = 2, COL_REGION = 4, PROGRAM = 8, PLACES = 16 };

/* By default a pass runs always, where bf16 or integers alone are asked for, or where a program is wanted: the last also behind --passes that names none of these. */
typedef enum PassWhen { BY_DEFAULT, WITH_BF16, WITH_NO_FLOAT, FOR_PROGRAM } PassWhen;

typedef struct PassInfo {
    const char *name, *help;
    PassFn *run;                /* works on the graph */
    ProgramPassFn *run_program; /* or on the program; NULL: on the graph */
    unsigned needs, makes;      /* PassColumns. A pass that changes the graph kills all columns. */
    PassWhen when;
} PassInfo;

extern const PassInfo pass_table[]; /* in default order; ends with a row whose name is NULL */

PassFn pass_simplify; /* which match-spelled runs as well */
/* plan_memory.c: first, last and offset of the buffers, and workspace_bytes, live_bytes and weights_bytes of the program. */
bool plan_memory(Program *p);

/* --passes "a,b,c" or NULL for the defaults. After each: verify_graph, or verify_program; print text IR if print_after
 * names it or is "all"; stop after stop_after. Reports go to `log` if not NULL. The passes that make a program fill p; with p NULL
 * they are not run. */
bool run_passes(Graph *g, Program *p, const PassOptions *options, const char *list,
                const char *print_after, const char *stop_after, Text *log, Text *printed);
/* Whether passes have to make a program: where code is emitted, or as --passes or --stop-after ask for one of theirs. */
bool wants_program(const char *list, const char *stop_after, bool emits_code);
