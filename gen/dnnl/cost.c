/* Which layers are worth a parallel region. Starting and joining threads that wait takes 1 to 2 µs, and half of what the next layer
 * reads is then in another core's cache: a small layer is done sooner by one thread, unless its operands are large and were made by
 * several. The estimate only has to be right around the few microseconds where that turns. */
#include "../lower/lower.h"

/* Measured over the layers of 15 models, AVX-512: with two threads, those that take 4 µs on one take 1.3 times as long, 6 µs 0.95,
 * 8 µs 0.9, 12 µs 0.8, 20 µs 0.65. */
static const double worth_ns = 7000;

static const double ns_call = 500;     /* dispatch */
static const double ns_byte = 0.01;    /* of operands, in L2 */
static const double ns_element = 0.02; /* a post-op */
static const double ns_curve = 0.25;   /* one that is a polynomial or two */
static const double ns_row = 15;       /* a row of a softmax or norm, a pixel of a pool */

/* Convolutions and products of bytes or bf16 in tiles of AMX, fitted to 25 layers that take 4 to 30 µs: what comes before and behind
 * the tiles takes most of it. */
static const double ns_tiles = 2500, ns_tile_result = 0.085, ns_tile_mac = 0.00033;

/* Of an operand that threads have made, where one thread reads it: half of the bytes come from another core's cache, at 0.05 to 0.15 ns,
 * as those of the result do for the threads that read it. Pools and norms of 2 to 6 µs that pass the mark with this take 0.65 to 0.8 of the
 * time on two threads. Products fetch ahead and do not wait. */
static const double ns_apart = 0.05;
enum { RECENT = 32 };      /* steps; what was made before has left the caches */
enum { LARGE = 48 << 10 }; /* bytes that a kernel of C makes if it is worth sharing */

static double count(const DnnlMemory *m)
{
    double n = 1;
    for (int d = 0; m && d < m->rank; d++)
        n *= (double)m->dims[d];
    return n;
}

/* Nanoseconds of a multiplication and addition in layers of this size, which are far from the peak. */
static double ns_of_mac(const DnnlEngine *e, DType t)
{
    const int lanes = dnnl_engine_lanes(e);
    const double f32 = lanes == 16 ? 0.012 : lanes == 8 ? 0.025 : 0.1;
    return t == DT_F32 ? f32 : t == DT_BF16 || t == DT_F16 ? f32 / 2 : f32 / 4;
}

static double macs(const DnnlPrimitive *p)
{
    const DnnlMemory *src = dnnl_memory_of(p, ARG_SRC), *dst = dnnl_memory_of(p, ARG_DST);
    const DnnlMemory *weights = dnnl_memory_of(p, ARG_WEIGHTS);
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
    case ALG_ELTWISE_RELU:
    case ALG_ELTWISE_CLIP:
    case ALG_ELTWISE_CLIP_V2:
    case ALG_ELTWISE_LINEAR:
    case ALG_ELTWISE_ABS:
    case ALG_ELTWISE_SQUARE:
    case ALG_ELTWISE_HARDSWISH:
    case ALG_ELTWISE_HARDSIGMOID:
    case ALG_ELTWISE_ROUND:
        return false;
    default:
        return true;
    }
}

/* What is started once for several results. */
static double rows(const DnnlPrimitive *p)
{
    const DnnlMemory *dst = dnnl_memory_of(p, ARG_DST);
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

double dnnl_ns(const Lowering *l, const DnnlPrimitive *p)
{
    const DnnlMemory *weights = dnnl_memory_of(p, ARG_WEIGHTS);
    const double results = count(dnnl_memory_of(p, ARG_DST));
    const double products = macs(p);
    const DType t = weights ? weights->dtype : DT_F32;
    double ns = ns_call;
    ns += !products ? 0
          : t != DT_F32 && dnnl_engine_has_tiles(l->engine)
              ? ns_tiles + results * ns_tile_result + products * ns_tile_mac * (double)dtype_size(t)
              : products * ns_of_mac(l->engine, t);
    for (uint32_t i = 0; i < p->n_memory; i++)
        ns += ns_byte * count(&p->memory[i]) * (double)dtype_size(p->memory[i].dtype);
    for (uint32_t i = 0; i < p->n_post; i++)
        ns += results * (p->post[i].kind == DNNL_POST_ELTWISE && is_curve(p->post[i].alg)
                             ? ns_curve
                             : ns_element);
    return ns + rows(p) * ns_row + (is_curved(p) ? results * ns_curve : 0);
}

static bool is_shared(const Program *p, const Step *s)
{
    size_t bytes = 0;
    for (uint32_t o = 0; o < s->n_out; o++)
        bytes += s->out[o] == NO_BUFFER ? 0 : p->buffers[s->out[o]].bytes;
    return s->dnnl ? !s->dnnl->one_thread : bytes >= LARGE;
}

static bool was_shared(const Program *p, BufferId id)
{
    const BufferId root = lower_root_of(p, id);
    for (uint32_t i = p->n_steps; i > 0 && p->n_steps - i < RECENT; i--) {
        const Step *s = &p->steps[i - 1];
        for (uint32_t o = 0; o < s->n_out; o++)
            if (s->out[o] != NO_BUFFER && lower_root_of(p, s->out[o]) == root && is_shared(p, s))
                return true;
    }
    return false;
}

double dnnl_apart_ns(const Lowering *l, const DnnlPrimitive *p)
{
    double ns = 0;
    for (uint32_t i = 0; i < p->n_memory && !macs(p); i++) {
        const DnnlMemory *m = &p->memory[i];
        if (m->arg != ARG_DST && m->buffer != NO_BUFFER && was_shared(l->p, m->buffer))
            ns += ns_apart * count(m) * (double)dtype_size(m->dtype);
    }
    return ns;
}

int dnnl_threads_for(const Lowering *l, double ns)
{
    return ns < worth_ns && !l->options.share_all ? 1 : dnnl_engine_threads(l->engine);
}
