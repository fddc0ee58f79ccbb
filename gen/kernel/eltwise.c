/* How C computes elementwise nodes, one or a group of them: one loop nest over the result. */
#include "layers.h"
#include "plan.h"

/* Strides of a buffer along the dimensions of `shape`, to which it broadcasts. */
static void broadcast_strides(const Buffer *b, const TensorType *shape, int64_t *strides)
{
    int64_t own[MAX_RANK];
    layout_strides(&b->layout, &b->type, own);
    for (int d = 0; d < shape->rank; d++) {
        int at = d - (shape->rank - b->type.rank);
        strides[d] = at < 0 || b->type.dims[at] == 1 ? 0 : own[at];
    }
}

Loops *eltwise_loops_of(const Program *p, const Step *s)
{
    const uint32_t n = s->n_in + s->n_out;
    Loops *l = loops_new(p->arena, (int)n);
    int64_t(*strides)[MAX_RANK] = arena_alloc_array(p->arena, n, sizeof *strides);
    int64_t *at = ARENA_ARRAY(p->arena, int64_t, n);
    uint32_t o = 0;
    while (s->out[o] == NO_BUFFER)
        o++;
    const TensorType *shape = &p->buffers[s->out[o]].type;
    for (uint32_t i = 0; i < n; i++) {
        BufferId id = i < s->n_in ? s->in[i] : s->out[i - s->n_in];
        if (id != NO_BUFFER)
            broadcast_strides(&p->buffers[id], shape, strides[i]);
    }
    for (int d = 0; d < shape->rank; d++) {
        for (uint32_t i = 0; i < n; i++)
            at[i] = strides[i][d];
        loops_dim(l, shape->dims[d], at);
    }
    loops_sort(l, (int)s->n_in);
    loops_coalesce(l);
    return l;
}

/* An operand in whose place a result stands is read by the iteration that overwrites it. */
static bool walks_alike(const CStep *k, const Loops *l)
{
    const Step *s = k->s;
    for (uint32_t i = 0; i < s->n_in; i++)
        for (uint32_t o = 0; o < s->n_out; o++)
            for (int d = 0; d < l->rank && c_overlap(k->p, s->in[i], s->out[o]); d++)
                if (l->stride[i][d] != l->stride[s->n_in + o][d])
                    return false;
    return true;
}

/* A function is five operations. */
bool fit_eltwise(CStep *k)
{
    const Loops *l = eltwise_loops_of(k->p, k->s);
    double each = k->s->n_in + k->s->n_out;
    for (uint32_t i = 0; i < k->s->n_nodes; i++)
        each += op_has(node_at(k->g, k->s->nodes[i])->op, TRAIT_FUNCTION) ? 5 : 1;
    k->operations = each;
    for (int d = 0; d < l->rank; d++)
        k->operations *= (double)l->dims[d];
    k->iterations = l->rank && walks_alike(k, l) ? l->dims[0] : 0;
    return true;
}
