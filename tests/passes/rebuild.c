/* Makes a graph from the composite column. */
#include "rebuild.h"

#include <string.h>

typedef struct Rebuild {
    const Graph *from;
    Graph *to;
    ValueId *map; /* by value of `from` */
} Rebuild;

static ValueId mapped(const Rebuild *r, ValueId v)
{
    return has_value(v) ? r->map[v.i] : NO_VALUE;
}

/* The node as it is, reading what stands for its inputs now. */
static bool copy_node(Rebuild *r, const Node *n)
{
    Arena *arena = r->to->arena;
    ValueId *in = ARENA_ARRAY(arena, ValueId, n->n_in + 1);
    const char **names = ARENA_ARRAY(arena, const char *, n->n_out + 1);
    for (uint32_t k = 0; k < n->n_in; k++) {
        in[k] = mapped(r, n->in[k]);
        if (has_value(n->in[k]) && !has_value(in[k]))
            return refuse(r->to->diag, "a composite reads '%s' before it is there",
                          value_at(r->from, n->in[k])->name);
    }
    for (uint32_t k = 0; k < n->n_out; k++)
        names[k] = has_value(n->out[k]) ? NULL : "";
    NodeId id = graph_add_node(r->to, n->op, n->name, n->model_index, in, n->n_in, n->n_out, names,
                               n->attr, n->n_attr);
    if (id.i == NO_NODE.i)
        return false;
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k]))
            r->map[n->out[k].i] = node_at(r->to, id)->out[k];
    return true;
}

static ValueId number(Rebuild *r, double v)
{
    float *data = arena_alloc(r->to->arena, sizeof *data);
    *data = (float)v;
    return graph_add_const(r->to, "number", type_make(DT_F32, 0, NULL), data);
}

/* Casts inside a composite leave no post-op: the types of the nodes that do say where they stood. */
static ValueId in_type_of(Rebuild *r, ValueId x, ValueId like)
{
    DType want = type_of(r->from, like)->dtype;
    if (!has_value(x) || type_of(r->to, x)->dtype == want)
        return x;
    return graph_op(r->to, OP_Cast, NULL, &x, 1, (const Attr[]){ATTR_I("to", want), ATTR_END});
}

static ValueId post_op(Rebuild *r, const PostOp *post, ValueId x)
{
    const Node *n = node_at(r->from, post->node);
    ValueId in[2] = {x, mapped(r, post->arg)};
    if (post->linear) {
        ValueId scaled[2] = {x, number(r, post->scale)};
        in[0] = graph_op(r->to, OP_Mul, n, scaled, 2, NULL);
        in[1] = number(r, post->shift);
        return graph_op(r->to, OP_Add, n, in, 2, NULL);
    }
    if (post->kind == POST_DEPTHWISE) {
        ValueId conv[3] = {x, mapped(r, n->in[1]), mapped(r, node_in(n, 2))};
        NodeId id = graph_add_node(r->to, n->op, n->name, n->model_index, conv, n->n_in, 1, NULL,
                                   n->attr, n->n_attr);
        return id.i == NO_NODE.i ? NO_VALUE : node_at(r->to, id)->out[0];
    }
    if (post->kind == POST_SUM)
        return graph_op(r->to, OP_Add, n, in, 2, NULL);
    for (uint32_t k = 0; k < n->n_in; k++) /* x is what is neither the operand nor a number */
        in[k] = same_value(n->in[k], post->arg) || value_at(r->from, n->in[k])->kind == VALUE_CONST
                    ? mapped(r, n->in[k])
                    : x;
    NodeId id = graph_add_node(r->to, n->op, n->name, n->model_index, in, n->n_in, 1, NULL, n->attr,
                               n->n_attr);
    return id.i == NO_NODE.i ? NO_VALUE : node_at(r->to, id)->out[0];
}

static ValueId typed_post_op(Rebuild *r, const PostOp *post, ValueId x)
{
    const Node *n = node_at(r->from, post->node);
    return post_op(r, post, in_type_of(r, x, n->op == OP_QuantizeLinear ? n->in[0] : n->out[0]));
}

static bool make_composite(Rebuild *r, const Composite *c)
{
    const Node *anchor = node_at(r->from, c->anchor);
    for (uint32_t k = 0; c->nodes[k].i != c->anchor.i; k++)
        if (!copy_node(r, node_at(r->from, c->nodes[k])))
            return false;
    if (!copy_node(r, anchor))
        return false;
    ValueId x = mapped(r, anchor->out[0]);
    bool own_bias = same_value(node_in(anchor, 2), c->bias);
    uint32_t first = 0;
    if (composite_has_scale(c)) /* of sums, before their bias */
        x = typed_post_op(r, &c->post[first++], x);
    if (has_value(c->bias) && !own_bias)
        x = graph_op(r->to, OP_Add, anchor,
                     (ValueId[]){in_type_of(r, x, c->bias), mapped(r, c->bias)}, 2, NULL);
    for (uint32_t i = first; i < c->n_post && has_value(x); i++)
        x = typed_post_op(r, &c->post[i], x);
    x = in_type_of(r, x, node_at(r->from, c->root)->out[0]);
    r->map[node_at(r->from, c->root)->out[0].i] = x;
    return has_value(x);
}

static bool make_node(Rebuild *r, uint32_t i)
{
    const Columns *col = r->from->columns;
    if (!col->composite || col->composite[i] == NO_ROW)
        return copy_node(r, &r->from->nodes[i]);
    const Composite *c = &col->composites[col->composite[i]];
    if (c->root.i != i)
        return true;
    /* an attention has no post-ops: its row says nothing but which nodes it covers */
    if (strncmp(c->pattern, "dnnl.", 5) == 0 && strcmp(c->pattern, "dnnl.attention") != 0)
        return make_composite(r, c);
    for (uint32_t k = 0; k < c->n_nodes; k++)
        if (!copy_node(r, node_at(r->from, c->nodes[k])))
            return false;
    return true;
}

Graph *rebuild_from_composites(Arena *arena, Diag *diag, const Graph *g)
{
    Rebuild r = {.from = g, .to = graph_new(arena, diag, g->file, g->name)};
    r.map = ARENA_ARRAY(arena, ValueId, (size_t)g->n_values + 1);
    memset(r.map, 0xff, ((size_t)g->n_values + 1) * sizeof *r.map);
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        ValueId v = g->inputs[i].value;
        r.map[v.i] = graph_add_input(r.to, g->inputs[i].name, *type_of(g, v));
    }
    for (uint32_t i = 0; i < g->n_values; i++)
        if (g->values[i].kind == VALUE_CONST)
            r.map[i] =
                graph_add_const(r.to, g->values[i].name, g->values[i].type, g->values[i].data);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!make_node(&r, i))
            return NULL;
    for (uint32_t i = 0; i < g->n_outputs; i++)
        graph_add_output(r.to, g->outputs[i].name, r.map[g->outputs[i].value.i]);
    return r.to;
}
