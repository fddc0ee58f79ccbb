/* States to which each run appends rows, behind whatever moves elements.
 *
 * A model may write its cache as Concat(past, new), or cut the past into keys and values, transpose the keys, append to both and put them together
 * again. Each value on the way is a strided part of the state then: it begins somewhere and has a stride for each dimension. Where the output comes
 * out as the whole state, every element in its place, it is the input but for the new rows, and these go the same way to where they stand: one
 * WriteRows. What read a part with its new rows reads it in the result of that. */
#include "ir.h"

#include <string.h>

enum { MOST_MOVES = 64 }; /* one behind the other */

/* How a value stands in the state. Along a dimension of size 1 the stride is 0. */
typedef struct Part {
    int rank, rows; /* rows: the dimension in which they count */
    bool grown;     /* the new rows are there */
    int64_t dims[MAX_RANK], strides[MAX_RANK], offset;
} Part;

typedef struct Append {
    Graph *g;
    Rewrite *rw;
    const Uses *uses;
    const Port *from, *to;
    ValueId count;
    int64_t stride; /* from row to row */
    int8_t *
        rows; /* by value: 0, no part of the state; without new rows -1; with them 1 and the dimension */
} Append;

static void set_dim(Part *p, int d, int64_t size, int64_t stride)
{
    p->dims[d] = size;
    p->strides[d] = size == 1 ? 0 : stride;
}

static Part whole(const Append *a)
{
    const TensorType *t = type_of(a->g, a->from->value), *longer = type_of(a->g, a->to->value);
    Part p = {.rank = t->rank, .rows = a->from->counts[0].axis};
    int64_t stride = 1;
    for (int d = t->rank; d-- > 0; stride *= longer->dims[d])
        set_dim(&p, d, t->dims[d], stride);
    return p;
}

/* `size` of a dimension from `at` on. Rows stay all of them. */
static bool cut(Part *p, int d, int64_t at, int64_t step, int64_t size)
{
    if (p->grown || at < 0 || step < 1 || size < 1 || (d == p->rows && size != p->dims[d]))
        return false;
    p->offset += at * p->strides[d];
    set_dim(p, d, size, p->strides[d] * step);
    return true;
}

static bool cut_slice(Part *p, const Node *n)
{
    const int64_t *starts = attr_ints(n, "starts", NULL), *steps = attr_ints(n, "steps", NULL),
                  *sizes = attr_ints(n, "sizes", NULL);
    for (int d = 0; d < p->rank; d++)
        if (!cut(p, d, starts[d], steps[d], sizes[d]))
            return false;
    return true;
}

static bool cut_split(Part *p, const Node *n, ValueId v)
{
    const int64_t *sizes = attr_ints(n, "split", NULL);
    int64_t at = 0;
    uint32_t k = 0;
    while (n->out[k].i != v.i)
        at += sizes[k++];
    return cut(p, (int)attr_int(n, "axis", 0), at, 1, sizes[k]);
}

/* A Gather of one index that is known. */
static bool cut_gather(const Graph *g, Part *p, const Node *n)
{
    const Value *index = value_at(g, n->in[1]);
    const int d = (int)attr_int(n, "axis", 0);
    if (!index->data || type_count(&index->type) != 1 || index->type.rank > 1 || d == p->rows ||
        !cut(p, d, (int64_t)const_number(g, n->in[1], 0), 1, 1))
        return false;
    if (index->type.rank)
        return true;
    memmove(&p->dims[d], &p->dims[d + 1], (size_t)(p->rank - d - 1) * sizeof *p->dims);
    memmove(&p->strides[d], &p->strides[d + 1], (size_t)(p->rank - d - 1) * sizeof *p->strides);
    p->rank--;
    p->rows -= p->rows > d;
    return true;
}

static void transpose(Part *p, const Node *n)
{
    const int64_t *perm = attr_ints(n, "perm", NULL);
    const Part was = *p;
    for (int d = 0; d < p->rank; d++) {
        set_dim(p, d, was.dims[perm[d]], was.strides[perm[d]]);
        if (perm[d] == was.rows)
            p->rows = d;
    }
}

/* Dimensions `first` to `end` become one, if neighbours along it are so far apart everywhere: that distance; 0 if they have one element. -1: they are not. */
static int64_t merged_stride(const Part *p, int first, int end)
{
    int64_t innermost = 0, next = 0;
    for (int d = end; d-- > first;) {
        if (p->dims[d] == 1)
            continue;
        if (next && p->strides[d] != next)
            return -1;
        innermost = innermost ? innermost : p->strides[d];
        next = p->strides[d] * p->dims[d];
    }
    return innermost;
}

/* Dimensions of both shapes in groups of equal product. */
static bool reshape(Part *p, const TensorType *to)
{
    const Part was = *p;
    int i = 0, j = 0, rows = -1;
    while (i < was.rank || j < to->rank) {
        const int from = i;
        int64_t a = 1, b = 1;
        const int first = j;
        if (i == was.rows && j < to->rank && to->dims[j] == was.dims[i])
            rows = j;
        do
            if (i < was.rank && (a <= b || j == to->rank))
                a *= was.dims[i++];
            else
                b *= to->dims[j++];
        while (a != b);
        int64_t stride = merged_stride(&was, from, i);
        if (stride < 0)
            return false;
        for (int d = j; d-- > first; stride *= to->dims[d])
            set_dim(p, d, to->dims[d], stride);
    }
    p->rank = to->rank;
    p->rows = rows;
    return rows >= 0;
}

/* One part behind another that begins `at` elements after the first part does. */
static bool put_behind(Part *p, const Part *more, int d, int64_t size)
{
    const int64_t step = size > 1 ? p->strides[d] : more->offset - p->offset;
    for (int k = 0; k < p->rank; k++)
        if (k != d && p->strides[k] != more->strides[k])
            return false;
    if (d == p->rows || more->rows != p->rows || more->grown != p->grown || step < 1 ||
        more->offset != p->offset + step * size || (more->dims[d] > 1 && more->strides[d] != step))
        return false;
    set_dim(p, d, size + more->dims[d], step);
    return true;
}

static bool part_of(const Append *a, ValueId v, int moves, Part *p);

static bool concat(const Append *a, const Node *n, int moves, Part *p)
{
    const int d = (int)attr_int(n, "axis", 0);
    for (uint32_t k = 1; k < n->n_in; k++) {
        Part more;
        if (!part_of(a, n->in[k], moves, &more) || !put_behind(p, &more, d, p->dims[d]))
            return false;
    }
    return true;
}

static bool rows_count_in(const Append *a, const Part *p, const Node *n, ValueId count)
{
    return !p->grown && same_value(count, a->count) && attr_int(n, "axis", 0) == p->rows;
}

/* The part that a node makes of that of its first operand. */
static bool move(const Append *a, const Node *n, ValueId v, int moves, Part *p)
{
    switch (n->op) {
    case OP_TakeRows:
        return rows_count_in(a, p, n, n->in[1]) && attr_int(n, "size", 0) == p->dims[p->rows];
    case OP_AppendRows:
        if (!rows_count_in(a, p, n, n->in[2]))
            return false;
        p->grown = true;
        set_dim(p, p->rows, type_of(a->g, v)->dims[p->rows], a->stride);
        return true;
    case OP_Transpose:
        transpose(p, n);
        return true;
    case OP_Reshape:
        return reshape(p, type_of(a->g, v));
    case OP_Concat:
        return concat(a, n, moves, p);
    case OP_Gather:
        return cut_gather(a->g, p, n);
    case OP_Slice:
        return cut_slice(p, n);
    case OP_Split:
        return cut_split(p, n, v);
    default:
        return false;
    }
}

static bool part_of(const Append *a, ValueId v, int moves, Part *p)
{
    const Node *n = def_of(a->g, v);
    if (same_value(v, a->from->value))
        *p = whole(a);
    else if (!n || !moves || !part_of(a, n->in[0], moves - 1, p) || !move(a, n, v, moves - 1, p))
        return false;
    a->rows[v.i] = (int8_t)(p->grown ? 1 + p->rows : -1);
    return true;
}

/* Whether the output is the state with its new rows, every element in its place. */
static bool is_all(const Append *a)
{
    const TensorType *t = type_of(a->g, a->to->value);
    Part p;
    if (!type_count(t) || !part_of(a, a->to->value, MOST_MOVES, &p) || !p.grown ||
        p.rows != a->from->counts[0].axis || p.offset)
        return false;
    int64_t stride = 1;
    for (int d = t->rank; d-- > 0; stride *= t->dims[d])
        if (t->dims[d] > 1 && p.strides[d] != stride)
            return false;
    return true;
}

/* Whether somebody else reads the state as it was. */
static bool is_read_otherwise(const Append *a)
{
    for (uint32_t i = 0; i < a->rw->n_nodes; i++) {
        const Node *n = &a->g->nodes[i];
        bool reads = false, other = false;
        for (uint32_t k = 0; k < n->n_in; k++)
            reads |= has_value(n->in[k]) && a->rows[n->in[k].i] < 0;
        for (uint32_t k = 0; k < n->n_out; k++)
            other |= has_value(n->out[k]) && !a->rows[n->out[k].i] &&
                     (use_count(a->uses, n->out[k]) || a->uses->is_output[n->out[k].i]);
        if (reads && other)
            return true;
    }
    for (uint32_t o = 0; o < a->g->n_outputs; o++)
        if (a->rows[a->g->outputs[o].value.i] < 0)
            return true;
    return false;
}

/* Whether new rows are computed from others that would be written with them. */
static bool has_cycle(const Append *a)
{
    const Graph *g = a->g;
    bool *seen = ARENA_ARRAY(g->arena, bool, g->n_nodes);
    NodeId *stack = ARENA_ARRAY(g->arena, NodeId, g->n_nodes);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < a->rw->n_nodes; i++)
        if (g->nodes[i].op == OP_AppendRows && a->rows[g->nodes[i].out[0].i] > 0) {
            seen[i] = true;
            stack[depth++] = (NodeId){i};
        }
    while (depth) {
        const Node *n = node_at(g, stack[--depth]);
        const bool first = n->op == OP_AppendRows && a->rows[n->out[0].i] > 0;
        for (uint32_t k = first; k < (first ? 2 : n->n_in); k++) { /* more, of those */
            const ValueId v = has_value(n->in[k]) ? resolved(a->rw, n->in[k]) : NO_VALUE;
            if (!has_value(v) || value_at(g, v)->kind != VALUE_NODE)
                continue;
            if (a->rows[v.i] > 0)
                return true;
            const NodeId def = value_at(g, v)->def;
            if (!seen[def.i])
                stack[depth++] = def;
            seen[def.i] = true;
        }
    }
    return false;
}

/* The new rows of v, moved as it is. */
static ValueId new_rows(const Append *a, ValueId v, int64_t more)
{
    const Node n = *def_of(a->g, v);
    if (n.op == OP_AppendRows)
        return n.in[1];
    ValueId *in = ARENA_ARRAY(a->g->arena, ValueId, n.n_in);
    for (uint32_t k = 0; k < n.n_in; k++)
        in[k] = new_rows(a, n.in[k], more);
    TensorType t = *type_of(a->g, v);
    t.dims[a->rows[v.i] - 1] = more;
    const Attr shape[] = {ATTR_IS("shape", t.dims, (size_t)t.rank), ATTR_END};
    return n.op == OP_Reshape ? graph_op(a->g, OP_Reshape, &n, in, 1, shape)
                              : graph_op_as(a->g, n.op, &n, in, n.n_in);
}

static ValueId transposed_back(Graph *g, const Node *n, ValueId v)
{
    const int64_t *perm = attr_ints(n, "perm", NULL);
    int64_t back[MAX_RANK];
    const int rank = type_of(g, v)->rank;
    for (int d = 0; d < rank; d++)
        back[perm[d]] = d;
    const Attr attrs[] = {ATTR_IS("perm", back, (size_t)rank), ATTR_END};
    return graph_op(g, OP_Transpose, n, &v, 1, attrs);
}

/* Operand k of a Concat whose result is v; *at is where it begins. */
static ValueId slice_of(Graph *g, const Node *n, uint32_t k, ValueId v, int64_t *at)
{
    const TensorType *t = type_of(g, n->in[k]);
    const int64_t axis = attr_int(n, "axis", 0);
    int64_t starts[MAX_RANK] = {0};
    starts[axis] = *at;
    *at += t->dims[axis];
    const size_t rank = (size_t)t->rank;
    const Attr attrs[] = {ATTR_IS("starts", starts, rank), ATTR_IS("steps", dims_of_1, rank),
                          ATTR_IS("sizes", t->dims, rank), ATTR_END};
    return n->n_in == 1 ? v : graph_op(g, OP_Slice, n, &v, 1, attrs);
}

/* v is `there`, and what it is made of parts of that. */
static void read_there(const Append *a, ValueId v, ValueId there)
{
    const Node n = *def_of(a->g, v);
    const TensorType *t = type_of(a->g, n.in[0]);
    const Attr shape[] = {ATTR_IS("shape", t->dims, (size_t)t->rank), ATTR_END};
    int64_t at = 0;
    rewrite_replace(a->rw, v, there);
    for (uint32_t k = 0; k < n.n_in && n.op != OP_AppendRows; k++)
        read_there(a, n.in[k],
                   n.op == OP_Transpose ? transposed_back(a->g, &n, there)
                   : n.op == OP_Reshape ? graph_op(a->g, OP_Reshape, &n, &there, 1, shape)
                                        : slice_of(a->g, &n, k, there, &at));
}

bool graph_append(Rewrite *rw, const Uses *uses, uint32_t in)
{
    Graph *g = rw->g;
    const Port *from = &g->inputs[in];
    Append a = {.g = g,
                .rw = rw,
                .uses = uses,
                .from = from,
                .to = &g->outputs[from->state - 1],
                .stride = 1,
                .count = g->inputs[from->counts[0].by].value,
                .rows = ARENA_ARRAY(g->arena, int8_t, g->n_values)};
    for (int d = type_of(g, a.to->value)->rank; --d > from->counts[0].axis;)
        a.stride *= type_of(g, a.to->value)->dims[d];
    if (!is_all(&a) || is_read_otherwise(&a) || has_cycle(&a))
        return false;
    const TensorType longer = *type_of(g, a.to->value);
    const int64_t more =
        longer.dims[from->counts[0].axis] - type_of(g, from->value)->dims[from->counts[0].axis];
    const ValueId rows = new_rows(&a, a.to->value, more);
    value_at(g, from->value)->type = longer;
    const Attr axis[] = {ATTR_I("axis", from->counts[0].axis), ATTR_END};
    read_there(&a, a.to->value,
               graph_op(g, OP_WriteRows, def_of(g, a.to->value),
                        (ValueId[]){from->value, rows, a.count}, 3, axis));
    return true;
}
