/* Which layers are worth a parallel region. Starting and joining threads that wait takes 1 to 2 µs, and half of what the next layer
 * reads is then in another core's cache: a small layer is done sooner by one thread, unless its operands are large and were made by
 * several. The estimate only has to be right around the few microseconds where that turns. */
#include "../lower/context.h"

/* Of a parallel region's time, what a layer takes on one thread where sharing it begins to pay. Measured over the layers of 15 models,
 * AVX-512: with two threads, those that take 4 µs on one take 1.3 times as long, 6 µs 0.95, 8 µs 0.9, 12 µs 0.8, 20 µs 0.65. */
static const double worth = 3.5;

static const double exposed =
    0.64; /* of the time of reading operands from L2; the rest passes while it multiplies */

/* Half of the bytes of an operand that threads have made come from another core's cache where one thread reads it, as those of the
 * result do for the threads that read it. Pools and norms of 2 to 6 µs that pass the mark with this take 0.65 to 0.8 of the time on two
 * threads. Products fetch ahead and do not wait. */
enum { RECENT = 32 }; /* steps; what was made before has left the caches */

static double count(const DnnlMemory *m)
{
    double n = 1;
    for (int d = 0; m && d < m->rank; d++)
        n *= (double)m->dims[d];
    return n;
}

/* Convolutions and products of bytes or bf16 in tiles of AMX are fitted to 25 layers that take 4 to 30 µs: what comes before and behind
 * the tiles takes most of it. */
static double products_ns(const Lowering *l, DType t, double products, double results)
{
    const Machine *m = &l->machine;
    const double f32 = 1 / m->small_macs;
    if (t != DT_F32 && onednn_engine_has_tiles(l->engine))
        return m->amx_layer_ns + results * m->amx_result_ns +
               products * m->amx_byte_ns * (double)dtype_size(t);
    return products * (t == DT_F32 ? f32 : t == DT_BF16 || t == DT_F16 ? f32 / 2 : f32 / 4);
}

static double macs(const DnnlPrimitive *p)
{
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC), *dst = onednn_memory_of(p, ARG_DST);
    const DnnlMemory *weights = onednn_memory_of(p, ARG_WEIGHTS);
    switch (p->kind) {
    case KIND_CONVOLUTION:
    case KIND_CONVOLUTION_DEPTHWISE:
    case KIND_INNER_PRODUCT:
        return count(dst) * count(weights) / (double)dst->dims[1];
    case KIND_DECONVOLUTION:
        return count(src) * count(weights) / (double)src->dims[1];
    case KIND_MATMUL:
        return count(dst) * (double)src->dims[src->rank - 1];
    default:
        return 0;
    }
}

static bool is_curve(Algorithm alg)
{
    switch (alg) {
    case ALG_eltwise_relu:
    case ALG_eltwise_clip:
    case ALG_eltwise_clip_v2:
    case ALG_eltwise_linear:
    case ALG_eltwise_abs:
    case ALG_eltwise_square:
    case ALG_eltwise_hardswish:
    case ALG_eltwise_hardsigmoid:
    case ALG_eltwise_round:
        return false;
    default:
        return true;
    }
}

/* What is started once for several results. */
static double rows(const DnnlPrimitive *p)
{
    const DnnlMemory *dst = onednn_memory_of(p, ARG_DST);
    const double taps = (double)(p->kernel[0] * (p->spatial > 1 ? p->kernel[1] : 1));
    switch (p->kind) {
    case KIND_SOFTMAX:
        return count(dst) / (double)dst->dims[p->axis];
    case KIND_LAYER_NORM:
        return count(dst) / (double)dst->dims[dst->rank - 1];
    case KIND_POOLING:
        return count(dst) / (double)dst->dims[1] * taps / 8;
    default:
        return 0;
    }
}

static bool is_curved(const DnnlPrimitive *p)
{
    return p->kind == KIND_SOFTMAX || (p->kind == KIND_ELTWISE && is_curve(p->alg));
}

double onednn_ns(const Lowering *l, const DnnlPrimitive *p)
{
    const Machine *m = &l->machine;
    const DnnlMemory *weights = onednn_memory_of(p, ARG_WEIGHTS);
    const double results = count(onednn_memory_of(p, ARG_DST));
    const double products = macs(p);
    const DType t = weights ? weights->dtype : DT_F32;
    double ns = m->call_ns + (products ? products_ns(l, t, products, results) : 0);
    for (uint32_t i = 0; i < p->n_memory; i++)
        ns += exposed / m->l2_rate * count(&p->memory[i]) * (double)dtype_size(p->memory[i].dtype);
    for (uint32_t i = 0; i < p->n_post; i++)
        ns += results * (p->post[i].kind == DNNL_POST_ELTWISE && is_curve(p->post[i].alg)
                             ? m->function_ns
                             : m->post_op_ns);
    return ns + rows(p) * m->row_ns + (is_curved(p) ? results * m->function_ns : 0);
}

static bool is_shared(const Lowering *l, const Step *s)
{
    const double large = 4 * machine_kernel_worth_elements(&l->machine);
    const Program *p = l->p;
    size_t bytes = 0;
    for (uint32_t o = 0; o < s->n_out; o++)
        bytes += s->out[o] == NO_BUFFER ? 0 : p->buffers[s->out[o]].bytes;
    return s->dnnl ? !s->dnnl->one_thread : (double)bytes >= large;
}

static bool was_shared(const Lowering *l, BufferId id)
{
    const Program *p = l->p;
    const BufferId root = root_buffer(p, id, NULL);
    for (uint32_t i = p->n_steps; i > 0 && p->n_steps - i < RECENT; i--) {
        const Step *s = &p->steps[i - 1];
        for (uint32_t o = 0; o < s->n_out; o++)
            if (s->out[o] != NO_BUFFER && root_buffer(p, s->out[o], NULL) == root &&
                is_shared(l, s))
                return true;
    }
    return false;
}

double onednn_apart_ns(const Lowering *l, const DnnlPrimitive *p)
{
    double ns = 0;
    for (uint32_t i = 0; i < p->n_memory && !macs(p); i++) {
        const DnnlMemory *m = &p->memory[i];
        if (m->arg != ARG_DST && m->buffer != NO_BUFFER && was_shared(l, m->buffer))
            ns += count(m) * (double)dtype_size(m->dtype) / l->machine.neighbour_rate;
    }
    return ns;
}

int onednn_threads_for(const Lowering *l, double ns)
{
    return ns < worth * l->machine.region_ns && !l->options.share_all
               ? 1
               : onednn_engine_threads(l->engine);
}
