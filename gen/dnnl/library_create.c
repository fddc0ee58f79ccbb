/* Creating a primitive descriptor of what is described as data, by the functions that emitted code calls. */
#include "library.h"

#include <omp.h>
#include <string.h>

/* The numbers of words.h are oneDNN's. */
#define X(name, number) _Static_assert(number == DNNL_ARG_##name, #name);
ARGUMENTS(X)
ARGUMENT_FLAGS(X)
#undef X
_Static_assert(ARG_MULTIPLE_SRC == DNNL_ARG_MULTIPLE_SRC &&
                   ARG_ATTR_POST_OP == DNNL_ARG_ATTR_MULTIPLE_POST_OP(0),
               "arguments");
_Static_assert(NORM_GLOBAL_STATS == (int)dnnl_use_global_stats &&
                   NORM_SCALE == (int)dnnl_use_scale && NORM_SHIFT == (int)dnnl_use_shift,
               "flags of norms");
_Static_assert((int)MAX_RANK == DNNL_MAX_NDIMS, "dimensions");

static const dnnl_alg_kind_t algs[] = {
#define X(name) [ALG_##name] = dnnl_##name,
    ALGORITHMS(X)
#undef X
};

dnnl_data_type_t library_data_type(DType t)
{
    switch (t) {
#define X(type, name)                                                                              \
    case type:                                                                                     \
        return dnnl_##name;
        DATA_TYPES(X)
#undef X
    default:
        bug("oneDNN has no data type %s", dtype_name(t));
    }
}

/* "acdb" as strides: the letters from the outermost dimension to the innermost. */
static void tag_strides(const DnnlMemory *m, dnnl_dims_t strides)
{
    int64_t step = 1;
    for (int i = m->rank - 1; i >= 0; i--) {
        strides[m->tag[i] - 'a'] = step;
        step *= m->dims[m->tag[i] - 'a'];
    }
}

static dnnl_memory_desc_t given_desc(struct dnnlc_layer *l, const DnnlMemory *m)
{
    dnnl_memory_desc_t md = NULL;
    const dnnl_status_t status = dnnl_memory_desc_create_with_blob(&md, m->given);
    return dnnlc_keep(l, status, md);
}

/* Of weights of products, by columns / 16. */
static const dnnl_format_tag_t blocks[] = {dnnl_format_tag_any, dnnl_BA16a16b, dnnl_BA16a32b,
                                           dnnl_BA16a48b, dnnl_BA16a64b};

static dnnl_memory_desc_t make_desc(struct dnnlc_layer *l, const DnnlMemory *m)
{
    const dnnl_data_type_t type = library_data_type(m->dtype);
    dnnl_dims_t strides;
    if (m->form == FORM_ANY && m->given)
        return given_desc(l, m);
    if (m->form == FORM_ANY)
        return dnnlc_desc(l, type, m->columns ? blocks[m->columns / 16] : dnnl_format_tag_any,
                          m->rank, m->dims);
    if (m->form == FORM_STRIDES)
        return dnnlc_desc_strided(l, type, m->rank, m->dims, m->strides);
    tag_strides(m, strides);
    return dnnlc_desc_strided(l, type, m->rank, m->dims, strides);
}

static void add_attributes(struct dnnlc_layer *l, const DnnlPrimitive *p)
{
    for (uint32_t i = 0; i < p->n_memory; i++) {
        const DnnlMemory *m = &p->memory[i];
        const int kind = onednn_attribute_of(m), of = m->arg & ~kind;
        if (kind == ARG_ATTR_SCALES)
            dnnlc_scales(l, of, onednn_attribute_mask(p, m));
        else if (kind == ARG_ATTR_ZERO_POINTS)
            dnnlc_zero_point(l, of);
    }
}

static void append(struct dnnlc_layer *l, const DnnlPostOp *op)
{
    switch (op->kind) {
    case DNNL_POST_SUM:
        dnnlc_append_sum(l);
        return;
    case DNNL_POST_ELTWISE:
        dnnlc_append_eltwise(l, algs[op->alg], op->alpha, op->beta);
        return;
    case DNNL_POST_BINARY:
        dnnlc_append_binary(l, algs[op->alg], l->desc[op->memory]);
        return;
    case DNNL_POST_PRELU:
        dnnlc_append_prelu(l, op->mask);
        return;
    case DNNL_POST_DEPTHWISE:
        dnnlc_append_depthwise(l, op->stride);
        return;
    }
}

static dnnl_memory_desc_t desc_of(const struct dnnlc_layer *l, const DnnlPrimitive *p, int arg)
{
    const DnnlMemory *m = onednn_memory_of(p, arg);
    return m ? l->desc[m - p->memory] : NULL;
}

static dnnl_memory_desc_t between_desc(struct dnnlc_layer *l, const DnnlPrimitive *p)
{
    const DnnlMemory between = onednn_between(p);
    return make_desc(l, &between);
}

static struct dnnlc_window window_of(const DnnlPrimitive *p)
{
    struct dnnlc_window w = {.kernel = {0}};
    memcpy(w.kernel, p->kernel, sizeof p->kernel);
    memcpy(w.strides, p->strides, sizeof p->strides);
    memcpy(w.dilates, p->dilates, sizeof p->dilates);
    memcpy(w.padding_l, p->pad_l, sizeof p->pad_l);
    memcpy(w.padding_r, p->pad_r, sizeof p->pad_r);
    return w;
}

/* The sources of a layer with any number of them are its first rows. */
static int count_sources(const DnnlPrimitive *p)
{
    uint32_t n = 0;
    while (n < p->n_memory && p->memory[n].arg == ARG_MULTIPLE_SRC + (int)n)
        n++;
    return (int)n;
}

/* The words of primitives.def, as values. */
#define SRC desc_of(l, p, ARG_SRC)
#define SRC_1 desc_of(l, p, ARG_SRC_1)
#define WEIGHTS desc_of(l, p, ARG_WEIGHTS)
#define BIAS desc_of(l, p, ARG_BIAS)
#define DST desc_of(l, p, ARG_DST)
#define BETWEEN between_desc(l, p)
#define SOURCES count_sources(p)
#define WINDOW &window
#define ALG algs[p->alg]
#define ALPHA p->alpha
#define BETA p->beta
#define K p->k
#define AXIS p->axis
#define SIZE p->size
#define FLAGS p->flags

static void create(struct dnnlc_layer *l, const DnnlPrimitive *p)
{
    const struct dnnlc_window window = window_of(p);
    switch (p->kind) {
#define KIND(id, name, function, ...)                                                              \
    case KIND_##id:                                                                                \
        dnnlc_##function(l, __VA_ARGS__);                                                          \
        return;
#define COMPOSITE(id, name, ...) case KIND_##id:
#include "primitives.def"
    case KIND_COUNT:
        break;
    }
    bug("a %s is no primitive", onednn_kind_names[p->kind]);
}

bool library_create(LibraryEngine *e, const DnnlPrimitive *p, LibraryPrimitive *made)
{
    struct dnnlc_layer *l = &made->layer;
    made->setup = (struct dnnlc_setup){.engine = e->engine, .measure = true};
    omp_set_num_threads(p->one_thread ? 1 : e->e.threads);
    dnnlc_begin(l, &made->setup, 0);
    for (uint32_t i = 0; i < p->n_memory; i++)
        make_desc(l, &p->memory[i]);
    add_attributes(l, p);
    for (uint32_t i = 0; i < p->n_post && dnnlc_ok(l); i++)
        append(l, &p->post[i]);
    if (dnnlc_ok(l))
        create(l, p);
    omp_set_num_threads(e->e.threads);
    return dnnlc_ok(l);
}
