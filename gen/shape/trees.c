/* Shapes of the operators of classical models. */
#include "../ops/trees.h"
#include "shape.h"

#include <inttypes.h>

static bool check_table(const Graph *g, const Node *n, uint32_t k, const char *what, DType dtype,
                        int64_t size)
{
    const TensorType *t = in_type(g, n, k);
    if (!t)
        return true;
    if (!check_dtype(g, n, k, what, dtype) || !check_rank(g, n, k, what, 1, 2))
        return false;
    if (t->rank != (k == TREE_NODES ? 2 : 1) || (k == TREE_NODES && t->dims[1] != TREE_COLUMNS) ||
        t->dims[0] < 1 || t->dims[0] >= INT32_MAX || (size > 0 && t->dims[0] != size))
        return refuse_node(g, n, "%s of shape %s are no table", what, shape_text(g, t));
    if (!value_at(g, n->in[k])->data)
        return refuse_node(g, n, "%s are not constant", what);
    return true;
}

bool shape_tree_ensemble(Graph *g, const Node *n, TensorType *out)
{
    if (!check_kind(g, n, TREE_X, "X", TYPES_FLOAT) || !check_rank(g, n, TREE_X, "X", 2, 2))
        return false;
    const TensorType *x = in_type(g, n, TREE_X);
    if (x->dtype != DT_F32 && x->dtype != DT_F64)
        return refuse_node(g, n, "X is of type %s", dtype_name(x->dtype));
    if (!check_table(g, n, TREE_NODES, "nodes", DT_I32, 0) ||
        !check_table(g, n, TREE_SPLITS, "splits", x->dtype, in_type(g, n, TREE_NODES)->dims[0]) ||
        !check_table(g, n, TREE_ROOTS, "roots", DT_I32, 0) ||
        !check_table(g, n, TREE_WEIGHTS, "weights", x->dtype, 0) ||
        !check_table(g, n, TREE_TARGETS, "targets", DT_I32, in_type(g, n, TREE_WEIGHTS)->dims[0]) ||
        !check_table(g, n, TREE_MEMBERS, "members", x->dtype, 0))
        return false;
    const Forest f = forest_of(g, n);
    const char *fault = forest_fault(&f, g->arena);
    if (fault)
        return refuse_node(g, n, "%s", fault);
    return set_type(g, n, &out[0], x->dtype, 2,
                    (int64_t[]){x->dims[0], attr_int(n, "n_targets", 0)});
}

bool shape_pairwise_coupling(Graph *g, const Node *n, TensorType *out)
{
    const int64_t classes = attr_int(n, "classes", 0);
    if (!check_dtype(g, n, 0, "src", DT_F32) || !check_rank(g, n, 0, "src", 2, 2) ||
        !check_range(g, n, "classes", classes, 2, 4096))
        return false;
    const TensorType *src = in_type(g, n, 0);
    if (src->dims[1] != classes * (classes - 1) / 2)
        return refuse_node(g, n,
                           "src of shape %s has no number for each pair of %" PRId64 " classes",
                           shape_text(g, src), classes);
    return set_type(g, n, &out[0], DT_F32, 2, (int64_t[]){src->dims[0], classes});
}
