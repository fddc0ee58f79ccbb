/* Einsum by its definition: for each element of the result, the sum over all values of the summed letters of the
 * product of the operands' elements. And Det, by elimination. */
#include "../ops/einsum.h"
#include "elem.h"

#include <math.h>

typedef struct Operand {
    double *wide; /* floats */
    int64_t *ints;
    int64_t stride[EINSUM_LETTERS]; /* added up where a letter stands twice: the diagonal */
} Operand;

static Operand operand(const Eval *e, uint32_t k)
{
    const Tensor *t = e->in[k];
    const char *term = einsum_term(e->node, k);
    Operand o = {0};
    int64_t strides[MAX_RANK];
    size_t n = eval_count(t);
    Walk w;
    dense_strides(&t->type, strides);
    for (int d = 0; d < t->type.rank; d++)
        o.stride[term[d] - 'a'] += strides[d];
    walk_broadcast(&w, &t->type, &t->type);
    if (dtype_is_float(t->type.dtype)) {
        o.wide = ARENA_ARRAY(e->scratch, double, n + 1);
        load_f64(t->type.dtype, t->data, &w, n, o.wide);
    } else {
        o.ints = ARENA_ARRAY(e->scratch, int64_t, n + 1);
        load_i64(t->type.dtype, t->data, &w, n, o.ints);
    }
    return o;
}

/* The letters as one list, those of the result first, with their sizes. */
typedef struct Loops {
    int n_dst, n;
    int letter[EINSUM_LETTERS];
    int64_t size[EINSUM_LETTERS];
} Loops;

static Loops loops_of(const Einsum *m)
{
    Loops l = {.n_dst = m->dst_rank, .n = m->dst_rank + m->n_summed};
    for (int k = 0; k < l.n; k++) {
        l.letter[k] = k < l.n_dst ? m->dst[k] - 'a' : m->summed[k - l.n_dst];
        l.size[k] = m->size[l.letter[k]];
    }
    return l;
}

static int64_t operand_offset(const Operand *o, const Loops *l, const int64_t *index)
{
    int64_t at = 0;
    for (int k = 0; k < l->n; k++)
        at += index[k] * o->stride[l->letter[k]];
    return at;
}

/* One term of the sum, in the type of the operands. */
static void add_product(const Operand *o, uint32_t n, const Loops *l, const int64_t *index,
                        double *sum, uint64_t *int_sum)
{
    double product = 1;
    uint64_t int_product = 1;
    for (uint32_t k = 0; k < n; k++) {
        int64_t at = operand_offset(&o[k], l, index);
        if (o[k].wide)
            product *= o[k].wide[at];
        else
            int_product *= (uint64_t)o[k].ints[at];
    }
    *sum += product;
    *int_sum += int_product;
}

bool eval_einsum(Eval *e)
{
    Einsum m;
    uint32_t n = e->node->n_in;
    Tensor *dst = e->out[0];
    DType t = dst->type.dtype;
    if (!einsum_parse(e->g, e->node, &m))
        return false;
    Loops l = loops_of(&m);
    Operand *o = ARENA_ARRAY(e->scratch, Operand, n);
    int64_t index[EINSUM_LETTERS] = {0}, terms = 1;
    for (uint32_t k = 0; k < n; k++)
        o[k] = operand(e, k);
    for (int k = l.n_dst; k < l.n; k++)
        terms = l.size[k] == 0 ? 0 : terms; /* an empty sum */
    for (size_t k = 0; k < eval_count(dst); k++) {
        double sum = 0;
        uint64_t int_sum = 0;
        if (terms > 0)
            do
                add_product(o, n, &l, index, &sum, &int_sum);
            while (next_index(index + l.n_dst, l.size + l.n_dst, l.n - l.n_dst));
        if (dtype_is_float(t))
            elem_set_f64(t, dst->data, k, sum);
        else
            elem_set_i64(t, dst->data, k, (int64_t)int_sum);
        next_index(index, l.size, l.n_dst);
    }
    return true;
}

/* Swaps rows so that the largest element of the column below the diagonal is on it; gives the sign. */
static double pivot(double *a, int64_t n, int64_t col)
{
    int64_t best = col;
    for (int64_t i = col + 1; i < n; i++)
        if (fabs(a[i * n + col]) > fabs(a[best * n + col]))
            best = i;
    if (best == col)
        return 1;
    for (int64_t j = 0; j < n; j++) {
        double v = a[col * n + j];
        a[col * n + j] = a[best * n + j];
        a[best * n + j] = v;
    }
    return -1;
}

static double determinant(double *a, int64_t n)
{
    double det = 1;
    for (int64_t col = 0; col < n; col++) {
        det *= pivot(a, n, col);
        double p = a[col * n + col];
        det *= p;
        if (p == 0)
            return 0;
        for (int64_t i = col + 1; i < n; i++) {
            double factor = a[i * n + col] / p;
            for (int64_t j = col; j < n; j++)
                a[i * n + j] -= factor * a[col * n + j];
        }
    }
    return det;
}

/* src [..., n, n]; the determinant of an empty matrix is 1. */
bool eval_det(Eval *e)
{
    const Tensor *src = e->in[0];
    int64_t n = src->type.dims[src->type.rank - 1];
    DType t = src->type.dtype;
    double *a = ARENA_ARRAY(e->scratch, double, (size_t)(n * n) + 1);
    for (size_t k = 0; k < eval_count(e->out[0]); k++) {
        for (size_t i = 0; i < (size_t)(n * n); i++)
            a[i] = elem_f64(t, src->data, k * (size_t)(n * n) + i);
        elem_set_f64(t, e->out[0]->data, k, determinant(a, n));
    }
    return true;
}
