/* For the files that call oneDNN, the only ones that need its headers: dnnl/library.c, create.c, query.c and library_time.c. */
#pragma once

#include "../../runtime-stub/dnnlc_primitives.h"
#include "engine.h"

typedef struct LibraryEngine {
    DnnlEngine e; /* the first member: a DnnlEngine of the library is one of these */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
} LibraryEngine;

/* A primitive descriptor, layer.pd; layer.desc[row] is that of a row of DnnlPrimitive.memory. */
typedef struct LibraryPrimitive {
    struct dnnlc_setup setup;
    struct dnnlc_layer layer;
} LibraryPrimitive;

/* False if there is no implementation. The caller ends the layer in any case, with dnnlc_end. */
bool library_create(LibraryEngine *e, const DnnlPrimitive *p, LibraryPrimitive *made);
dnnl_data_type_t library_data_type(DType t);
/* Which of a primitive descriptor's queries answers for an argument. */
dnnl_query_t library_query_of(int arg);

bool library_query(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices);
bool library_pack(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst);
bool library_time(DnnlEngine *e, const DnnlPrimitive *p, size_t spread, double *ns);
