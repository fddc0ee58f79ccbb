#include "macs.h"

#include "einsum.h"
#include "ops.h"
#include "window.h"

static int64_t saturating_mul(int64_t a, int64_t b)
{
    int64_t r;
    return mul_i64(a, b, &r) ? r : INT64_MAX;
}

typedef int64_t MacsFn(const Graph *g, const Node *n);

static int64_t macs_none(const Graph *g, const Node *n)
{
    (void)g, (void)n;
    return 0;
}

static int64_t count_results(const Graph *g, const Node *n)
{
    return has_value(n->out[0]) ? type_count(type_of(g, n->out[0])) : 0;
}

static int64_t filter_size(const TensorType *w)
{
    return w->dims[0] ? type_count(w) / w->dims[0] : 0;
}

/* Weights [M, C/group, kernel…]: each element of the result takes one filter. */
static int64_t macs_conv(const Graph *g, const Node *n)
{
    return saturating_mul(count_results(g, n), filter_size(type_of(g, n->in[1])));
}

static int64_t macs_qlinear_conv(const Graph *g, const Node *n)
{
    return saturating_mul(count_results(g, n), filter_size(type_of(g, n->in[3])));
}

/* Weights [C, M/group, kernel…]: each element of the source is spread by one filter. */
static int64_t macs_deconv(const Graph *g, const Node *n)
{
    return saturating_mul(type_count(type_of(g, n->in[0])), filter_size(type_of(g, n->in[1])));
}

static int64_t macs_product(const Graph *g, const Node *n)
{
    const TensorType *a = type_of(g, n->in[0]);
    const bool transposed = n->op == OP_Gemm && attr_int(n, "transA", 0);
    int64_t depth = a->rank ? a->dims[a->rank - (transposed ? 2 : 1)] : 1;
    return saturating_mul(count_results(g, n), depth);
}

/* X [steps, batch, inputs]; W and R hold all directions and gates. */
static int64_t macs_recurrent(const Graph *g, const Node *n)
{
    const TensorType *x = type_of(g, n->in[0]);
    int64_t weights = type_count(type_of(g, n->in[2]));
    if (has_value(n->in[1]))
        weights += type_count(type_of(g, n->in[1]));
    return saturating_mul(saturating_mul(x->dims[0], x->dims[1]), weights);
}

static MacsFn *const macs[OP_COUNT] = {
#define OP_MACS(nm, macs) [OP_##nm] = macs_##macs,
#include "ops.def"
};

int64_t node_macs(const Graph *g, const Node *n)
{
    return macs[n->op](g, n);
}

static int64_t pool_operations(const Graph *g, const Node *n)
{
    const Window w = window_of(n, type_of(g, n->in[0]), type_of(g, n->out[0]), NULL);
    return saturating_mul(count_results(g, n), w.kernel_size);
}

static int64_t einsum_operations(const Graph *g, const Node *n)
{
    Einsum e;
    int64_t all = n->n_in > 1 ? 2 : 1;
    const bool parsed = einsum_parse(g, n, &e);
    for (int i = 0; parsed && i < EINSUM_LETTERS; i++)
        all = e.size[i] > 0 ? saturating_mul(all, e.size[i]) : all;
    return all;
}

static int64_t most_elements(const Graph *g, const Node *n)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < n->n_in + n->n_out; i++) {
        const ValueId v = i < n->n_in ? n->in[i] : n->out[i - n->n_in];
        const int64_t count = has_value(v) ? type_count(type_of(g, v)) : 0;
        most = count > most ? count : most;
    }
    return most;
}

int64_t node_operations(const Graph *g, const Node *n)
{
    const int64_t products = node_macs(g, n);
    if (products || op_info(n->op)->class == CLASS_MOVE || op_has(n->op, TRAIT_LOOP))
        return saturating_mul(2, products);
    return op_info(n->op)->class == CLASS_POOL ? pool_operations(g, n)
           : n->op == OP_Einsum                ? einsum_operations(g, n)
                                               : most_elements(g, n);
}
