/* Shapes of the elementwise operators: broadcasting, which types an op takes, which attributes it
 * needs. */
#include "shape.h"

#include <math.h>

/* Clip's bounds may be infinite, and missing; a NaN would make the result depend on the order of
 * comparison. */
static bool clip_attrs(const Graph *g, const Node *n)
{
    static const char *const names[] = {"min", "max"};
    for (size_t k = 0; k < COUNT_OF(names); k++)
        if (isnan(attr_float(n, names[k], 0)))
            return refuse_node(g, n, "%s is not a number", names[k]);
    const double min = attr_float(n, "min", -INFINITY), max = attr_float(n, "max", INFINITY);
    return min <= max || refuse_node(g, n, "min, %g, is above max, %g", min, max);
}

static bool eltwise_attrs(const Graph *g, const Node *n)
{
    const DType dtype = in_type(g, n, 0)->dtype;
    if (n->op == OP_Clip)
        return clip_attrs(g, n);
    if (n->op == OP_Mod && !attr_int(n, "fmod", 0) && dtype_is_float(dtype))
        return refuse_node(g, n, "fmod is 0, which is for integers, and the operands are %s",
                           dtype_name(dtype));
    return n->op != OP_Celu || attr_float(n, "alpha", 1) != 0 ||
           refuse_node(g, n, "alpha is 0, and Celu divides by it");
}

static bool eltwise(const Graph *g, const Node *n, TensorType *acc)
{
    static const char *const what[] = {"operand 0", "operand 1", "operand 2"};
    *acc = *in_type(g, n, 0);
    for (uint32_t k = 0; k < n->n_in; k++) {
        bool free_type = n->op == OP_Pow && k == 1;
        if (!check_kind(g, n, k, what[k], op_info(n->op)->types) ||
            !(free_type || check_parameter(g, n, k, what[k], acc->dtype)) ||
            !broadcast_into(g, n, acc, in_type(g, n, k)))
            return false;
    }
    return eltwise_attrs(g, n);
}

bool shape_eltwise(Graph *g, const Node *n, TensorType *out)
{
    TensorType acc;
    return eltwise(g, n, &acc) && set_type(g, n, out, acc.dtype, acc.rank, acc.dims);
}

bool shape_eltwise_bool(Graph *g, const Node *n, TensorType *out)
{
    TensorType acc;
    return eltwise(g, n, &acc) && set_type(g, n, out, DT_BOOL, acc.rank, acc.dims);
}

bool shape_cast(Graph *g, const Node *n, TensorType *out)
{
    const TensorType *src = in_type(g, n, 0);
    return set_type(g, n, out, (DType)attr_int(n, "to", 0), src->rank, src->dims);
}

bool shape_where(Graph *g, const Node *n, TensorType *out)
{
    TensorType acc = *in_type(g, n, 1);
    return check_dtype(g, n, 0, "the condition", DT_BOOL) &&
           check_dtype(g, n, 2, "operand 2", acc.dtype) &&
           broadcast_into(g, n, &acc, in_type(g, n, 0)) &&
           broadcast_into(g, n, &acc, in_type(g, n, 2)) &&
           set_type(g, n, out, acc.dtype, acc.rank, acc.dims);
}

bool shape_sum(Graph *g, const Node *n, TensorType *out)
{
    if (!check_kind(g, n, 0, "operand 0", TYPES_NUMERIC))
        return false;
    const TensorType *first = in_type(g, n, 0);
    for (uint32_t k = 1; k < n->n_in; k++) {
        if (!check_dtype(g, n, k, "an operand", first->dtype) ||
            !check_dims(g, n, k, "an operand", first->rank, first->dims))
            return false;
    }
    return like_src(g, n, out);
}
