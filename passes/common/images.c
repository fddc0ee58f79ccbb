#include "images.h"

#include "../../gen/ops/ops.h"
#include "util.h"

#include <string.h>

static int64_t images_of(const Graph *g, ValueId v)
{
    return !has_value(v) || is_const(g, v) || !type_of(g, v)->rank ? 0 : type_of(g, v)->dims[0];
}

static bool constants_behind(const Graph *g, const Node *n, uint32_t first)
{
    for (uint32_t i = first; i < n->n_in; i++)
        if (has_value(n->in[i]) && !is_const(g, n->in[i]))
            return false;
    return true;
}

static bool all_split(const Graph *g, const Node *n, int64_t images)
{
    for (uint32_t i = 0; i < n->n_in; i++)
        if (images_of(g, n->in[i]) != images)
            return false;
    return true;
}

const char *images_attr(const Node *n)
{
    return node_attr(n, "shape") ? "shape" : node_attr(n, "sizes") ? "sizes" : NULL;
}

static int64_t first_of(const Node *n, const char *attr)
{
    size_t count;
    const int64_t *v = attr_ints(n, attr, &count);
    return count ? v[0] : -1;
}

/* Operators that may compute each image by itself, by what becomes of data-dependent rows in them, of which images are the first ones: whether this one does. */
typedef bool EachFn(const Graph *g, const Node *n, int64_t images);

/* Operands have as many images, or are the same for all. */
static bool each_eltwise(const Graph *g, const Node *n, int64_t images)
{
    const int rank = type_of(g, n->out[0])->rank;
    for (uint32_t i = 0; i < n->n_in; i++) {
        const TensorType *t = type_of(g, n->in[i]);
        if (is_const(g, n->in[i]) ? t->rank == rank && t->dims[0] != 1
                                  : t->rank != rank || t->dims[0] != images)
            return false;
    }
    return true;
}

static bool each_reduce(const Graph *g, const Node *n, int64_t images)
{
    size_t count;
    const int64_t *axes = attr_ints(n, "axes", &count);
    (void)g, (void)images;
    return count > 0 && axes[0] > 0; /* they are sorted */
}

/* What counts its axes from that of the images on, which a region of interest does not. */
static bool each_images(const Graph *g, const Node *n, int64_t images)
{
    (void)g, (void)images;
    return !node_attr(n, "roi");
}

static bool each_inner_norm(const Graph *g, const Node *n, int64_t images)
{
    (void)g, (void)images;
    return attr_int(n, "axis", 0) > 0;
}

static bool each_quantise(const Graph *g, const Node *n, int64_t images)
{
    return type_count(type_of(g, n->in[1])) == 1 || each_inner_norm(g, n, images);
}

static bool each_reshape(const Graph *g, const Node *n, int64_t images)
{
    (void)g, (void)n, (void)images;
    return true;
}

static bool each_transpose(const Graph *g, const Node *n, int64_t images)
{
    (void)g, (void)images;
    return first_of(n, "perm") == 0;
}

static bool each_slice(const Graph *g, const Node *n, int64_t images)
{
    (void)g, (void)images;
    return first_of(n, "starts") == 0 && first_of(n, "steps") == 1;
}

static bool each_pad(const Graph *g, const Node *n, int64_t images)
{
    const int64_t *pads = attr_ints(n, "pads", NULL);
    (void)images;
    return !pads[0] && !pads[type_of(g, n->in[0])->rank];
}

#define each_softmax each_inner_norm
#define each_concat each_inner_norm
/* The others may not. */
#define each_none NULL
#define each_arg NULL
#define each_cum_sum NULL
#define each_expand NULL
#define each_gather NULL
#define each_gather_elements NULL
#define each_gather_nd NULL
#define each_gemm NULL
#define each_lp_norm NULL
#define each_matmul NULL
#define each_non_max_suppression NULL
#define each_non_zero NULL
#define each_one_hot NULL
#define each_regions NULL
#define each_scatter NULL
#define each_split NULL
#define each_tile NULL
#define each_top_k NULL
#define each_unique NULL

static EachFn *const each[OP_COUNT] = {
#define OP_DEPENDENT_ROWS(nm, dependent_rows) [OP_##nm] = each_##dependent_rows,
#include "../../gen/ops/ops.def"
};

static bool splits(const Graph *g, const Node *n, int64_t images)
{
    const char *attr = images_attr(n);
    if (!each[n->op] || n->n_out != 1 || !n->n_in || images_of(g, n->out[0]) != images ||
        (attr && first_of(n, attr) != images))
        return false;
    return each[n->op](g, n, images) &&
           (each[n->op] == each_eltwise || (n->op == OP_Concat && all_split(g, n, images)) ||
            (images_of(g, n->in[0]) == images && constants_behind(g, n, 1)));
}

bool computes_images(const Graph *g, const Node *n, int64_t images)
{
    return splits(g, n, images) && type_of(g, n->out[0])->rank > 1 &&
           (is_const(g, n->in[0]) || type_of(g, n->in[0])->rank > 1);
}

/* --- all of a model ----------------------------------------------------------------------------------------------------- */

/* Whether a constant is the same for each row of a result of `rank` dimensions. */
static bool same_for_rows(const Graph *g, ValueId v, int rank)
{
    return is_const(g, v) && (type_of(g, v)->rank < rank || type_of(g, v)->dims[0] == 1);
}

/* Matrices of a batch, or rows of one matrix with weights behind it. */
static bool product_apart(const Graph *g, const Node *n)
{
    const int rank = type_of(g, n->out[0])->rank, a = type_of(g, n->in[0])->rank,
              b = type_of(g, n->in[1])->rank;
    if (is_const(g, n->in[0]))
        return rank > 2 && b == rank && same_for_rows(g, n->in[0], rank);
    if (is_const(g, n->in[1]))
        return a == rank && (b <= 2 || (rank > 2 && same_for_rows(g, n->in[1], rank)));
    return rank > 2 && a == rank && b == rank;
}

static bool gemm_apart(const Graph *g, const Node *n)
{
    const ValueId bias = node_in(n, 2);
    return !attr_int(n, "transA", 0) && is_const(g, n->in[1]) &&
           (!has_value(bias) || same_for_rows(g, bias, 2));
}

/* Rows of a table, or other elements of each row. */
static bool gather_apart(const Graph *g, const Node *n)
{
    const int64_t axis = attr_int(n, "axis", 0);
    return is_const(g, n->in[0]) ? axis == 0 : axis > 0 && is_const(g, n->in[1]);
}

/* What split-batch has no use for, or does not see as one by one. */
static bool others_apart(const Graph *g, const Node *n)
{
    switch (n->op) {
    case OP_MatMul:
        return product_apart(g, n);
    case OP_Gemm:
        return gemm_apart(g, n);
    case OP_Gather:
        return gather_apart(g, n);
    case OP_Split:
    case OP_TopK:
    case OP_ArgMax:
    case OP_ArgMin:
    case OP_CumSum:
    case OP_LpNormalization:
        return attr_int(n, "axis", 0) > 0;
    default:
        return false;
    }
}

/* Operands that are not constants have a row for each of the rows. */
static bool reads_rows(const Graph *g, const Node *n, const bool *apart)
{
    for (uint32_t i = 0; i < n->n_in; i++)
        if (has_value(n->in[i]) && !is_const(g, n->in[i]) && !apart[n->in[i].i])
            return false;
    return n->n_in > 0;
}

static bool has_rows(const Graph *g, ValueId v, int64_t rows)
{
    return type_of(g, v)->rank > 0 && type_of(g, v)->dims[0] == rows;
}

static bool makes_rows(const Graph *g, const Node *n, int64_t rows)
{
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k]) && !has_rows(g, n->out[k], rows))
            return false;
    return splits(g, n, rows) || others_apart(g, n);
}

/* Along the first dimension of a variant's first input; 0: it has none. */
static int64_t rows_of_variant(const Graph *g, uint32_t variant)
{
    if (inputs_each(g) == 0)
        return 0;
    const TensorType *t = type_of(g, g->inputs[variant * inputs_each(g)].value);
    return t->rank > 0 ? t->dims[0] : 0;
}

/* Inputs and outputs of a variant that keeps nothing from run to run. */
static bool ports_have_rows(const Graph *g, uint32_t variant, int64_t rows)
{
    const uint32_t n_in = inputs_each(g), n_out = outputs_each(g);
    for (uint32_t i = 0; i < n_in; i++) {
        const Port *in = &g->inputs[variant * n_in + i];
        if (in->state || !has_rows(g, in->value, rows))
            return false;
    }
    for (uint32_t k = 0; k < n_out; k++) {
        const Port *out = &g->outputs[variant * n_out + k];
        if (out->state || !has_rows(g, out->value, rows))
            return false;
    }
    return true;
}

static bool variant_apart(const Graph *g, uint32_t variant, int64_t rows)
{
    const uint32_t n_in = inputs_each(g), n_out = outputs_each(g);
    bool *apart = ARENA_ARRAY(g->arena, bool, g->n_values + 1);
    memset(apart, 0, g->n_values * sizeof *apart);
    for (uint32_t i = 0; i < n_in; i++)
        apart[g->inputs[variant * n_in + i].value.i] = true;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        const bool rows_apart = reads_rows(g, n, apart) && makes_rows(g, n, rows);
        for (uint32_t k = 0; k < n->n_out; k++)
            if (has_value(n->out[k]))
                apart[n->out[k].i] = rows_apart;
    }
    bool all = true;
    for (uint32_t k = 0; k < n_out; k++)
        all = all && apart[g->outputs[variant * n_out + k].value.i];
    return all;
}

bool computes_rows_apart(const Graph *g)
{
    bool any = false;
    if (graph_has_bounds(g))
        return false;
    for (uint32_t k = 0; k < g->variants.n; k++) {
        const int64_t rows = rows_of_variant(g, k);
        if (rows < 2)
            continue;
        if (!ports_have_rows(g, k, rows) || !variant_apart(g, k, rows))
            return false;
        any = true;
    }
    return any;
}
