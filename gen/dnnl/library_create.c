/* Creating a primitive descriptor of what is described as data. */
#include "library.h"

#include <omp.h>
#include <string.h>

/* The numbers of words.h are oneDNN's. */
_Static_assert(ARG_SRC == DNNL_ARG_SRC && ARG_SRC_1 == DNNL_ARG_SRC_1 && ARG_DST == DNNL_ARG_DST &&
                   ARG_WEIGHTS == DNNL_ARG_WEIGHTS && ARG_BIAS == DNNL_ARG_BIAS &&
                   ARG_MEAN == DNNL_ARG_MEAN && ARG_VARIANCE == DNNL_ARG_VARIANCE &&
                   ARG_SCALE == DNNL_ARG_SCALE && ARG_SHIFT == DNNL_ARG_SHIFT &&
                   ARG_MULTIPLE_SRC == DNNL_ARG_MULTIPLE_SRC &&
                   ARG_ATTR_SCALES == DNNL_ARG_ATTR_SCALES &&
                   ARG_ATTR_ZERO_POINTS == DNNL_ARG_ATTR_ZERO_POINTS &&
                   ARG_ATTR_POST_OP_DW == DNNL_ARG_ATTR_POST_OP_DW &&
                   ARG_ATTR_POST_OP == DNNL_ARG_ATTR_MULTIPLE_POST_OP(0),
               "arguments");
_Static_assert(NORM_GLOBAL_STATS == (int)dnnl_use_global_stats &&
                   NORM_SCALE == (int)dnnl_use_scale && NORM_SHIFT == (int)dnnl_use_shift,
               "flags of norms");
_Static_assert((int)MAX_RANK == DNNL_MAX_NDIMS, "dimensions");

static const dnnl_alg_kind_t algs[] = {
#define X(id, name) [id] = dnnl_##name,
    ALGORITHMS(X)
#undef X
};

static dnnl_data_type_t data_type(DType t)
{
    switch (t) {
    case DT_F32:
        return dnnl_f32;
    case DT_BF16:
        return dnnl_bf16;
    case DT_F16:
        return dnnl_f16;
    case DT_I32:
        return dnnl_s32;
    case DT_I8:
        return dnnl_s8;
    case DT_U8:
        return dnnl_u8;
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

dnnl_memory_desc_t library_memory_desc(const DnnlMemory *m)
{
    dnnl_memory_desc_t md = NULL;
    dnnl_dims_t dims, strides;
    dnnl_status_t status;
    memcpy(dims, m->dims, sizeof dims);
    memcpy(strides, m->strides, sizeof strides);
    if (m->form == FORM_ANY)
        status = dnnl_memory_desc_create_with_tag(&md, m->rank, dims, data_type(m->dtype),
                                                  dnnl_format_tag_any);
    else {
        if (m->form == FORM_TAG)
            tag_strides(m, strides);
        status =
            dnnl_memory_desc_create_with_strides(&md, m->rank, dims, data_type(m->dtype), strides);
    }
    return status == dnnl_success ? md : NULL;
}

static dnnl_status_t add_post_ops(const DnnlPrimitive *p, dnnl_memory_desc_t *md,
                                  dnnl_post_ops_t post)
{
    dnnl_status_t s = dnnl_success;
    for (uint32_t i = 0; i < p->n_post && s == dnnl_success; i++) {
        const DnnlPostOp *op = &p->post[i];
        switch (op->kind) {
        case DNNL_POST_SUM:
            s = dnnl_post_ops_append_sum(post, 1, 0, dnnl_data_type_undef);
            break;
        case DNNL_POST_ELTWISE:
            s = dnnl_post_ops_append_eltwise(post, algs[op->alg], op->alpha, op->beta);
            break;
        case DNNL_POST_BINARY:
            s = dnnl_post_ops_append_binary(post, algs[op->alg], md[op->memory]);
            break;
        case DNNL_POST_PRELU:
            s = dnnl_post_ops_append_prelu(post, op->mask);
            break;
        case DNNL_POST_DEPTHWISE:
            s = dnnl_post_ops_append_dw(post, dnnl_f32, dnnl_f32, dnnl_f32, 3, op->stride, 1);
            break;
        }
    }
    return s;
}

static dnnl_status_t set_attributes(const DnnlPrimitive *p, dnnl_primitive_attr_t attr)
{
    dnnl_status_t s = dnnl_success;
    for (uint32_t i = 0; i < p->n_memory && s == dnnl_success; i++) {
        const int kind = dnnl_attribute_of(&p->memory[i]), of = p->memory[i].arg & ~kind;
        if (kind == ARG_ATTR_SCALES)
            s = dnnl_primitive_attr_set_scales_mask(attr, of,
                                                    dnnl_attribute_mask(p, &p->memory[i]));
        else if (kind == ARG_ATTR_ZERO_POINTS)
            s = dnnl_primitive_attr_set_zero_points_mask(attr, of, 0);
    }
    return s;
}

static dnnl_status_t make_attr(const DnnlPrimitive *p, dnnl_memory_desc_t *md,
                               dnnl_primitive_attr_t *attr)
{
    dnnl_post_ops_t post = NULL;
    dnnl_status_t s = dnnl_primitive_attr_create(attr);
    if (s == dnnl_success)
        s = dnnl_primitive_attr_set_scratchpad_mode(*attr, dnnl_scratchpad_mode_user);
    if (s == dnnl_success)
        s = set_attributes(p, *attr);
    if (s == dnnl_success)
        s = dnnl_post_ops_create(&post);
    if (s == dnnl_success)
        s = add_post_ops(p, md, post);
    if (s == dnnl_success)
        s = dnnl_primitive_attr_set_post_ops(*attr, post);
    dnnl_post_ops_destroy(post);
    return s;
}

static dnnl_memory_desc_t desc_of(const DnnlPrimitive *p, const dnnl_memory_desc_t *md, int arg)
{
    const DnnlMemory *m = dnnl_memory_of(p, arg);
    return m ? md[m - p->memory] : NULL;
}

/* What a primitive descriptor is created from. */
typedef struct Creation {
    dnnl_engine_t engine;
    const DnnlPrimitive *p;
    const dnnl_memory_desc_t *md; /* by row of p->memory */
    dnnl_memory_desc_t src, weights, bias, dst;
    dnnl_primitive_attr_t attr;
} Creation;

/* Layers with a window. */
static dnnl_status_t create_window(const Creation *c, dnnl_primitive_desc_t *pd)
{
    const DnnlPrimitive *p = c->p;
    dnnl_dims_t kernel = {0}, strides = {0}, dilates = {0}, pad_l = {0}, pad_r = {0};
    memcpy(kernel, p->kernel, sizeof p->kernel);
    memcpy(strides, p->strides, sizeof p->strides);
    memcpy(dilates, p->dilates, sizeof p->dilates);
    memcpy(pad_l, p->pad_l, sizeof p->pad_l);
    memcpy(pad_r, p->pad_r, sizeof p->pad_r);
    if (p->kind == KIND_POOLING)
        return dnnl_pooling_forward_primitive_desc_create(pd, c->engine, dnnl_forward_inference,
                                                          algs[p->alg], c->src, c->dst, strides,
                                                          kernel, dilates, pad_l, pad_r, c->attr);
    if (p->kind == KIND_DECONVOLUTION)
        return dnnl_deconvolution_forward_primitive_desc_create(
            pd, c->engine, dnnl_forward_inference, dnnl_deconvolution_direct, c->src, c->weights,
            c->bias, c->dst, strides, dilates, pad_l, pad_r, c->attr);
    dnnl_memory_desc_t between = NULL;
    if (p->kind == KIND_CONVOLUTION_DEPTHWISE) {
        const DnnlMemory m = dnnl_between(p);
        between = library_memory_desc(&m);
    }
    dnnl_status_t s = dnnl_convolution_forward_primitive_desc_create(
        pd, c->engine, dnnl_forward_inference, dnnl_convolution_direct, c->src, c->weights, c->bias,
        between ? between : c->dst, strides, dilates, pad_l, pad_r, c->attr);
    if (between)
        dnnl_memory_desc_destroy(between);
    return s;
}

static dnnl_status_t create_norm(const Creation *c, dnnl_primitive_desc_t *pd)
{
    const DnnlPrimitive *p = c->p;
    switch (p->kind) {
    case KIND_LRN:
        return dnnl_lrn_forward_primitive_desc_create(pd, c->engine, dnnl_forward_inference,
                                                      algs[p->alg], c->src, c->dst, p->size,
                                                      p->alpha, p->beta, p->k, c->attr);
    case KIND_BATCH_NORM:
        return dnnl_batch_normalization_forward_primitive_desc_create(
            pd, c->engine, dnnl_forward_inference, c->src, c->dst, p->alpha, p->flags, c->attr);
    case KIND_LAYER_NORM:
        return dnnl_layer_normalization_forward_primitive_desc_create(
            pd, c->engine, dnnl_forward_inference, c->src, c->dst, NULL, p->alpha, p->flags,
            c->attr);
    default:
        return dnnl_group_normalization_forward_primitive_desc_create(
            pd, c->engine, dnnl_forward_inference, c->src, c->dst, p->size, p->alpha, p->flags,
            c->attr);
    }
}

/* Layers with any number of sources, which are the first rows. */
static dnnl_status_t create_of_many(const Creation *c, dnnl_primitive_desc_t *pd)
{
    const DnnlPrimitive *p = c->p;
    const const_dnnl_memory_desc_t *srcs = (const const_dnnl_memory_desc_t *)c->md;
    uint32_t n = 0;
    while (n < p->n_memory && p->memory[n].arg == ARG_MULTIPLE_SRC + (int)n)
        n++;
    if (p->kind == KIND_CONCAT)
        return dnnl_concat_primitive_desc_create(pd, c->engine, c->dst, (int)n, p->axis, srcs,
                                                 c->attr);
    float scales[MAX_SOURCES];
    for (uint32_t i = 0; i < n && i < MAX_SOURCES; i++)
        scales[i] = 1;
    return dnnl_sum_primitive_desc_create(pd, c->engine, c->dst, (int)n, scales, srcs, c->attr);
}

static dnnl_status_t create_matmul(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_matmul_primitive_desc_create(pd, c->engine, c->src, c->weights, c->bias, c->dst,
                                             c->attr);
}

static dnnl_status_t create_inner_product(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_inner_product_forward_primitive_desc_create(
        pd, c->engine, dnnl_forward_inference, c->src, c->weights, c->bias, c->dst, c->attr);
}

static dnnl_status_t create_eltwise(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_eltwise_forward_primitive_desc_create(pd, c->engine, dnnl_forward_inference,
                                                      algs[c->p->alg], c->src, c->dst, c->p->alpha,
                                                      c->p->beta, c->attr);
}

static dnnl_status_t create_binary(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_binary_primitive_desc_create(pd, c->engine, algs[c->p->alg], c->src,
                                             desc_of(c->p, c->md, ARG_SRC_1), c->dst, c->attr);
}

static dnnl_status_t create_softmax(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_softmax_forward_primitive_desc_create(pd, c->engine, dnnl_forward_inference,
                                                      algs[c->p->alg], c->src, c->dst, c->p->axis,
                                                      c->attr);
}

static dnnl_status_t create_prelu(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_prelu_forward_primitive_desc_create(pd, c->engine, dnnl_forward_inference, c->src,
                                                    c->weights, c->dst, c->attr);
}

static dnnl_status_t create_reduction(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_reduction_primitive_desc_create(pd, c->engine, algs[c->p->alg], c->src, c->dst,
                                                c->p->alpha, c->p->beta, c->attr);
}

static dnnl_status_t create_resampling(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_resampling_forward_primitive_desc_create(
        pd, c->engine, dnnl_forward_inference, algs[c->p->alg], NULL, c->src, c->dst, c->attr);
}

static dnnl_status_t create_reorder(const Creation *c, dnnl_primitive_desc_t *pd)
{
    return dnnl_reorder_primitive_desc_create(pd, c->src, c->engine, c->dst, c->engine, c->attr);
}

static dnnl_status_t create_nothing(const Creation *c, dnnl_primitive_desc_t *pd)
{
    (void)pd;
    bug("a %s is no primitive", dnnl_kind_names[c->p->kind]);
}

typedef dnnl_status_t CreateFn(const Creation *c, dnnl_primitive_desc_t *pd);

/* The twin of templates/dnnl/: what a row of kinds.def names is made in the same way here. */
static CreateFn *const create[KIND_COUNT] = {
#define KIND(id, name, template, create) create_##create,
#include "kinds.def"
};

dnnl_primitive_desc_t library_make_desc(LibraryEngine *l, const DnnlPrimitive *p,
                                        dnnl_memory_desc_t *md)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    bool ok = true;
    omp_set_num_threads(p->one_thread ? 1 : l->e.threads);
    for (uint32_t i = 0; i < p->n_memory; i++)
        ok = (md[i] = library_memory_desc(&p->memory[i])) && ok;
    ok = ok && make_attr(p, md, &attr) == dnnl_success;
    const Creation creation = {.engine = l->engine,
                               .p = p,
                               .md = md,
                               .src = desc_of(p, md, ARG_SRC),
                               .weights = desc_of(p, md, ARG_WEIGHTS),
                               .bias = desc_of(p, md, ARG_BIAS),
                               .dst = desc_of(p, md, ARG_DST),
                               .attr = attr};
    ok = ok && create[p->kind](&creation, &pd) == dnnl_success;
    if (attr)
        dnnl_primitive_attr_destroy(attr);
    omp_set_num_threads(l->e.threads);
    return ok ? pd : NULL;
}

void library_drop_descs(const DnnlPrimitive *p, dnnl_memory_desc_t *md)
{
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (md[i])
            dnnl_memory_desc_destroy(md[i]);
}
