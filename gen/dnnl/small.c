/* What oneDNN takes and portable C computes quicker: nodes so small that they are over before oneDNN has been called. Where that
 * ends are figures of the machine (docs/machine.md). */
#include "support.h"

#include "../ops/ops.h"
#include "plan.h"

static bool small_product(const Machine *m, const Graph *g, const Node *n)
{
    const TensorType *a = type_of(g, n->in[0]), *out = type_of(g, n->out[0]);
    bool trans_a = n->op == OP_Gemm && attr_int(n, "transA", 0) != 0;
    int64_t columns = out->rank ? out->dims[out->rank - 1] : 1;
    int64_t depth = trans_a ? a->dims[0] : a->dims[a->rank - 1], products = 0;
    if (!mul_i64(type_count(out), depth, &products))
        return false;
    return (double)products <= m->small_product ||
           ((columns == 1 || type_count(out) == columns) && (double)products <= m->small_vector);
}

static bool small_norm(const Machine *m, const Graph *g, const Node *n)
{
    const TensorType *t = type_of(g, n->in[0]);
    return t->dtype == DT_F32 && ((double)t->dims[t->rank - 1] < m->short_norm_row ||
                                  (double)type_count(t) <= m->small_norm);
}

/* A reduction over all that follows the channels may become a pool, which is twice as fast as C where the channels are last. */
static bool small_reduction(const Machine *m, const Graph *g, const Node *n)
{
    size_t n_axes;
    const int64_t *axes = attr_ints(n, "axes", &n_axes);
    const TensorType *t = type_of(g, n->in[0]);
    bool pool = t->rank >= 3 && axes[0] == 2 && (int)n_axes == t->rank - 2;
    const double results = (double)type_count(type_of(g, n->out[0])), all = (double)type_count(t);
    return all < (pool ? m->small_pool : m->small_reduction) ||
           all < results * (pool ? 1 : m->short_reduction);
}

static bool small_softmax(const Machine *m, const Graph *g, const Node *n)
{
    return (double)type_count(type_of(g, n->in[0])) < m->small_softmax;
}

static bool small_concat(const Machine *m, const Graph *g, const Node *n)
{
    return (double)type_count(type_of(g, n->out[0])) < m->small_concat;
}

/* Not for Casts, which may become one with a reorder. */
static bool small_eltwise(const Machine *m, const Graph *g, const Node *n)
{
    return op_info(n->op)->class == CLASS_ELTWISE &&
           (double)type_count(type_of(g, n->out[0])) < m->small_eltwise;
}

typedef bool SmallFn(const Machine *m, const Graph *g, const Node *n);

#define SMALL_none NULL, NULL
#define SMALL_product small_product, "a product so small is quicker in C"
#define SMALL_reduction small_reduction, "a reduction so small is quicker in C"
#define SMALL_softmax small_softmax, "a softmax so small is quicker in C"
#define SMALL_norm small_norm, "rows so short are normalised quicker in C"
#define SMALL_concat small_concat, "a Concat so small is quicker in C"
#define SMALL_eltwise small_eltwise, "so few elements are quicker in C"

static const struct SmallRow {
    SmallFn *is_small;
    const char *why;
} rows[PRIMITIVE_COUNT] = {
#define PRIMITIVE(name, supports, worth, bytes, small, ...) {SMALL_##small},
#include "primitives.def"
};

bool onednn_too_small(const Machine *m, const Graph *g, const Node *n, const char **why)
{
    const struct SmallRow *row = &rows[onednn_ops[n->op].primitive];
    if (!row->is_small || !row->is_small(m, g, n))
        return false;
    *why = row->why;
    return true;
}
