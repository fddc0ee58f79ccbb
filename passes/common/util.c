/* Small things several passes need. */
#include "util.h"

#include <string.h>

ValueId resolved_in(const Rewrite *rw, const Node *n, uint32_t k)
{
    return resolved(rw, node_in(n, k));
}

const char *node_label(const Graph *g, const Node *n)
{
    for (uint32_t k = 0; k < n->n_out && !*n->name; k++)
        if (has_value(n->out[k]))
            return value_at(g, n->out[k])->name;
    return n->name;
}

bool is_const(const Graph *g, ValueId v)
{
    return has_value(v) && value_at(g, v)->kind == VALUE_CONST;
}

bool splat_value(const Graph *g, ValueId v, double *x)
{
    if (!is_const(g, v))
        return false;
    const Value *c = value_at(g, v);
    size_t n = (size_t)type_count(&c->type), size = dtype_size(c->type.dtype);
    if (n == 0 || (n > 1 && memcmp(c->data, (const char *)c->data + size, (n - 1) * size) != 0))
        return false;
    *x = elem_f64(c->type.dtype, c->data, 0);
    return true;
}

bool scalar_value(const Graph *g, ValueId v, double *x)
{
    return is_const(g, v) && type_count(type_of(g, v)) == 1 && splat_value(g, v, x);
}

bool all_equal(const int64_t *v, size_t n, int64_t to)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] != to)
            return false;
    return true;
}

ValueId make_const(Graph *g, const char *name, DType dtype, int rank, const int64_t *dims,
                   const double *data)
{
    TensorType t = type_make(dtype, rank, dims);
    size_t n = (size_t)type_count(&t);
    void *copy = arena_alloc(g->arena, type_bytes(&t));
    for (size_t i = 0; i < n; i++)
        elem_set_f64(dtype, copy, i, data[i]);
    return graph_add_const(g, name, t, copy);
}

ValueId scalar_const(Graph *g, DType t, double x)
{
    return make_const(g, "", t, 0, NULL, &x);
}

/* --- nodes --------------------------------------------------------------------------------------------------------- */

ValueId add_unary(Graph *g, Op op, const Node *like, ValueId x)
{
    return has_value(x) ? graph_op(g, op, like, &x, 1, NULL) : x;
}

ValueId add_binary(Graph *g, Op op, const Node *like, ValueId a, ValueId b)
{
    if (!has_value(a) || !has_value(b))
        return NO_VALUE;
    return graph_op(g, op, like, (ValueId[]){a, b}, 2, NULL);
}

ValueId add_cast(Graph *g, const Node *like, ValueId x, DType to)
{
    return graph_op(g, OP_Cast, like, &x, 1, (Attr[]){ATTR_I("to", to), ATTR_END});
}

ValueId add_reshape(Graph *g, const Node *like, ValueId x, const TensorType *t)
{
    if (!has_value(x) || same_shape(type_of(g, x), t))
        return x;
    const Attr attrs[] = {ATTR_IS("shape", t->dims, (size_t)t->rank), ATTR_END};
    return graph_op(g, OP_Reshape, like, &x, 1, attrs);
}

ValueId add_transpose(Graph *g, const Node *like, ValueId x, const int64_t *perm)
{
    if (!has_value(x))
        return x;
    const Attr attrs[] = {ATTR_IS("perm", perm, (size_t)type_of(g, x)->rank), ATTR_END};
    return graph_op(g, OP_Transpose, like, &x, 1, attrs);
}

ValueId add_slice(Graph *g, const Node *like, ValueId x, int axis, int64_t from, int64_t size)
{
    TensorType t = *type_of(g, x);
    int64_t starts[MAX_RANK] = {0};
    starts[axis] = from;
    t.dims[axis] = size;
    const Attr attrs[] = {ATTR_IS("sizes", t.dims, (size_t)t.rank),
                          ATTR_IS("starts", starts, (size_t)t.rank),
                          ATTR_IS("steps", dims_of_1, (size_t)t.rank), ATTR_END};
    return graph_op(g, OP_Slice, like, &x, 1, attrs);
}

ValueId add_concat(Graph *g, const Node *like, const ValueId *in, uint32_t n, int64_t axis)
{
    return graph_op(g, OP_Concat, like, in, n, (Attr[]){ATTR_I("axis", axis), ATTR_END});
}

ValueId add_gemm(Graph *g, const Node *like, ValueId x, ValueId weights, ValueId bias,
                 bool transposed)
{
    const Attr attrs[] = {ATTR_F("alpha", 1), ATTR_F("beta", 1), ATTR_I("transA", 0),
                          ATTR_I("transB", transposed), ATTR_END};
    const ValueId in[3] = {x, weights, bias};
    return graph_op(g, OP_Gemm, like, in, has_value(bias) ? 3 : 2, attrs);
}

ConvAttrs conv_attrs(const Node *conv)
{
    ConvAttrs a = {.group = attr_int(conv, "group", 1), .pads = attr_ints(conv, "pads", NULL)};
    a.dilations = attr_ints(conv, "dilations", &a.spatial);
    a.strides = attr_ints(conv, "strides", NULL);
    return a;
}

ValueId add_conv(Graph *g, Op op, const Node *like, const ValueId *in, uint32_t n_in,
                 const ConvAttrs *a)
{
    const Attr attrs[] = {ATTR_IS("dilations", a->dilations, a->spatial), ATTR_I("group", a->group),
                          ATTR_IS("pads", a->pads, 2 * a->spatial),
                          ATTR_IS("strides", a->strides, a->spatial), ATTR_END};
    return graph_op(g, op, like, in, n_in, attrs);
}

NodeId add_like(Graph *g, const Node *n, const ValueId *in, const Attr *attr, uint32_t n_attr,
                const char *suffix)
{
    const char **names = ARENA_ARRAY(g->arena, const char *, n->n_out);
    for (uint32_t k = 0; k < n->n_out; k++)
        names[k] = has_value(n->out[k])
                       ? arena_printf(g->arena, "%s%s", value_at(g, n->out[k])->name, suffix)
                       : "";
    return graph_add_node(g, n->op, n->name, n->model_index, in, n->n_in, n->n_out, names, attr,
                          n_attr);
}

bool is_rounded(const Graph *g, const Uses *uses, ValueId v)
{
    for (uint32_t i = uses->start[v.i]; i < uses->start[v.i + 1]; i++)
        if (node_at(g, uses->node[i])->op == OP_Round)
            return true;
    return false;
}

void collect_args(Graph *g, Composite *c, uint32_t row)
{
    ValueId *args = NULL;
    size_t cap = 0;
    c->n_args = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const Node *n = node_at(g, c->nodes[i]);
        for (uint32_t k = 0; k < n->n_in; k++) {
            ValueId v = n->in[k];
            bool known = !has_value(v) ||
                         (def_of(g, v) && g->columns->composite[value_at(g, v)->def.i] == row);
            for (uint32_t j = 0; j < c->n_args && !known; j++)
                known = same_value(args[j], v);
            if (!known)
                ARENA_PUSH(g->arena, args, c->n_args, cap, v);
        }
    }
    c->args = args;
}

double bytes_made(const Graph *g, const Node *n)
{
    double bytes = 0;
    for (uint32_t i = 0; i < n->n_out; i++)
        if (has_value(n->out[i]))
            bytes += (double)type_bytes(type_of(g, n->out[i]));
    return bytes;
}

bool only_moves(const Node *n)
{
    return n->op == OP_Reshape || n->op == OP_Transpose || n->op == OP_Slice ||
           (n->op == OP_MaxPool && n->n_out == 1);
}
