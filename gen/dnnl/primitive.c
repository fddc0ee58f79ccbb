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
    enum { SAMPLES = 1024 };
    const TensorType type = type_make(m->dtype, m->rank, m->dims);
    const int64_t n = m->data ? type_count(&type) : 0;
    const size_t size = dtype_size(m->dtype);
    uint64_t hash = hash64(m->dims, (size_t)m->rank * sizeof *m->dims, 0);
    for (int64_t i = 0; i < n; i += n / SAMPLES + 1) {
        int64_t at = 0;
        for (int64_t d = m->rank, left = i; d-- > 0; left /= m->dims[d])
            at += left % m->dims[d] * m->strides[d];
        hash = hash64((const unsigned char *)m->data + (size_t)at * size, size, hash);
    }
    return hash;
}
