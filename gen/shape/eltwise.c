/* Shapes of the elementwise operators: broadcasting, which types an op takes, which attributes it
 * needs. */
#include "shape.h"

#include <math.h>

/* Clip's bounds may be infinite, and missing; a NaN would make the result depend on the order of
 * comparison. */
static bool clip_attrs(const Graph *g, const Node *n)
{
    static const char *const names[] = {"min", "max"};
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        const Attr *a = node_attr(n, names[k]);
        if (a && a->kind != ATTR_FLOAT)
            return refuse_node(g, n, "attribute '%s' is not a float", names[k]);
        if (a && isnan(a->f))
            return refuse_node(g, n, "%s is not a number", names[k]);
    }
    const double min = attr_float(n, "min", -INFINITY), max = attr_float(n, "max", INFINITY);
    return min <= max || refuse_node(g, n, "min, %g, is above max, %g", min, max);
}

static bool mod_attrs(const Graph *g, const Node *n)
{
    int64_t fmod;
    if (!int_attr(g, n, "fmod", 0, 1, &fmod))
        return false;
    if (!fmod && dtype_is_float(in_type(g, n, 0)->dtype))
        return refuse_node(g, n, "fmod is 0, which is for integers, and the operands are %s",
                           dtype_name(in_type(g, n, 0)->dtype));
    return true;
}

static bool eltwise_attrs(const Graph *g, const Node *n)
{
    double f = 1;
    int64_t i;
    OpAttr a;
    if (n->op == OP_Clip || n->op == OP_Mod)
        return n->op == OP_Clip ? clip_attrs(g, n) : mod_attrs(g, n);
    for (size_t k = 0; op_attr(n->op, k, &a); k++) {
        const char *name = arena_strndup(g->arena, a.name, a.size);
        if (a.kind == ATTR_FLOAT ? !float_attr(g, n, name, &f) : !int_attr(g, n, name, 0, 1, &i))
            return false;
    }
    return n->op != OP_Celu || f != 0 || refuse_node(g, n, "alpha is 0, and Celu divides by it");
}

static bool eltwise(const Graph *g, const Node *n, TensorType *acc)
{
    static const char *const what[] = {"operand 0", "operand 1", "operand 2"};
    if (!check_arity(g, n, true))
        return false;
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
    int64_t to;
    if (!check_arity(g, n, true) || !int_attr(g, n, "to", 1, INT32_MAX, &to))
        return false;
    if (!dtype_supported((int)to))
        return refuse_node(g, n, "casts to ONNX type %d, which is not supported", (int)to);
    const TensorType *src = in_type(g, n, 0);
    return set_type(g, n, out, (DType)to, src->rank, src->dims);
}

bool shape_where(Graph *g, const Node *n, TensorType *out)
{
    if (!check_arity(g, n, true) || !check_dtype(g, n, 0, "the condition", DT_BOOL))
        return false;
    TensorType acc = *in_type(g, n, 1);
    return check_dtype(g, n, 2, "operand 2", acc.dtype) &&
           broadcast_into(g, n, &acc, in_type(g, n, 0)) &&
           broadcast_into(g, n, &acc, in_type(g, n, 2)) &&
           set_type(g, n, out, acc.dtype, acc.rank, acc.dims);
}

bool shape_sum(Graph *g, const Node *n, TensorType *out)
{
    if (!check_arity(g, n, true) || !check_kind(g, n, 0, "operand 0", TYPES_NUMERIC))
        return false;
    const TensorType *first = in_type(g, n, 0);
    for (uint32_t k = 1; k < n->n_in; k++) {
        if (!check_dtype(g, n, k, "an operand", first->dtype) ||
            !check_dims(g, n, k, "an operand", first->rank, first->dims))
            return false;
    }
    return set_type(g, n, out, first->dtype, first->rank, first->dims);
}
