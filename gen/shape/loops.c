/* Shapes of the two ends of a loop: what is carried keeps its type. */
#include "shape.h"

#include "../graph/loops.h"

static bool one(const Graph *g, const Node *n, uint32_t k, const char *what, DType dtype)
{
    return check_dtype(g, n, k, what, dtype) && check_rank(g, n, k, what, 0, 0);
}

static bool ends(const Graph *g, const Node *n, TensorType *out, uint32_t first)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!has_value(n->in[k]))
            return refuse_node(g, n, "input %u is missing", k);
    return one(g, n, first - 2, "trips", DT_I64) && one(g, n, first - 1, "condition", DT_BOOL) &&
           set_type(g, n, &out[LOOP_GOING_ON], DT_BOOL, 0, NULL) &&
           set_type(g, n, &out[LOOP_ITERATION], DT_I64, 0, NULL);
}

static bool carry(const Graph *g, const Node *n, TensorType *out, uint32_t first, uint32_t carried)
{
    for (uint32_t k = 0; k < carried; k++) {
        const TensorType *t = in_type(g, n, first + k);
        if (!set_type(g, n, &out[LOOP_CARRIED + k], t->dtype, t->rank, t->dims))
            return false;
    }
    return true;
}

bool shape_loop_begin(Graph *g, const Node *n, TensorType *out)
{
    if (n->n_in != n->n_out)
        return refuse_node(g, n, "has %u inputs and %u outputs", n->n_in, n->n_out);
    return ends(g, n, out, LOOP_CARRIED) && carry(g, n, out, LOOP_CARRIED, n->n_in - LOOP_CARRIED);
}

bool shape_loop_end(Graph *g, const Node *n, TensorType *out)
{
    const uint32_t carried = loop_carried(n), rows = n->n_in - LOOP_NEXT;
    const int64_t capacity = attr_int(n, "capacity", 0);
    if (carried > rows || n->n_out != LOOP_CARRIED + rows || (capacity == 0 && carried != rows))
        return refuse_node(g, n, "has %u inputs and %u outputs", n->n_in, n->n_out);
    if (!ends(g, n, out, LOOP_NEXT) || !one(g, n, LOOP_GOING_ON, "going_on", DT_BOOL) ||
        !one(g, n, LOOP_ITERATION, "iteration", DT_I64) || !carry(g, n, out, LOOP_NEXT, carried))
        return false;
    for (uint32_t k = carried; k < rows; k++) {
        TensorType t = *in_type(g, n, LOOP_NEXT + k);
        if (!check_rank(g, n, LOOP_NEXT + k, "row", 0, MAX_RANK - 1))
            return false;
        for (int d = t.rank++; d > 0; d--)
            t.dims[d] = t.dims[d - 1];
        t.dims[0] = capacity;
        if (!set_type(g, n, &out[LOOP_CARRIED + k], t.dtype, t.rank, t.dims))
            return false;
    }
    return true;
}
