/* How C computes what goes along one axis, and other operators of which there is one kernel with scratch memory. */
#include "../ops/einsum.h"
#include "layers.h"
#include "plan.h"

enum {
    LONG = 1024, /* sums of more terms are doubles */
    FEW = 32,    /* elements that TopK keeps sorted, not in a heap */
    WIDTH = 64,  /* results of neighbouring vectors at a time */
    MOST_WIDTH = 1024,
    TOP_K_ENTRY = 16 /* an index, and a value of 8 bytes at most */
};

bool fit_arg_rows(CStep *k)
{
    enum { LANES = 16, LONGEST = 1 << 30 };
    const TensorType *t = type_of(k->g, k->n->in[0]);
    const int axis = (int)attr_int(k->n, "axis", 0);
    const int64_t rows = dims_product(t, 0, axis), size = t->rank ? t->dims[axis] : 1;
    k->operations = 2 * (double)(rows * size);
    k->iterations = rows;
    return (k->n->op == OP_ArgMax || k->n->op == OP_ArgMin) && t->dtype == DT_F32 &&
           !attr_int(k->n, "select_last_index", 0) && dims_product(t, axis + 1, t->rank) == 1 &&
           size >= 2 * LANES && size <= LONGEST && rows <= INT32_MAX &&
           c_free_lanes(k->plan, LANES) && k->plan->lanes <= size;
}

/* Vectors that are neighbours in memory; of ArgMax and ArgMin also many rows, which are taken across: the comparisons along one
 * are branches that nobody foresees (458,752 rows of 4 take 9.7 ms so, and 0.47 across them, on a Zen 4; those of 2
 * have none). */
bool fit_along(CStep *k)
{
    enum { LONGEST = 1024, LEAST_ROWS = 16 };
    const TensorType *t = type_of(k->g, k->n->in[0]);
    const int axis = (int)attr_int(k->n, "axis", 0);
    const int64_t outer = dims_product(t, 0, axis), size = t->dims[axis],
                  inner = dims_product(t, axis + 1, t->rank);
    const bool arg = k->n->op == OP_ArgMax || k->n->op == OP_ArgMin;
    const bool across = arg && inner == 1 && size > 2 && size <= LONGEST && outer >= LEAST_ROWS &&
                        outer <= INT32_MAX;
    const int64_t usual = across || inner > WIDTH ? WIDTH : inner;
    k->operations = 4 * (double)(outer * size);
    k->iterations = across && k->plan->width != 1 ? outer : 0;
    return c_free_number(&k->plan->width, usual, arg && inner == 1 && !across ? 1 : MOST_WIDTH);
}

/* By its definition, neighbouring results at a time, so that operands that run along them vectorise. */
bool fit_einsum(CStep *k)
{
    Einsum e;
    int64_t terms = 1;
    if (!einsum_parse(k->g, k->n, &e))
        return false;
    for (int i = 0; i < e.n_summed; i++)
        terms *= e.size[e.summed[i]];
    k->plan->in_double = type_of(k->g, k->n->out[0])->dtype == DT_F32 && terms > LONG;
    return c_free_number(&k->plan->width, WIDTH, MOST_WIDTH);
}

int64_t top_k_room(int64_t k)
{
    enum { ROOM_MIN = 64 };
    return k < ROOM_MIN ? ROOM_MIN : k;
}

/* A key is a float of 32 bits at most with its index. */
static bool has_keys(const CStep *k)
{
    const TensorType *t = type_of(k->g, k->n->in[0]);
    return dtype_is_float(t->dtype) && t->dtype != DT_F64 &&
           t->dims[attr_int(k->n, "axis", 0)] < UINT32_MAX;
}

CVariant choose_top_k(const CStep *k)
{
    return attr_int(k->n, "k", 0) <= FEW ? C_top_k_few : has_keys(k) ? C_top_k_merge : C_top_k_heap;
}

bool fit_top_k_few(CStep *k)
{
    k->plan->scratch_bytes = (size_t)attr_int(k->n, "k", 0) * TOP_K_ENTRY;
    return true;
}

/* Two lists of the best, two of those that are collected, and a key behind each. */
bool fit_top_k_merge(CStep *k)
{
    const int64_t n = attr_int(k->n, "k", 0), room = top_k_room(n) + TOP_K_BLOCK;
    k->plan->scratch_bytes = 2 * (size_t)(n + 1 + room + 1) * sizeof(uint64_t);
    return has_keys(k);
}

bool fit_top_k_heap(CStep *k)
{
    return fit_top_k_few(k);
}

bool fit_det(CStep *k)
{
    const TensorType *src = type_of(k->g, k->n->in[0]);
    const int64_t size = src->dims[src->rank - 1];
    k->plan->scratch_bytes = size ? (size_t)(size * size) * sizeof(double) : sizeof(double);
    return true;
}

bool fit_coupling(CStep *k)
{
    const size_t classes = (size_t)attr_int(k->n, "classes", 0);
    k->plan->scratch_bytes = (classes + 1) * classes * sizeof(float);
    return true;
}

/* Unique: three lists of places. NonMaxSuppression: a key for each box, and the boxes that are kept. */
bool fit_data_rows(CStep *k)
{
    enum { KEPT_BYTES = 5 * sizeof(float), KEY_BYTES = sizeof(uint64_t) };
    const TensorType *t = type_of(k->g, k->n->in[0]);
    k->plan->scratch_bytes =
        k->n->op == OP_Unique
            ? 3 * (size_t)t->dims[attr_int(k->n, "axis", 0)] * sizeof(uint64_t)
            : (size_t)t->dims[1] * KEY_BYTES + (size_t)attr_int(k->n, "limit", 0) * KEPT_BYTES;
    return true;
}
