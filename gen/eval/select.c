/* TopK, ArgMax, ArgMin, CumSum: what goes along one axis. Elements are compared by integer keys that have their
 * order, so that no type needs comparisons of its own. */
#include "elem.h"

#include <stdlib.h>
#include <string.h>

/* All of src as keys with the axis innermost. */
static int64_t *keys_along(const Eval *e, int64_t axis, bool nan_low)
{
    const Tensor *src = e->in[0];
    bool inner[MAX_RANK] = {false};
    size_t n = eval_count(src);
    int64_t *keys = ARENA_ARRAY(e->scratch, int64_t, n + 1);
    Walk w;
    inner[axis] = true;
    walk_inner(&w, &src->type, inner);
    load_keys(src->type.dtype, src->data, &w, n, nan_low, keys);
    return keys;
}

/* NaN wins in both, as in NumPy. */
bool eval_arg(Eval *e)
{
    const bool max = e->node->op == OP_ArgMax;
    int64_t axis = attr_int(e->node, "axis", 0), last = attr_int(e->node, "select_last_index", 0);
    const int64_t *keys = keys_along(e, axis, !max);
    int64_t size = e->in[0]->type.dims[axis];
    for (size_t k = 0; k < eval_count(e->out[0]); k++, keys += size) {
        int64_t best = 0;
        for (int64_t i = 1; i < size; i++) {
            bool better = max ? keys[i] > keys[best] : keys[i] < keys[best];
            if (better || (last && keys[i] == keys[best]))
                best = i;
        }
        ((int64_t *)e->out[0]->data)[k] = best;
    }
    return true;
}

typedef struct Candidate {
    int64_t key, index;
} Candidate;

static int by_key(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Sorted in any case; without `sorted` any order will do. NaN is the greatest value, as in NumPy's sort. */
bool eval_top_k(Eval *e)
{
    int64_t axis = attr_int(e->node, "axis", 0), largest = attr_int(e->node, "largest", 1);
    const Tensor *src = e->in[0];
    Around a = around(&src->type, axis, axis + 1);
    int64_t k = attr_int(e->node, "k", 0);
    const int64_t *keys = keys_along(e, axis, false);
    Candidate *row = ARENA_ARRAY(e->scratch, Candidate, (size_t)a.size + 1);
    size_t size = dtype_size(src->type.dtype);
    for (int64_t r = 0; k > 0 && r < a.outer * a.inner; r++, keys += a.size) {
        int64_t outer = r / a.inner, inner = r % a.inner;
        for (int64_t i = 0; i < a.size; i++) /* ~ reverses the order without overflow */
            row[i] = (Candidate){largest ? ~keys[i] : keys[i], i};
        qsort(row, (size_t)a.size, sizeof *row, by_key);
        for (int64_t i = 0; i < k; i++) {
            int64_t to = (outer * k + i) * a.inner + inner;
            int64_t from = (outer * a.size + row[i].index) * a.inner + inner;
            if (e->out[0])
                memcpy((char *)e->out[0]->data + (size_t)to * size,
                       (const char *)src->data + (size_t)from * size, size);
            if (e->out[1])
                ((int64_t *)e->out[1]->data)[to] = row[i].index;
        }
    }
    return true;
}

bool eval_cum_sum(Eval *e)
{
    int64_t axis = attr_int(e->node, "axis", 0), reverse = attr_int(e->node, "reverse", 0);
    int64_t exclusive = attr_int(e->node, "exclusive", 0);
    const Tensor *src = e->in[0];
    DType t = src->type.dtype;
    Around a = around(&src->type, axis, axis + 1);
    const bool real = dtype_is_float(t), product = e->node->op == OP_CumProd;
    for (int64_t r = 0; r < a.outer * a.inner; r++) {
        double sum = product;
        uint64_t int_sum = product;
        for (int64_t i = 0; i < a.size; i++) {
            int64_t step = reverse ? a.size - 1 - i : i;
            size_t at = (size_t)((r / a.inner * a.size + step) * a.inner + r % a.inner);
            double before = sum;
            uint64_t int_before = int_sum;
            if (real) {
                const double x = elem_f64(t, src->data, at);
                sum = product ? sum * x : sum + x;
                elem_set_f64(t, e->out[0]->data, at, exclusive ? before : sum);
            } else {
                const uint64_t x = (uint64_t)elem_i64(t, src->data, at);
                int_sum = product ? int_sum * x : int_sum + x;
                elem_set_i64(t, e->out[0]->data, at, (int64_t)(exclusive ? int_before : int_sum));
            }
        }
    }
    return true;
}
