/* The affine loop nest: see kernel/loops.h. */
#include "loops.h"

Loops *loops_new(Arena *arena, int n_operands)
{
    Loops *l = ARENA_NEW(arena, Loops);
    l->arena = arena;
    l->n = n_operands;
    l->shared = -1;
    l->stride = arena_alloc_array(arena, (size_t)n_operands, sizeof *l->stride);
    l->offset = ARENA_ARRAY(arena, int64_t, (size_t)n_operands);
    return l;
}

void loops_dim(Loops *l, int64_t size, const int64_t *strides)
{
    if (l->rank == LOOP_RANK)
        bug("more than %d loops", LOOP_RANK);
    l->dims[l->rank] = size;
    for (int o = 0; o < l->n; o++)
        l->stride[o][l->rank] = strides[o];
    l->empty |= size == 0;
    l->rank++;
}

static void swap_dims(Loops *l, int a, int b)
{
    int64_t size = l->dims[a];
    l->dims[a] = l->dims[b];
    l->dims[b] = size;
    for (int o = 0; o < l->n; o++) {
        int64_t stride = l->stride[o][a];
        l->stride[o][a] = l->stride[o][b];
        l->stride[o][b] = stride;
    }
}

void loops_sort(Loops *l, int operand)
{
    for (int i = 1; i < l->rank; i++)
        for (int j = i; j > 0 && l->stride[operand][j - 1] < l->stride[operand][j]; j--)
            swap_dims(l, j - 1, j);
}

static void drop_dim(Loops *l, int d)
{
    for (int i = d; i + 1 < l->rank; i++)
        swap_dims(l, i, i + 1);
    l->rank--;
}

static bool can_merge(const Loops *l, int outer)
{
    for (int o = 0; o < l->n; o++)
        if (l->stride[o][outer] != l->stride[o][outer + 1] * l->dims[outer + 1])
            return false;
    return true;
}

void loops_coalesce(Loops *l)
{
    if (l->empty)
        return;
    for (int d = l->rank - 1; d >= 0; d--)
        if (l->dims[d] == 1)
            drop_dim(l, d);
    for (int d = l->rank - 2; d >= 0; d--)
        if (can_merge(l, d)) {
            l->dims[d + 1] *= l->dims[d];
            drop_dim(l, d);
        }
}
