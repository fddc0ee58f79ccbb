/* Arithmetic and bytes of a step. See amount.h. */
#include "amount.h"

#include "../dnnl/plan.h"
#include "../ops/macs.h"
#include "../ops/ops.h"
#include "step.h"

static int64_t saturating_add(int64_t a, int64_t b)
{
    int64_t r;
    return add_i64(a, b, &r) ? r : INT64_MAX;
}

/* Constants have their packed size, other tensors the elements that count, without what pads rows. */
static int64_t bytes_of(const Program *p, BufferId id)
{
    const Buffer *b = &p->buffers[id];
    return (int64_t)(b->kind == BUFFER_CONST ? b->bytes : type_bytes(&b->type));
}

/* What nodes that only move elements can take of a buffer: no more than they make. */
static int64_t taken_of(const Program *p, const Step *s, BufferId id)
{
    const ValueId v = p->buffers[id].value;
    int64_t bytes = bytes_of(p, id);
    for (uint32_t i = 0; has_value(v) && i < s->n_nodes; i++) {
        const Node *n = node_at(p->graph, s->nodes[i]);
        if (op_info(n->op)->class != CLASS_MOVE || n->n_in == 0 || n->in[0].i != v.i)
            continue;
        int64_t made = 0;
        for (uint32_t k = 0; k < n->n_out; k++)
            made += has_value(n->out[k]) ? (int64_t)type_bytes(type_of(p->graph, n->out[k])) : 0;
        bytes = made < bytes ? made : bytes;
    }
    return bytes;
}

static bool is_among(BufferId id, const BufferId *ids, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* Weights that oneDNN has packed are constants of the primitive, or of the one inside, not operands of the step. */
static int64_t packed_bytes(const Program *p, const Step *s)
{
    const DnnlPrimitive *d = s->dnnl ? onednn_core(s->dnnl) : NULL;
    int64_t bytes = 0;
    for (uint32_t i = 0; d && i < d->n_memory; i++) {
        const BufferId id = d->memory[i].buffer;
        if (id != NO_BUFFER && p->buffers[id].kind == BUFFER_CONST && !is_among(id, s->in, s->n_in))
            bytes += bytes_of(p, id);
    }
    return bytes;
}

StepAmount step_amount(const Program *p, const Step *s)
{
    StepAmount a = {0};
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(p->graph, s->nodes[i]);
        a.macs = saturating_add(a.macs, node_macs(p->graph, n));
        a.operations = saturating_add(a.operations, node_operations(p->graph, n));
    }
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k] != NO_BUFFER && !is_among(s->in[k], s->in, k))
            a.read = saturating_add(a.read, taken_of(p, s, s->in[k]));
    for (uint32_t k = 0; k < s->n_out; k++)
        if (s->out[k] != NO_BUFFER)
            a.written = saturating_add(a.written, bytes_of(p, s->out[k]));
    a.read = saturating_add(a.read, packed_bytes(p, s));
    if (step_adds_to_destination(s) && s->n_out)
        a.read = saturating_add(a.read, bytes_of(p, s->out[0]));
    return a;
}
