/* Estimates of the reference evaluator's work: see ops/work.h. */
#include "work.h"

#include "einsum.h"
#include "macs.h"
#include "ops.h"
#include "window.h"

static double count_of(const Graph *g, ValueId v)
{
    return has_value(v) ? (double)type_count(type_of(g, v)) : 0;
}

static double touched(const Graph *g, const Node *n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n->n_in; i++)
        sum += count_of(g, n->in[i]);
    for (uint32_t i = 0; i < n->n_out; i++)
        sum += count_of(g, n->out[i]);
    return sum;
}

static double last_dim(const Graph *g, ValueId v)
{
    const TensorType *t = type_of(g, v);
    return t->rank ? (double)t->dims[t->rank - 1] : 1;
}

/* Every combination of the letters, for each operand. */
static double work_einsum(const Graph *g, const Node *n)
{
    enum { STEPS = 8 }; /* the index is worked out anew for each */
    Einsum e;
    double all = STEPS * (double)n->n_in;
    if (!einsum_parse(g, n, &e))
        return 0;
    for (int i = 0; i < EINSUM_LETTERS; i++)
        if (e.size[i] > 0)
            all *= (double)e.size[i];
    return all;
}

static double work_pool(const Graph *g, const Node *n)
{
    const Window w = window_of(n, type_of(g, n->in[0]), type_of(g, n->out[0]), NULL);
    return count_of(g, n->out[0]) * (double)w.kernel_size;
}

/* Elimination of matrices. */
static double work_det(const Graph *g, const Node *n)
{
    return count_of(g, n->in[0]) * last_dim(g, n->in[0]);
}

/* Each box against each that was kept. */
static double work_nms(const Graph *g, const Node *n)
{
    return count_of(g, n->in[1]) * last_dim(g, n->in[1]);
}

/* Samples of a bin; as many as it has pixels where no number is given. */
static double work_roi_align(const Graph *g, const Node *n)
{
    const double ratio = (double)attr_int(n, "sampling_ratio", 0);
    const TensorType *x = type_of(g, n->in[0]);
    return count_of(g, n->out[0]) * (ratio > 0 ? ratio * ratio : (double)(x->dims[2] * x->dims[3]));
}

static double work_roi_pool(const Graph *g, const Node *n)
{
    const TensorType *x = type_of(g, n->in[0]);
    return count_of(g, n->out[0]) * (double)(x->dims[2] * x->dims[3]);
}

/* Cubic interpolation reads four elements along each dimension. */
static double work_resize(const Graph *g, const Node *n)
{
    enum { TAPS = 4 };
    double work = count_of(g, n->out[0]);
    for (int d = 2; d < type_of(g, n->in[0])->rank; d++)
        work *= TAPS;
    return work;
}

/* Comparisons of a sort. */
static double work_sort(const Graph *g, const Node *n)
{
    enum { LEVELS = 32 };
    return LEVELS * count_of(g, n->in[0]);
}

/* Each row may walk through every node. */
static double work_trees(const Graph *g, const Node *n)
{
    return count_of(g, n->out[0]) * touched(g, n);
}

typedef double WorkFn(const Graph *g, const Node *n);

/* Operators that take more than a few steps for each element, and are no products (macs.c). */
static WorkFn *const work[OP_COUNT] = {
    [OP_Einsum] = work_einsum,
    [OP_MaxPool] = work_pool,
    [OP_AveragePool] = work_pool,
    [OP_LpPool] = work_pool,
    [OP_Det] = work_det,
    [OP_NonMaxSuppression] = work_nms,
    [OP_RoiAlign] = work_roi_align,
    [OP_MaxRoiPool] = work_roi_pool,
    [OP_Resize] = work_resize,
    [OP_TopK] = work_sort,
    [OP_Unique] = work_sort,
    [OP_TreeEnsemble] = work_trees,
};

double eval_work(const Graph *g, const Node *n)
{
    const double own = work[n->op] ? work[n->op](g, n) : (double)node_macs(g, n);
    return own + touched(g, n);
}
