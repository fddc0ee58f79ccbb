/* See bound.h; docs/accuracy.md has where the figures come from. */
#include "bound.h"

#include "../dnnl/plan.h"
#include "../ops/macs.h"
#include "../ops/ops.h"

#include <math.h>

/* Half a unit in the last place of an f32. */
static const double unit = 0x1p-24;

/* --- roundings to steps ----------------------------------------------------------------------------------------------- */

/* What roundings within the layer may have done to a value: its steps, and how far it may be off by roundings that went the other way. */
typedef struct Rounding {
    double step, slack;
} Rounding;

/* The least and the largest element of a constant, by size; 1 where the value is none. */
typedef struct Range {
    double least, most;
} Range;

static Range range_of(const Graph *g, ValueId v)
{
    Range r = {INFINITY, 0};
    if (!has_value(v) || value_at(g, v)->kind != VALUE_CONST)
        return (Range){1, 1};
    for (int64_t i = 0, n = type_count(type_of(g, v)); i < n; i++) {
        const double x = fabs(elem_f64(type_of(g, v)->dtype, value_at(g, v)->data, (size_t)i));
        r.least = fmin(r.least, x);
        r.most = fmax(r.most, x);
    }
    return r;
}

static double largest_of(const Graph *g, ValueId v)
{
    return range_of(g, v).most;
}

static double smallest_of(const Graph *g, ValueId v)
{
    const double least = range_of(g, v).least;
    return least > 0 && isfinite(least) ? least : 1;
}

static Rounding scaled_by(Rounding r, double factor)
{
    return (Rounding){r.step * factor, r.slack * factor};
}

/* Of all operands that the layer makes itself, by `known`, those of its nodes so far. */
static Rounding of_operands(const Graph *g, const Step *s, const Node *n, const Rounding *known,
                            uint32_t n_known)
{
    Rounding all = {0, 0};
    for (uint32_t k = 0; k < n->n_in; k++)
        for (uint32_t i = 0; has_value(n->in[k]) && def_of(g, n->in[k]) && i < n_known; i++)
            if (s->nodes[i].i == value_at(g, n->in[k])->def.i) {
                all.step = fmax(all.step, known[i].step);
                all.slack += known[i].slack;
            }
    return all;
}

static bool casts_to_integer(const Graph *g, const Node *n)
{
    return n->op == OP_Cast && dtype_is_float(type_of(g, n->in[0])->dtype) &&
           !dtype_is_float(type_of(g, n->out[0])->dtype);
}

/* Of what a node makes of operands with roundings. */
static Rounding rounding_by(const Graph *g, const Node *n, Rounding r)
{
    if (n->op == OP_QuantizeLinear)
        return (Rounding){1, r.slack / smallest_of(g, n->in[1]) + 1};
    if (n->op == OP_DequantizeLinear)
        return scaled_by(r, largest_of(g, n->in[1]));
    if (op_has(n->op, TRAIT_QUANTISES))
        return (Rounding){1, r.slack + 1};
    if (n->op == OP_Round || n->op == OP_Floor || n->op == OP_Ceil || casts_to_integer(g, n))
        return (Rounding){1, r.slack + 1};
    if (n->op == OP_Mul)
        return scaled_by(r, largest_of(g, n->in[0]) * largest_of(g, n->in[1]));
    if (n->op == OP_Div)
        return scaled_by(r, 1 / smallest_of(g, n->in[1]));
    return r;
}

static Rounding rounding_of(const Graph *g, const Step *s, ValueId v)
{
    Arena *scratch = arena_new();
    Rounding *known = ARENA_ARRAY(scratch, Rounding, s->n_nodes + 1), found = {0, 0};
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(g, s->nodes[i]);
        known[i] = rounding_by(g, n, of_operands(g, s, n, known, i));
        if (def_of(g, v) == n)
            found = known[i];
    }
    arena_free(scratch);
    return found;
}

/* --- sums ------------------------------------------------------------------------------------------------------------- */

/* How many terms each result of a node is a sum of, about. */
static double terms_of(const Graph *g, const Node *n)
{
    double results = 0, read = 0;
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k]))
            results = fmax(results, (double)type_count(type_of(g, n->out[k])));
    for (uint32_t k = 0; k < n->n_in; k++)
        if (has_value(n->in[k]))
            read = fmax(read, (double)type_count(type_of(g, n->in[k])));
    const double macs = (double)node_macs(g, n);
    return results > 0 ? fmax(macs, read) / results : 0;
}

/* Results are elements of the operands, unchanged, and zeros. */
static bool only_moves(const Graph *g, const Node *n)
{
    switch (n->op) {
    case OP_MaxPool:
    case OP_MaxUnpool:
    case OP_TopK:
    case OP_TakeRows:
    case OP_TakeBlock:
    case OP_AppendRows:
    case OP_WriteRows:
        return true;
    default:
        return op_info(n->op)->class == CLASS_MOVE || !dtype_is_float(type_of(g, n->in[0])->dtype);
    }
}

/* A mean that is large beside the deviation makes the error of the result as many times as large. */
static bool is_norm(Op op)
{
    return op == OP_LayerNormalization || op == OP_InstanceNormalization ||
           op == OP_GroupNormalization;
}

/* Of a float type, by the nodes together: what sums behind one another make, as in attention, adds up. */
static double relative_bound(const Program *p, const Step *s, DType type)
{
    enum { SAFETY = 4 };
    const double least = 1e-5, most = 1e-3, winograd = 1e-4, recurrent = 1e-4, norm = 1e-4;
    double bound = 0, sums = 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(p->graph, s->nodes[i]);
        if (n->n_in && only_moves(p->graph, n))
            continue;
        const double own = fmax(least, SAFETY * unit * terms_of(p->graph, n));
        sums += n->op == OP_Softmax || node_macs(p->graph, n) > 0 ? own : 0;
        bound = fmax(bound, fmin(fmax(own, sums), most));
        if (op_info(n->op)->class == CLASS_RECURRENT)
            bound = fmax(bound, recurrent);
        if (is_norm(n->op))
            bound = fmax(bound, norm);
    }
    if (s->dnnl && s->dnnl->winograd)
        bound = fmax(bound, winograd);
    const double last_place = type == DT_F16 ? 0x1p-11 : type == DT_BF16 ? 0x1p-8 : 0;
    return bound > 0 ? fmax(bound, SAFETY * last_place) : 0;
}

LayerBound output_bound(const Program *p, DType type)
{
    if (p->origin.coarse)
        return (LayerBound){0.1, dtype_is_float(type) ? 1e-5 : 1, 0};
    return dtype_is_float(type) ? (LayerBound){1e-3, 1e-5, 0} : (LayerBound){0, 0, 0};
}

LayerBound layer_bound(const Program *p, const Step *s, ValueId v)
{
    const DType type = type_of(p->graph, v)->dtype;
    if (def_of(p->graph, v) && def_of(p->graph, v)->op == OP_LoopEnd)
        return output_bound(p, type); /* of all iterations together */
    const Rounding r = rounding_of(p->graph, s, v);
    return (LayerBound){dtype_is_float(type) ? relative_bound(p, s, type) : 0, r.slack, r.step};
}
