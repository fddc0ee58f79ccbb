/* The layouts of a whole graph as one problem of least cost (solve.h).
 *
 * Variables are the values with three dimensions or more, and the layers (nodes, or composites as one). A value has a few candidate
 * layouts: row-major, channels last, and what Reshape and Transpose make of their neighbours' candidates without moving a
 * byte. Its label says in which of them it is there: as its producer leaves it, and perhaps in a copy that all its readers share.
 * A layer's label is one of the ways in which it can be computed: the layouts it takes its operands in, and the one it leaves.
 * A way that is not the quickest of its layer costs the difference, a copy what reorder_ns says; the rest is what fits together. */
#include "choose_layouts.h"

#include "dnnl_describe.h"
#include "emit_c.h"
#include "emit_c_nn.h"
#include "lower_place.h"
#include "ops.h"
#include "solve.h"

#include <math.h>
#include <string.h>

enum { MOST_CANDIDATES = 5, MOST_WAYS = 2 * MOST_CANDIDATES, ALL = (1 << MOST_CANDIDATES) - 1 };

typedef struct Candidates {
    uint32_t n; /* 0: the value is no variable */
    Layout at[MOST_CANDIDATES];
    uint32_t variable;
} Candidates;

/* The label of a value: its first layout, and the other one that it is copied to; the same where there is no copy. */
static uint32_t first_of(const Candidates *v, uint32_t label)
{
    return label / v->n;
}

static uint32_t second_of(const Candidates *v, uint32_t label)
{
    return label % v->n;
}

typedef struct Way {
    unsigned *in;  /* by operand: set of candidates that will do */
    uint32_t *out; /* by result: the candidate that it is left in */
    double ns;
    bool as_it_is; /* whatever the operands' layouts are */
    bool no_copy;  /* operand 0 as its producer left it */
    Layout reads;  /* of operand 0 where rank > 0: under this name */
} Way;

typedef struct Layer {
    NodeId id;     /* the node, or the root of the composite */
    const Node *n; /* the node, or the anchor */
    const Composite *c;
    const ValueId *in, *out;
    uint32_t n_in, n_out, n_ways, variable;
    Way way[MOST_WAYS];
} Layer;

typedef struct Choosing {
    Lowering *l;
    const Graph *g;
    Problem *problem;
    Candidates *value; /* by value */
    Layer *layer;
    uint32_t n_layers, n_values;
} Choosing;

static bool is_free(const Choosing *s, ValueId v)
{
    return has_value(v) && s->value[v.i].n > 0;
}

/* The first output that is wanted: an LSTM's may be its second. */
static ValueId result_of(const Layer *y)
{
    uint32_t k = 0;
    while (k + 1 < y->n_out && !has_value(y->out[k]))
        k++;
    return y->out[k];
}

static bool same_as_result(const Choosing *s, const Layer *y, ValueId v)
{
    return has_value(v) && same_shape(type_of(s->g, v), type_of(s->g, result_of(y)));
}

/* --- candidates ---------------------------------------------------------------------------------------------------- */

static void add_candidate(const Choosing *s, ValueId v, const Layout *layout)
{
    Candidates *c = &s->value[v.i];
    for (uint32_t i = 0; i < c->n; i++)
        if (layout_same_bytes(&c->at[i], layout, type_of(s->g, v)))
            return;
    if (c->n > 0 && c->n < MOST_CANDIDATES && lower_can_reorder(s->l, v))
        c->at[c->n++] = *layout;
}

/* The candidates of v with the bytes of `layout`, as a set. */
static unsigned candidates_as(const Choosing *s, ValueId v, const Layout *layout)
{
    unsigned set = 0;
    for (uint32_t i = 0; is_free(s, v) && i < s->value[v.i].n; i++)
        if (layout_same_bytes(&s->value[v.i].at[i], layout, type_of(s->g, v)))
            set |= 1u << i;
    return set;
}

/* The same order of dimensions, of a tensor of another shape; ALL where there is no choice. */
static unsigned candidates_in_order(const Choosing *s, ValueId v, const Layout *order)
{
    return !is_free(s, v) || type_of(s->g, v)->rank != order->rank ? ALL
                                                                   : candidates_as(s, v, order);
}

static bool is_view_op(const Node *n)
{
    return n->op == OP_Reshape || n->op == OP_Transpose;
}

/* The layout of the result of a Reshape or Transpose that is the same memory as its operand. */
static bool view_forwards(const Choosing *s, const Node *n, const Layout *in, Layout *out)
{
    if (n->op == OP_Reshape)
        return reshape_view(type_of(s->g, n->in[0]), in, type_of(s->g, n->out[0]), out);
    *out = layout_transposed(in, attr_ints(n, "perm", NULL));
    return true;
}

static bool view_backwards(const Choosing *s, const Node *n, const Layout *out, Layout *in)
{
    if (n->op == OP_Reshape)
        return reshape_view(type_of(s->g, n->out[0]), out, type_of(s->g, n->in[0]), in);
    const int64_t *perm = attr_ints(n, "perm", NULL);
    *in = *out;
    for (int k = 0; k < out->rank; k++)
        in->order[k] = (int8_t)perm[out->order[k]];
    return true;
}

/* Computes or moves elements in any order of dimensions, as long as operands and results agree. */
static bool keeps_order(const Node *n)
{
    return op_info(n->op)->class == CLASS_ELTWISE ||
           (op_info(n->op)->class == CLASS_MOVE && c_works_by_strides(n->op)) ||
           n->op == OP_Softmax || n->op == OP_LogSoftmax || n->op == OP_QuantizeLinear ||
           n->op == OP_DequantizeLinear || n->op == OP_DynamicQuantizeLinear;
}

static void pass_between(const Choosing *s, const Node *n, ValueId in, ValueId out, bool forwards)
{
    Layout other;
    const ValueId from = forwards ? in : out, to = forwards ? out : in;
    if (!is_free(s, in) || !is_free(s, out))
        return;
    for (uint32_t i = 0; i < s->value[from.i].n; i++) {
        const Layout *have = &s->value[from.i].at[i];
        if (is_view_op(n) ? (forwards ? view_forwards(s, n, have, &other)
                                      : view_backwards(s, n, have, &other))
                          : type_of(s->g, in)->rank == type_of(s->g, out)->rank)
            add_candidate(s, to, is_view_op(n) ? &other : have);
    }
}

/* From operands to results, or back. */
static void pass_candidates(const Choosing *s, bool forwards)
{
    for (uint32_t i = 0; i < s->g->n_nodes; i++) {
        const Node *n = &s->g->nodes[forwards ? i : s->g->n_nodes - 1 - i];
        if (!is_view_op(n) && !keeps_order(n))
            continue;
        for (uint32_t o = 0; o < n->n_out; o++)
            for (uint32_t k = 0; k < (is_view_op(n) ? 1 : n->n_in); k++)
                pass_between(s, n, n->in[k], n->out[o], forwards);
    }
}

/* Of a composite, and not its result. */
static bool is_inside(const Choosing *s, const Value *v)
{
    const Composite *c = v->kind == VALUE_NODE ? lower_composite_of(s->l, v->def) : NULL;
    return c && c->root.i != v->def.i;
}

/* Layers whose primitive or kernel is for channels last. */
static bool is_for_last(const Choosing *s, NodeId id)
{
    const Node *n = node_at(s->g, id);
    switch (n->op) {
    case OP_Conv:
        return s->g->columns->target[id.i] == TARGET_DNNL || c_conv_last(s->g, n);
    case OP_ConvInteger:
    case OP_QLinearConv:
    case OP_ConvTranspose:
    case OP_MaxPool:
    case OP_AveragePool:
    case OP_BatchNormalization:
    case OP_InstanceNormalization:
    case OP_GroupNormalization:
    case OP_LRN:
    case OP_Resize:
        return s->g->columns->target[id.i] == TARGET_DNNL;
    default:
        return false;
    }
}

static void add_last(const Choosing *s, ValueId v)
{
    const Layout last = layout_nxc(type_of(s->g, v)->rank);
    if (last.rank > 2)
        add_candidate(s, v, &last);
}

/* Inside a composite as well, so that its candidates get through. */
static void find_candidates(Choosing *s)
{
    const Graph *g = s->g;
    for (uint32_t v = 0; v < g->n_values; v++) {
        const Value *value = value_at(g, (ValueId){v});
        if (value->kind != VALUE_CONST && value->type.rank > 2 && type_count(&value->type) > 0)
            s->value[v] = (Candidates){.n = 1, .at = {layout_plain(value->type.rank)}};
    }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (is_for_last(s, (NodeId){i})) {
            add_last(s, g->nodes[i].in[0]);
            add_last(s, g->nodes[i].out[0]);
        }
    for (int round = 0; round < 2; round++) {
        pass_candidates(s, true);
        pass_candidates(s, false);
    }
    for (uint32_t v = 0; v < g->n_values; v++)
        if (is_inside(s, value_at(g, (ValueId){v})))
            s->value[v].n = 0;
}

/* --- the ways of a layer ------------------------------------------------------------------------------------------- */

/* Takes all operands as they come and leaves row-major results, until said otherwise. */
static Way *new_way(const Choosing *s, Layer *y, double ns)
{
    if (y->n_ways == MOST_WAYS || !isfinite(ns))
        return NULL;
    Way *w = &y->way[y->n_ways++];
    *w = (Way){.in = ARENA_ARRAY(s->l->arena, unsigned, y->n_in + 1),
               .out = ARENA_ARRAY(s->l->arena, uint32_t, y->n_out + 1),
               .ns = ns};
    for (uint32_t k = 0; k < y->n_in; k++)
        w->in[k] = ALL;
    return w;
}

static uint32_t index_of(const Choosing *s, ValueId v, const Layout *layout)
{
    const unsigned set = candidates_as(s, v, layout);
    uint32_t i = 0;
    while (i < MOST_CANDIDATES && !(set >> i & 1))
        i++;
    return i;
}

/* The result in this layout; false if that is no candidate. */
static bool leaves(const Choosing *s, const Layer *y, Way *w, const Layout *layout)
{
    for (uint32_t k = 0; k < y->n_out; k++)
        if (is_free(s, y->out[k]) &&
            (w->out[k] = index_of(s, y->out[k], layout)) == MOST_CANDIDATES)
            return false;
    return true;
}

/* Operand 0 in one order and the result in another, and with it all operands of its shape; the others as they come. */
static void add_way(const Choosing *s, Layer *y, bool in_last, bool out_last, double ns)
{
    const int rank = type_of(s->g, y->n->in[0])->rank, out_rank = type_of(s->g, y->out[0])->rank;
    const Layout in = in_last && rank > 2 ? layout_nxc(rank) : layout_plain(rank),
                 out = out_last && out_rank > 2 ? layout_nxc(out_rank) : layout_plain(out_rank);
    Way *w = new_way(s, y, ns);
    if (!w)
        return;
    w->reads = in;
    for (uint32_t k = 0; k < y->n_in; k++)
        w->in[k] = !has_value(y->in[k])                ? ALL
                   : same_value(y->in[k], y->n->in[0]) ? candidates_in_order(s, y->in[k], &in)
                   : same_as_result(s, y, y->in[k])    ? candidates_in_order(s, y->in[k], &out)
                                                       : ALL;
    if (!leaves(s, y, w, &out))
        y->n_ways--;
}

/* Operands of the result's shape (or all) and the results in one order, whichever it is. */
static void add_alike(const Choosing *s, Layer *y, bool all)
{
    const Candidates *out = &s->value[y->out[0].i];
    for (uint32_t i = 0; i < out->n; i++) {
        Way *w = new_way(s, y, 0);
        bool fits = w && leaves(s, y, w, &out->at[i]);
        for (uint32_t k = 0; fits && k < y->n_in; k++) {
            if (all || same_as_result(s, y, y->in[k]))
                w->in[k] = candidates_in_order(s, y->in[k], &out->at[i]);
            fits = w->in[k] != 0;
        }
        if (w && !fits)
            y->n_ways--;
    }
}

/* A Reshape or Transpose: a view where the memory can stay as it is, otherwise a kernel. */
static void add_views(const Choosing *s, Layer *y)
{
    const Candidates *in = is_free(s, y->in[0]) ? &s->value[y->in[0].i] : NULL;
    const Candidates *out = is_free(s, y->out[0]) ? &s->value[y->out[0].i] : NULL;
    const Layout plain_in = layout_plain(type_of(s->g, y->in[0])->rank),
                 plain_out = layout_plain(type_of(s->g, y->out[0])->rank);
    for (uint32_t o = 0; o < (out ? out->n : 1); o++) {
        const Layout *want = out ? &out->at[o] : &plain_out;
        unsigned set = 0;
        for (uint32_t i = 0; i < (in ? in->n : 1); i++) {
            const Layout *have = in ? &in->at[i] : &plain_in;
            Layout after;
            if (view_forwards(s, y->n, have, &after) &&
                layout_same_bytes(&after, want, type_of(s->g, y->out[0])))
                set |= 1u << i;
        }
        Way *w = set ? new_way(s, y, 0) : NULL;
        if (w) {
            w->in[0] = set;
            w->out[0] = o;
            w->no_copy = y->n->op == OP_Transpose; /* a kernel does what a copy would */
        }
        w = y->n->op == OP_Transpose ? new_way(s, y, kernel_ns(s->l, y->out[0], false)) : NULL;
        if (w) {
            w->out[0] = o;
            w->as_it_is = true;
        }
    }
}

/* Parts of the operand, or the operands parts of the result, in this layout: nothing needs to move. */
static bool is_in_place(const Choosing *s, const Layer *y, const Layout *layout)
{
    const ValueId whole = y->n->op == OP_Concat ? y->out[0] : y->in[0];
    Layout part;
    if (y->n->op == OP_Slice)
        return lower_slice_axis(s->g, y->n) >= 0 &&
               lower_part_layout(s->l, layout, whole, lower_slice_axis(s->g, y->n), &part);
    return (y->n->op == OP_Concat || y->n->op == OP_Split) &&
           lower_part_layout(s->l, layout, whole, (int)attr_int(y->n, "axis", 0), &part);
}

static bool kernel_takes(const Choosing *s, const Layer *y, const Way *w, const Layout *order)
{
    Layout *in = ARENA_ARRAY(s->l->arena, Layout, y->n_in + 1),
           *out = ARENA_ARRAY(s->l->arena, Layout, y->n_out + 1);
    for (uint32_t k = 0; k < y->n_in; k++) {
        const int rank = has_value(y->in[k]) ? type_of(s->g, y->in[k])->rank : 0;
        const bool ordered = is_free(s, y->in[k]) && rank == order->rank && w->in[k] != 1;
        in[k] = ordered ? *order : layout_plain(rank);
    }
    for (uint32_t k = 0; k < y->n_out; k++)
        out[k] = is_free(s, y->out[k])  ? s->value[y->out[k].i].at[w->out[k]]
                 : has_value(y->out[k]) ? layout_plain(type_of(s->g, y->out[k])->rank)
                                        : layout_plain(0);
    return c_accepts_layouts(s->g, y->n, in, out);
}

/* What the kernel for a single node says it can do: operands and results in one order, or, where it walks by strides, operands
 * as they come. */
static void add_kernel(const Choosing *s, Layer *y, const Layout *order)
{
    const bool moves = op_info(y->n->op)->class == CLASS_MOVE,
               eltwise = op_info(y->n->op)->class == CLASS_ELTWISE;
    Way *w = new_way(s, y,
                     moves && !is_in_place(s, y, order) ? kernel_ns(s->l, result_of(y), false) : 0);
    bool fits = w && leaves(s, y, w, order);
    for (uint32_t k = 0; fits && k < y->n_in; k++) {
        const bool own = !is_free(s, y->in[k]) || type_of(s->g, y->in[k])->rank != order->rank ||
                         (eltwise && !same_as_result(s, y, y->in[k]));
        w->in[k] = own ? 1 : candidates_in_order(s, y->in[k], order);
        fits = w->in[k] != 0;
    }
    if (w && (!fits || !kernel_takes(s, y, w, order))) {
        y->n_ways--;
        return;
    }
    if (w && y->n_in)
        w->reads = *order;
    w = c_works_by_strides(y->n->op) ? new_way(s, y, kernel_ns(s->l, result_of(y), true)) : NULL;
    if (w && !leaves(s, y, w, order))
        y->n_ways--;
    else if (w)
        w->as_it_is = true;
}

static void add_kernels(const Choosing *s, Layer *y)
{
    const ValueId of = is_free(s, result_of(y)) ? result_of(y) : y->in[0];
    if (y->c && c_can_fuse(s->g, y->n)) {
        add_alike(s, y, false);
    } else if (c_conv_last(s->g, y->n)) { /* chosen because of this kernel */
        add_way(s, y, true, true, 0);
        if (c_conv_last(s->g, y->n) == CONV_LAST_FEW)
            add_way(s, y, true, false, 0);
    } else if (!y->c) { /* with a tail: row-major */
        for (uint32_t i = 0; is_free(s, of) && i < s->value[of.i].n; i++)
            add_kernel(s, y, &s->value[of.i].at[i]);
    }
}

/* The composite has a post-op that is another layer. */
static bool is_two_layers(const Layer *y)
{
    for (uint32_t i = 0; y->c && i < y->c->n_post; i++)
        if (y->c->post[i].kind == POST_DEPTHWISE)
            return true;
    return false;
}

static void add_convs(const Choosing *s, Layer *y)
{
    double ns[2];
    conv_extra_ns(s->l, y->n, ns);
    add_way(s, y, true, true, ns[1]);
    if (!is_two_layers(y))
        add_way(s, y, false, false, ns[0]);
    if (!y->n_ways)
        add_way(s, y, true, true, 0);
}

/* A product of rows that a Reshape within the composite makes takes them in any order: its weights are turned. Matmul's other
 * operands may be transposed. */
static void add_product(const Choosing *s, Layer *y)
{
    const Layout plain = layout_plain(type_of(s->g, y->out[0])->rank),
                 out = dnnl_product_layout(s->g, &s->l->uses, y->c, y->out[0]);
    const Value *b = value_at(s->g, y->n->in[1]);
    const bool rows = y->n->op != OP_MatMul || (b->kind == VALUE_CONST && b->type.rank == 2);
    Way *w = new_way(s, y, 0);
    if (!leaves(s, y, w, rows ? &plain : &out))
        leaves(s, y, w, &plain);
    for (uint32_t k = 0; k < y->n_in; k++) {
        const Candidates *c = has_value(y->in[k]) ? &s->value[y->in[k].i] : NULL;
        unsigned set = 1;
        for (uint32_t i = 1; c && i < c->n; i++)
            if (!rows && c->at[i].order[c->at[i].rank - 1] >= c->at[i].rank - 2)
                set |= 1u << i;
        w->in[k] = dnnl_flattening(s->g, y->n, y->c) ? ALL : set;
    }
}

static void add_reorders(const Choosing *s, Layer *y)
{
    for (uint32_t i = 0; i < s->value[y->out[0].i].n; i++) {
        Way *w = new_way(s, y, 0);
        if (w)
            w->out[0] = i;
    }
}

static void add_primitives(const Choosing *s, Layer *y)
{
    switch (y->n->op) {
    case OP_Conv:
        add_convs(s, y);
        return;
    case OP_MaxPool: /* row-major, 3.7.2 was wrong on memory full of NaN */
    case OP_AveragePool:
    case OP_ConvInteger:
    case OP_QLinearConv:
    case OP_ConvTranspose:
    case OP_BatchNormalization:
    case OP_InstanceNormalization:
    case OP_GroupNormalization:
    case OP_LRN:
    case OP_Resize:
        add_way(s, y, true, true, 0);
        return;
    case OP_MatMul:
    case OP_Gemm:
    case OP_MatMulInteger:
    case OP_LayerNormalization:
        add_product(s, y);
        return;
    case OP_ReduceMax:
    case OP_ReduceMean:
    case OP_ReduceMin:
    case OP_ReduceProd:
    case OP_ReduceSum:
        add_way(s, y, false, false, 0);
        if (dnnl_reduces_planes(s->g, y->n, y->c))
            add_way(s, y, true, false, 0);
        return;
    case OP_Cast:
        add_reorders(s, y);
        return;
    default:
        add_alike(s, y, y->n->op == OP_Concat || y->n->op == OP_Sum);
    }
}

/* --- the problem --------------------------------------------------------------------------------------------------- */

static void add_value(Choosing *s, ValueId v)
{
    Candidates *c = &s->value[v.i];
    double cost[MOST_CANDIDATES * MOST_CANDIDATES];
    for (uint32_t label = 0; label < c->n * c->n; label++) {
        const uint32_t first = first_of(c, label), second = second_of(c, label);
        const bool elsewhere = value_at(s->g, v)->kind == VALUE_INPUT && first != 0,
                   missing = s->l->uses.is_output[v.i] && first != 0 && second != 0;
        cost[label] = elsewhere || missing ? INFINITY
                      : first == second    ? 0
                                           : reorder_ns(s->l, v, &c->at[first], &c->at[second]);
    }
    c->variable = problem_variable(s->problem, c->n * c->n, cost);
    s->n_values++;
}

/* Layer and value have to agree: a result is left in the value's first layout, an operand is there in one that will do. */
static void add_agreement(const Choosing *s, const Layer *y, ValueId v, uint32_t k, bool result)
{
    double cost[MOST_WAYS * MOST_CANDIDATES * MOST_CANDIDATES];
    if (!is_free(s, v))
        return;
    const Candidates *c = &s->value[v.i];
    for (uint32_t w = 0; w < y->n_ways; w++)
        for (uint32_t label = 0; label < c->n * c->n; label++) {
            const uint32_t first = first_of(c, label);
            const bool copy = result || k > 0 || !y->way[w].no_copy;
            const unsigned there = 1u << first | (copy ? 1u << second_of(c, label) : 0);
            bool agrees = result ? first == y->way[w].out[k] : there & y->way[w].in[k];
            cost[w * c->n * c->n + label] = agrees ? 0 : INFINITY;
        }
    problem_pair(s->problem, y->variable, c->variable, cost);
}

static bool touches_free(const Choosing *s, const Layer *y)
{
    bool free = false;
    for (uint32_t k = 0; k < y->n_in; k++)
        free = free || is_free(s, y->in[k]);
    for (uint32_t k = 0; k < y->n_out; k++)
        free = free || is_free(s, y->out[k]);
    return free;
}

static void find_ways(const Choosing *s, Layer *y)
{
    const bool moves = !y->c && op_info(y->n->op)->class == CLASS_MOVE && y->n->op != OP_Concat;
    if (!y->c && is_view_op(y->n))
        add_views(s, y);
    else if (s->g->columns->target[y->id.i] == TARGET_DNNL && !moves)
        add_primitives(s, y);
    else
        add_kernels(s, y);
    if (y->n_ways)
        return;
    Way *w = new_way(s, y, 0); /* row-major is always possible */
    for (uint32_t k = 0; k < y->n_in; k++)
        w->in[k] = 1;
}

static void add_layer(Choosing *s, NodeId id)
{
    const Composite *c = lower_composite_of(s->l, id);
    const Node *root = node_at(s->g, id);
    double cost[MOST_WAYS];
    if (c && c->root.i != id.i)
        return;
    Layer *y = &s->layer[s->n_layers];
    *y = (Layer){.id = id,
                 .n = c ? node_at(s->g, c->anchor) : root,
                 .c = c,
                 .in = c ? c->args : root->in,
                 .out = root->out,
                 .n_in = c ? c->n_args : root->n_in,
                 .n_out = c ? 1 : root->n_out};
    if (!touches_free(s, y))
        return;
    find_ways(s, y);
    for (uint32_t w = 0; w < y->n_ways; w++)
        cost[w] = y->way[w].ns;
    y->variable = problem_variable(s->problem, y->n_ways, cost);
    for (uint32_t k = 0; k < y->n_in; k++)
        add_agreement(s, y, y->in[k], k, false);
    for (uint32_t k = 0; k < y->n_out; k++)
        add_agreement(s, y, y->out[k], k, true);
    s->n_layers++;
}

static void build(Choosing *s)
{
    find_candidates(s);
    for (uint32_t v = 0; v < s->g->n_values; v++)
        if (is_free(s, (ValueId){v}))
            add_value(s, (ValueId){v});
    for (uint32_t i = 0; i < s->g->n_nodes; i++)
        add_layer(s, (NodeId){i});
}

/* Something to start from where the problem is too entangled to be solved at once: every layer in its first way. */
static void start(const Choosing *s, uint32_t *label)
{
    for (uint32_t v = 0; v < s->g->n_values; v++)
        if (is_free(s, (ValueId){v}) && s->value[v].n > 1)
            label[s->value[v].variable] = 1;
    for (uint32_t i = 0; i < s->n_layers; i++)
        for (uint32_t k = 0; k < s->layer[i].n_out; k++)
            if (is_free(s, s->layer[i].out[k])) {
                const Candidates *c = &s->value[s->layer[i].out[k].i];
                const uint32_t first = s->layer[i].way[0].out[k];
                label[c->variable] = first * c->n + (first == 0 && c->n > 1);
            }
}

/* --- the answer ---------------------------------------------------------------------------------------------------- */

/* If a composite is taken apart, its nodes work as it would have. */
static void read_inside(const Choosing *s, struct LayoutChoice *c, const Layer *y, NodeId inside)
{
    const ValueId v = node_at(s->g, inside)->out[0];
    c->reads[inside.i] = c->reads[y->id.i];
    if (inside.i != y->id.i && same_as_result(s, y, v))
        c->value[v.i] = c->value[y->out[0].i];
}

static void read_layer(const Choosing *s, const uint32_t *label, const Layer *y,
                       struct LayoutChoice *c)
{
    const Way *w = &y->way[label[y->variable]];
    c->reads[y->id.i] = w->reads;
    c->as_it_is[y->id.i] = w->as_it_is;
    if (w->reads.rank == 0 && y->n_in && is_free(s, y->in[0])) {
        const Candidates *v = &s->value[y->in[0].i];
        const uint32_t first = first_of(v, label[v->variable]),
                       second = second_of(v, label[v->variable]);
        c->reads[y->id.i] = v->at[w->in[0] >> first & 1 ? first : second];
    }
    for (uint32_t k = 0; y->c && k < y->c->n_nodes; k++)
        read_inside(s, c, y, y->c->nodes[k]);
}

static struct LayoutChoice *read_choice(const Choosing *s, const uint32_t *label)
{
    struct LayoutChoice *c = ARENA_NEW(s->l->arena, struct LayoutChoice);
    c->value = ARENA_ARRAY(s->l->arena, Layout, s->g->n_values);
    c->reads = ARENA_ARRAY(s->l->arena, Layout, s->g->n_nodes);
    c->as_it_is = ARENA_ARRAY(s->l->arena, bool, s->g->n_nodes);
    c->values = s->n_values;
    c->layers = s->n_layers;
    for (uint32_t v = 0; v < s->g->n_values; v++) {
        const Candidates *of = &s->value[v];
        c->value[v] = of->n ? of->at[first_of(of, label[of->variable])]
                            : layout_plain(s->g->values[v].type.rank);
    }
    for (uint32_t i = 0; i < s->g->n_nodes; i++)
        c->reads[i] = s->g->nodes[i].n_in && has_value(s->g->nodes[i].in[0])
                          ? layout_plain(type_of(s->g, s->g->nodes[i].in[0])->rank)
                          : layout_plain(0);
    for (uint32_t i = 0; i < s->n_layers; i++)
        read_layer(s, label, &s->layer[i], c);
    return c;
}

/* What the best plan would cost in which as few values as possible are anything but row-major. Changes the problem. */
static double cost_of_plain(Choosing *s, uint32_t *label)
{
    const double none = 0, much = 1e7; /* ns */
    const uint32_t dummy = problem_variable(s->problem, 1, &none);
    double cost[MOST_CANDIDATES * MOST_CANDIDATES], paid = 0;
    label[dummy] = 0;
    for (uint32_t v = 0; v < s->g->n_values; v++) {
        const Candidates *c = &s->value[v];
        for (uint32_t k = 0; k < c->n * c->n; k++)
            cost[k] = first_of(c, k) ? much : 0;
        if (c->n)
            problem_pair(s->problem, c->variable, dummy, cost);
    }
    problem_solve(s->problem, label);
    for (uint32_t v = 0; v < s->g->n_values; v++)
        if (s->value[v].n && first_of(&s->value[v], label[s->value[v].variable]))
            paid += much;
    return problem_cost(s->problem, label) - paid;
}

struct LayoutChoice *choose_layouts(Lowering *l)
{
    Choosing s = {.l = l, .g = l->g, .problem = problem_new(l->arena)};
    s.value = ARENA_ARRAY(l->arena, Candidates, l->g->n_values);
    s.layer = ARENA_ARRAY(l->arena, Layer, l->g->n_nodes + 1);
    build(&s);
    uint32_t *label =
        ARENA_ARRAY(l->arena, uint32_t, s.n_values + s.n_layers + 1); /* and the dummy */
    start(&s, label);
    bool exact = problem_solve(s.problem, label);
    struct LayoutChoice *c = read_choice(&s, label);
    c->exact = exact;
    c->ns = problem_cost(s.problem, label);
    c->plain_ns = cost_of_plain(&s, label);
    return c;
}
