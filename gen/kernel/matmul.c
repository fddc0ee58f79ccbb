/* How C computes products of matrices. */
#include "../machine/machine.h"
#include "layers.h"
#include "plan.h"

enum { FEW_ROWS = 4, PACK_ROWS = 8, DOT_LANES = 32 };

/* With a matrix b that all products share, they are one tall product. */
static Product matmul_of(const TensorType *a, const TensorType *b)
{
    Product p = {.type = a->dtype, .alpha = 1, .beta = 1, .s = matmul_shape(a, b)};
    bool shared_b = true, dense_a = true;
    for (int d = 0; d < p.s.rank; d++) {
        shared_b = shared_b && p.s.b_step[d] == 0;
        dense_a = dense_a && (p.s.a_step[d] != 0 || p.s.dims[d] == 1);
    }
    if (shared_b && dense_a) {
        p.s.m *= p.s.batch;
        p.s.batch = 1;
        p.s.rank = 0;
    }
    return p;
}

Product product_of(const Graph *g, const Node *n)
{
    const TensorType *a = type_of(g, n->in[0]), *b = type_of(g, n->in[1]);
    if (n->op == OP_MatMul)
        return matmul_of(a, b);
    Product p = {.type = a->dtype,
                 .trans_a = attr_int(n, "transA", 0),
                 .trans_b = attr_int(n, "transB", 0),
                 .alpha = attr_float(n, "alpha", 1),
                 .beta = attr_float(n, "beta", 1)};
    p.s = (MatMulShape){
        .batch = 1, .m = a->dims[p.trans_a], .k = a->dims[!p.trans_a], .n = b->dims[!p.trans_b]};
    p.has_c = has_value(node_in(n, 2)) && p.beta != 0;
    if (p.has_c) {
        const TensorType *c = type_of(g, n->in[2]);
        int64_t columns = c->rank > 0 ? c->dims[c->rank - 1] : 1;
        int64_t rows = c->rank > 1 ? c->dims[c->rank - 2] : 1;
        p.c_column = columns > 1;
        p.c_row = rows > 1 ? columns : 0;
    }
    return p;
}

/* A matrix times a vector: dot products with its rows. A vector is the same transposed. */
static bool by_column(const Product *p)
{
    return p->s.n == 1 && p->s.batch == 1 && !p->trans_a;
}

static bool may_go_by_rows(const Product *p)
{
    return !p->trans_a && !p->trans_b && !is_half(p->type) && !by_column(p);
}

static bool may_be_dots(const Product *p)
{
    return by_column(p) || (!p->trans_a && p->trans_b);
}

CVariant choose_matmul(const CStep *k)
{
    const Product p = product_of(k->g, k->n);
    const bool many = p.s.m >= PACK_ROWS;
    if (may_go_by_rows(&p) && p.s.m < FEW_ROWS)
        return C_matmul_rows;
    if (by_column(&p) || (may_be_dots(&p) && !many))
        return C_matmul_dots;
    return p.trans_b || (is_half(p.type) && many) ? C_matmul_packed : C_matmul_tiles;
}

bool c_takes_panels(const Graph *g, const Node *n)
{
    if ((n->op != OP_MatMul && n->op != OP_Gemm) || value_at(g, n->in[1])->kind != VALUE_CONST ||
        type_of(g, n->in[1])->rank != 2 || type_of(g, n->in[1])->dtype != DT_F32)
        return false;
    const Product p = product_of(g, n);
    return p.s.m < FEW_ROWS && p.s.batch == 1 && !p.trans_a && !by_column(&p);
}

Layout c_panels(const Graph *g, const Node *n, int64_t width)
{
    const bool last = !product_of(g, n).trans_b; /* the dimension of the columns */
    return (Layout){.rank = 2, .order = {last, !last}, .block_dim = last, .block = (int8_t)width};
}

/* Threads share the rows, or where there are few the columns: cache lines of them. Weights in panels are read one panel after the other. */
int64_t product_columns_at_once(const Product *p, const Layout *weights)
{
    enum { COLUMNS = 64 };
    return p->s.batch * p->s.m < FEW_ROWS && !weights->block ? COLUMNS : 0;
}

bool fit_matmul_rows(CStep *k)
{
    const Product p = product_of(k->g, k->n);
    const int64_t rows = p.s.batch * p.s.m,
                  columns = product_columns_at_once(&p, &k->p->buffers[k->s->in[1]].layout);
    k->iterations = columns ? divide_up(p.s.n, columns) : rows;
    k->operations = (double)(rows * p.s.k * p.s.n);
    return may_go_by_rows(&p);
}

bool fit_matmul_dots(CStep *k)
{
    const Product p = product_of(k->g, k->n);
    k->iterations = p.s.m;
    k->operations = (double)(p.s.m * p.s.k * p.s.n);
    return may_be_dots(&p) && c_free_lanes(k->plan, DOT_LANES);
}

bool fit_matmul_tiles(CStep *k)
{
    return !product_of(k->g, k->n).trans_b && c_free_tile(k->plan);
}

/* The columns of b that one block of the product takes are copied to scratch memory: contiguous, as floats. */
bool fit_matmul_packed(CStep *k)
{
    const Product p = product_of(k->g, k->n);
    if (!c_free_tile(k->plan))
        return false;
    k->plan->scratch_bytes =
        (size_t)(p.s.k * k->plan->columns) * (is_half(p.type) ? 4 : dtype_size(p.type));
    return true;
}

/* A single row reads whole lines of b one below the other, as many columns of it as fill eight registers of sums. */
bool fit_matmul_integer(CStep *k)
{
    enum { VECTORS = 8 };
    const MatMulShape s =
        matmul_shape(type_of(k->g, c_factor(k->n, 0)), type_of(k->g, c_factor(k->n, 1)));
    const int64_t lanes = k->p->lanes, most = VECTORS * lanes;
    if (s.m != 1 || lanes < AVX2_LANES)
        return c_free_tile(k->plan);
    return c_free_tile_of(k->plan, 1, s.n < most ? round_up(s.n, lanes) : most);
}
