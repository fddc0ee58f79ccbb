/* Layouts with blocks, as oneDNN's memory descriptors have them: a dimension may be split several times; the innermost block comes last. */
#include "fill.h"

#include <string.h>

/* Where an element is, in elements. */
static int64_t place_of(const DnnlChoice *c, const int64_t *at)
{
    int64_t index[MAX_RANK], place = 0, step = 1;
    memcpy(index, at, sizeof index);
    for (int i = c->n_blocks; i-- > 0;) {
        const int d = c->block_dim[i];
        place += index[d] % c->block[i] * step;
        index[d] /= c->block[i];
        step *= c->block[i];
    }
    for (int d = 0; d < c->rank; d++)
        place += index[d] * c->strides[d];
    return place;
}

bool fill_layout(const DnnlMemory *from, const DnnlChoice *choice, void *dst)
{
    const size_t size = dtype_size(from->dtype);
    int64_t at[MAX_RANK] = {0}, count = 1;
    if (choice->rank != from->rank)
        return false;
    for (int d = 0; d < from->rank; d++)
        count *= from->dims[d];
    for (int64_t i = 0; i < count; i++) {
        int64_t src = 0;
        const size_t place = (size_t)place_of(choice, at) * size;
        for (int d = 0; d < from->rank; d++)
            src += at[d] * from->strides[d];
        if (place + size > choice->bytes)
            return false;
        memcpy((char *)dst + place, (const char *)from->data + (size_t)src * size, size);
        for (int d = from->rank - 1; d >= 0 && ++at[d] == from->dims[d]; d--)
            at[d] = 0;
    }
    return true;
}
