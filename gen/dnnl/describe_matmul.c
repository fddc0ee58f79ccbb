/* Matrix products as oneDNN's matmul: src [batch…, M, K], weights [batch…, K, N], dst [batch…, M, N], row-major; those by
 * constant weights may become something else in dnnl/describe_product.c. */
#include "algorithm.h"
#include "family.h"

#include <string.h>

static ValueId bias_of(const Describe *d, ValueId own)
{
    return has_value(own) ? own : d->c ? d->c->bias : NO_VALUE;
}

/* A bias along the columns, [1, …, 1, N] to oneDNN. */
static bool add_column_bias(Describe *d, ValueId bias, int rank, int64_t columns)
{
    int64_t dims[MAX_RANK];
    if (!has_value(bias))
        return true;
    const TensorType *t = type_of(d->l->g, bias);
    if (!onednn_computes(t->dtype) || type_count(t) != columns ||
        (t->rank && t->dims[t->rank - 1] != columns))
        return false;
    for (int i = 0; i < rank; i++)
        dims[i] = i == rank - 1 ? columns : 1;
    return describe_takes_bias(d, describe_add_rows(d, ARG_BIAS, "bias", bias, rank, dims));
}

/* Post-op operands that vary along more than the columns but do not have the full shape keep the product from being
 * flattened to two dimensions. */
static bool can_flatten(const Describe *d)
{
    const TensorType *out = type_of(d->l->g, d->result);
    for (uint32_t i = 0; d->c && i < d->c->n_post; i++) {
        if (!has_value(d->c->post[i].arg))
            continue;
        const TensorType *t = type_of(d->l->g, d->c->post[i].arg);
        int64_t last = t->rank ? t->dims[t->rank - 1] : 1;
        if (!same_shape(t, out) && type_count(t) != last)
            return false;
    }
    return true;
}

/* An operand as it lies in memory, for instance transposed: by strides where one of the last two dimensions is dense. */
static void add_strided(Describe *d, int arg, const char *name, ValueId v, Layout layout, int rank,
                        const int64_t *dims)
{
    const TensorType *t = type_of(d->l->g, v);
    if (layout_is_plain(&layout) || layout.block || layout.order[t->rank - 1] < t->rank - 2) {
        describe_add_rows(d, arg, name, v, rank, dims);
        return;
    }
    int64_t strides[MAX_RANK];
    DnnlMemory *m = describe_add_view(d, arg, name, lower_value_in(d->l, v, &layout), rank, dims);
    m->form = FORM_STRIDES;
    layout_strides(&layout, t, strides);
    for (int i = 0; i < rank; i++) {
        int from = i - (rank - t->rank);
        m->strides[i] = from < 0 ? type_count(t) : strides[from];
    }
}

/* Weights as they lie in memory; transposed where gemm would be slow to read their rows, and those of src are enough to make up for a copy. */
static Layout weights_layout(const Describe *d, ValueId v, int64_t rows, int64_t columns)
{
    enum { ROWS_MIN = 64 };
    const Layout have = lower_layout_of(d->l, v);
    const int rank = type_of(d->l->g, v)->rank;
    if (!layout_is_plain(&have) || rows < ROWS_MIN ||
        gemm_crowding(&d->l->machine, rows, columns) == 1)
        return have;
    Layout transposed = have;
    transposed.order[rank - 2] = (int8_t)(rank - 1);
    transposed.order[rank - 1] = (int8_t)(rank - 2);
    return transposed;
}

/* Where the product is only read by a Transpose, it is written as that wants it: the Transpose becomes a view. The
 * columns must stay dense. */
Layout onednn_product_layout(const Graph *g, const Uses *u, const Composite *c, ValueId result)
{
    const int rank = type_of(g, result)->rank;
    Layout layout = layout_plain(rank);
    if (!single_use(u, result))
        return layout;
    const Node *reader = node_at(g, u->node[u->start[result.i]]);
    if (reader->op != OP_Transpose)
        return layout;
    for (uint32_t i = 0; c && i < c->n_post; i++)
        if (has_value(c->post[i].arg) && type_of(g, c->post[i].arg)->rank > 1)
            return layout;
    const int64_t *perm = attr_ints(reader, "perm", NULL);
    if (perm[rank - 1] != rank - 1)
        return layout;
    for (int k = 0; k < rank; k++)
        layout.order[k] = (int8_t)perm[k];
    return layout;
}

/* The Reshape within the composite that makes rows of a tensor of more dimensions; NULL: there is none. */
const Node *onednn_flattening(const Graph *g, const Node *n, const Composite *c)
{
    const Value *v = value_at(g, n->in[0]);
    for (uint32_t k = 0; v->kind == VALUE_NODE && c && k < c->n_nodes; k++)
        if (c->nodes[k].i == v->def.i)
            return node_at(g, v->def);
    return NULL;
}

/* Constant weights for a src whose channels are last: line c * size + s of the product is line s * channels + c of src. */
static const void *with_channels_last(Describe *d, const Value *w, const void *data,
                                      int64_t channels, int64_t size, const int64_t *strides)
{
    size_t bytes = dtype_size(w->type.dtype);
    int64_t columns = type_count(&w->type) / (channels * size);
    unsigned char *copy = arena_alloc(d->l->arena, type_bytes(&w->type));
    for (int64_t c = 0; c < channels; c++)
        for (int64_t s = 0; s < size; s++)
            for (int64_t j = 0; j < columns; j++) {
                int64_t from = (c * size + s) * strides[0] + j * strides[1];
                int64_t to = (s * channels + c) * strides[0] + j * strides[1];
                memcpy(copy + (size_t)to * bytes,
                       (const unsigned char *)data + (size_t)from * bytes, bytes);
            }
    return copy;
}

/* src, where a Reshape has made the rows: as the tensor lies in memory. Returns the weights that go with that. */
static const void *add_flattened(Describe *d, const Node *reshape, const int64_t *dims,
                                 const void *data, const int64_t *strides)
{
    ValueId x = reshape->in[0];
    const TensorType *t = type_of(d->l->g, x);
    Layout have = lower_layout_of(d->l, x), nxc = layout_nxc(t->rank),
           plain = layout_plain(t->rank);
    bool last = layout_equal(&have, &nxc) && !layout_same_bytes(&nxc, &plain, t);
    describe_add_view(d, ARG_SRC, "src", lower_value_in(d->l, x, last ? &nxc : &plain), 2, dims);
    return last ? with_channels_last(d, value_at(d->l->g, d->n->in[1]), data, t->dims[1],
                                     dims[1] / t->dims[1], strides)
                : data;
}

/* [batch…, M, K] x constant [K, N]: one product of all rows. */
static bool describe_rows_by_constant(Describe *d, const TensorType *a, const Value *b)
{
    int64_t k = b->type.dims[0], n = b->type.dims[1], rows = type_count(a) / (k ? k : 1);
    const int64_t src[2] = {rows, k}, weights[2] = {k, n}, strides[2] = {n, 1}, dst[2] = {rows, n};
    Layout plain = layout_plain(type_of(d->l->g, d->result)->rank);
    const Node *reshape = onednn_flattening(d->l->g, d->n, d->c);
    const void *data = b->data;
    if (reshape)
        data = add_flattened(d, reshape, src, data, strides);
    else
        describe_add_rows(d, ARG_SRC, "src", d->n->in[0], 2, src);
    describe_add_weights(d, 2, weights, strides, d->n->in[1], data);
    if (!add_column_bias(d, bias_of(d, NO_VALUE), 2, n) || !describe_finish(d, &plain, 2, dst))
        return false;
    describe_product_algorithm(d);
    d->pixels = d->p->kind == KIND_MATMUL; /* of rows, which may be taken in blocks as pixels are */
    if (d->pixels)
        describe_epilogue(d);
    return true;
}

bool describe_matmul(Describe *d)
{
    const Graph *g = d->l->g;
    const TensorType *a = type_of(g, d->n->in[0]), *out = type_of(g, d->n->out[0]);
    const Value *b = value_at(g, d->n->in[1]);
    d->p->kind = KIND_MATMUL;
    if (type_count(a) == 0 || type_count(&b->type) == 0)
        return false;
    if (b->kind == VALUE_CONST && b->type.rank == 2 && a->rank >= 1 && can_flatten(d))
        return describe_rows_by_constant(d, a, b);
    if (a->rank < 2 || b->type.rank < 2 || onednn_flattening(d->l->g, d->n, d->c))
        return false;
    int rank = out->rank;
    int64_t dims_a[MAX_RANK], dims_b[MAX_RANK], strides[MAX_RANK], step = 1;
    for (int i = 0; i < rank; i++) {
        int at_a = i - (rank - a->rank), at_b = i - (rank - b->type.rank);
        dims_a[i] = at_a < 0 ? 1 : a->dims[at_a];
        dims_b[i] = at_b < 0 ? 1 : b->type.dims[at_b];
    }
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= dims_b[i];
    }
    Layout layout = onednn_product_layout(g, &d->l->uses, d->c, d->result);
    add_strided(d, ARG_SRC, "src", d->n->in[0], lower_layout_of(d->l, d->n->in[0]), rank, dims_a);
    if (b->kind == VALUE_CONST)
        describe_add_weights(d, rank, dims_b, strides, d->n->in[1], b->data);
    else
        add_strided(d, ARG_WEIGHTS, "weights", d->n->in[1],
                    weights_layout(d, d->n->in[1], out->dims[rank - 2], out->dims[rank - 1]), rank,
                    dims_b);
    return add_column_bias(d, bias_of(d, NO_VALUE), rank, out->dims[rank - 1]) &&
           describe_finish(d, &layout, 0, NULL);
}

static const float *scaled(Describe *d, const Value *v, float factor)
{
    size_t n = (size_t)type_count(&v->type);
    if (factor == 1)
        return v->data;
    float *copy = arena_copy(d->l->arena, v->data, type_bytes(&v->type));
    for (size_t i = 0; i < n; i++)
        copy[i] *= factor;
    return copy;
}

/* alpha goes into constant weights, beta into a constant third operand; what is left must be 1. */
bool describe_gemm(Describe *d)
{
    const Graph *g = d->l->g;
    const TensorType *a = type_of(g, d->n->in[0]), *out = type_of(g, d->n->out[0]);
    const Value *b = value_at(g, d->n->in[1]);
    ValueId c = node_in(d->n, 2);
    float alpha = (float)attr_float(d->n, "alpha", 1), beta = (float)attr_float(d->n, "beta", 1);
    bool trans_a = attr_int(d->n, "transA", 0) != 0, trans_b = attr_int(d->n, "transB", 0) != 0;
    int64_t m = out->dims[0], n = out->dims[1], k = a->dims[trans_a ? 0 : 1];
    const int64_t weights[2] = {k, n}, strides[2] = {trans_b ? 1 : n, trans_b ? k : 1},
                  src[2] = {m, k};
    Layout plain = layout_plain(2);
    d->p->kind = KIND_MATMUL;
    if (m == 0 || n == 0 || k == 0 ||
        (alpha != 1 && (b->kind != VALUE_CONST || b->type.dtype != DT_F32)) ||
        (has_value(c) && d->c && has_value(d->c->bias) && !same_value(c, d->c->bias)))
        return false;
    const Node *reshape = onednn_flattening(d->l->g, d->n, d->c);
    const void *data = b->kind == VALUE_CONST ? scaled(d, b, alpha) : NULL;
    if (reshape && (trans_a || !data))
        return false;
    if (reshape)
        data = add_flattened(d, reshape, src, data, strides);
    else
        describe_add_rows(d, ARG_SRC, "src", d->n->in[0], 2, src);
    if (trans_a) {
        DnnlMemory *rows = onednn_memory_of(d->p, ARG_SRC);
        rows->form = FORM_STRIDES;
        rows->strides[0] = 1;
        rows->strides[1] = m;
    }
    if (data)
        describe_add_weights(d, 2, weights, strides, d->n->in[1], data);
    else {
        DnnlMemory *w = describe_add_rows(d, ARG_WEIGHTS, "weights", d->n->in[1], 2, weights);
        w->form = FORM_STRIDES;
        memcpy(w->strides, strides, sizeof strides);
    }
    if (has_value(c) && beta != 1) {
        const Value *v = value_at(g, c);
        if (v->kind != VALUE_CONST || v->type.dtype != DT_F32 || type_count(&v->type) != n ||
            (v->type.rank && v->type.dims[v->type.rank - 1] != n))
            return false;
        const int64_t dims[2] = {1, n};
        BufferId bias = lower_const(d->l, type_make(DT_F32, 2, dims), scaled(d, v, beta),
                                    (size_t)n * sizeof(float));
        describe_add_view(d, ARG_BIAS, "bias", bias, 2, dims);
    } else if (!add_column_bias(d, bias_of(d, c), 2, n))
        return false;
    if (!describe_finish(d, &plain, 0, NULL))
        return false;
    describe_product_algorithm(d);
    return true;
}

bool describe_product(Describe *d)
{
    return d->c && d->c->attention ? describe_attention(d) : describe_matmul(d);
}

/* --- which ones oneDNN takes -------------------------------------------------------------------------------------- */

bool supports_matmul(const Graph *g, const Node *n, const char **why)
{
    int rank = type_of(g, n->in[1])->rank;
    return (rank >= 2 && rank <= 6) ||
           no(why, "an operand is a vector or has more than 6 dimensions");
}

bool supports_gemm(const Graph *g, const Node *n, const char **why)
{
    if (attr_float(n, "alpha", 1) != 1)
        return no(why, "alpha is not 1");
    if (!has_value(node_in(n, 2)))
        return true;
    if (attr_float(n, "beta", 1) != 1)
        return no(why, "beta is not 1");
    const TensorType *c = type_of(g, n->in[2]), *out = type_of(g, n->out[0]);
    bool row = c->rank >= 1 && c->dims[c->rank - 1] == out->dims[1];
    return (row && type_count(c) == out->dims[1]) || no(why, "C is not one number per column");
}

/* By constant weights; for those, tiles in C are among the algorithms of a layer of oneDNN's. */
bool product_is_by_weights(const Graph *g, const Node *n)
{
    if (n->op != OP_MatMul && n->op != OP_Gemm)
        return false;
    const Value *weights = value_at(g, n->in[1]);
    return weights->kind == VALUE_CONST && weights->type.rank == 2 && weights->type.dtype == DT_F32;
}

/* One row waits for its weights: with AVX2 tiles of pairs read them as bytes, C's loops as floats. */
static bool has_tiles_of_bytes(const Machine *m, const Graph *g, const Node *n)
{
    const Value *weights = value_at(g, n->in[1]);
    return machine_lanes(m) == AVX2_LANES && product_is_by_weights(g, n) &&
           is_of_bytes(g, n->in[0]) && are_bytes(weights->data, type_count(&weights->type));
}

const char *small_product(const Machine *m, const Graph *g, const Node *n)
{
    const double most = product_is_by_weights(g, n) ? m->small_by_weights : m->small_product;
    const TensorType *a = type_of(g, n->in[0]), *out = type_of(g, n->out[0]);
    bool trans_a = n->op == OP_Gemm && attr_int(n, "transA", 0) != 0;
    int64_t columns = out->rank ? out->dims[out->rank - 1] : 1;
    int64_t depth = trans_a ? a->dims[0] : a->dims[a->rank - 1], products = 0;
    const bool vector = columns == 1 || type_count(out) == columns;
    return mul_i64(type_count(out), depth, &products) &&
                   ((double)products <= most ||
                    (vector && (double)products <= m->small_vector && !has_tiles_of_bytes(m, g, n)))
               ? "a product so small is quicker in C"
               : NULL;
}
