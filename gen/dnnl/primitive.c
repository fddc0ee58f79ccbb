/* Primitives as data: their arguments. */
#include "plan.h"

const char *const onednn_kind_names[KIND_COUNT + 1] = {
#define KIND(id, name, function, ...) #name,
#define COMPOSITE(id, name, ...) #name,
#include "primitives.def"
};

int onednn_attribute_of(const DnnlMemory *m)
{
    const int kinds = ARG_ATTR_SCALES | ARG_ATTR_ZERO_POINTS;
    return m->arg < ARG_ATTR_POST_OP_DW ? m->arg & kinds : 0;
}

/* Weights of a convolution with groups have the group as first dimension. */
int onednn_attribute_mask(const DnnlPrimitive *p, const DnnlMemory *m)
{
    const DnnlMemory *of = onednn_memory_of(p, m->arg & ~onednn_attribute_of(m));
    if (m->dims[0] == 1)
        return 0;
    if (p->kind == KIND_MATMUL)
        return 2;
    return of->rank > onednn_memory_of(p, ARG_SRC)->rank ? 3 : 1;
}

DnnlPrimitive *onednn_core(DnnlPrimitive *p)
{
    return p->winograd && p->winograd->matmul ? p->winograd->matmul
           : p->epilogue                      ? p->epilogue->head
                                              : p;
}

DnnlMemory *onednn_memory_of(const DnnlPrimitive *p, int arg)
{
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (p->memory[i].arg == arg)
            return &p->memory[i];
    return NULL;
}

DnnlMemory onednn_between(const DnnlPrimitive *p)
{
    DnnlMemory m = *onednn_memory_of(p, ARG_DST);
    const DnnlMemory *src = onednn_memory_of(p, ARG_SRC);
    m.name = "between";
    for (int i = 2; i < m.rank; i++)
        m.dims[i] = src->dims[i];
    return m;
}

uint64_t onednn_weights_hash(const DnnlMemory *m)
{
    const TensorType type = type_make(m->dtype, m->rank, m->dims);
    const uint64_t strides = hash64(m->strides, (size_t)m->rank * sizeof *m->strides, 0);
    return hash64(m->data, m->data ? type_bytes(&type) : 0, strides);
}
