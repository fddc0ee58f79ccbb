/* What the context of an emitted model holds of each step: memory objects and primitives, numbered in the order of the steps. */
#include "plan.h"

static uint32_t winograd_slots(const DnnlWinograd *w)
{
    return w->matmul ? 1 + 3 * (uint32_t)w->sets : 0;
}

/* One more than its tensors: scratch memory. A layer that needs none here may need some on another CPU. */
uint32_t onednn_slots_of(const Step *s)
{
    if (s->dnnl && s->dnnl->winograd)
        return winograd_slots(s->dnnl->winograd);
    if (is_attention_in_c(s->dnnl))
        return 0;
    if (s->dnnl && s->dnnl->attention)
        return ATTENTION_SET_SLOTS * (uint32_t)s->dnnl->attention->sets;
    if (s->dnnl && s->dnnl->indirect)
        return 0;
    return s->dnnl ? onednn_core(s->dnnl)->n_memory + 1 : 0;
}

void onednn_number_steps(Program *p)
{
    p->n_slots = 0;
    p->n_primitives = p->n_steps;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Step *s = &p->steps[i];
        s->slot = p->n_slots;
        p->n_slots += onednn_slots_of(s);
        s->second = p->n_primitives;
        p->n_primitives += s->dnnl && s->dnnl->attention && !is_attention_in_c(s->dnnl) ? 2 : 0;
    }
}
