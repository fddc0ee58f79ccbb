/* widen-half: a model in f16 is computed in f32, and rounded to f16 where it leaves.
 *
 * CPUs without arithmetic in f16 compute it in f32 anyway; rounding after every operator as the types say costs time and digits,
 * and other runtimes do not do it either. What stays: a Cast that the model itself has. Constants are widened here, so this runs
 * before they are folded. Not for portable C, whose kernels read and write f16 to save memory on small devices. */
#include "common/util.h"
#include "pass.h"

#include "../gen/ops/ops.h"

#include <string.h>

typedef struct Widen {
    Graph *g;
    Rewrite rw;
    ValueId *
        wide; /* by value of the graph before: the f32 that stands for it, NO_VALUE if it is no f16 */
} Widen;

static bool is_half(const Graph *g, ValueId v)
{
    return has_value(v) && type_of(g, v)->dtype == DT_F16;
}

static ValueId widened_const(Widen *w, ValueId v)
{
    const Value *value = value_at(w->g, v);
    TensorType t = value->type;
    t.dtype = DT_F32;
    float *data = arena_alloc(w->g->arena, type_bytes(&t) + 1);
    for (size_t i = 0; i < (size_t)type_count(&t); i++)
        data[i] = (float)elem_f64(DT_F16, value->data, i);
    return graph_add_const(w->g, value->name, t, data);
}

/* Inputs of the model and constants; results of nodes have theirs already, since they were met before. */
static ValueId widened(Widen *w, ValueId v)
{
    static const Node none = {.op = OP_Cast, .name = "", .model_index = UINT32_MAX};
    if (!is_half(w->g, v))
        return v;
    if (!has_value(w->wide[v.i]))
        w->wide[v.i] = is_const(w->g, v) ? widened_const(w, v) : add_cast(w->g, &none, v, DT_F32);
    return w->wide[v.i];
}

static bool touches_half(const Graph *g, const Node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        if (is_half(g, n->in[k]))
            return true;
    for (uint32_t k = 0; k < n->n_out; k++)
        if (is_half(g, n->out[k]))
            return true;
    return false;
}

/* The same node of f32. A result that is f16 all the same, by an attribute, is widened behind it. */
static bool widen_node(Widen *w, const Node *n)
{
    Graph *g = w->g;
    ValueId *in = ARENA_ARRAY(g->arena, ValueId, n->n_in + 1);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = widened(w, n->in[k]);
    const NodeId id = add_like(g, n, in, n->attr, n->n_attr, "");
    if (id.i == NO_NODE.i)
        return false;
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (!has_value(n->out[k]))
            continue;
        const ValueId made = node_at(g, id)->out[k];
        if (!is_half(g, n->out[k])) {
            rewrite_replace(&w->rw, n->out[k], made);
            continue;
        }
        const bool narrow = is_half(g, made);
        w->wide[n->out[k].i] = narrow ? add_cast(g, n, made, DT_F32) : made;
        rewrite_replace(&w->rw, n->out[k], narrow ? made : add_cast(g, n, made, DT_F16));
    }
    return true;
}

bool pass_widen_half(Graph *g, const PassOptions *options, const char **report)
{
    const uint32_t n_nodes = g->n_nodes, n_values = g->n_values;
    Arena *scratch = arena_new();
    Widen w = {.g = g, .rw = rewrite_begin(g)};
    uint32_t count = 0;
    bool good = true;
    w.wide = ARENA_ARRAY(scratch, ValueId, (size_t)n_values + 1);
    memset(w.wide, 0xff, ((size_t)n_values + 1) * sizeof *w.wide);
    for (uint32_t i = 0; i < n_nodes && good && !options->target_c; i++) {
        const Node n = g->nodes[i]; /* nodes are added */
        if (!touches_half(g, &n))
            continue;
        good = widen_node(&w, &n);
        count++;
    }
    if (good && count)
        graph_apply(&w.rw);
    arena_free(scratch);
    *report = options->target_c ? "left to C as it is"
                                : arena_printf(g->arena, "%u nodes compute in f32", count);
    return good;
}
