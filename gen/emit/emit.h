/* Writing the emitted folder.
 *
 * The folder emit: in comes a program that was checked, out go the files of the emitted folder. Nothing is decided here. */
#pragma once

#include "../base/template.h"
#include "../program/program.h"
#include "c/kernel_set.h"
#include "folder.h"
#include "unit.h"

typedef enum WeightsForm {
    WEIGHTS_EMBED, /* .bin and .S */
    WEIGHTS_C,     /* a C array */
    WEIGHTS_FILE,  /* .bin only, mapped by the caller */
} WeightsForm;

/* Embedded weights are cut into sections of so many bytes: a multiple of what buffers are aligned to. */
enum { WEIGHTS_PART = 64 << 20 };

/* What was emitted, for whoever shows it. */
typedef struct EmittedCode {
    const EmitFile *files; /* before they become one file, where they do */
    size_t n;
    const char **
        function; /* by step. oneDNN: what the names of its functions end in, "conv_3" of run_conv_3; C: the name */
    const char *manifest;
} EmittedCode;
/* The file is C that was made for the model: not what is the same in every folder. */
bool emit_is_of_model(const char *name);

typedef struct EmitOptions {
    const char *dir;
    ProgramOrigin
        origin; /* what the files say of where they come from; `name` is a C identifier, no `model`: the graph's file */
    WeightsForm weights;
    bool force;           /* write into a folder with another build file than ours as well */
    bool full;            /* the executable links implementations that were not planned, too */
    const char *also;     /* "avx2,sse41": what else it is linked for; NULL: nothing */
    bool amalgamate;      /* the library as one C file and its header, nothing else */
    bool debug;           /* the executable has --dump-layers */
    bool replace_weights; /* only the file of weights, for what the folder holds already */
    const char *cc, *ar;  /* NULL: gcc and ar */
    bool bare;            /* it compiles for a machine without an operating system */
    const char *host;  /* the CPU that has oneDNN, as get-onednn --host names it; NULL: this one */
    bool no_pie;       /* which makes no static executables that are loaded anywhere */
    EmittedCode *code; /* filled in; NULL: nobody shows it */
} EmitOptions;

/* Writes everything into options->dir, as a whole or not at all (emit/folder.h). */
bool emit_folder(const Program *p, const EmitOptions *options);

/* What computes a step of oneDNN. */
typedef struct LayerFunctions {
    uint32_t alike;    /* the first step of the model with the same functions; C: itself */
    const char *label; /* of the functions, in its file */
    uint32_t row;      /* of their table of places; NO_ROW: they have none */
    uint32_t
        like; /* the first step of the variant whose primitive is the same but for its memory; NO_ROW: there is none before it */
    const char *end; /* what loops do with its results (dnnl/post.c); NULL: nobody has asked yet */
} LayerFunctions;

typedef struct Linked Linked; /* absent.c */

typedef struct LayerText LayerText; /* how a layer is being written: dnnl/alike.c */

typedef struct Emit {
    const Program *p;
    const unsigned char
        *weights;       /* p->weights_bytes bytes; before them the head of a file of weights */
    uint64_t code_hash; /* of the code that reads a file of weights; 0: it reads none */
    const KernelSet *kernels; /* of C */
    uint32_t *file_of;        /* by unit: the first unit of the file that it stands in */
    bool *has_loops; /* by unit that begins a file: it has loops in C, which are worth optimising */
    uint32_t file_first, file_end; /* the steps of the file that is being written */
    LayerFunctions *layers;        /* by step */
    LayerText *text;
    const EmitOptions *o;
    bool has_fallback; /* the API has threads and a fallback buffer: not with --target c */
    EmitNames names;
    Arena *arena;
    EmitFile *files;
    size_t n_files, cap_files;
    size_t selftest_bytes;              /* inputs and outputs of the self-test; 0: there is none */
    const char **in_names, **out_names; /* members of the typed structs, by port */
    Linked *linked;                     /* NULL: all of oneDNN that there can be a need for */
} Emit;

void emit_add(Emit *e, const char *name, const void *data, size_t size);
/* The same for C, whose lines are wrapped. */
void emit_add_c(Emit *e, const char *name, const Text *code);
/* "net_dnnl_0" or "net_c_1": the prefix of the unit's functions. */
const char *unit_name(const Emit *e, uint32_t region);
/* Whether a file is named like this unit: it is the first of its target in there. */
bool unit_begins_file(const Emit *e, uint32_t region);
/* "net_kernels_0" */
const char *kernel_file_name(const Emit *e, uint32_t file);

void emit_driver(
    Emit *e); /* NAME_dnnl.h (emit_header), NAME_internal.h, NAME_dnnl.c, NAME_main.c */
void emit_header(Emit *e); /* header.c: NAME_dnnl.h */
/* What the driver's templates have in common. */
Bindings *driver_bindings(const Emit *e);
/* header.c: how many dimensions have a bound, which are the last inputs; a row for each, as for each state in the order of the inputs; what variants differ in, the
 * sizes of each, and of its units the first and the end. */
uint32_t count_bounds(const Graph *g);
void bind_bounds(const Emit *e, Bindings *b);
void bind_states(const Emit *e, Bindings *b);
void bind_variants(const Emit *e, Bindings *b);
/* Where a state stands: what a run reads, which it writes elsewhere (`next`), or what it appends to. */
const char *state_place(const Emit *e, uint32_t input, const char *turn);
/* A file of the model by its template, called after the model with `suffix` behind. */
void emit_rendered(Emit *e, const Bindings *b, const char *path, const char *suffix);
void emit_cpp(Emit *e); /* cpp.c: NAME.hpp */
/* Whether the caller provides none of n ports: the context keeps them all. */
bool are_states(const Port *ports, uint32_t n);
/* memory_map.c: the largest buffers of the workspace, as rows of "places". */
void bind_memory_map(const Emit *e, Bindings *b);
/* io_places.c: where inputs and outputs can stand in the workspace. */
void bind_io_places(const Emit *e, Bindings *b);
/* The constants, each in its place. */
const unsigned char *emit_weights_image(const Emit *e);
/* weights_file.c: bytes that the caller provides or finds, with the head where they are a file; that head; whether what stands in the folder
 * already is for the same code. */
size_t weights_size(const Emit *e);
uint64_t hash_code(const Emit *e);
void put_weights_head(const Emit *e);
bool can_replace_weights(const Emit *e);
void emit_selftest(Emit *e); /* selftest.c: NAME_selftest.c, where it is asked for */
void emit_debug(Emit *e);    /* debug.c: NAME_debug.c, where it is asked for */
void emit_weights(Emit *e);  /* by form */
/* build_files.c: for Ninja, CMake and pkg-config, and the runtime's files. */
void emit_build_files(Emit *e);
/* The command that compiles an amalgamated library, as a comment. */
const char *emit_compile_note(const Emit *e);
/* amalgamate.c: one C file instead of those of the library, and none of the executable. */
void emit_amalgamated(Emit *e);
/* The same for others: the end of the manifest's "build". */
void emit_build_json(const Emit *e, Text *out);
/* parts.c: the parts of oneDNN that no step can reach, as rows of "absent". */
void bind_absent_parts(const Program *program, Bindings *b);
/* Calls visit for each primitive that is created, those inside others too. */
typedef void PrimitiveVisit(void *user, const struct DnnlPrimitive *p);
void visit_primitives(const Program *program, PrimitiveVisit *visit, void *user);
/* absent.c: what of oneDNN's implementations the executable is linked with; a refusal where a CPU of --isa cannot be served. */
bool choose_linked(Emit *e);
/* NAME_absent.ld; in NAME_main.c what it refers to; in NAME.json what it leaves out. */
void emit_absent(Emit *e);
void bind_linked(const Emit *e, Bindings *b);
void linked_json(const Emit *e, Text *t);
const char *emit_manifest(Emit *e); /* NAME.json, whose text it returns */
void emit_sbom(Emit *e);            /* NAME.spdx.json */
/* dnnl/alike.c: sets Emit.layers. */
void find_layers_alike(Emit *e);
/* dnnl/equal.c: and their `like`. */
void find_equal_primitives(Emit *e);
/* NAME_dnnl_K.c: the units of oneDNN that stand in the file of unit K, complete. */
void emit_dnnl_file(Emit *e, uint32_t first, Text *out);
