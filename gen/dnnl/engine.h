/* What an engine is made of: who answers what the compiler asks of oneDNN. */
#pragma once

#include "plan.h"

/* onednn_query, onednn_pack and onednn_time of an engine. */
typedef struct EngineCalls {
    bool (*query)(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices);
    bool (*pack)(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst);
    bool (*time)(DnnlEngine *e, const DnnlPrimitive *p, size_t spread, double *ns);
    bool (*finish)(DnnlEngine *e, Diag *diag); /* NULL: nothing to do */
    const char *(*lacks)(const DnnlEngine *e); /* NULL: nothing */
    void (*close)(DnnlEngine *e);
} EngineCalls;

struct DnnlEngine {
    const EngineCalls *calls;
    const char *isa; /* what oneDNN plans for */
    int threads;
};

/* The library that this compiler is linked with: dnnl/library.c, or dnnl/no_library.c where there is none. */
bool library_open(Arena *arena, Diag *diag, const char *isa, int threads, DnnlEngine **engine);
/* Any answer, so that the compiler comes to an end: onednn_engine_finish refuses what it makes of it. */
bool engine_guess(Arena *arena, DnnlPrimitive *p, DnnlChoice *choices);
extern const bool library_is_there;
/* The refusal where there is none; with a place in front, unless that is NULL. */
bool refuse_without_library(Diag *diag, const char *place);
/* The library of another CPU, `host`, which a program asks that an emulator runs, with registers of SVE that are as long as so many of 128 bits:
 * dnnl/remote.c. */
bool remote_open(Arena *arena, Diag *diag, const char *host, const char *isa, int registers,
                 int threads, DnnlEngine **engine);
/* The ISA that it finds here, NULL without a library. Once asked, oneDNN cannot be limited to another one. */
const char *library_isa(void);
