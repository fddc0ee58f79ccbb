/* Small things several passes need. */
#include "util.h"

#include <string.h>

ValueId resolved(const Rewrite *rw, ValueId v)
{
    while (has_value(v) && v.i < rw->cap && has_value(rw->to[v.i]))
        v = rw->to[v.i];
    return v;
}

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
