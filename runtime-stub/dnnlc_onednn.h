/* dnnlc runtime: creating the primitives of a model with oneDNN.
 *
 * Emitted oneDNN units include this header; it has only static functions and no state. A layer is created in the
 * order begin, descriptors, post-ops, primitive (dnnlc_primitives.h), memories, end. The first failure is kept in the
 * setup and makes the rest do nothing, so emitted code needs no error handling of its own.
 *
 * Copyright 2026 the dnnlc authors. SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNLC_ONEDNN_H
#define DNNLC_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many threads oneDNN takes is said to its OpenMP runtime. The functions are declared here because omp.h is there only
 * for compilers that were installed with an OpenMP runtime of their own. */
int omp_get_max_threads(void);
int omp_get_thread_num(void);
void omp_set_num_threads(int threads);

/* What runs once, in init: small code, quick to compile. */
#ifdef __GNUC__
#define DNNLC_SETUP static __attribute__((noinline, cold, unused))
#else
#define DNNLC_SETUP static inline
#endif

/* Ends a function with a status that is no success. */
#define DNNLC_TRY(call)                                                                            \
    do {                                                                                           \
        const unsigned tried = (unsigned)(call);                                                   \
        if (tried)                                                                                 \
            return tried;                                                                          \
    } while (0)

/* Threads take parts of the loop behind this; or each of them does what is behind it. */
#ifdef _OPENMP
#define DNNLC_PRAGMA(text) _Pragma(#text)
#define DNNLC_PARALLEL_FOR(threads) DNNLC_PRAGMA(omp parallel for schedule(static) num_threads(threads))
#define DNNLC_PARALLEL(threads) DNNLC_PRAGMA(omp parallel num_threads(threads))
#else
#define DNNLC_PARALLEL_FOR(threads) (void)(threads);
#define DNNLC_PARALLEL(threads) (void)(threads);
#endif

enum {
    DNNLC_MAX_DESCS = 64,
    DNNLC_AT_ONCE = 8, /* layers; creating one takes about 0.1 ms */
};

/* What init works with. `measure`: nothing is created, only the fallback bytes are counted. */
struct dnnlc_setup {
    dnnl_engine_t engine;
    struct dnnl_primitive **primitive; /* the context's: by layer, then the second ones */
    struct dnnl_memory **memory;       /* the context's, by memory index */
    unsigned char *workspace;
    const unsigned char *weights;
    unsigned char *fallback; /* 64-byte aligned */
    size_t fallback_size, fallback_used;
    size_t
        temporary; /* the most that one reorder needs besides, at the end of the fallback buffer */
    bool measure;
    const struct dnnl_primitive *
        like; /* the next primitive is the same as this one but for its memory; NULL: it is not known to be */
    dnnl_status_t status; /* the first failure */
    unsigned layer;       /* and the layer it happened in */
};

/* A memory descriptor as data. Strides count elements; they matter where the tag is dnnl_format_tag_undef. */
struct dnnlc_md {
    dnnl_data_type_t type;
    dnnl_format_tag_t tag;
    int rank;
    dnnl_dims_t dims[2]; /* dimensions, strides */
};

/* An operand of a layer under construction, whose memory object dnnlc_finish makes. */
struct dnnlc_operand {
    dnnl_memory_desc_t md;
    const void *data;
    const unsigned char *
        blob; /* of packed weights: their serialised descriptor; their own is known when the primitive is */
    bool depthwise; /* these are weights of the depthwise convolution that is a post-op */
};

/* A layer under construction. It owns its descriptors until dnnlc_end. */
struct dnnlc_layer {
    struct dnnlc_setup *setup;
    unsigned index,
        primitive; /* the layer's; and its primitive's, which differs for a second one */
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t post;
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t any;   /* packed weights: the descriptor that leaves the choice to oneDNN */
    const char *planned_impl; /* and the implementation that the packing was made for */
    dnnl_memory_desc_t desc[DNNLC_MAX_DESCS];
    int n_descs;
    struct dnnlc_operand operand[DNNLC_MAX_DESCS];
    unsigned n_operands;
};

DNNLC_SETUP void dnnlc_check(struct dnnlc_layer *l, dnnl_status_t status)
{
    if (l->setup->status == dnnl_success && status != dnnl_success) {
        l->setup->status = status;
        l->setup->layer = l->index;
    }
}

DNNLC_SETUP bool dnnlc_ok(const struct dnnlc_layer *l)
{
    return l->setup->status == dnnl_success;
}

/* For the primitive at `primitive` of the context. */
DNNLC_SETUP void dnnlc_begin_as(struct dnnlc_layer *l, struct dnnlc_setup *setup, unsigned index,
                                unsigned primitive)
{
    l->setup = setup;
    l->index = index;
    l->primitive = primitive;
    l->attr = NULL;
    l->post = NULL;
    l->pd = NULL;
    l->any = NULL;
    l->planned_impl = NULL;
    l->n_descs = 0;
    l->n_operands = 0;
    dnnlc_check(l, dnnl_primitive_attr_create(&l->attr));
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_primitive_attr_set_scratchpad_mode(l->attr, dnnl_scratchpad_mode_user));
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_post_ops_create(&l->post));
}

/* For the only primitive of a layer, or its first. */
DNNLC_SETUP void dnnlc_begin(struct dnnlc_layer *l, struct dnnlc_setup *setup, unsigned index)
{
    dnnlc_begin_as(l, setup, index, index);
}

DNNLC_SETUP dnnl_memory_desc_t dnnlc_keep(struct dnnlc_layer *l, dnnl_status_t status,
                                          dnnl_memory_desc_t md)
{
    dnnlc_check(l, status);
    if (status == dnnl_success)
        l->desc[l->n_descs++] = md;
    return status == dnnl_success ? md : NULL;
}

/* A descriptor by format tag; dnnl_format_tag_any leaves the choice to oneDNN. */
DNNLC_SETUP dnnl_memory_desc_t dnnlc_desc(struct dnnlc_layer *l, dnnl_data_type_t type,
                                          dnnl_format_tag_t tag, int rank, const dnnl_dims_t dims)
{
    dnnl_memory_desc_t md = NULL;
    if (!dnnlc_ok(l))
        return NULL;
    dnnl_status_t status = dnnl_memory_desc_create_with_tag(&md, rank, dims, type, tag);
    return dnnlc_keep(l, status, md);
}

/* A descriptor by strides, in elements. */
DNNLC_SETUP dnnl_memory_desc_t dnnlc_desc_strided(struct dnnlc_layer *l, dnnl_data_type_t type,
                                                  int rank, const dnnl_dims_t dims,
                                                  const dnnl_dims_t strides)
{
    dnnl_memory_desc_t md = NULL;
    if (!dnnlc_ok(l))
        return NULL;
    dnnl_status_t status = dnnl_memory_desc_create_with_strides(&md, rank, dims, type, strides);
    return dnnlc_keep(l, status, md);
}

DNNLC_SETUP dnnl_memory_desc_t dnnlc_describe(struct dnnlc_layer *l, const struct dnnlc_md *md)
{
    return md->tag == dnnl_format_tag_undef
               ? dnnlc_desc_strided(l, md->type, md->rank, md->dims[0], md->dims[1])
               : dnnlc_desc(l, md->type, md->tag, md->rank, md->dims[0]);
}

/* The descriptor of the next operand, which is at `data`; that may be NULL when it is set at every run. */
DNNLC_SETUP dnnl_memory_desc_t dnnlc_operand(struct dnnlc_layer *l, const struct dnnlc_md *md,
                                             const void *data)
{
    dnnl_memory_desc_t desc = dnnlc_describe(l, md);
    l->operand[l->n_operands++] = (struct dnnlc_operand){.md = desc, .data = data};
    return desc;
}

DNNLC_SETUP void dnnlc_append_sum(struct dnnlc_layer *l)
{
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_post_ops_append_sum(l->post, 1.0f, 0, dnnl_data_type_undef));
}

DNNLC_SETUP void dnnlc_append_eltwise(struct dnnlc_layer *l, dnnl_alg_kind_t alg, float alpha,
                                      float beta)
{
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_post_ops_append_eltwise(l->post, alg, alpha, beta));
}

DNNLC_SETUP void dnnlc_append_binary(struct dnnlc_layer *l, dnnl_alg_kind_t alg,
                                     dnnl_memory_desc_t operand)
{
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_post_ops_append_binary(l->post, alg, operand));
}

DNNLC_SETUP void dnnlc_append_prelu(struct dnnlc_layer *l, int mask)
{
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_post_ops_append_prelu(l->post, mask));
}

/* A depthwise 3x3 convolution, with padding 1 and a bias, of what has been computed so far. */
DNNLC_SETUP void dnnlc_append_depthwise(struct dnnlc_layer *l, int stride)
{
    if (dnnlc_ok(l))
        dnnlc_check(l,
                    dnnl_post_ops_append_dw(l->post, dnnl_f32, dnnl_f32, dnnl_f32, 3, stride, 1));
}

/* For products of bytes. Where their sums saturate on the way (CPUs before VNNI) the numbers would be wrong: such a CPU is
 * refused. */
DNNLC_SETUP void dnnlc_int8(struct dnnlc_layer *l)
{
    const unsigned vnni = (unsigned)(dnnl_cpu_isa_avx512_core_vnni & ~dnnl_cpu_isa_avx512_core) |
                          (unsigned)(dnnl_cpu_isa_avx2_vnni & ~dnnl_cpu_isa_avx2);
    if (dnnlc_ok(l) && !((unsigned)dnnl_get_effective_cpu_isa() & vnni))
        dnnlc_check(l, dnnl_unimplemented);
}

/* The product with an argument is scaled by numbers that vary along the dimensions in `mask`. */
DNNLC_SETUP void dnnlc_scales(struct dnnlc_layer *l, int arg, int mask)
{
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_primitive_attr_set_scales_mask(l->attr, arg, mask));
}

DNNLC_SETUP void dnnlc_zero_point(struct dnnlc_layer *l, int arg)
{
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_primitive_attr_set_zero_points_mask(l->attr, arg, 0));
}

/* The primitive, once its descriptor has been made with this status. What an earlier attempt has left behind goes first: see
 * dnnlc_create_layers. */
DNNLC_SETUP void dnnlc_create(struct dnnlc_layer *l, dnnl_status_t status)
{
    dnnlc_check(l, status);
    if (!dnnlc_ok(l) || l->setup->measure)
        return;
    dnnl_primitive_t *primitive = &l->setup->primitive[l->primitive];
    dnnl_primitive_destroy(*primitive);
    *primitive = NULL;
    dnnlc_check(l, dnnl_primitive_create(primitive, l->pd));
}

/* After the last post-op, before the primitive descriptor is made: whether that makes sense. It does not where the layer is like one
 * before, whose descriptor is copied: to find one takes oneDNN several times as long. */
DNNLC_SETUP bool dnnlc_ready(struct dnnlc_layer *l)
{
    const_dnnl_primitive_desc_t pd = NULL;
    const_dnnl_primitive_t like = l->setup->like;
    l->setup->like = NULL;
    if (dnnlc_ok(l) && like) {
        dnnlc_check(l, dnnl_primitive_get_primitive_desc(like, &pd));
        if (dnnlc_ok(l))
            dnnlc_create(l, dnnl_primitive_desc_clone(&l->pd, pd));
        return false;
    }
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_primitive_attr_set_post_ops(l->attr, l->post));
    return dnnlc_ok(l);
}

/* Memory object `slot` over caller-owned bytes; `data` may be NULL when it is set at every run. */
DNNLC_SETUP void dnnlc_memory(struct dnnlc_layer *l, unsigned slot, const_dnnl_memory_desc_t md,
                              const void *data)
{
    if (!dnnlc_ok(l) || l->setup->measure)
        return;
    dnnl_memory_t *memory = &l->setup->memory[slot];
    dnnl_memory_destroy(*memory);
    *memory = NULL;
    dnnlc_check(l, dnnl_memory_create(memory, md, l->setup->engine,
                                      data ? (void *)(uintptr_t)data : DNNL_MEMORY_NONE));
}

/* `size` bytes of the fallback buffer, 64-byte aligned, with `temporary` bytes left at its end; NULL when it is too small or
 * only measured. */
DNNLC_SETUP void *dnnlc_fallback(struct dnnlc_layer *l, size_t size, size_t temporary)
{
    struct dnnlc_setup *s = l->setup;
    size_t at = s->fallback_used;
    s->fallback_used += (size + 63) / 64 * 64;
    if (temporary > s->temporary)
        s->temporary = temporary;
    if (s->measure)
        return NULL;
    if (s->fallback_used > s->fallback_size || s->fallback_size - s->fallback_used < temporary)
        dnnlc_check(l, dnnl_out_of_memory);
    return dnnlc_ok(l) ? s->fallback + at : NULL;
}

/* The row-major descriptor of the same dimensions. */
DNNLC_SETUP dnnl_memory_desc_t dnnlc_plain_desc(struct dnnlc_layer *l, const_dnnl_memory_desc_t md)
{
    int rank = 0;
    dnnl_dims_t *dims = NULL, strides;
    dnnl_data_type_t type = dnnl_data_type_undef;
    dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &rank);
    dnnl_memory_desc_query(md, dnnl_query_dims, &dims);
    dnnl_memory_desc_query(md, dnnl_query_data_type, &type);
    if (!dims || rank < 1)
        return NULL;
    dnnl_dim_t step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= (*dims)[i];
    }
    return dnnlc_desc_strided(l, type, rank, *dims, strides);
}

/* Reorders once, now. */
DNNLC_SETUP void dnnlc_repack(struct dnnlc_layer *l, const_dnnl_memory_desc_t from, const void *src,
                              const_dnnl_memory_desc_t to, void *dst)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t reorder = NULL;
    dnnl_memory_t in = NULL, out = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_engine_t engine = l->setup->engine;
    dnnlc_check(l, dnnl_reorder_primitive_desc_create(&pd, from, engine, to, engine, NULL));
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_primitive_create(&reorder, pd));
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_memory_create(&in, from, engine, (void *)(uintptr_t)src));
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_memory_create(&out, to, engine, dst));
    if (dnnlc_ok(l))
        dnnlc_check(l, dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    if (dnnlc_ok(l)) {
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, in}, {DNNL_ARG_TO, out}};
        dnnlc_check(l, dnnl_primitive_execute(reorder, stream, 2, args));
    }
    if (stream)
        dnnl_stream_destroy(stream);
    dnnl_memory_destroy(out);
    dnnl_memory_destroy(in);
    dnnl_primitive_destroy(reorder);
    if (pd)
        dnnl_primitive_desc_destroy(pd);
}

/* The implementation that the layer's weights were packed for. */
DNNLC_SETUP void dnnlc_planned_for(struct dnnlc_layer *l, const char *impl)
{
    l->planned_impl = impl;
}

/* The descriptor of weights that were packed when the model was compiled: `blob` is its serialised form. See dnnlc_settled. */
DNNLC_SETUP dnnl_memory_desc_t dnnlc_desc_packed(struct dnnlc_layer *l, const struct dnnlc_md *md,
                                                 const unsigned char *blob)
{
    dnnl_memory_desc_t planned = NULL;
    l->any = dnnlc_describe(l, md);
    if (!dnnlc_ok(l) || !l->setup->weights)
        return l->any;
    dnnl_status_t status = dnnl_memory_desc_create_with_blob(&planned, blob);
    if (status != dnnl_success && status != dnnl_out_of_memory)
        return l->any;
    return dnnlc_keep(l, status, planned);
}

/* The next operand is weights that were packed so. */
DNNLC_SETUP dnnl_memory_desc_t dnnlc_packed(struct dnnlc_layer *l, const struct dnnlc_md *md,
                                            const unsigned char *packed, const unsigned char *blob)
{
    l->operand[l->n_operands++] = (struct dnnlc_operand){.data = packed, .blob = blob};
    return dnnlc_desc_packed(l, md, blob);
}

/* The same for those of the depthwise convolution that is a post-op, whose descriptor is oneDNN's own. */
DNNLC_SETUP void dnnlc_packed_depthwise(struct dnnlc_layer *l, const unsigned char *packed,
                                        const unsigned char *blob)
{
    l->operand[l->n_operands++] =
        (struct dnnlc_operand){.data = packed, .blob = blob, .depthwise = true};
}

/* Whether the primitive descriptor is final. It is first made with the weights as they were packed. If that fails for another
 * reason than memory, or gives another implementation than planned (another CPU), it is made again with the choice left to oneDNN. */
DNNLC_SETUP bool dnnlc_settled(struct dnnlc_layer *l, dnnl_memory_desc_t *weights,
                               dnnl_status_t status)
{
    const char *impl = "";
    if (!l->any || *weights == l->any || status == dnnl_out_of_memory)
        return true;
    if (status == dnnl_success)
        dnnl_primitive_desc_query(l->pd, dnnl_query_impl_info_str, 0, (void *)&impl);
    if (status == dnnl_success && !strcmp(impl, l->planned_impl))
        return true;
    if (l->pd)
        dnnl_primitive_desc_destroy(l->pd);
    l->pd = NULL;
    *weights = l->any;
    return false;
}

/* Memory object `slot` over packed weights, which oneDNN wants as `wanted`. Where that is what they are they are used in
 * place; otherwise they are reordered into the fallback buffer. */
DNNLC_SETUP void dnnlc_weights_as(struct dnnlc_layer *l, unsigned slot, const unsigned char *packed,
                                  const unsigned char *blob, const_dnnl_memory_desc_t wanted)
{
    dnnl_memory_desc_t planned = NULL;
    if (!l->setup->weights) { /* measuring without the weights file at hand: the worst case */
        dnnlc_fallback(l, dnnl_memory_desc_get_size(wanted), dnnl_memory_desc_get_size(wanted));
        return;
    }
    dnnl_status_t status = dnnl_memory_desc_create_with_blob(&planned, blob);
    if (!dnnlc_keep(l, status, planned))
        return;
    if (dnnl_memory_desc_equal(planned, wanted)) {
        dnnlc_memory(l, slot, wanted, packed);
        return;
    }
    /* From one blocked form to another oneDNN has only its reference reorder; through the row-major one it has fast ones. */
    dnnl_memory_desc_t plain = dnnlc_plain_desc(l, planned);
    size_t plain_size = plain ? (dnnl_memory_desc_get_size(plain) + 63) / 64 * 64 : 0;
    void *copy = dnnlc_fallback(l, dnnl_memory_desc_get_size(wanted), plain_size);
    if (copy) {
        void *between = l->setup->fallback + (l->setup->fallback_size - plain_size) / 64 * 64;
        dnnlc_repack(l, planned, packed, plain, between);
        dnnlc_repack(l, plain, between, wanted, copy);
        dnnlc_memory(l, slot, wanted, copy);
    }
}

DNNLC_SETUP void dnnlc_weights(struct dnnlc_layer *l, unsigned slot, const unsigned char *packed,
                               const unsigned char *blob)
{
    if (dnnlc_ok(l))
        dnnlc_weights_as(l, slot, packed, blob,
                         dnnl_primitive_desc_query_md(l->pd, dnnl_query_weights_md, 0));
}

/* Those of the depthwise convolution that is a post-op. */
DNNLC_SETUP void dnnlc_depthwise_weights(struct dnnlc_layer *l, unsigned slot,
                                         const unsigned char *packed, const unsigned char *blob)
{
    if (dnnlc_ok(l))
        dnnlc_weights_as(l, slot, packed, blob,
                         dnnl_primitive_desc_query_md(l->pd, dnnl_query_exec_arg_md,
                                                      DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS));
}

/* Scratch memory: the planned place in the workspace, or the fallback buffer if this CPU needs more. Where none is needed
 * the slot stays empty, which oneDNN skips among the arguments. */
DNNLC_SETUP void dnnlc_scratchpad(struct dnnlc_layer *l, unsigned slot, unsigned char *planned,
                                  size_t planned_size)
{
    if (!dnnlc_ok(l))
        return;
    const_dnnl_memory_desc_t wanted =
        dnnl_primitive_desc_query_md(l->pd, dnnl_query_scratchpad_md, 0);
    size_t size = wanted ? dnnl_memory_desc_get_size(wanted) : 0;
    void *place = planned;
    if (!size)
        return;
    if (size > planned_size)
        place = dnnlc_fallback(l, size, 0);
    if (dnnlc_ok(l))
        dnnlc_memory(l, slot, wanted, place);
}

DNNLC_SETUP void dnnlc_end(struct dnnlc_layer *l)
{
    for (int i = 0; i < l->n_descs; i++)
        dnnl_memory_desc_destroy(l->desc[i]);
    if (l->pd)
        dnnl_primitive_desc_destroy(l->pd);
    dnnl_post_ops_destroy(l->post);
    dnnl_primitive_attr_destroy(l->attr);
}

/* The end of a layer of one primitive: the memory objects of its operands from `slot` on, then that of its scratch memory. */
DNNLC_SETUP void dnnlc_finish(struct dnnlc_layer *l, unsigned slot, unsigned char *scratch,
                              size_t scratch_size)
{
    for (unsigned i = 0; i < l->n_operands; i++) {
        const struct dnnlc_operand *o = &l->operand[i];
        if (!o->blob)
            dnnlc_memory(l, slot + i, o->md, o->data);
        else if (o->depthwise)
            dnnlc_depthwise_weights(l, slot + i, o->data, o->blob);
        else
            dnnlc_weights(l, slot + i, o->data, o->blob);
    }
    dnnlc_scratchpad(l, slot + l->n_operands, scratch, scratch_size);
    dnnlc_end(l);
}

/* Runs a primitive whose `n` arguments are in `memory`, and scratch memory behind them. */
static inline dnnl_status_t dnnlc_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                          const dnnl_memory_t *memory, const int *arg, int n)
{
    dnnl_exec_arg_t args[DNNLC_MAX_DESCS + 1];
    for (int i = 0; i < n; i++)
        args[i] = (dnnl_exec_arg_t){.arg = arg[i], .memory = memory[i]};
    args[n] = (dnnl_exec_arg_t){.arg = DNNL_ARG_SCRATCHPAD, .memory = memory[n]};
    return dnnl_primitive_execute(primitive, stream, n + 1, args);
}

/* A layer's function, and whether its primitives are made for one thread: it is then also run by one. */
struct dnnlc_creator {
    void (*create)(struct dnnlc_setup *setup);
    void (*create_row)(struct dnnlc_setup *setup,
                       const void *row); /* the same for one of several layers, … */
    const void *row;                     /* … which has this row of their table */
    bool one_thread;
    unsigned
        like; /* 1 + the index of a layer before it whose primitive is the same; 0: there is none */
};

/* The layers of a unit. */
struct dnnlc_layers {
    const struct dnnlc_creator *creator;
    int n;
};

DNNLC_SETUP const struct dnnlc_creator *dnnlc_creator_of(const struct dnnlc_layers *unit, int layer)
{
    for (; layer >= unit->n; unit++)
        layer -= unit->n;
    return &unit->creator[layer];
}

/* How many threads a primitive is for is taken from the thread that creates it. */
DNNLC_SETUP void dnnlc_create_layer(const struct dnnlc_creator *c, struct dnnlc_setup *s,
                                    int threads)
{
    omp_set_num_threads(c->one_thread ? 1 : threads);
    s->like = c->like && !s->measure ? s->primitive[c->like - 1] : NULL;
    if (c->create)
        c->create(s);
    else
        c->create_row(s, c->row);
    s->like = NULL;
}

#ifdef _OPENMP
/* Every thread creates layers by itself, without a fallback buffer, whose parts are given out in order: first those of which no other is a
 * copy, then the copies. */
DNNLC_SETUP bool dnnlc_created_at_once(const struct dnnlc_setup *s, const struct dnnlc_layers *unit,
                                       int n, int threads)
{
    int failed = 0;
#pragma omp parallel reduction(| : failed)
    for (int copies = 0; copies < 2; copies++) {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < n; i++) {
            const struct dnnlc_creator *c = dnnlc_creator_of(unit, i);
            struct dnnlc_setup own = *s;
            if (failed || !c->like != !copies)
                continue;
            own.fallback = NULL;
            own.fallback_size = 0;
            dnnlc_create_layer(c, &own, threads);
            failed |= own.status != dnnl_success;
        }
    }
    return !failed;
}
#endif

/* Whether to create layers at once. Starting a thread takes some milliseconds where it has to wait for a processor, since
 * the OpenMP runtime spins meanwhile: it is done for many layers only, and not where no layer will be run by several. */
DNNLC_SETUP bool dnnlc_worth_threads(const struct dnnlc_layers *unit, int n)
{
    int shared = 0, own = 0;
    for (int i = 0; i < n; i++) {
        const struct dnnlc_creator *c = dnnlc_creator_of(unit, i);
        shared += !c->one_thread;
        own += !c->like;
    }
    return shared && own >= DNNLC_AT_ONCE;
}

/* All layers of so many units, at once where that is worth it. If anything stands against that, all is done again one by one, so that
 * neither the fallback buffer nor the failure that is reported depends on who came first. */
DNNLC_SETUP void dnnlc_create_layers(struct dnnlc_setup *s, const struct dnnlc_layers *unit,
                                     size_t units)
{
    const int threads = omp_get_max_threads();
    bool created = s->status != dnnl_success;
    int n = 0;
    for (size_t i = 0; i < units; i++)
        n += unit[i].n;
#ifdef _OPENMP
    if (!created && !s->measure && threads > 1 && dnnlc_worth_threads(unit, n))
        created = dnnlc_created_at_once(s, unit, n, threads);
#endif
    for (int i = 0; i < n && !created; i++)
        dnnlc_create_layer(dnnlc_creator_of(unit, i), s, threads);
    omp_set_num_threads(threads);
}

#endif
