/* Rewrites a graph for channels that stand last: each value of three dimensions or more is kept in the form in which it was
 * made, and each reader that wants the other form has a Transpose of its own, as exporters write them. */
#include "channels_last.h"

#include "../../gen/ops/ops.h"

#include <string.h>

typedef struct Rewriting {
    const Graph *from;
    Graph *to;
    ValueId *value; /* by value of `from` */
    bool *is_last;  /* and whether that one has its channels last */
} Rewriting;

/* Dimension k of a tensor with its channels last, as one of it with its channels first; and the other way round. */
static int as_first(int rank, int k)
{
    return k == 0 ? 0 : k == rank - 1 ? 1 : k + 1;
}

static int as_last(int rank, int d)
{
    return d == 0 ? 0 : d == 1 ? rank - 1 : d - 1;
}

static ValueId transposed(Rewriting *r, ValueId v, int (*from)(int rank, int k))
{
    const int rank = type_of(r->to, v)->rank;
    int64_t perm[MAX_RANK];
    for (int k = 0; k < rank; k++)
        perm[k] = from(rank, k);
    return graph_op(r->to, OP_Transpose, NULL, &v, 1,
                    (Attr[]){ATTR_IS("perm", perm, (size_t)rank), ATTR_END});
}

static ValueId first(Rewriting *r, ValueId v)
{
    return !has_value(v) || !r->is_last[v.i] ? (has_value(v) ? r->value[v.i] : v)
                                             : transposed(r, r->value[v.i], as_last);
}

/* A constant that is broadcast to `rank` dimensions. */
static ValueId constant_last(Rewriting *r, ValueId v, int rank)
{
    const Value *c = value_at(r->from, v);
    TensorType t = {.dtype = c->type.dtype, .rank = rank};
    if (type_count(&c->type) == 1)
        return r->value[v.i];
    for (int d = 0; d < rank; d++)
        t.dims[d] = d < rank - c->type.rank ? 1 : c->type.dims[d - (rank - c->type.rank)];
    ValueId full = graph_add_const(r->to, c->name, t, c->data);
    return transposed(r, full, as_first);
}

static ValueId last(Rewriting *r, ValueId v, int rank)
{
    if (value_at(r->from, v)->kind == VALUE_CONST)
        return constant_last(r, v, rank);
    return r->is_last[v.i] ? r->value[v.i] : transposed(r, r->value[v.i], as_first);
}

/* Whether a node can do its work on the last dimension: all operands of one rank, but for constants. */
static bool can_follow(const Graph *g, const Node *n)
{
    const OpInfo *op = op_info(n->op);
    const int rank = type_of(g, n->in[0])->rank;
    size_t count;
    if (n->n_out == 0 || rank < 3)
        return false;
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (!has_value(n->in[k]))
            return false;
        const Value *v = value_at(g, n->in[k]);
        if (v->kind == VALUE_CONST ? v->type.rank > rank : v->type.rank != rank)
            return false;
    }
    for (uint32_t k = 0; k < n->n_out; k++)
        if (!has_value(n->out[k]) || type_of(g, n->out[k])->rank != rank)
            return false;
    switch (n->op) {
    case OP_Concat:
    case OP_Split:
    case OP_Slice:
    case OP_Pad:
        return true;
    case OP_Softmax:
        return attr_int(n, "axis_end", 0) == attr_int(n, "axis", 0) + 1;
    default:
        return op->class == CLASS_ELTWISE ||
               (op->class == CLASS_REDUCE && attr_int(n, "keepdims", 1) &&
                attr_ints(n, "axes", &count) != NULL);
    }
}

/* Lists with one number per dimension, or two as Pad has them; axes. */
static void transpose_attrs(Arena *arena, const Node *n, int rank, Attr *attr)
{
    for (uint32_t i = 0; i < n->n_attr; i++) {
        attr[i] = n->attr[i];
        const char *name = attr[i].name;
        int64_t *ints = arena_copy(arena, attr[i].ints, attr[i].n * sizeof *ints);
        if (!strcmp(name, "axis"))
            attr[i].i = as_last(rank, (int)attr[i].i);
        else if (!strcmp(name, "axis_end"))
            attr[i].i = as_last(rank, (int)attr[i].i - 1) + 1;
        else if (!strcmp(name, "axes")) {
            bool on[MAX_RANK] = {false};
            for (size_t k = 0; k < attr[i].n; k++)
                on[as_last(rank, (int)attr[i].ints[k])] = true;
            for (int d = 0, k = 0; d < rank; d++)
                if (on[d])
                    ints[k++] = d;
            attr[i].ints = ints;
        } else if (!strcmp(name, "starts") || !strcmp(name, "steps") || !strcmp(name, "sizes") ||
                   !strcmp(name, "pads")) {
            for (size_t k = 0; k < attr[i].n; k++) {
                const size_t half = k / (size_t)rank * (size_t)rank;
                ints[k] = attr[i].ints[half + (size_t)as_first(rank, (int)(k - half))];
            }
            attr[i].ints = ints;
        }
    }
}

/* Layers whose operand and result have their channels in dimension 1. */
static bool has_channels(const Graph *g, const Node *n)
{
    switch (n->op) {
    case OP_Conv:
    case OP_ConvTranspose:
    case OP_MaxPool:
    case OP_AveragePool:
    case OP_BatchNormalization:
    case OP_InstanceNormalization:
    case OP_GroupNormalization:
    case OP_LRN:
    case OP_Resize:
        return n->n_out == 1 && type_of(g, n->out[0])->rank > 2;
    default:
        return false;
    }
}

static bool copy_node(Rewriting *r, const Node *n)
{
    Arena *arena = r->to->arena;
    const bool channels = has_channels(r->from, n);
    bool follows = false;
    for (uint32_t k = 0; k < n->n_in; k++)
        follows = follows || (has_value(n->in[k]) && r->is_last[n->in[k].i]);
    follows = follows && can_follow(r->from, n);
    const int rank = n->n_in ? type_of(r->from, n->in[0])->rank : 0;
    ValueId *in = ARENA_ARRAY(arena, ValueId, n->n_in + 1);
    const char **names = ARENA_ARRAY(arena, const char *, n->n_out + 1);
    Attr *attr = arena_copy(arena, n->attr, n->n_attr * sizeof *attr);
    if (follows)
        transpose_attrs(arena, n, rank, attr);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = follows ? last(r, n->in[k], rank) : first(r, n->in[k]);
    for (uint32_t k = 0; k < n->n_out; k++)
        names[k] = has_value(n->out[k]) ? value_at(r->from, n->out[k])->name : "";
    NodeId id = graph_add_node(r->to, n->op, n->name, n->model_index, in, n->n_in, n->n_out, names,
                               attr, n->n_attr);
    for (uint32_t k = 0; id.i != NO_NODE.i && k < n->n_out; k++)
        if (has_value(n->out[k])) {
            const ValueId made = node_at(r->to, id)->out[k];
            r->value[n->out[k].i] = channels ? transposed(r, made, as_first) : made;
            r->is_last[n->out[k].i] = follows || channels;
        }
    return id.i != NO_NODE.i;
}

Graph *with_channels_last(Arena *arena, Diag *diag, const Graph *g)
{
    Rewriting r = {.from = g, .to = graph_new(arena, diag, g->file, g->name)};
    r.value = ARENA_ARRAY(arena, ValueId, (size_t)g->n_values + 1);
    r.is_last = ARENA_ARRAY(arena, bool, (size_t)g->n_values + 1);
    for (uint32_t i = 0; i < g->n_inputs; i++)
        r.value[g->inputs[i].value.i] =
            graph_add_input(r.to, g->inputs[i].name, *type_of(g, g->inputs[i].value));
    for (uint32_t i = 0; i < g->n_values; i++)
        if (g->values[i].kind == VALUE_CONST)
            r.value[i] =
                graph_add_const(r.to, g->values[i].name, g->values[i].type, g->values[i].data);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!copy_node(&r, &g->nodes[i]))
            return NULL;
    for (uint32_t i = 0; i < g->n_outputs; i++)
        graph_add_output(r.to, g->outputs[i].name, first(&r, g->outputs[i].value));
    return r.to;
}
