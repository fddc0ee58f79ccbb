/* For the files that create primitives at compile time: dnnl/query.c and tune/dnnl_time.c. */
#ifndef DNNLC_DNNL_ENGINE_H
#define DNNLC_DNNL_ENGINE_H

#include "plan.h"

struct DnnlEngine {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    int threads;
};

/* The descriptor of a primitive, and md[row] of its memory; NULL if there is no implementation. The caller destroys all of
 * them, md with dnnl_drop_descs. */
dnnl_primitive_desc_t dnnl_make_desc(DnnlEngine *e, const DnnlPrimitive *p, dnnl_memory_desc_t *md);
void dnnl_drop_descs(const DnnlPrimitive *p, dnnl_memory_desc_t *md);
/* Which of a primitive descriptor's queries answers for an argument. */
dnnl_query_t dnnl_query_of(int arg);

#endif
