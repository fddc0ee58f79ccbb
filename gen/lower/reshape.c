/* Reshape over memory that is not row-major.
 *
 * The dimensions of both shapes fall into groups of equal product: [1,112,56,56] and [1,4,28,56,56] pair 112 with 4,28. A group of
 * one dimension may be split wherever it stands in memory; a group of several can be merged or re-divided only where they stand
 * together in memory, in row-major order. Dimensions of size 1 take no part and may stand anywhere. Where rows have pitched
 * between them, the innermost dimension has to stay what it is. */
#include "place.h"

#include <string.h>

typedef struct Group {
    int from[MAX_RANK], to[MAX_RANK]; /* dimensions larger than 1, in row-major order */
    int n_from, n_to;
} Group;

/* The next group, starting at dimensions *i and *j; false at the end or where a dimension is 0. */
static bool next_group(const TensorType *from, const TensorType *to, int *i, int *j, Group *group)
{
    int64_t a = 1, b = 1;
    *group = (Group){0};
    while (*i < from->rank || *j < to->rank) {
        bool take_from = *i < from->rank && (a <= b || *j >= to->rank);
        if (take_from && from->dims[*i] != 1)
            group->from[group->n_from++] = *i;
        if (!take_from && to->dims[*j] != 1)
            group->to[group->n_to++] = *j;
        if (take_from)
            a *= from->dims[(*i)++];
        else
            b *= to->dims[(*j)++];
        if (a == b && a > 1)
            return true;
    }
    return false;
}

static int position_in(const int *order, int n, int dim)
{
    for (int k = 0; k < n; k++)
        if (order[k] == dim)
            return k;
    return -1;
}

static bool reshape_layout(const TensorType *from, const Layout *layout, const TensorType *to,
                           Layout *result)
{
    int order[MAX_RANK], n = 0, i = 0, j = 0;
    int8_t out[MAX_RANK * 2];
    Group at[MAX_RANK] = {0}; /* by position in `order`: the group that starts there */
    Group group;
    if (layout->block || type_count(from) == 0)
        return false;
    for (int k = 0; k < layout->rank; k++)
        if (from->dims[layout->order[k]] != 1)
            order[n++] = layout->order[k];
    bool pitched = layout->pitch && n > (from->dims[layout->order[layout->rank - 1]] > 1);
    if (pitched && from->dims[layout->order[layout->rank - 1]] == 1)
        return false;
    while (next_group(from, to, &i, &j, &group)) {
        int start = position_in(order, n, group.from[0]);
        for (int k = 1; k < group.n_from; k++)
            if (start + k >= n || order[start + k] != group.from[k])
                return false;
        at[start] = group;
    }
    if (pitched && (at[n - 1].n_from != 1 || at[n - 1].n_to != 1))
        return false;
    int n_out = 0;
    for (int d = 0; d < to->rank; d++) /* ones first */
        if (to->dims[d] == 1)
            out[n_out++] = (int8_t)d;
    for (int k = 0; k < n; k++)
        for (int m = 0; m < at[k].n_to; m++)
            out[n_out++] = (int8_t)at[k].to[m];
    if (n_out != to->rank)
        bug("reshape_layout: %d of %d dimensions", n_out, to->rank);
    *result = (Layout){.rank = to->rank, .pitch = pitched ? layout->pitch : 0};
    memcpy(result->order, out, (size_t)n_out);
    return true;
}

/* A layout that means the same memory, by its usual name where it has one. */
static Layout usual_name(const Layout *layout, const TensorType *t)
{
    Layout plain = layout_plain(t->rank), nxc = layout_nxc(t->rank);
    plain.pitch = nxc.pitch = layout->pitch;
    if (layout_same_bytes(layout, &plain, t))
        return plain;
    return t->rank > 2 && layout_same_bytes(layout, &nxc, t) ? nxc : *layout;
}

bool reshape_view(const TensorType *from, const Layout *layout, const TensorType *to,
                  Layout *result)
{
    if (!reshape_layout(from, layout, to, result))
        return false;
    *result = usual_name(result, to);
    return true;
}
