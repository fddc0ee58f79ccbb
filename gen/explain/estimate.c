/* Times of steps by a roofline: see estimate.h. */
#include "estimate.h"

#include "../dnnl/engine.h"
#include "../dnnl/plan.h"
#include "../ops/macs.h"
#include "../ops/ops.h"

#include <math.h>

/* How much more multiply-adds of its type are made than of f32: of bytes four times as many where the CPU has an instruction for their sums. C
 * multiplies what it has widened. */
static double type_factor(const Program *p, const Step *s, const Node *n)
{
    const double bytes = s->target == TARGET_C ? 0.4 : onednn_isa_has_int8(p->origin.isa) ? 4 : 1;
    const ValueId v = node_in(n, n->n_in > 1 ? 1 : 0);
    const DType t = has_value(v) ? type_of(p->graph, v)->dtype : DT_F32;
    return t == DT_I8 || t == DT_U8 ? bytes : t == DT_BF16 || p->origin.bf16 ? 2 : 1;
}

static bool is_depthwise(const Program *p, const Node *n)
{
    const TensorType *w = n->op == OP_Conv ? type_of(p->graph, n->in[1]) : NULL;
    return w && w->rank > 1 && w->dims[1] == 1;
}

/* Winograd's method takes so much less arithmetic, with what it costs to get into its form and out of it. */
static double saved(const Step *s)
{
    enum { WINOGRAD_SAVES = 2 };
    const bool winograd = s->dnnl && s->dnnl->kind == KIND_WINOGRAD;
    return winograd ? WINOGRAD_SAVES : 1;
}

static double arithmetic_ns(const Program *p, const Machine *m, const Step *s)
{
    double ns = 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(p->graph, s->nodes[i]);
        const double macs = (double)node_macs(p->graph, n);
        const double rate = is_depthwise(p, n) ? m->depthwise_macs : m->conv_macs;
        const TensorType *out = has_value(n->out[0]) ? type_of(p->graph, n->out[0]) : NULL;
        const double each = op_info(n->op)->traits & TRAIT_FUNCTION ? m->function_ns : m->loop_ns;
        ns += macs > 0 ? macs / rate / type_factor(p, s, n) / saved(s)
              : out    ? (double)type_count(out) * each / (s->target == TARGET_DNNL ? 4 : 1)
                       : 0;
    }
    return ns;
}

/* Constants come from where the model's weights stay between runs, the rest from L2 where it has room there. */
static double moving_ns(const Program *p, const Machine *m, const Step *s)
{
    const double weights = machine_weights(m, (double)p->weights_bytes).rate;
    double ns = 0;
    for (uint32_t k = 0; k < s->n_in + s->n_out; k++) {
        const BufferId b = k < s->n_in ? s->in[k] : s->out[k - s->n_in];
        if (b == NO_BUFFER)
            continue;
        const double bytes = (double)p->buffers[b].bytes;
        const double rate = p->buffers[b].kind == BUFFER_CONST  ? weights
                            : bytes < machine_kept_bytes(m) / 2 ? m->l2_rate
                                                                : m->memory_rate;
        ns += bytes / rate;
    }
    return ns;
}

double estimate_step_ns(const Program *p, const Machine *m, const Step *s)
{
    const double call = s->target == TARGET_DNNL ? m->call_ns : m->kernel_call_ns;
    const double work = fmax(arithmetic_ns(p, m, s), moving_ns(p, m, s));
    const double shared = work / p->threads + m->region_ns;
    return call + (p->threads > 1 ? fmin(work, shared) : work);
}

double estimate_variant_ns(const Program *p, const Machine *m, uint32_t variant)
{
    double ns = 0;
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (p->regions[p->steps[i].region].variant == variant)
            ns += estimate_step_ns(p, m, &p->steps[i]);
    return ns;
}
