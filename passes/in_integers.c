/* in-integers: a quantised model in integers alone, for a core without FPU (--no-float).
 *
 * Products of bytes are sums of i32 (ConvInteger, MatMulInteger); Requantize brings them to the steps of a result as the floats of QLinearConv
 * and QLinearMatMul do it, to the bit. What stands between DequantizeLinear and QuantizeLinear is computed as real numbers are, with one
 * rounding where floats have several: sums and maxima in a small part of the result's step (integers/mix.c), means as sums, a function of
 * one tensor by a table (integers/functions.c). What only moves elements moves bytes. Inputs and outputs are bytes (integers/ports.c).
 *
 * A node that is left with floats is refused. Runs before fold-constant, which evaluates the tables. */
#include "integers/integers.h"
#include "pass.h"

#include <math.h>

bool read_step(const Integers *m, const Node *n, DType t, Step8 *s)
{
    double zero = 0;
    *s = (Step8){.type = t};
    if ((t != DT_U8 && t != DT_I8) || !scalar_value(m->g, arg(m, n, 1), &s->scale) ||
        !(s->scale > 0) || isinf(s->scale) ||
        (has_value(node_in(n, 2)) && !scalar_value(m->g, arg(m, n, 2), &zero)))
        return false;
    s->zero = (int64_t)zero;
    return true;
}

bool bytes_of(const Integers *m, ValueId v, ValueId *bytes, Step8 *s)
{
    const Node *n = def_of(m->g, v);
    if (!n || n->op != OP_DequantizeLinear || !read_step(m, n, type_of(m->g, n->in[0])->dtype, s))
        return false;
    *bytes = arg(m, n, 0);
    return true;
}

ValueId stays(Integers *m, const char *why)
{
    m->why = m->why ? m->why : why;
    return NO_VALUE;
}

ValueId stays_behind(Integers *m, const Node *n, const char *why)
{
    m->of = m->why ? m->of : op_info(n->op)->name;
    return stays(m, why);
}

static ValueId steps_of(Integers *m, const Node *q, ValueId v, const Step8 *dst);

static ValueId concatenated(Integers *m, const Node *q, const Node *n, const Step8 *dst)
{
    ValueId *in = ARENA_ARRAY(m->g->arena, ValueId, n->n_in);
    for (uint32_t k = 0; k < n->n_in; k++) {
        in[k] = steps_of(m, q, n->in[k], dst);
        if (!has_value(in[k]))
            return NO_VALUE;
    }
    const NodeId id =
        graph_add_node(m->g, n->op, "", n->model_index, in, n->n_in, 1, NULL, n->attr, n->n_attr);
    return node_at(m->g, id)->out[0];
}

/* A Relu or Clip behind something: bounds for the bytes, since rounding keeps the order. */
static ValueId bounded(Integers *m, const Node *q, const Node *n, const Step8 *dst)
{
    const double low = n->op == OP_Relu ? 0 : attr_float(n, "min", -INFINITY),
                 high = n->op == OP_Relu ? INFINITY : attr_float(n, "max", INFINITY),
                 least = (double)dtype_lowest(dst->type), most = (double)dtype_highest(dst->type),
                 min = fmin(fmax(nearbyint(low / dst->scale) + (double)dst->zero, least), most),
                 max = fmin(fmax(nearbyint(high / dst->scale) + (double)dst->zero, least), most);
    ValueId v = steps_of(m, q, n->in[0], dst);
    Attr attrs[3] = {ATTR_END, ATTR_END, ATTR_END};
    if (max < most)
        attrs[0] = ATTR_F("max", max);
    if (min > least)
        attrs[max < most] = ATTR_F("min", min);
    return has_value(v) && attrs[0].name ? graph_op(m->g, OP_Clip, n, &v, 1, attrs) : v;
}

/* v as bytes, in steps of dst; q is the QuantizeLinear that asks for them. */
static ValueId steps_of(Integers *m, const Node *q, ValueId v, const Step8 *dst)
{
    Step8 src;
    Sums sums;
    ValueId x;
    const Node *at = def_of(m->g, v);
    if (!at)
        return NO_VALUE;
    const Node n = *at; /* rules add nodes */
    if (bytes_of(m, v, &x, &src) && same_step(&src, dst))
        return x;
    const ValueId found = looked_up(m, q, v);
    if (has_value(found))
        return found;
    if (keeps_steps(&n) || n.op == OP_Pad) {
        x = steps_of(m, q, n.in[0], dst);
        return !has_value(x)     ? x
               : keeps_steps(&n) ? add_moved(m, &n, x, value_at(m->g, v)->def_out)
                                 : padded(m, &n, x, dst);
    }
    if (n.op == OP_Concat)
        return concatenated(m, q, &n, dst);
    if (n.op == OP_Relu || n.op == OP_Clip)
        return bounded(m, q, &n, dst);
    if (n.op == OP_Softmax)
        return softmax_of_bytes(m, q, &n, dst);
    if (n.op == OP_LogSoftmax)
        return log_softmax_of_bytes(m, q, &n, dst);
    if (n.op == OP_LeakyRelu || n.op == OP_PRelu)
        return sloped(m, q, &n, dst);
    sums.v = NO_VALUE;
    if (sums_of(m, v, &sums))
        return as_bytes(m, q, in_units(m, q, &sums, dst->scale), dst);
    return mixed(m, q, v, dst);
}

static ValueId match(Integers *m, const Node *n)
{
    Step8 dst;
    Sums sums;
    if (n->op == OP_QuantizeLinear && read_step(m, n, type_of(m->g, n->out[0])->dtype, &dst))
        return steps_of(m, n, n->in[0], &dst);
    if (n->op == OP_ArgMax || n->op == OP_ArgMin) {
        const ValueId x = moved_bytes(m, n->in[0], &dst);
        return has_value(x) ? graph_op_as(m->g, n->op, n, &x, 1) : x;
    }
    if (n->op != OP_QLinearConv && n->op != OP_QLinearMatMul)
        return NO_VALUE;
    double zero = 0;
    if (!sums_of_quantised(m, n, &sums) ||
        (has_value(node_in(n, 7)) && !scalar_value(m->g, arg(m, n, 7), &zero)))
        return stays(m, "its scales or zero points are not constants, one or one for each channel");
    dst = (Step8){.type = type_of(m->g, n->out[0])->dtype, .zero = (int64_t)zero};
    return as_bytes(m, n, in_units(m, n, &sums, 1), &dst);
}

/* --- what is left ----------------------------------------------------------------------------------------------------- */

/* Whether n reads or makes floats; not what is computed from constants, which is evaluated before anything is emitted. */
static bool has_floats(const Graph *g, const Node *n, bool *constant)
{
    bool floats = false, known = n->op != OP_LoopBegin && n->op != OP_LoopEnd;
    for (uint32_t k = 0; k < n->n_in; k++)
        if (has_value(n->in[k])) {
            known = known && (is_const(g, n->in[k]) || constant[n->in[k].i]);
            floats = floats || dtype_is_float(type_of(g, n->in[k])->dtype);
        }
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k])) {
            constant[n->out[k].i] = known;
            floats = floats || dtype_is_float(type_of(g, n->out[k])->dtype);
        }
    return floats && !known;
}

/* Of the nodes that are left with floats the first that is more than a change of type at one end of them; NULL: there is none left. */
static const Node *left_in_floats(const Graph *g)
{
    bool *constant = ARENA_ARRAY(g->arena, bool, g->n_values);
    const Node *first = NULL;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        if (!has_floats(g, n, constant))
            continue;
        if (n->op != OP_DequantizeLinear && n->op != OP_QuantizeLinear)
            return n;
        first = first ? first : n;
    }
    return first;
}

static bool check_integers(const Integers *m)
{
    const Graph *g = m->g;
    for (uint32_t k = 0; k < g->n_inputs; k++)
        if (dtype_is_float(type_of(g, g->inputs[k].value)->dtype))
            return refuse_graph(
                g,
                "input '%s' is %s and not quantised at once, with one scale: --no-float takes bytes",
                g->inputs[k].name, dtype_name(type_of(g, g->inputs[k].value)->dtype));
    for (uint32_t k = 0; k < g->n_inputs; k++) {
        const Port *in = &g->inputs[k], *out = in->state ? &g->outputs[in->state - 1] : in;
        if (in->scale != out->scale || in->zero_point != out->zero_point ||
            type_of(g, in->value)->dtype != type_of(g, out->value)->dtype)
            return refuse_graph(g,
                                "state '%s' has another scale, zero point or type than output '%s'",
                                in->name, out->name);
    }
    const Node *n = left_in_floats(g);
    const bool recurs = n && (n->op == OP_LSTM || n->op == OP_GRU || n->op == OP_RNN);
    const char *own = n && (!m->of || m->of == op_info(n->op)->name) ? m->why : NULL;
    const char *why = recurs ? "its state has no scale from one step to the next" : own;
    return !n || refuse_node(g, n, "computes with floats, which --no-float rules out%s%s",
                             why ? ": " : "", why ? why : "");
}

bool pass_in_integers(Graph *g, const PassOptions *options, const char **report)
{
    (void)options;
    as_other_layers(g);
    Integers m = {.g = g};
    Arena *scratch = arena_new();
    const uint32_t n = g->n_nodes;
    m.rw = rewrite_begin(g);
    m.uses = graph_uses(g, scratch);
    for (uint32_t i = 0; i < n; i++) {
        const Node node = g->nodes[i]; /* rules add nodes */
        const ValueId v = match(&m, &node);
        if (has_value(v))
            rewrite_replace(&m.rw, node.out[0], v);
    }
    graph_apply(&m.rw);
    arena_free(scratch);
    *report = arena_printf(g->arena, "%u sums of products, %u tables, %u other sums", m.n_sums,
                           m.n_tables, m.n_others);
    return check_integers(&m);
}
