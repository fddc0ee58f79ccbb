/* What oneDNN takes and portable C computes quicker: nodes so small that they are over before oneDNN has been called. */
#include "support.h"

#include "../ops/ops.h"
#include "plan.h"

/* Multiply-accumulates below which a product is over before oneDNN has been called (about 0.4 µs a call, C's kernels make some
 * 10 a nanosecond), and below which a single row times a matrix, or a matrix times a single column, is at least as quick in C: both
 * only stream the larger operand. Moreover oneDNN's inner product with one column is its gemm, whose kernels of all kinds are
 * generated at the first call: 2.3 ms. */
enum { SMALL_PRODUCT = 4096, SMALL_ROW_PRODUCT = 1 << 18 };

static bool small_product(const Graph *g, const Node *n)
{
    const TensorType *a = type_of(g, n->in[0]), *out = type_of(g, n->out[0]);
    bool trans_a = n->op == OP_Gemm && attr_int(n, "transA", 0) != 0;
    int64_t columns = out->rank ? out->dims[out->rank - 1] : 1;
    int64_t depth = trans_a ? a->dims[0] : a->dims[a->rank - 1], products = 0;
    if (!mul_i64(type_count(out), depth, &products))
        return false;
    return products <= SMALL_PRODUCT ||
           ((columns == 1 || type_count(out) == columns) && products <= SMALL_ROW_PRODUCT);
}

/* Elements below which a reduction or a Concat is quicker in C. oneDNN calls its kernel anew for each row that it reduces: 37 µs
 * for 256 rows of 256, where C takes 2.6; 270 against 133 for 1024 rows of 1024, but it has threads. Its Concat takes 0.7 µs for 33 rows of 16, C less
 * than 0.1; they are equal from 256 rows of 512 on (one thread, AVX-512). A reduction over all that follows the channels may become
 * a pool, which is twice as fast as C where the channels are last. */
enum { SMALL_REDUCTION = 1 << 17, SMALL_POOL = 1 << 13, SMALL_CONCAT = 1 << 14 };

/* Elements of a group below which C is quicker however many groups there are: 2.4 ms against 0.17 for 16384 rows of 10. */
enum { SHORT_REDUCTION = 256 };

/* Elements below which elementwise nodes belong to C, which makes one loop of a chain of them: a call of oneDNN's primitives takes
 * 0.2 µs for 128 elements, C's loop 0.03; for some functions oneDNN's code is twice as fast. */
enum { SMALL_ELTWISE = 1 << 12 }; /* not for Casts, which may become one with a reorder */

/* Layer norms of rows as long as oneDNN's, by elements: a call of oneDNN's takes 0.6 µs for 4 elements, C's kernel less than 0.04;
 * 1.1 and 0.46 for 32 rows of 64, 3.3 and 2.0 for 100 of 128, 20 and 24 for 197 of 768 (one thread, AVX-512). */
enum { SHORT_NORM_ROW = 512, SMALL_NORM = 1 << 12 };

static bool small_norm(const Graph *g, const Node *n)
{
    const TensorType *t = type_of(g, n->in[0]);
    return t->dtype == DT_F32 &&
           (t->dims[t->rank - 1] < SHORT_NORM_ROW || type_count(t) <= SMALL_NORM);
}

/* Elements below which a softmax is at least as quick in C (one thread, AVX-512): C takes 1.6 µs for 128 rows of 16, 2.5 for 128 of
 * 48; oneDNN 3.3 for these. From some ten thousand elements on they are equal. */
enum { SMALL_SOFTMAX = 1 << 12 };

static bool small_reduction(const Graph *g, const Node *n)
{
    size_t n_axes;
    const int64_t *axes = attr_ints(n, "axes", &n_axes);
    const TensorType *t = type_of(g, n->in[0]);
    bool pool = t->rank >= 3 && axes[0] == 2 && (int)n_axes == t->rank - 2;
    const int64_t results = type_count(type_of(g, n->out[0]));
    return type_count(t) < (pool ? SMALL_POOL : SMALL_REDUCTION) ||
           type_count(t) < results * (pool ? 1 : SHORT_REDUCTION);
}

static bool small_softmax(const Graph *g, const Node *n)
{
    return type_count(type_of(g, n->in[0])) < SMALL_SOFTMAX;
}

static bool small_concat(const Graph *g, const Node *n)
{
    return type_count(type_of(g, n->out[0])) < SMALL_CONCAT;
}

static bool small_eltwise(const Graph *g, const Node *n)
{
    return op_info(n->op)->class == CLASS_ELTWISE &&
           type_count(type_of(g, n->out[0])) < SMALL_ELTWISE;
}

typedef bool SmallFn(const Graph *g, const Node *n);

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

bool onednn_too_small(const Graph *g, const Node *n, const char **why)
{
    const struct SmallRow *row = &rows[onednn_ops[n->op].primitive];
    if (!row->is_small || !row->is_small(g, n))
        return false;
    *why = row->why;
    return true;
}
