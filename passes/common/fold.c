#include "fold.h"

#include "../../gen/eval/eval.h"
#include "util.h"

static Tensor *tensor_of(const Graph *g, ValueId v, Arena *scratch)
{
    Tensor *t = ARENA_NEW(scratch, Tensor);
    *t = (Tensor){.type = *type_of(g, v), .data = (void *)value_at(g, v)->data};
    return t;
}

static bool evaluate(Graph *g, const Node *n, const ValueId *in, const char *name, ValueId *out,
                     Arena *scratch)
{
    const Tensor **src = ARENA_ARRAY(scratch, const Tensor *, n->n_in + 1);
    Tensor **dst = ARENA_ARRAY(scratch, Tensor *, n->n_out);
    for (uint32_t k = 0; k < n->n_in; k++)
        if (has_value(in[k]))
            src[k] = tensor_of(g, in[k], scratch);
    for (uint32_t k = 0; k < n->n_out; k++) {
        out[k] = NO_VALUE;
        if (!has_value(n->out[k]))
            continue;
        dst[k] = tensor_of(g, n->out[k], scratch);
        dst[k]->data = arena_alloc(g->arena, type_bytes(&dst[k]->type));
    }
    if (!eval_node(g, n, src, dst, scratch))
        return false;
    for (uint32_t k = 0; k < n->n_out; k++)
        if (dst[k])
            out[k] = graph_add_const(g, name ? name : value_at(g, n->out[k])->name, dst[k]->type,
                                     dst[k]->data);
    return true;
}

bool evaluate_constants(Graph *g, const Node *n, const ValueId *in, const char *name, ValueId *out)
{
    Arena *scratch = arena_new();
    const bool good = evaluate(g, n, in, name, out, scratch);
    arena_free(scratch);
    return good;
}

ValueId folded(Graph *g, ValueId v)
{
    const Node *def = has_value(v) ? def_of(g, v) : NULL;
    if (!def || def->n_in != 1 || def->n_out != 1 || !is_const(g, def->in[0]) ||
        !value_at(g, def->in[0])->data)
        return v;
    const Node n = *def;
    ValueId to;
    return evaluate_constants(g, &n, n.in, value_at(g, n.in[0])->name, &to) ? to : v;
}
