/* For the files that call oneDNN, the only ones that need its headers: dnnl/library.c, create.c, query.c and library_time.c. */
#ifndef DNNLC_DNNL_LIBRARY_H
#define DNNLC_DNNL_LIBRARY_H

#include "engine.h"

#include <oneapi/dnnl/dnnl.h>

typedef struct LibraryEngine {
    DnnlEngine e; /* the first member: a DnnlEngine of the library is one of these */
    dnnl_engine_t engine;
    dnnl_stream_t stream;
} LibraryEngine;

/* The descriptor of a primitive, and md[row] of its memory; NULL if there is no implementation. The caller destroys all of
 * them, md with library_drop_descs. */
dnnl_primitive_desc_t library_make_desc(LibraryEngine *l, const DnnlPrimitive *p,
                                        dnnl_memory_desc_t *md);
void library_drop_descs(const DnnlPrimitive *p, dnnl_memory_desc_t *md);
/* NULL where there is no such descriptor. */
dnnl_memory_desc_t library_memory_desc(const DnnlMemory *m);
/* Which of a primitive descriptor's queries answers for an argument. */
dnnl_query_t library_query_of(int arg);

bool library_query(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices);
bool library_pack(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst);
bool library_time(DnnlEngine *e, const DnnlPrimitive *p, bool cold, double *ns);

#endif
