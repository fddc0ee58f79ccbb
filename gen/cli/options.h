/* The command line of dnnlc.
 *
 * The folder cli: in come the words of the command line, out go Options, or a message about them. */
#pragma once

#include "../emit/emit.h"

/* What is done with a model: rows of the table in subcommands.h. */
typedef enum SubcommandId { COMPILE, INSPECT, VERIFY, BISECT, N_SUBCOMMANDS } SubcommandId;
typedef struct Subcommand Subcommand;

typedef struct Options {
    const Subcommand *subcommand;
    const char *model, *dir, *name;
    bool target_c, no_float, bf16, keep_denormals, explain, verify, selftest, no_winograd, tune,
        force, full, amalgamate, replace_weights, debug;
    bool beside; /* --verify=onnxruntime */
    const char *cc;   /* NULL: gcc */
    const char *isa;  /* NULL: native, or the one in the file of --machine or --engine */
    const char *also; /* those behind it, or NULL */
    const char *engine, *record_engine; /* files, or NULL */
    const char *verified;               /* of dnnlc verify, for the page; or NULL */
    const char *report, *profile;       /* the page, and what it shows measured; or NULL */
    const char *depfile;                /* NULL: not wanted */
    int max_memory;                     /* MiB; 0: by the model's size */
    int max_time;                       /* seconds; 0: any */
    int tune_seconds;                   /* --tune=SECONDS; 0: no search */
    int threads;                        /* 0: as many as this machine has */
    WeightsForm weights;
    const char *passes, *patterns, *print_after, *stop_after, *emit,
        *machine; /* the file; NULL: figures of the instruction set */
    const char **dims, **shapes, **binds, **states;
    size_t n_dims, n_shapes, n_binds, n_states;
    int max_variants; /* 0: 16 */
    bool
        quiet; /* -q, and for a candidate of a search: only what is asked for is said, and errors */
    bool json; /* inspect, verify, bisect: JSON instead of a table */
    /* verify: files, "FILE" or "INPUT=FILE"; the seed; the folder that is compiled already. NULL: none */
    const char **inputs, *random, *program,
        *onnxruntime; /* and the program that runs another runtime, here and for --verify=onnxruntime */
    size_t n_inputs;
    struct Refusals *refusals; /* of an import, all of them; NULL: the first one ends it */
    int max_trips;             /* 0: not said */
    const char *completion;    /* the shell, or NULL */
    bool help, version, list_patterns, list_operators, print_machine, measure_machine;
    const char *command; /* the line as given, with the folders of files left out */
    const char *more;    /* the same without "dnnlc" and the model */
    bool named;          /* --name is given; otherwise it is made from the model's */
    bool has_dir;        /* -o is */
} Options;

/* Returns false after a message on stderr about bad usage (exit status 2). */
bool parse_options(Arena *arena, int argc, char **argv, Options *o);
void print_help(Arena *arena, const Subcommand *subcommand);
/* The file name without its folders, the same on every machine. */
const char *base_name(const char *path);
