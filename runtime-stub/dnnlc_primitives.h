/* dnnlc runtime: one function per kind of oneDNN primitive.
 *
 * Each is called after a layer's descriptors and post-ops: it makes the primitive descriptor, l->pd, and from that the layer's
 * primitive. The compiler called the same functions when it planned the layer. `bias` may be NULL.
 *
 * Copyright 2026 the dnnlc authors. SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNLC_PRIMITIVES_H
#define DNNLC_PRIMITIVES_H

#include "dnnlc_onednn.h"

/* By spatial dimension, in oneDNN's terms: dilates of 0 are dense. `kernel` is for pooling; weights have theirs as dimensions. */
struct dnnlc_window {
    dnnl_dims_t kernel, strides, dilates, padding_l, padding_r;
};

DNNLC_SETUP void dnnlc_convolution(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                                   dnnl_memory_desc_t weights, const_dnnl_memory_desc_t bias,
                                   const_dnnl_memory_desc_t dst, const struct dnnlc_window *w)
{
    dnnl_status_t status;
    if (!dnnlc_ready(l))
        return;
    do
        status = dnnl_convolution_forward_primitive_desc_create(
            &l->pd, l->setup->engine, dnnl_forward_inference, dnnl_convolution_direct, src, weights,
            bias, dst, w->strides, w->dilates, w->padding_l, w->padding_r, l->attr);
    while (!dnnlc_settled(l, &weights, status));
    dnnlc_create(l, status);
}

DNNLC_SETUP void dnnlc_deconvolution(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                                     dnnl_memory_desc_t weights, const_dnnl_memory_desc_t bias,
                                     const_dnnl_memory_desc_t dst, const struct dnnlc_window *w)
{
    dnnl_status_t status;
    if (!dnnlc_ready(l))
        return;
    do
        status = dnnl_deconvolution_forward_primitive_desc_create(
            &l->pd, l->setup->engine, dnnl_forward_inference, dnnl_deconvolution_direct, src,
            weights, bias, dst, w->strides, w->dilates, w->padding_l, w->padding_r, l->attr);
    while (!dnnlc_settled(l, &weights, status));
    dnnlc_create(l, status);
}

DNNLC_SETUP void dnnlc_matmul(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                              dnnl_memory_desc_t weights, const_dnnl_memory_desc_t bias,
                              const_dnnl_memory_desc_t dst)
{
    dnnl_status_t status;
    if (!dnnlc_ready(l))
        return;
    do
        status = dnnl_matmul_primitive_desc_create(&l->pd, l->setup->engine, src, weights, bias,
                                                   dst, l->attr);
    while (!dnnlc_settled(l, &weights, status));
    dnnlc_create(l, status);
}

DNNLC_SETUP void dnnlc_inner_product(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                                     dnnl_memory_desc_t weights, const_dnnl_memory_desc_t bias,
                                     const_dnnl_memory_desc_t dst)
{
    dnnl_status_t status;
    if (!dnnlc_ready(l))
        return;
    do
        status = dnnl_inner_product_forward_primitive_desc_create(
            &l->pd, l->setup->engine, dnnl_forward_inference, src, weights, bias, dst, l->attr);
    while (!dnnlc_settled(l, &weights, status));
    dnnlc_create(l, status);
}

DNNLC_SETUP void dnnlc_pooling(struct dnnlc_layer *l, dnnl_alg_kind_t alg,
                               const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                               const struct dnnlc_window *w)
{
    if (dnnlc_ready(l))
        dnnlc_create(l,
                     dnnl_pooling_forward_primitive_desc_create(
                         &l->pd, l->setup->engine, dnnl_forward_inference, alg, src, dst,
                         w->strides, w->kernel, w->dilates, w->padding_l, w->padding_r, l->attr));
}

DNNLC_SETUP void dnnlc_eltwise(struct dnnlc_layer *l, dnnl_alg_kind_t alg,
                               const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                               float alpha, float beta)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_eltwise_forward_primitive_desc_create(&l->pd, l->setup->engine,
                                                                   dnnl_forward_inference, alg, src,
                                                                   dst, alpha, beta, l->attr));
}

DNNLC_SETUP void dnnlc_binary(struct dnnlc_layer *l, dnnl_alg_kind_t alg,
                              const_dnnl_memory_desc_t src0, const_dnnl_memory_desc_t src1,
                              const_dnnl_memory_desc_t dst)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_binary_primitive_desc_create(&l->pd, l->setup->engine, alg, src0, src1,
                                                          dst, l->attr));
}

DNNLC_SETUP void dnnlc_softmax(struct dnnlc_layer *l, dnnl_alg_kind_t alg,
                               const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst, int axis)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_softmax_forward_primitive_desc_create(&l->pd, l->setup->engine,
                                                                   dnnl_forward_inference, alg, src,
                                                                   dst, axis, l->attr));
}

/* The sources are the layer's first `n` descriptors. */
DNNLC_SETUP void dnnlc_concat(struct dnnlc_layer *l, int n, const_dnnl_memory_desc_t dst, int axis)
{
    const const_dnnl_memory_desc_t *srcs = (const const_dnnl_memory_desc_t *)l->desc;
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_concat_primitive_desc_create(&l->pd, l->setup->engine, dst, n, axis,
                                                          srcs, l->attr));
}

/* The same. */
DNNLC_SETUP void dnnlc_sum(struct dnnlc_layer *l, int n, const_dnnl_memory_desc_t dst)
{
    const const_dnnl_memory_desc_t *srcs = (const const_dnnl_memory_desc_t *)l->desc;
    float scales[DNNLC_MAX_DESCS];
    for (int i = 0; i < n; i++)
        scales[i] = 1.0f;
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_sum_primitive_desc_create(&l->pd, l->setup->engine, dst, n, scales,
                                                       srcs, l->attr));
}

DNNLC_SETUP void dnnlc_lrn(struct dnnlc_layer *l, dnnl_alg_kind_t alg, const_dnnl_memory_desc_t src,
                           const_dnnl_memory_desc_t dst, dnnl_dim_t size, float alpha, float beta,
                           float k)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_lrn_forward_primitive_desc_create(&l->pd, l->setup->engine,
                                                               dnnl_forward_inference, alg, src,
                                                               dst, size, alpha, beta, k, l->attr));
}

DNNLC_SETUP void dnnlc_batch_norm(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                                  const_dnnl_memory_desc_t dst, float epsilon, unsigned flags)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_batch_normalization_forward_primitive_desc_create(
                            &l->pd, l->setup->engine, dnnl_forward_inference, src, dst, epsilon,
                            flags, l->attr));
}

DNNLC_SETUP void dnnlc_layer_norm(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                                  const_dnnl_memory_desc_t dst, float epsilon, unsigned flags)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_layer_normalization_forward_primitive_desc_create(
                            &l->pd, l->setup->engine, dnnl_forward_inference, src, dst, NULL,
                            epsilon, flags, l->attr));
}

DNNLC_SETUP void dnnlc_group_norm(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                                  const_dnnl_memory_desc_t dst, dnnl_dim_t groups, float epsilon,
                                  unsigned flags)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_group_normalization_forward_primitive_desc_create(
                            &l->pd, l->setup->engine, dnnl_forward_inference, src, dst, groups,
                            epsilon, flags, l->attr));
}

DNNLC_SETUP void dnnlc_prelu(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                             const_dnnl_memory_desc_t weights, const_dnnl_memory_desc_t dst)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_prelu_forward_primitive_desc_create(&l->pd, l->setup->engine,
                                                                 dnnl_forward_inference, src,
                                                                 weights, dst, l->attr));
}

DNNLC_SETUP void dnnlc_reduction(struct dnnlc_layer *l, dnnl_alg_kind_t alg,
                                 const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                                 float p, float eps)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_reduction_primitive_desc_create(&l->pd, l->setup->engine, alg, src,
                                                             dst, p, eps, l->attr));
}

DNNLC_SETUP void dnnlc_resampling(struct dnnlc_layer *l, dnnl_alg_kind_t alg,
                                  const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst)
{
    if (dnnlc_ready(l))
        dnnlc_create(l, dnnl_resampling_forward_primitive_desc_create(&l->pd, l->setup->engine,
                                                                      dnnl_forward_inference, alg,
                                                                      NULL, src, dst, l->attr));
}

DNNLC_SETUP void dnnlc_reorder(struct dnnlc_layer *l, const_dnnl_memory_desc_t src,
                               const_dnnl_memory_desc_t dst)
{
    dnnl_engine_t engine = l->setup->engine;
    if (dnnlc_ready(l))
        dnnlc_create(l,
                     dnnl_reorder_primitive_desc_create(&l->pd, src, engine, dst, engine, l->attr));
}

#endif
