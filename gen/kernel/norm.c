/* How C computes norms of rows, by themselves or with the sum in front of them, and quantisation. */
#include "../composite/sum_norm.h"
#include "../machine/machine.h"
#include "kernel.h"
#include "layers.h"
#include "plan.h"

NormRows norm_rows_of(const Graph *g, const Node *n)
{
    const TensorType *t = type_of(g, n->in[0]);
    const bool by_channel = n->op == OP_InstanceNormalization;
    if (!by_channel && n->op != OP_GroupNormalization) {
        const int axis = (int)attr_int(n, "axis", t->rank - 1);
        return (NormRows){dims_product(t, 0, axis), dims_product(t, axis, t->rank)};
    }
    const int64_t groups = by_channel ? t->dims[1] : attr_int(n, "num_groups", 1);
    return (NormRows){t->dims[0] * groups, t->dims[1] / groups * dims_product(t, 2, t->rank)};
}

/* What a row takes with so many partial sums, and each of its elements, in tenths and hundredths of nanoseconds. */
typedef struct RowTime {
    int64_t lanes, row, element;
} RowTime;

/* Partial sums of a row: as many as hide the additions' latency, few enough to add them up quickly and to leave few elements behind the last whole vectors, which are
 * taken one by one, a nanosecond each. Measured on a Zen 4 with AVX-512 and AVX2. */
static int64_t lanes_for(int64_t size, int machine_lanes)
{
    static const RowTime wide[] = {{8, 20, 26}, {16, 40, 19}, {32, 60, 14}, {64, 80, 12}},
                         narrow[] = {{8, 5, 31}, {16, 35, 20}, {32, 60, 16}};
    const bool avx2 = machine_lanes == AVX2_LANES;
    const RowTime *rows = avx2 ? narrow : wide;
    int64_t best = 0, least = INT64_MAX;
    for (size_t i = 0; i < (avx2 ? COUNT_OF(narrow) : COUNT_OF(wide)); i++) {
        const int64_t rest = size % rows[i].lanes,
                      takes = 10 * rows[i].row + rows[i].element * size + 100 * rest;
        if (takes < least) {
            least = takes;
            best = rows[i].lanes;
        }
    }
    return best;
}

bool fit_norm_rows(CStep *k)
{
    const NormRows s = norm_rows_of(k->g, k->n);
    k->iterations = s.rows;
    k->operations = 4 * (double)(s.rows * s.size);
    if (!c_free_lanes(k->plan, lanes_for(s.size, k->p->lanes)))
        return false;
    k->plan->summed = c_summed(k->plan, s.size);
    return true;
}

bool fit_lrn(CStep *k)
{
    enum { WIDTH = 256, MOST = 1024 };
    (void)k;
    return c_free_number(&k->plan->width, WIDTH, MOST);
}

bool fit_sum_norm(CStep *k)
{
    const SumNorm *s = c_sum_norm_of(k->g, k->s);
    k->iterations = s->rows;
    k->operations = (3 + s->n_terms) * (double)s->rows * (double)s->size;
    if (!c_free_lanes(k->plan, lanes_for(s->size, k->p->lanes)))
        return false;
    k->plan->summed =
        k->n->op == OP_LayerNormalization ? c_summed(k->plan, s->size) : 0; /* of squares */
    return true;
}

static bool has_one_scale(const CStep *k)
{
    return type_count(type_of(k->g, k->n->in[1])) <= 1;
}

bool fit_quantize_all(CStep *k)
{
    k->iterations = type_count(type_of(k->g, k->n->in[0]));
    k->operations = 3 * (double)k->iterations;
    return has_one_scale(k);
}

bool fit_quantize_rows(CStep *k)
{
    const TensorType *t = type_of(k->g, k->n->in[0]);
    k->iterations = dims_product(t, 0, (int)attr_int(k->n, "axis", 1) + 1);
    k->operations = 3 * (double)type_count(t);
    return !has_one_scale(k);
}

/* A loop of 16 or fewer gcc unrolls and then does not vectorise. Of normal numbers, one block of 256 in twenty is divided after all. */
bool fit_dynamic_quantize(CStep *k)
{
    enum { LANES = 64, WIDTH = 256, MOST = 1024 };
    (void)k;
    return c_free_lanes(k->plan, LANES) && c_free_number(&k->plan->width, WIDTH, MOST);
}
