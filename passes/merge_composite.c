/* merge-composite: finds the anchors of the pattern table and appends to each what oneDNN can
 * compute along with it.
 *
 * Needs nothing, makes the composite column. The rows of patterns.def are tried in their order,
 * each on the nodes in theirs. From an anchor a composite grows forwards: its value has to have
 * one reader, that reader has to match a row of the appendix table, and every value it leaves
 * inside may be read inside only (the matcher sees to that before anything is claimed). So only
 * the root's value is seen outside, and contracting a composite to one node cannot make a cycle:
 * every way out of it starts at the root. Where two anchors could take the same node, the one
 * that comes first in order takes it; the other one ends before it. */
#include "composite/composite.h"

#include "../gen/dnnl/support.h"
#include "../gen/graph/loops.h"
#include "../gen/ops/ops.h"
#include "common/util.h"
#include "pass.h"
#include "pattern/table.h"

#include <string.h>

enum { POST_MAX = 32 };

typedef struct Merge {
    Graph *g;
    Arena *arena;
    Uses uses;
    Loops loops;
    uint32_t *seen, stamp;
    uint32_t *depth; /* by node: how far the nearest row came that is in `explain` */
    const PatternTable *table;
    Columns *columns;
    size_t cap_composites;
} Merge;

/* A composite while it grows. */
typedef struct Growing {
    Composite c;
    PatternContext context;
    NodeId nodes[ATTENTION_NODES]; /* enough for the post-ops of any other anchor as well */
    PostOp post[POST_MAX];
    ValueId args[POST_MAX + ATTENTION_NODES];
    ValueId value; /* the root's output so far */
    const AnchorRow *row;
    uint32_t n_own; /* nodes of the anchor's pattern */
    bool has_sum, has_depthwise;
    const char *ended;
} Growing;

static void add_arg(Growing *w, ValueId v)
{
    if (!has_value(v))
        return;
    for (uint32_t i = 0; i < w->c.n_args; i++)
        if (same_value(w->args[i], v))
            return;
    w->args[w->c.n_args++] = v;
}

static bool is_interior(const Merge *m, const Growing *w, ValueId v)
{
    const Value *value = value_at(m->g, v);
    for (uint32_t i = 0; value->kind == VALUE_NODE && i < w->c.n_nodes; i++)
        if (w->nodes[i].i == value->def.i)
            return true;
    return false;
}

/* Add, Sub, Mul or Div of the value so far, operand k, and a number. */
static void set_linear(PostOp *post, const Graph *g, const Node *n, uint32_t k)
{
    double c = 0;
    if (!scalar_value(g, n->in[1 - k], &c))
        bug("a linear post-op without a number");
    post->linear = true;
    post->scale = n->op == OP_Mul             ? c
                  : n->op == OP_Div           ? 1 / c
                  : n->op == OP_Sub && k == 1 ? -1
                                              : 1;
    post->shift = n->op == OP_Add ? c : n->op == OP_Sub ? (k == 0 ? -c : c) : 0;
}

/* How a binary post-op's operand is spread over the result. */
static unsigned operand_class(const Graph *g, const Growing *w, ValueId arg)
{
    const TensorType *t = type_of(g, arg), *whole = type_of(g, w->value);
    return type_count(t) == 1                           ? TAKES_SCALAR
           : varies_along(t, whole, w->context.channel) ? TAKES_CHANNEL
                                                        : TAKES_FULL;
}

/* What the primitive has to take for this; 0: it is no matter of the primitive. */
static unsigned needs(const Graph *g, const Growing *w, AppendKind kind, const Match *match)
{
    ValueId arg = matched_value(match, "arg");
    bool first = w->c.n_post == 0;
    switch (kind) {
    case APPEND_BIAS:
    case APPEND_SCALE:
    case APPEND_QUANTIZE:
        return 0;
    case APPEND_ELTWISE:
        return first && node_at(g, match->node[0])->op == OP_Relu ? TAKES_ELTWISE | TAKES_RELU
                                                                  : TAKES_ELTWISE;
    case APPEND_LINEAR:
        return TAKES_ELTWISE;
    case APPEND_SUM:
        return TAKES_SUM;
    case APPEND_BINARY:
        return operand_class(g, w, arg);
    case APPEND_PRELU:
        return TAKES_PRELU;
    case APPEND_CAST:
        return TAKES_CAST;
    case APPEND_DEPTHWISE:
        return TAKES_DEPTHWISE;
    }
    bug("append kind %d", (int)kind);
}

/* Bytes between the two convolutions below which oneDNN never joins them: they have to exceed twice the L2 cache. */
enum { DEPTHWISE_BETWEEN_MIN = 512 * 1024 };

/* oneDNN knows one window: three by three, padded by one, stride 1 or 2. */
static bool is_depthwise_window(const Node *n)
{
    const int64_t *strides = attr_ints(n, "strides", NULL);
    return (all_equal(strides, 2, 1) || all_equal(strides, 2, 2)) &&
           all_equal(attr_ints(n, "pads", NULL), 4, 1) &&
           all_equal(attr_ints(n, "dilations", NULL), 2, 1);
}

static bool depthwise_allowed(const Merge *m, const Growing *w, const Node *depthwise)
{
    const Node *n = node_at(m->g, w->c.anchor);
    const TensorType *k = type_of(m->g, n->in[1]), *mid = type_of(m->g, w->value);
    for (uint32_t i = 0; i < w->c.n_post; i++)
        if (w->post[i].kind != POST_ELTWISE)
            return false;
    return !w->has_depthwise && is_depthwise_window(depthwise) && k->dtype == DT_F32 &&
           k->dims[2] == 1 && k->dims[3] == 1 && k->dims[1] == type_of(m->g, n->in[0])->dims[1] &&
           all_equal(attr_ints(n, "strides", NULL), 2, 1) &&
           all_equal(attr_ints(n, "pads", NULL), 4, 0) && mid->dtype == DT_F32 &&
           type_bytes(mid) >= DEPTHWISE_BETWEEN_MIN;
}

/* What is rounded next has to be a quotient, unless it is that of a sum whose order is oneDNN's anyway. */
static bool is_quotient(const Merge *m, NodeId id)
{
    const Node *n = node_at(m->g, id);
    return n->op == OP_Div && is_rounded(m->g, &m->uses, n->out[0]);
}

/* Why a row that concerns sums of bytes alone, or one that does not concern them, does not fit; NULL: it does.
 * Functions are quicker in a loop of C behind, which has all registers. */
static const char *sums_refused(const Merge *m, const Growing *w, AppendKind kind, const Node *n)
{
    const DType from = type_of(m->g, w->value)->dtype, to = type_of(m->g, n->out[0])->dtype;
    if (w->row->what != ANCHOR_SUMS)
        return kind == APPEND_SCALE || kind == APPEND_QUANTIZE ? "only sums of bytes have it"
                                                               : NULL;
    if ((from == DT_I32) != (kind == APPEND_CAST))
        return from == DT_I32 ? "sums of bytes become floats first" : "the sums are floats already";
    if (kind == APPEND_CAST && to != DT_F32)
        return "sums of bytes become floats of 32 bits";
    if (kind == APPEND_SCALE && w->c.n_nodes > w->n_own + 1)
        return "the scale of sums comes before everything else";
    if (kind == APPEND_QUANTIZE && to != DT_U8 && to != DT_I8)
        return "oneDNN does not store this type";
    return kind == APPEND_ELTWISE && op_has(n->op, TRAIT_FUNCTION)
               ? "a loop in C computes the function more quickly"
               : NULL;
}

/* Whether the bias that follows is the first one, and comes first. */
static bool takes_bias(const Growing *w)
{
    const bool sums = w->row->what == ANCHOR_SUMS;
    const bool scaled = w->c.n_post > 0 && w->post[0].kind == POST_SCALE;
    const uint32_t before = sums ? 1u + scaled : 0u; /* nodes behind the anchor's own */
    return (sums || w->row->what == ANCHOR_LAYER) && w->c.n_nodes == w->n_own + before &&
           !has_value(w->c.bias);
}

/* Why the primitive does not take what fits a row of the table; NULL: it does. */
static const char *append_refused(const Merge *m, const Growing *w, AppendKind kind,
                                  const Match *match)
{
    unsigned asked = needs(m->g, w, kind, match);
    ValueId arg = matched_value(match, "arg");
    const char *no = sums_refused(m, w, kind, node_at(m->g, match->node[0]));
    if (no)
        return no;
    if (kind == APPEND_BIAS)
        return takes_bias(w) ? NULL : "there is a bias already";
    if (kind == APPEND_LINEAR && w->row->what != ANCHOR_LAYER && is_quotient(m, match->node[0]))
        return "as a linear post-op it would be a product with the inverse";
    if (kind == APPEND_SUM && w->has_sum)
        return "there is a sum already";
    if (asked && !(w->row->takes & asked))
        return "the primitive does not take it as a post-op by fast code";
    if (kind == APPEND_DEPTHWISE)
        return depthwise_allowed(m, w, node_at(m->g, match->node[0]))
                   ? NULL
                   : "oneDNN computes only large 1x1 convolutions together with the depthwise one "
                     "behind";
    if (w->has_depthwise && kind != APPEND_ELTWISE && kind != APPEND_LINEAR)
        return "behind a depthwise convolution oneDNN takes functions of one value only";
    if (kind == APPEND_CAST && w->row->what != ANCHOR_SUMS)
        return onednn_computes(type_of(m->g, w->value)->dtype) &&
                       onednn_computes(type_of(m->g, node_at(m->g, match->node[0])->out[0])->dtype)
                   ? NULL
                   : "oneDNN does not store this type";
    return has_value(arg) && is_interior(m, w, arg) ? "its operand is a value inside the composite"
                                                    : NULL;
}

static void append(Growing *w, AppendKind kind, const Match *match, const Graph *g)
{
    static const enum PostOpKind kinds[] = {
        [APPEND_ELTWISE] = POST_ELTWISE, [APPEND_LINEAR] = POST_ELTWISE,
        [APPEND_SUM] = POST_SUM,         [APPEND_BINARY] = POST_BINARY,
        [APPEND_PRELU] = POST_PRELU,     [APPEND_DEPTHWISE] = POST_DEPTHWISE,
        [APPEND_SCALE] = POST_SCALE,     [APPEND_QUANTIZE] = POST_QUANTIZE,
    };
    ValueId arg = matched_value(match, "arg");
    NodeId node = match->node[0];
    w->nodes[w->c.n_nodes++] = node;
    w->value = node_at(g, node)->out[0];
    add_arg(w, arg);
    if (kind == APPEND_CAST)
        return;
    if (kind == APPEND_BIAS) {
        w->c.bias = arg;
        return;
    }
    PostOp *post = &w->post[w->c.n_post++];
    *post = (PostOp){.kind = kinds[kind], .node = node, .arg = arg};
    if (kind == APPEND_DEPTHWISE)
        add_arg(w, matched_value(match, "bias"));
    w->has_depthwise = w->has_depthwise || kind == APPEND_DEPTHWISE;
    if (kind == APPEND_LINEAR)
        set_linear(post, g, node_at(g, node), !same_value(node_at(g, node)->in[0], match->hole));
    w->has_sum = w->has_sum || kind == APPEND_SUM;
}

/* What a pattern asks for, in words: of a predicate what it means. */
static const char *asked(const Merge *m, const char *why)
{
    const char *name, *help;
    for (size_t k = 0; (name = predicate_row(k, &help)); k++)
        if (strcmp(name, why) == 0)
            return arena_printf(m->arena, "'%s' (%s) does not hold", name, help);
    return strchr(why, ' ') ? why : arena_printf(m->arena, "its attribute '%s' is another", why);
}

static bool ended(const Merge *m, Growing *w, const char *why, const Node *at)
{
    w->ended = at ? arena_printf(m->arena, "'%s' (%s): %s", node_label(m->g, at),
                                 op_info(at->op)->name, why)
                  : why;
    return false;
}

/* Nodes of a composite run equally often: those before a loop are not computed in each of its iterations. */
static bool same_loop(const Merge *m, NodeId a, NodeId b)
{
    return loop_of_node(&m->loops, a) == loop_of_node(&m->loops, b);
}

/* The result of n is as the value so far, or n is one of those that may change it. */
static bool leads_on(const Merge *m, const Growing *w, const Node *n)
{
    const TensorType *from = type_of(m->g, w->value), *to = type_of(m->g, n->out[0]);
    return n->op == OP_Conv ||
           (same_shape(to, from) &&
            (n->op == OP_Cast || n->op == OP_QuantizeLinear || to->dtype == from->dtype));
}

/* Appends the reader of the value so far, if a row of the table fits. */
static bool grow_once(Merge *m, Growing *w)
{
    ValueId v = w->value;
    uint32_t first = m->uses.start[v.i], last = m->uses.start[v.i + 1];
    if (m->uses.is_output[v.i])
        return ended(m, w, "the value is an output of the model", NULL);
    if (first == last)
        return ended(m, w, "nobody reads the value", NULL);
    NodeId reader = m->uses.node[first];
    const Node *n = node_at(m->g, reader);
    for (uint32_t u = first; u < last; u++)
        if (m->uses.node[u].i != reader.i)
            return ended(m, w, "the value has several readers", NULL);
    if (m->columns->composite[reader.i] != NO_ROW)
        return ended(m, w, "another composite has taken it", n);
    if (!same_loop(m, reader, w->c.anchor))
        return ended(m, w, "it is in a loop, which does not compute the value anew", n);
    if (w->c.n_post == POST_MAX || w->c.n_nodes == COUNT_OF(w->nodes))
        return ended(m, w, "there are too many post-ops", n);
    if (w->c.n_post > 0 && w->post[w->c.n_post - 1].kind == POST_QUANTIZE)
        return ended(m, w, "the value is quantised", NULL);
    if (n->n_out != 1 || !leads_on(m, w, n))
        return ended(m, w, "it changes the shape or type", n);
    Match match = {.g = m->g, .uses = &m->uses, .hole = v, .context = &w->context};
    const char *why = "no post-op computes it";
    uint32_t furthest = 0;
    for (size_t i = 0; i < m->table->n_appends; i++) {
        const AppendRow *row = &m->table->append[i];
        bool fits = match_value(&match, row->pattern, n->out[0]);
        const char *no = fits ? append_refused(m, w, row->kind, &match) : NULL;
        if (fits && !no) {
            append(w, row->kind, &match, m->g);
            return true;
        }
        if (fits && row->kind != APPEND_BIAS) {
            why = no;
            furthest = NO_ROW;
        }
        if (!fits && match.why_depth && match.why_depth >= furthest) {
            why = asked(m, match.why);
            furthest = match.why_depth;
        }
    }
    return ended(m, w, why, n);
}

/* The nodes are in w: the composite becomes a row. */
static void keep(Merge *m, Growing *w)
{
    Columns *col = m->columns;
    Arena *arena = m->g->arena;
    uint32_t row = col->n_composites;
    w->c.nodes = arena_copy(arena, w->nodes, w->c.n_nodes * sizeof *w->nodes);
    w->c.post = arena_copy(arena, w->post, w->c.n_post * sizeof *w->post);
    w->c.args = arena_copy(arena, w->args, w->c.n_args * sizeof *w->args);
    ARENA_PUSH(arena, col->composites, col->n_composites, m->cap_composites, w->c);
    for (uint32_t i = 0; i < w->c.n_nodes; i++)
        col->composite[w->c.nodes[i].i] = row;
    for (uint32_t i = 0; i < w->c.n_nodes;
         i++) /* what other rows said of them is of no interest any more */
        if (col->explain[w->c.nodes[i].i])
            col->explain[w->c.nodes[i].i] =
                arena_printf(arena, "part of %s, '%s'", w->c.pattern,
                             node_label(m->g, node_at(m->g, w->c.anchor)));
    col->explain[w->c.anchor.i] = w->ended;
}

static Growing start(Merge *m, const AnchorRow *row, const Match *match, const Node *n)
{
    Growing w = {.value = n->out[0], .row = row};
    int rank = type_of(m->g, n->out[0])->rank;
    NodeId anchor = matched_node(match, "anchor");
    w.c = (Composite){.pattern = row->name, .anchor = anchor, .bias = matched_value(match, "bias")};
    w.context = (PatternContext){.g = m->g,
                                 .channel = row->channel < 0 ? rank - 1 : row->channel,
                                 .anchor = anchor,
                                 .seen = m->seen,
                                 .stamp = m->stamp};
    for (uint32_t k = match->n_nodes;
         k-- > 0;) /* the root, which the others precede, is the first */
        w.nodes[w.c.n_nodes++] = match->node[k];
    w.n_own = w.c.n_nodes;
    add_arg(&w, matched_value(match, "src"));
    add_arg(&w, matched_value(match, "weights"));
    add_arg(&w, matched_value(match, "bias"));
    for (uint32_t k = 0; k < n->n_in; k++)
        if (has_value(n->in[k]) && !is_interior(m, &w, n->in[k]))
            add_arg(&w, n->in[k]);
    return w;
}

/* A composite of nodes that are known; its arguments are still to be added. */
static Growing of_nodes(CompositeKind kind, const AnchorRow *row, NodeId anchor, NodeId root,
                        const NodeId *nodes, uint32_t n)
{
    Growing w = {.row = row};
    w.c = (Composite){.kind = kind,
                      .pattern = row->name,
                      .anchor = anchor,
                      .root = root,
                      .n_nodes = n,
                      .bias = NO_VALUE};
    memcpy(w.nodes, nodes, n * sizeof *nodes);
    return w;
}

/* An attention takes in what makes heads around it and has no post-ops. Its arguments: what the heads are made of, then what is
 * added to the scores or chooses among them. */
static bool try_attention(Merge *m, const AnchorRow *row, const Match *match, NodeId mix,
                          const char **why)
{
    AttentionNodes a;
    if (!merge_attention(match, mix, m->columns->composite, &a, why))
        return false;
    Growing w = of_nodes(COMPOSITE_ATTENTION, row, mix, a.root, a.node, a.n);
    w.c.attention = arena_copy(m->arena, &a.parts, sizeof a.parts);
    for (int i = 0; i < 3; i++)
        add_arg(&w, a.source[i]);
    for (uint32_t i = 0; i < a.n; i++) {
        const Node *n = node_at(m->g, a.node[i]);
        double x;
        for (uint32_t k = 0; k < n->n_in; k++)
            if (has_value(n->in[k]) && !is_interior(m, &w, n->in[k]) &&
                !scalar_value(m->g, n->in[k], &x))
                add_arg(&w, n->in[k]);
    }
    w.ended = arena_printf(m->arena, "at '%s'; %u of its %u nodes only make heads",
                           node_label(m->g, node_at(m->g, a.root)), a.n - a.n_own, a.n);
    keep(m, &w);
    return true;
}

/* A norm takes in what makes its summands. Its arguments: what they are made of, then scale and shift. */
static bool try_sum_norm(Merge *m, const AnchorRow *row, const Match *match, NodeId norm,
                         const char **why)
{
    SumNormNodes a;
    if (!merge_sum_norm(match, norm, m->columns->composite, &a, why))
        return false;
    Growing w = of_nodes(COMPOSITE_SUM_NORM, row, norm, norm, a.node, a.n);
    w.c.sum = arena_copy(m->arena, &a.sum, sizeof a.sum);
    for (uint32_t i = 0; i < a.sum.n_terms; i++) {
        add_arg(&w, a.sum.term[i].from);
        add_arg(&w, a.sum.term[i].index);
    }
    add_arg(&w, a.sum.scale);
    add_arg(&w, a.sum.shift);
    w.ended = arena_printf(m->arena, "with the norm; %u summands, %u of them rows of tables",
                           a.sum.n_terms, a.sum.n_tables);
    keep(m, &w);
    return true;
}

/* Why a row has nothing for a node is worth a word only if its operator stands in the table. */
static void try_anchor(Merge *m, uint32_t i, const AnchorRow *row)
{
    const Node *n = &m->g->nodes[i];
    const char *name = row->name, *why, **explain = &m->columns->explain[i];
    Match match = {.g = m->g, .uses = &m->uses, .hole = NO_VALUE};
    if (m->columns->composite[i] != NO_ROW || n->n_out != 1 || !has_value(n->out[0]))
        return;
    if (!match_value(&match, row->pattern, n->out[0])) {
        if (match.why_depth > m->depth[i]) {
            m->depth[i] = match.why_depth;
            *explain = arena_printf(m->g->arena, "the nearest is %s, which asks for more: %s", name,
                                    asked(m, match.why));
        }
        return;
    }
    for (uint32_t k = 1; k < match.n_nodes; k++)
        if (m->columns->composite[match.node[k].i] != NO_ROW ||
            !same_loop(m, match.node[k], (NodeId){i}))
            return;
    m->depth[i] = NO_ROW;
    if (row->what != ANCHOR_SUM_NORM && !onednn_supports(m->g, n, &why)) {
        *explain = arena_printf(m->g->arena, "%s does not take it: %s", name, why);
        return;
    }
    if (row->what == ANCHOR_SUM_NORM || row->what == ANCHOR_ATTENTION) {
        if (row->what == ANCHOR_SUM_NORM ? try_sum_norm(m, row, &match, (NodeId){i}, &why)
                                         : try_attention(m, row, &match, (NodeId){i}, &why))
            return;
        *explain =
            arena_printf(m->arena, "the nearest is %s, which does not take it: %s", name, why);
        m->depth[i] = 0; /* a row behind this one may */
        return;
    }
    Growing w = start(m, row, &match, n);
    while (type_of(m->g, w.value)->rank > 0 && grow_once(m, &w))
        ;
    m->stamp = w.context.stamp;
    w.c.root = w.nodes[w.c.n_nodes - 1];
    if (row->what == ANCHOR_LAYER || w.c.n_nodes > w.n_own)
        keep(m, &w);
    else
        *explain =
            arena_printf(m->g->arena, "%s by itself; nothing is appended: %s", name, w.ended);
}

static Merge merge_begin(Graph *g, const PatternTable *table, Arena *scratch)
{
    Merge m = {.g = g,
               .arena = g->arena,
               .uses = graph_uses(g, scratch),
               .loops = graph_loops(g, scratch),
               .columns = g->columns};
    m.seen = ARENA_ARRAY(scratch, uint32_t, g->n_nodes);
    m.depth = ARENA_ARRAY(scratch, uint32_t, g->n_nodes);
    m.table = table ? table : pattern_table_new(scratch);
    *g->columns = (Columns){0};
    g->columns->composite = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->n_nodes + 1);
    g->columns->explain = ARENA_ARRAY(g->arena, const char *, (size_t)g->n_nodes + 1);
    memset(g->columns->composite, 0xff, ((size_t)g->n_nodes + 1) * sizeof(uint32_t));
    return m;
}

/* All other rows are oneDNN's. */
static bool takes_part(const AnchorRow *row, const PassOptions *options)
{
    return !options->target_c || row->what == ANCHOR_SUM_NORM;
}

bool pass_merge_composite(Graph *g, const PassOptions *options, const char **report)
{
    Arena *scratch = arena_new();
    Merge m = merge_begin(g, options->patterns, scratch);
    uint32_t covered = 0;
    for (size_t row = 0; row < m.table->n_anchors; row++)
        for (uint32_t i = 0; i < g->n_nodes && takes_part(&m.table->anchor[row], options); i++)
            try_anchor(&m, i, &m.table->anchor[row]);
    for (uint32_t i = 0; i < g->columns->n_composites; i++)
        covered += g->columns->composites[i].n_nodes;
    *report = arena_printf(g->arena, "%u composites cover %u of %u nodes", g->columns->n_composites,
                           covered, g->n_nodes);
    arena_free(scratch);
    return true;
}

const char *composite_signature(Arena *arena, const Graph *g, const Composite *c)
{
    Text t = text_new(arena);
    const uint32_t scales = composite_has_scale(c);
    text_printf(&t, "%s%s%s", c->pattern, scales ? "+scale" : "",
                has_value(c->bias) ? "+bias" : "");
    for (uint32_t i = scales; i < c->n_post; i++) {
        const PostOp *post = &c->post[i];
        if (post->kind == POST_SUM)
            text_puts(&t, "+sum");
        else if (post->linear)
            text_puts(&t, "+linear");
        else
            text_printf(&t, "+%s", op_info(node_at(g, post->node)->op)->name);
    }
    return t.data;
}
