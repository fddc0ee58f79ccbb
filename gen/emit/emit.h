/* Writing the emitted folder. */
#ifndef DNNLC_EMIT_H
#define DNNLC_EMIT_H

#include "../program/program.h"
#include "../template.h"
#include "unit.h"

typedef enum WeightsForm {
    WEIGHTS_EMBED, /* .bin and .S */
    WEIGHTS_C,     /* a C array */
    WEIGHTS_FILE,  /* .bin only, mapped by the caller */
} WeightsForm;

typedef struct EmitOptions {
    const char *dir, *name; /* name: a C identifier */
    const char *model;      /* the file it is made of, without folders; NULL: the graph's */
    const char *command;    /* as given, without paths: for the banner */
    const char *model_hash; /* SHA-256 of the model file, hex */
    const char *isa;        /* what was planned for; "any" with --target c */
    int threads;
    WeightsForm weights;
    bool dnnl; /* false with --target c */
    bool bf16; /* --precision bf16 */
} EmitOptions;

/* Writes everything into options->dir, which is created. After a refusal nothing new is left behind. */
bool emit_folder(const Program *p, const EmitOptions *options);

/* One file of the result, kept in memory until all of them are ready. */
typedef struct EmitFile {
    const char *name;
    const void *data;
    size_t size;
} EmitFile;

typedef struct Emit {
    const Program *p;
    const EmitOptions *o;
    EmitNames names;
    Arena *arena;
    EmitFile *files;
    size_t n_files, cap_files;
    const char **in_names, **out_names; /* members of the typed structs, by port */
} Emit;

void emit_add(Emit *e, const char *name, const void *data, size_t size);
/* The same for C, whose lines are wrapped. */
void emit_add_c(Emit *e, const char *name, const Text *code);
/* "net_dnnl_0" or "net_c_1": the unit's function prefix and file name. */
const char *unit_name(const Emit *e, uint32_t region);

void emit_driver(Emit *e);      /* NAME_dnnl.h, NAME_internal.h, NAME_dnnl.c, NAME_main.c */
void emit_weights(Emit *e);     /* by form */
void emit_build_files(Emit *e); /* build.ninja and the runtime's files */
/* parts.c: the parts of oneDNN that no step can reach, as rows of "absent". */
void bind_absent_parts(const Program *program, Bindings *b);
void emit_manifest(Emit *e); /* NAME.json */
void json_string(Text *t, const char *s);
bool emit_dnnl_unit(const Emit *e, uint32_t region, Text *out);


#endif
