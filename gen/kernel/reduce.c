/* How C reduces. Where the elements of a group are neighbours in memory, a group is summed in several partial sums (and long rows in
 * pieces, so that errors do not build up); where the results are neighbours, several results at a time. Both vectorise without
 * reordering floating-point arithmetic behind the compiler's back. */
#include "layers.h"
#include "plan.h"

enum {
    LANES = 32, /* partial sums of a row */
    MID_LANES =
        8, /* … of one shorter than LONG_ROW: adding them up takes as long as a hundred elements */
    FEW_LANES = 4, /* … than LANES */
    LONG_ROW = 256,
    SUMMED = 4096, /* elements after which these are added up */
    WIDTH = 64,    /* results at a time */
    MOST_WIDTH = 1024,
    /* Groups up to this are made together wherever they lie, unless it is in rows of so many. */
    SHORT = 64,
    LEAST_ROW = 8,
    LONG = 1024, /* a group of several results at a time that is longer is summed in double */
};

/* Kept dimensions first, otherwise in their order; the neighbouring ones merged. */
static void order_dims(ReduceLoops *r, const Loops *all)
{
    for (int reduced = 0; reduced < 2; reduced++) {
        for (int d = 0; d < all->rank; d++)
            if ((all->stride[0][d] == 0) == reduced)
                loops_dim(r->loops, all->dims[d],
                          (int64_t[]){all->stride[0][d], all->stride[1][d]});
        if (!reduced)
            r->kept = r->loops->rank;
    }
}

ReduceLoops reduce_loops_of(const Program *p, const Step *s)
{
    const Buffer *src = &p->buffers[s->in[0]], *dst = &p->buffers[s->out[0]];
    int64_t from[MAX_RANK], to[MAX_RANK];
    bool gone[MAX_RANK] = {false};
    size_t n;
    const int64_t *axes = attr_ints(node_at(p->graph, s->node), "axes", &n);
    ReduceLoops r = {.loops = loops_new(p->arena, 2), .group = 1};
    Loops *all = loops_new(p->arena, 2);
    layout_strides(&src->layout, &src->type, from);
    layout_strides(&dst->layout, &dst->type, to);
    for (size_t i = 0; i < n; i++)
        gone[axes[i]] = true;
    for (int d = 0, at = 0; d < src->type.rank; d++) {
        loops_dim(all, src->type.dims[d], (int64_t[]){gone[d] ? 0 : to[at], from[d]});
        at += !gone[d] || dst->type.rank == src->type.rank;
        r.group *= gone[d] ? src->type.dims[d] : 1;
    }
    loops_sort(all, 1);
    loops_coalesce(all);
    order_dims(&r, all);
    return r;
}

/* Elements of a row that lies without gaps; 0: there is none. */
static int64_t row_of(const ReduceLoops *r)
{
    const int last = r->loops->rank - 1;
    return last >= r->kept && r->loops->stride[1][last] == 1 ? r->loops->dims[last] : 0;
}

/* Of a row of n elements: 1 where it is too short for several. Maxima keep flags of NaN beside them, which leaves fewer registers;
 * exponentials are made in whole vectors. */
static int64_t lanes_of(const CStep *k, int64_t n)
{
    const int64_t of_order = k->n->op == OP_ReduceMax || k->n->op == OP_ReduceMin ? 3 : 1;
    if (k->n->op == OP_ReduceLogSumExp)
        return n >= 2 * LANES ? LANES : 1;
    return n >= LONG_ROW * of_order ? LANES
           : n >= LANES * of_order  ? MID_LANES
           : n >= LEAST_ROW         ? FEW_LANES
                                    : 1;
}

CVariant choose_reduce(const CStep *k)
{
    const ReduceLoops r = reduce_loops_of(k->p, k->s);
    const Loops *l = r.loops;
    const bool together = r.group <= SHORT && lanes_of(k, row_of(&r)) == 1;
    const bool columns = r.kept > 0 && (r.kept == l->rank || together ||
                                        l->stride[1][r.kept - 1] < l->stride[1][l->rank - 1]);
    return r.group == 0 ? C_reduce_none : columns ? C_reduce_columns : C_reduce_rows;
}

/* The loop over the outermost of the kept dimensions, of which there are so many outside of what is computed at a time. */
static void count_work(CStep *k, const ReduceLoops *r, int outer)
{
    k->iterations = outer > 0 ? r->loops->dims[0] : 0;
    k->operations = 1.5 * (double)type_count(type_of(k->g, k->n->in[0]));
}

bool fit_reduce_rows(CStep *k)
{
    const ReduceLoops r = reduce_loops_of(k->p, k->s);
    const int64_t n = row_of(&r);
    if (r.group == 0 || !c_free_lanes(k->plan, lanes_of(k, n)) ||
        (k->plan->lanes > 1 && n < k->plan->lanes))
        return false;
    const bool pieces = k->plan->lanes > 1 && (k->plan->summed || n > SUMMED);
    if (pieces && (!c_free_number(&k->plan->summed, SUMMED, n) || k->plan->summed % k->plan->lanes))
        return false;
    count_work(k, &r, r.kept);
    return pieces || !k->plan->summed;
}

static bool adds_floats(const CStep *k)
{
    return dtype_is_float(type_of(k->g, k->n->in[0])->dtype) && k->n->op != OP_ReduceMax &&
           k->n->op != OP_ReduceMin;
}

bool fit_reduce_columns(CStep *k)
{
    const ReduceLoops r = reduce_loops_of(k->p, k->s);
    k->plan->in_double = r.group > LONG && adds_floats(k);
    count_work(k, &r, r.kept - 1);
    return r.group > 0 && r.kept > 0 && c_free_number(&k->plan->width, WIDTH, MOST_WIDTH);
}

bool fit_reduce_none(CStep *k)
{
    return reduce_loops_of(k->p, k->s).group == 0;
}
