/* How C copies parts: the operands of a Concat, the results of a Split, and a tensor into the box that a constant Pad leaves for it. Each
 * is a copy between strided arrangements, whose variant is chosen by itself; those that stand in their place already are none. */
#include "layers.h"
#include "plan.h"

/* Buffer `part` stands in memory where `whole` has it, its first element being element `at` of that. */
static bool is_in_place(const Program *p, BufferId part, BufferId whole, const Loops *l, int64_t at)
{
    size_t of_part, of_whole;
    for (int d = 0; d < l->rank; d++)
        if (l->dims[d] > 1 && l->stride[0][d] != l->stride[1][d])
            return false;
    return c_same_memory(p, part, whole, &of_part, &of_whole) &&
           of_part == of_whole + (size_t)at * dtype_size(p->buffers[part].type.dtype);
}

/* From element `at` of the whole on; NULL: nothing is copied. */
static Loops *part_loops(const Program *p, BufferId part, BufferId whole, int64_t at,
                         bool into_whole)
{
    const Buffer *b = &p->buffers[part], *w = &p->buffers[whole];
    int64_t ps[MAX_RANK], ws[MAX_RANK];
    Loops *l = loops_new(p->arena, 2);
    layout_strides(&b->layout, &b->type, ps);
    layout_strides(&w->layout, &w->type, ws);
    for (int d = 0; d < b->type.rank; d++)
        loops_dim(l, b->type.dims[d],
                  into_whole ? (int64_t[]){ws[d], ps[d]} : (int64_t[]){ps[d], ws[d]});
    l->offset[into_whole ? 0 : 1] = at;
    return l->empty || is_in_place(p, part, whole, l, at) ? NULL : copy_simplified(l);
}

static int64_t stride_of(const Buffer *b, int64_t axis)
{
    int64_t strides[MAX_RANK];
    layout_strides(&b->layout, &b->type, strides);
    return strides[axis];
}

Loops *part_loops_of(const Program *p, const Step *s, uint32_t i)
{
    const Node *n = node_at(p->graph, s->node);
    const bool joins = n->op != OP_Split;
    const BufferId whole = joins ? s->out[0] : s->in[0], *parts = joins ? s->in : s->out;
    const Buffer *w = &p->buffers[whole];
    int64_t at = 0;
    if (parts[i] == NO_BUFFER)
        return NULL;
    if (n->op == OP_Pad) {
        const int64_t *pads = attr_ints(n, "pads", NULL);
        for (int d = 0; d < w->type.rank; d++)
            at += pads[d] * stride_of(w, d);
        return part_loops(p, parts[0], whole, at, true);
    }
    const int64_t axis = attr_int(n, "axis", 0), *split = attr_ints(n, "split", NULL);
    for (uint32_t k = 0; k < i; k++)
        at += joins ? p->buffers[parts[k]].type.dims[axis] : split[k];
    return part_loops(p, parts[i], whole, at * stride_of(w, axis), joins);
}

static bool plan_parts_of(const CStep *k, CPlan *plan, uint32_t n)
{
    plan->parts = ARENA_ARRAY(k->p->arena, CPart, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Loops *l = part_loops_of(k->p, k->s, i);
        if (l)
            plan->parts[plan->n_parts++] =
                (CPart){copy_variant(l, k->p->buffers[k->s->out[0]].type.dtype), i};
    }
    return true;
}

bool fit_parts(const CStep *k, CPlan *plan, CWork *work)
{
    (void)work;
    return plan_parts_of(k, plan, k->n->op == OP_Split ? k->s->n_out : k->s->n_in);
}

static bool mirrors(const Node *n)
{
    size_t count;
    attr_ints(n, "pads", &count);
    return count && *attr_string(n, "mode", "constant") != 'c';
}

CVariant plan_pad(const CStep *k)
{
    return mirrors(k->n) ? C_pad_mirrored : C_pad_constant;
}

/* A fill and a copied box. */
bool fit_pad_constant(const CStep *k, CPlan *plan, CWork *work)
{
    (void)work;
    return !mirrors(k->n) && plan_parts_of(k, plan, 1);
}
