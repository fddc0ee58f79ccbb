/* Physical layouts: see layout/layout.h. */
#include "layout.h"

#include <string.h>

Layout layout_plain(int rank)
{
    Layout l = {.rank = rank};
    for (int i = 0; i < rank; i++)
        l.order[i] = (int8_t)i;
    return l;
}

Layout layout_nxc(int rank)
{
    Layout l = layout_plain(rank);
    for (int i = 1; i + 1 < rank; i++)
        l.order[i] = (int8_t)(i + 1);
    if (rank > 1)
        l.order[rank - 1] = 1;
    return l;
}

Layout layout_nCxc(int rank, int block)
{
    Layout l = layout_plain(rank);
    l.block_dim = 1;
    l.block = (int8_t)block;
    return l;
}

/* block_dim says nothing where there is no block. */
bool layout_equal(const Layout *a, const Layout *b)
{
    return a->rank == b->rank && !memcmp(a->order, b->order, (size_t)a->rank) &&
           a->block == b->block && (!a->block || a->block_dim == b->block_dim) &&
           a->pitch == b->pitch;
}

Layout layout_dense(const Layout *l)
{
    Layout dense = *l;
    dense.pitch = 0;
    return dense;
}

Layout layout_transposed(const Layout *x, const int64_t *perm)
{
    Layout y = *x;
    for (int k = 0; k < x->rank; k++)
        for (int j = 0; j < x->rank; j++)
            if (perm[j] == x->order[k])
                y.order[k] = (int8_t)j;
    return y;
}

/* Innermost rows of a tensor; 1 where it has no dimensions. */
static int64_t rows_of(const Layout *l, const TensorType *t)
{
    int64_t rows = 1;
    for (int i = 0; i + 1 < l->rank; i++)
        rows *= t->dims[l->order[i]];
    return rows;
}

bool layout_of_part(const Layout *whole, const TensorType *t, int axis, Layout *part)
{
    int i = 0;
    *part = *whole;
    if (whole->block || type_count(t) == 0)
        return false;
    while (whole->order[i] != axis && t->dims[whole->order[i]] == 1)
        i++;
    if (whole->order[i] == axis) /* the parts follow each other */
        return true;
    part->pitch = whole->pitch ? whole->pitch : t->dims[axis];
    return whole->order[whole->rank - 1] == axis;
}

bool layout_is_plain(const Layout *a)
{
    Layout plain = layout_plain(a->rank);
    return layout_equal(a, &plain);
}

/* The dimensions as they stand in memory, outermost first, without those that do not matter: of
 * size 1. A block is listed as what it makes of its dimension: the number of blocks outside, the
 * block inside. */
typedef struct Walk {
    int n;
    int dim[MAX_RANK + 1];
    int64_t size[MAX_RANK + 1];
    int64_t padding; /* elements that a partial block adds to its dimension */
} Walk;

static Walk walk(const Layout *l, const TensorType *t)
{
    Walk w = {.n = 0};
    for (int i = 0; i < l->rank; i++) {
        int d = l->order[i];
        int64_t size = t->dims[d];
        if (l->block && d == l->block_dim) {
            int64_t blocks = (size + l->block - 1) / l->block;
            w.padding = blocks * l->block - size;
            size = blocks;
        }
        if (size != 1) {
            w.dim[w.n] = d;
            w.size[w.n++] = size;
        }
    }
    if (l->block && l->block != 1) {
        /* Blocks that stand next to their insides are the dimension itself, unless the last one is
         * padded. */
        if (w.n && w.dim[w.n - 1] == l->block_dim && !w.padding)
            w.size[w.n - 1] *= l->block;
        else {
            w.dim[w.n] = l->block_dim;
            w.size[w.n++] = l->block;
        }
    }
    return w;
}

bool layout_same_bytes(const Layout *a, const Layout *b, const TensorType *t)
{
    if (layout_equal(a, b) || type_count(t) == 0)
        return true;
    bool many = rows_of(a, t) > 1 || rows_of(b, t) > 1;
    if (many &&
        (a->pitch != b->pitch || (a->pitch && a->order[a->rank - 1] != b->order[b->rank - 1])))
        return false;
    Walk x = walk(a, t), y = walk(b, t);
    if (x.n != y.n || x.padding != y.padding)
        return false;
    for (int i = 0; i < x.n; i++)
        if (x.dim[i] != y.dim[i] || x.size[i] != y.size[i])
            return false;
    return true;
}

void layout_strides(const Layout *l, const TensorType *t, int64_t *strides)
{
    int64_t step = l->block ? l->block : 1;
    for (int i = l->rank - 1; i >= 0; i--) {
        int d = l->order[i];
        int64_t size = t->dims[d];
        strides[d] = step;
        if (l->block && d == l->block_dim)
            size = (size + l->block - 1) / l->block;
        step *= l->pitch && i == l->rank - 1 ? l->pitch : size;
    }
}

size_t layout_bytes(const Layout *l, const TensorType *t)
{
    size_t bytes = dtype_size(t->dtype);
    for (int d = 0; d < t->rank; d++) {
        int64_t size = t->dims[d];
        if (l->block && d == l->block_dim)
            size = (size + l->block - 1) / l->block * l->block;
        bytes *= (size_t)size;
    }
    if (l->pitch && bytes) {
        size_t rows = (size_t)rows_of(l, t),
               gap = (size_t)(l->pitch - t->dims[l->order[l->rank - 1]]);
        bytes += (rows - 1) * gap * dtype_size(t->dtype);
    }
    return bytes;
}

const char *layout_tag(Arena *arena, const Layout *l)
{
    char tag[MAX_RANK + 8];
    for (int i = 0; i < l->rank; i++) {
        int d = l->order[i];
        tag[i] = (char)((l->block && d == l->block_dim ? 'A' : 'a') + d);
    }
    tag[l->rank] = 0;
    if (l->pitch)
        return arena_printf(arena, "%s/%lld", tag, (long long)l->pitch);
    return l->block ? arena_printf(arena, "%s%d%c", tag, l->block, 'a' + l->block_dim)
                    : arena_strdup(arena, tag);
}
