/* Primitives are timed as they will be run: packed weights, the threads and the ISA planned for; weights not in the caches where
 * a network has used these for others in between. Other programs on the machine only ever make a run longer, so that the
 * shortest one counts. */
#include "../tune/dnnl_time.h"
#include "library.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct Timed {
    LibraryEngine *l;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t *arg;
    void **data; /* by argument */
    int n;
    int weights;                /* the argument that is elsewhere at each run, -1: none */
    size_t bytes, copies, copy; /* of that */
    size_t spread;              /* bytes of weights, used one after the other */
    bool failed;
} Timed;

/* Memory full of the number `fill`: zeros or denormals would not take the usual time. */
static bool add_memory(Timed *t, int arg, const_dnnl_memory_desc_t md, float fill)
{
    size_t bytes = md ? dnnl_memory_desc_get_size(md) : 0;
    dnnl_data_type_t type = dnnl_data_type_undef;
    if (!bytes)
        return true;
    dnnl_memory_desc_query(md, dnnl_query_data_type, &type);
    if (arg == DNNL_ARG_WEIGHTS) {
        t->weights = t->n;
        t->bytes = align_up(bytes);
        t->copies = t->spread / t->bytes + 1;
        bytes = t->bytes * t->copies;
    }
    float *data = aligned_alloc(64, align_up(bytes));
    dnnl_memory_t memory = NULL;
    if (!data || dnnl_memory_create(&memory, md, t->l->engine, data) != dnnl_success) {
        free(data);
        return false;
    }
    if (type == dnnl_f32)
        for (size_t i = 0; i < bytes / sizeof fill; i++)
            data[i] = fill;
    else
        memset(data, type == dnnl_bf16 ? 0x3e : 1, bytes);
    t->arg[t->n] = (dnnl_exec_arg_t){arg, memory};
    t->data[t->n++] = data;
    return true;
}

static bool add_memories(Timed *t, const DnnlPrimitive *p, const struct dnnlc_layer *l)
{
    const_dnnl_primitive_desc_t pd = l->pd;
    for (uint32_t i = 0; i < p->n_memory; i++) {
        const DnnlMemory *m = &p->memory[i];
        const_dnnl_memory_desc_t d =
            m->form == FORM_ANY ? dnnl_primitive_desc_query_md(pd, library_query_of(m->arg), 0)
                                : l->desc[i];
        if (!add_memory(t, m->arg, d, m->arg == DNNL_ARG_WEIGHTS ? 0.01f : 0.5f))
            return false;
    }
    return add_memory(t, DNNL_ARG_SCRATCHPAD,
                      dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0), 0);
}

static void run_once(void *data)
{
    Timed *t = data;
    if (t->weights >= 0) {
        unsigned char *all = t->data[t->weights];
        dnnl_memory_set_data_handle(t->arg[t->weights].memory, all + t->copy * t->bytes);
        t->copy = (t->copy + 7919) % t->copies;
    }
    t->failed = t->failed ||
                dnnl_primitive_execute(t->primitive, t->l->stream, t->n, t->arg) != dnnl_success;
}

bool library_time(DnnlEngine *e, const DnnlPrimitive *p, size_t spread, double *ns)
{
    Arena *scratch = arena_new();
    LibraryPrimitive made;
    Timed t = {.l = (LibraryEngine *)e,
               .spread = spread,
               .weights = -1,
               .arg = ARENA_ARRAY(scratch, dnnl_exec_arg_t, p->n_memory + 1)};
    t.data = ARENA_ARRAY(scratch, void *, p->n_memory + 1);
    const bool there = library_create(t.l, p, &made);
    omp_set_num_threads(p->one_thread ? 1 : e->threads);
    bool ok = there && dnnl_primitive_create(&t.primitive, made.layer.pd) == dnnl_success &&
              add_memories(&t, p, &made.layer);
    if (ok)
        *ns = shortest_ns(run_once, &t, p->one_thread || e->threads == 1);
    omp_set_num_threads(e->threads);
    for (int i = 0; i < t.n; i++) {
        dnnl_memory_destroy(t.arg[i].memory);
        free(t.data[i]);
    }
    dnnl_primitive_destroy(t.primitive);
    dnnlc_end(&made.layer);
    arena_free(scratch);
    return ok && !t.failed;
}
