/* Columns: composites have one way out, know all they read, write over nothing that is read later, and neither
 * composites nor regions wait for one another. */
#include "columns.h"

#include <string.h>

static bool is_arg(const Composite *c, ValueId v)
{
    for (uint32_t i = 0; i < c->n_args; i++)
        if (same_value(c->args[i], v))
            return true;
    return false;
}

static bool covers(const Graph *g, uint32_t row, NodeId n)
{
    return n.i < g->n_nodes && g->columns->composite[n.i] == row;
}

static bool verify_members(const Graph *g, uint32_t row)
{
    const Composite *c = &g->columns->composites[row];
    if (!c->pattern || !*c->pattern || c->n_nodes == 0)
        return refuse_graph(g, "composite %u is empty", row);
    if (!covers(g, row, c->anchor) || !covers(g, row, c->root))
        return refuse_graph(g, "composite %u does not cover its anchor and root", row);
    for (uint32_t k = 0; k < c->n_nodes; k++) {
        if (!covers(g, row, c->nodes[k]))
            return refuse_graph(g, "composite %u lists a node that is marked otherwise", row);
        if (k && c->nodes[k].i <= c->nodes[k - 1].i)
            return refuse_graph(g, "the nodes of composite %u are not in order", row);
        if (g->columns->target &&
            g->columns->target[c->nodes[k].i] != g->columns->target[c->root.i])
            return refuse_graph(g, "composite %u has two targets", row);
        if (g->columns->region &&
            g->columns->region[c->nodes[k].i] != g->columns->region[c->root.i])
            return refuse_graph(g, "composite %u lies in two regions", row);
    }
    for (uint32_t k = 0; k < c->n_post; k++)
        if (!covers(g, row, c->post[k].node))
            return refuse_graph(g, "composite %u has a post-op it does not cover", row);
    return true;
}

/* Interior values have no user outside; what comes from outside is an argument, or a scalar
 * constant that a linear post-op has taken up. */
static bool verify_interior(const Graph *g, uint32_t row, const Uses *uses)
{
    const Composite *c = &g->columns->composites[row];
    for (uint32_t k = 0; k < c->n_nodes; k++) {
        const Node *n = node_at(g, c->nodes[k]);
        for (uint32_t o = 0; o < n->n_out && c->nodes[k].i != c->root.i; o++) {
            ValueId v = n->out[o];
            if (!has_value(v))
                continue;
            bool escapes = uses->is_output[v.i];
            for (uint32_t u = uses->start[v.i]; u < uses->start[v.i + 1]; u++)
                escapes = escapes || !covers(g, row, uses->node[u]);
            if (escapes)
                return refuse_graph(g, "value '%s' inside composite %u is used outside it",
                                    value_at(g, v)->name, row);
        }
        for (uint32_t i = 0; i < n->n_in; i++) {
            ValueId v = n->in[i];
            if (!has_value(v) || is_arg(c, v))
                continue;
            const Value *value = value_at(g, v);
            bool inside = value->kind == VALUE_NODE && covers(g, row, value->def);
            bool scalar = value->kind == VALUE_CONST && type_count(&value->type) == 1;
            if (!inside && !scalar)
                return refuse_graph(g, "composite %u reads '%s', which is no argument of it", row,
                                    value->name);
        }
    }
    return true;
}

enum { ARGS_MAX = 4096 }; /* GROUP_MAX nodes of the C target times their inputs, and more */

static bool verify_args(const Graph *g, uint32_t row)
{
    const Composite *c = &g->columns->composites[row];
    if (c->n_args > ARGS_MAX)
        return refuse_graph(g, "composite %u has too many arguments", row);
    for (uint32_t i = 0; i < c->n_args; i++) {
        const Value *v = value_at(g, c->args[i]);
        if (v->kind == VALUE_NODE && covers(g, row, v->def))
            return refuse_graph(g, "argument '%s' of composite %u is made inside it", v->name, row);
        for (uint32_t k = 0; k < i; k++)
            if (same_value(c->args[i], c->args[k]))
                return refuse_graph(g, "composite %u has argument '%s' twice", row, v->name);
    }
    if (has_value(c->bias) && !is_arg(c, c->bias))
        return refuse_graph(g, "the bias of composite %u is no argument", row);
    for (uint32_t k = 0; k < c->n_post; k++)
        if (has_value(c->post[k].arg) && !is_arg(c, c->post[k].arg))
            return refuse_graph(g, "the operand of post-op %u of composite %u is no argument", k,
                                row);
    return true;
}

/* A sum in place writes over its operand: what else reads that has run before the anchor, which is to say the anchor needs
 * it. Looks backwards from the anchor, no further than the first reader. */
static bool verify_sum(const Graph *g, uint32_t row, const PostOp *post, const Uses *uses,
                       Arena *scratch)
{
    const Composite *c = &g->columns->composites[row];
    const Value *v = value_at(g, post->arg);
    uint32_t first = c->anchor.i, n_todo = 0;
    if (v->kind != VALUE_NODE || uses->is_output[post->arg.i])
        return refuse_graph(g, "composite %u writes over '%s', which is not its own", row, v->name);
    for (uint32_t u = uses->start[post->arg.i]; u < uses->start[post->arg.i + 1]; u++)
        first = uses->node[u].i < first ? uses->node[u].i : first;
    bool *needed = ARENA_ARRAY(scratch, bool, c->anchor.i - first + 1);
    uint32_t *todo = ARENA_ARRAY(scratch, uint32_t, c->anchor.i - first + 1);
    todo[n_todo++] = c->anchor.i;
    while (n_todo) {
        const Node *n = &g->nodes[todo[--n_todo]];
        for (uint32_t k = 0; k < n->n_in; k++) {
            const Value *in = has_value(n->in[k]) ? value_at(g, n->in[k]) : NULL;
            if (!in || in->kind != VALUE_NODE || in->def.i < first || needed[in->def.i - first])
                continue;
            needed[in->def.i - first] = true;
            todo[n_todo++] = in->def.i;
        }
    }
    for (uint32_t u = uses->start[post->arg.i]; u < uses->start[post->arg.i + 1]; u++) {
        NodeId reader = uses->node[u];
        if (reader.i != post->node.i && (reader.i >= c->anchor.i || !needed[reader.i - first]))
            return refuse_graph(g, "composite %u writes over '%s', which is read later", row,
                                v->name);
    }
    return true;
}

static bool verify_sums(const Graph *g, uint32_t row, const Uses *uses)
{
    const Composite *c = &g->columns->composites[row];
    bool good = true;
    for (uint32_t k = 0; good && k < c->n_post; k++) {
        if (c->post[k].kind != POST_SUM)
            continue;
        Arena *scratch = arena_new();
        good = has_value(c->post[k].arg) ? verify_sum(g, row, &c->post[k], uses, scratch)
                                         : refuse_graph(g, "composite %u sums nothing", row);
        arena_free(scratch);
    }
    return good;
}

/* --- quotient graphs --------------------------------------------------------------------------- */

/* Nodes of one group count as one: the graph of n groups may have no cycle. Kahn's algorithm. */
static bool is_acyclic(const Graph *g, const uint32_t *group, uint32_t n, Arena *scratch)
{
    uint32_t n_edges = 0, n_ready = 0, n_done = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        n_edges += g->nodes[i].n_in;
    uint32_t *from = ARENA_ARRAY(scratch, uint32_t, n_edges);
    uint32_t *to = ARENA_ARRAY(scratch, uint32_t, n_edges);
    uint32_t *start = ARENA_ARRAY(scratch, uint32_t, n + 2);
    uint32_t *indegree = ARENA_ARRAY(scratch, uint32_t, n);
    uint32_t *ready = ARENA_ARRAY(scratch, uint32_t, n);
    n_edges = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++) {
            ValueId v = g->nodes[i].in[k];
            if (!has_value(v) || !def_of(g, v))
                continue;
            uint32_t a = group[value_at(g, v)->def.i], b = group[i];
            if (a == b)
                continue;
            from[n_edges] = a;
            to[n_edges++] = b;
            start[a + 2]++;
            indegree[b]++;
        }
    }
    for (uint32_t r = 2; r < n + 2; r++)
        start[r] += start[r - 1];
    uint32_t *sorted = ARENA_ARRAY(scratch, uint32_t, n_edges);
    for (uint32_t e = 0; e < n_edges; e++)
        sorted[start[from[e] + 1]++] = to[e];
    for (uint32_t r = 0; r < n; r++)
        if (indegree[r] == 0)
            ready[n_ready++] = r;
    while (n_done < n_ready) {
        uint32_t r = ready[n_done++];
        for (uint32_t e = start[r]; e < start[r + 1]; e++)
            if (--indegree[sorted[e]] == 0)
                ready[n_ready++] = sorted[e];
    }
    return n_done == n;
}

/* With every composite as one node. */
static bool verify_quotient(const Graph *g, Arena *scratch)
{
    const Columns *col = g->columns;
    uint32_t *group = ARENA_ARRAY(scratch, uint32_t, g->n_nodes + 1);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        group[i] = col->composite[i] == NO_ROW ? col->n_composites + i : col->composite[i];
    return is_acyclic(g, group, col->n_composites + g->n_nodes, scratch) ||
           refuse_graph(g, "the composites form a cycle");
}

static bool verify_composites(const Graph *g, Arena *scratch)
{
    const Columns *col = g->columns;
    uint32_t *covered = ARENA_ARRAY(scratch, uint32_t, col->n_composites);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        if (col->composite[i] == NO_ROW)
            continue;
        if (col->composite[i] >= col->n_composites)
            return refuse_graph(g, "node %u is in composite %u, which does not exist", i,
                                col->composite[i]);
        covered[col->composite[i]]++;
    }
    Uses uses = graph_uses(g, scratch);
    for (uint32_t row = 0; row < col->n_composites; row++) {
        if (!verify_members(g, row) || !verify_args(g, row) || !verify_interior(g, row, &uses) ||
            !verify_sums(g, row, &uses))
            return false;
        if (covered[row] != col->composites[row].n_nodes)
            return refuse_graph(g, "composite %u does not list all of its nodes", row);
    }
    return verify_quotient(g, scratch);
}

static bool verify_regions(const Graph *g, Arena *scratch)
{
    const Columns *col = g->columns;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        if (col->region[i] >= col->n_regions)
            return refuse_graph(g, "node %u is in no region", i);
        if (col->target && col->target[i] != col->regions[col->region[i]].target)
            return refuse_graph(g, "node %u is in a region of another target", i);
    }
    return is_acyclic(g, col->region, col->n_regions, scratch) ||
           refuse_graph(g, "the regions form a cycle");
}

bool verify_columns(const Graph *g, Arena *scratch)
{
    const Columns *c = g->columns;
    if (c->n_composites && !c->composite)
        return refuse_graph(g, "there are composites, but no column for them");
    if (c->n_regions && !c->region)
        return refuse_graph(g, "there are regions, but no column for them");
    return (!c->composite || verify_composites(g, scratch)) &&
           (!c->region || (verify_regions(g, scratch) && verify_region_lists(g, scratch)));
}
