/* annotate-target: says for each node whether oneDNN or portable C computes it, and why.
 *
 * Needs composites (they are marked as one), makes the target column. First every node goes to
 * oneDNN that it takes. Then connected groups of such nodes without one that is worth a call
 * (onednn_worthwhile) go back to C: a lone addition is done before oneDNN has been called, and C
 * fuses it with its neighbours. So do elementwise nodes on the border between C's elementwise
 * nodes and oneDNN's. */
#include "common/atoms.h"
#include "composite/composite.h"
#include "pass.h"

#include "../gen/dnnl/support.h"
#include "../gen/kernel/conv_flat.h"
#include "../gen/kernel/kernel.h"
#include "../gen/lower/context.h"
#include "../gen/ops/macs.h"
#include "../gen/ops/ops.h"
#include "../gen/tune/question.h"

typedef struct Groups {
    uint32_t *parent; /* by atom */
    bool *worthwhile; /* by representative */
} Groups;

static uint32_t find(Groups *s, uint32_t a)
{
    while (s->parent[a] != a) {
        s->parent[a] = s->parent[s->parent[a]];
        a = s->parent[a];
    }
    return a;
}

static void join(Groups *s, uint32_t a, uint32_t b)
{
    a = find(s, a);
    b = find(s, b);
    s->parent[a < b ? b : a] = a < b ? a : b;
    s->worthwhile[a < b ? a : b] = s->worthwhile[a] || s->worthwhile[b];
}

/* Whether the other of oneDNN and C could compute it in about that time. */
static bool has_choice(const Graph *g, const Node *n, const Composite *in)
{
    enum { MOST_MACS = 1 << 19 };
    const char *why;
    ConvShape s;
    ConvFlat flat;
    return n->op != OP_Reshape && !(in && in->kind == COMPOSITE_SUM_NORM) &&
           onednn_supports(g, n, &why) && c_target_supports(g, n, &why) &&
           (node_macs(g, n) <= MOST_MACS || c_conv_last(g, n) != CONV_LAST_NONE ||
            (n->op == OP_Conv && conv_flat_plan(g, n, &s, &flat, 0)));
}

static void ask_search(const Graph *g, NodeId id, Search *search, bool *takes, const char **why)
{
    static const char *const names[] = {"C", "oneDNN", "C"};
    const Node *n = node_at(g, id);
    if (!search || !has_choice(g, n, composite_of(g, id)) ||
        !search_ask(search, g, n, "target", names + *takes, 2))
        return;
    *takes = !*takes;
    *why = "a search found C to be quicker";
}

/* … with all that the composite has behind it. */
static bool is_depthwise_in_c(const Graph *g, NodeId id, const Composite *in, const Machine *m)
{
    return conv_tiles_pay(g, node_at(g, id), m) &&
           (!in || c_takes_epilogue(g, id, in->nodes, in->n_nodes, in->root));
}

static void ask_onednn(const Graph *g, const Atoms *atoms, const PassOptions *options)
{
    const Columns *c = g->columns;
    const Machine m = options->machine ? *options->machine : machine_of_isa(NULL);
    for (uint32_t a = 0; a < atoms->n; a++) {
        NodeId id = atoms->anchor[a];
        const Composite *in = composite_of(g, id);
        const char *why = "C computes it in one pass over each row";
        bool takes = !options->target_c && !(in && in->kind == COMPOSITE_SUM_NORM) &&
                     onednn_supports(g, node_at(g, id), &why) &&
                     !onednn_too_small(&m, g, node_at(g, id), &why);
        if (takes && options->machine && conv_image_pays(g, node_at(g, id), options->machine)) {
            takes = false;
            why = "C reads the image as it is";
        } else if (takes && options->machine &&
                   conv_flat_pays(g, node_at(g, id), options->machine)) {
            takes = false;
            why = "so few channels are quicker in C along the width";
        } else if (takes && options->machine && is_depthwise_in_c(g, id, in, options->machine)) {
            takes = false;
            why = node_at(g, id)->op == OP_ConvTranspose ? "C multiplies by all taps at once"
                                                         : "C multiplies more neighbours at a time";
        }
        if (!options->target_c && options->lowering)
            ask_search(g, id, options->lowering->search, &takes, &why);
        bool view = node_at(g, id)->op == OP_Reshape;
        c->target[id.i] = takes ? TARGET_DNNL : TARGET_C;
        c->reason[id.i] = options->target_c ? "asked for"
                          : takes && !view  ? "oneDNN takes it"
                                            : why;
    }
}

static void give_back(const Graph *g, const Atoms *atoms, Arena *scratch)
{
    const Columns *c = g->columns;
    Groups s = {ARENA_ARRAY(scratch, uint32_t, atoms->n), ARENA_ARRAY(scratch, bool, atoms->n)};
    for (uint32_t a = 0; a < atoms->n; a++) {
        s.parent[a] = a;
        s.worthwhile[a] = onednn_worthwhile(node_at(g, atoms->anchor[a])->op);
    }
    for (uint32_t a = 0; a < atoms->n; a++)
        for (uint32_t e = atoms->start[a]; e < atoms->start[a + 1]; e++)
            if (c->target[atoms->anchor[a].i] == TARGET_DNNL &&
                c->target[atoms->anchor[atoms->before[e]].i] == TARGET_DNNL)
                join(&s, a, atoms->before[e]);
    for (uint32_t a = 0; a < atoms->n; a++) {
        NodeId id = atoms->anchor[a];
        if (c->target[id.i] != TARGET_DNNL || s.worthwhile[find(&s, a)])
            continue;
        c->target[id.i] = TARGET_C;
        c->reason[id.i] = "not worth a call of oneDNN by itself";
    }
}

static bool is_eltwise(const Graph *g, NodeId n)
{
    return op_info(node_at(g, n)->op)->class == CLASS_ELTWISE || c_can_fuse(g, node_at(g, n));
}

/* An elementwise node on the border, between C's elementwise nodes and oneDNN's, is better fused
 * with C's. */
static void straighten_border(const Graph *g, const Atoms *atoms, Arena *scratch)
{
    const Columns *c = g->columns;
    bool *fusable = ARENA_ARRAY(scratch, bool, atoms->n);   /* beside an elementwise node of C */
    bool *connected = ARENA_ARRAY(scratch, bool, atoms->n); /* read by a node of oneDNN */
    for (uint32_t a = atoms->n; a-- > 0;) {
        NodeId id = atoms->anchor[a];
        if (c->target[id.i] == TARGET_DNNL && is_eltwise(g, id) && fusable[a] && !connected[a]) {
            c->target[id.i] = TARGET_C;
            c->reason[id.i] = "C computes it along with what follows";
        }
        bool on_c = c->target[id.i] == TARGET_C;
        for (uint32_t e = atoms->start[a]; e < atoms->start[a + 1]; e++) {
            fusable[atoms->before[e]] |= on_c && is_eltwise(g, id);
            connected[atoms->before[e]] |= !on_c;
        }
    }
    for (uint32_t a = 0; a < atoms->n; a++) {
        NodeId id = atoms->anchor[a];
        uint32_t fuse = 0, dnnl = 0; /* the last operand of either kind, plus 1 */
        for (uint32_t e = atoms->start[a]; e < atoms->start[a + 1]; e++) {
            uint32_t b = atoms->before[e] + 1;
            NodeId from = atoms->anchor[atoms->before[e]];
            if (c->target[from.i] == TARGET_DNNL && b > dnnl)
                dnnl = b;
            else if (c->target[from.i] == TARGET_C && is_eltwise(g, from) && b > fuse)
                fuse = b;
        }
        if (c->target[id.i] == TARGET_C || !is_eltwise(g, id) || dnnl >= fuse)
            continue;
        c->target[id.i] = TARGET_C;
        c->reason[id.i] = "C computes it along with what precedes";
    }
}

/* v is read by the nodes of this atom only. */
static bool read_by(const Atoms *atoms, const Uses *uses, ValueId v, uint32_t atom)
{
    for (uint32_t u = uses->start[v.i]; u < uses->start[v.i + 1]; u++)
        if (atoms->of_node[uses->node[u].i] != atom)
            return false;
    return !uses->is_output[v.i];
}

/* The elementwise nodes of this atom could be the epilogue of the kernel that computes node `before` in C. */
static bool is_epilogue_of(const Graph *g, const Atoms *atoms, const Uses *uses, uint32_t atom,
                           NodeId before)
{
    const Columns *c = g->columns;
    NodeId id = atoms->anchor[atom], root = id;
    const NodeId *nodes = &id;
    uint32_t n = 1;
    if (c->composite[id.i] != NO_ROW) {
        const Composite *of = &c->composites[c->composite[id.i]];
        nodes = of->nodes;
        n = of->n_nodes;
        root = of->root;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!c_can_fuse(g, node_at(g, nodes[i])) ||
            !same_shape(type_of(g, node_at(g, nodes[i])->out[0]),
                        type_of(g, node_at(g, before)->out[0])))
            return false;
    return c->target[before.i] == TARGET_C && c->composite[before.i] == NO_ROW &&
           read_by(atoms, uses, node_at(g, before)->out[0], atom) &&
           c_takes_epilogue(g, before, nodes, n, root);
}

/* What stands behind a kernel of C that can compute it where it stores belongs to that. */
static void give_epilogues(const Graph *g, const Atoms *atoms, Arena *scratch)
{
    const Columns *c = g->columns;
    const Uses uses = graph_uses(g, scratch);
    for (uint32_t a = 0; a < atoms->n; a++) {
        NodeId id = atoms->anchor[a];
        for (uint32_t e = atoms->start[a];
             c->target[id.i] == TARGET_DNNL && e < atoms->start[a + 1]; e++)
            if (is_epilogue_of(g, atoms, &uses, a, atoms->anchor[atoms->before[e]])) {
                c->target[id.i] = TARGET_C;
                c->reason[id.i] = "the kernel of C before it computes it where it stores";
            }
    }
}

/* A composite of the pattern table that C computes after all is none: its nodes stand for
 * themselves again, unless C computes it as one. */
static void dissolve_composites(Graph *g)
{
    Columns *c = g->columns;
    uint32_t kept = 0;
    for (uint32_t row = 0; row < c->n_composites; row++) {
        Composite *from = &c->composites[row];
        bool keep = c->target[from->anchor.i] == TARGET_DNNL || from->kind == COMPOSITE_SUM_NORM;
        if (!keep && c->explain) { /* a graph that was read from text has none */
            for (uint32_t k = 0; k < from->n_nodes; k++)
                c->explain[from->nodes[k].i] = NULL;
            c->explain[from->anchor.i] = arena_printf(g->arena, "%s would have been possible",
                                                      composite_signature(g->arena, g, from));
        }
        for (uint32_t k = 0; k < from->n_nodes; k++)
            c->composite[from->nodes[k].i] = keep ? kept : NO_ROW;
        if (keep)
            c->composites[kept++] = *from;
    }
    c->n_composites = kept;
}

bool pass_annotate_target(Graph *g, const PassOptions *options, const char **report)
{
    Arena *scratch = arena_new();
    Columns *c = g->columns;
    uint32_t taken = 0;
    c->region = NULL;
    c->regions = NULL;
    c->n_regions = 0;
    c->target = ARENA_ARRAY(g->arena, Target, (size_t)g->n_nodes + 1);
    c->reason = ARENA_ARRAY(g->arena, const char *, (size_t)g->n_nodes + 1);
    Atoms atoms = find_atoms(g, scratch);
    ask_onednn(g, &atoms, options);
    give_back(g, &atoms, scratch);
    give_epilogues(g, &atoms, scratch);
    straighten_border(g, &atoms, scratch);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        NodeId anchor = atoms.anchor[atoms.of_node[i]];
        c->target[i] = c->target[anchor.i];
        if (i != anchor.i)
            c->reason[i] =
                c->target[i] == TARGET_DNNL ? "part of the composite" : c->reason[anchor.i];
        taken += c->target[i] == TARGET_DNNL;
    }
    dissolve_composites(g);
    *report = arena_printf(g->arena, "%u of %u nodes go to oneDNN", taken, g->n_nodes);
    arena_free(scratch);
    return true;
}
