/* Which nodes belong to which loop. */
#include "loops.h"

#include "../ops/ops.h"
#include "columns.h"

#include <string.h>

/* Sets of loops, a row of words for each node. */
typedef struct Sets {
    const Graph *g;
    Loops *loops;
    uint64_t *row;
    size_t words;
} Sets;

static uint64_t *set_of(const Sets *s, NodeId id)
{
    return s->row + id.i * s->words;
}

static bool has(const Sets *s, NodeId id, uint32_t loop)
{
    return set_of(s, id)[loop / 64] >> loop % 64 & 1;
}

static void put(const Sets *s, NodeId id, uint32_t loop, bool in)
{
    uint64_t *word = &set_of(s, id)[loop / 64], bit = UINT64_C(1) << loop % 64;
    *word = in ? *word | bit : *word & ~bit;
}

static bool is_end_of(const Sets *s, NodeId id, uint32_t loop)
{
    return s->loops->loop[loop].end.i == id.i;
}

/* What n needs, and with that the loops that it is in. */
static void add_operands(const Sets *s, NodeId id)
{
    const Node *n = node_at(s->g, id);
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (!has_value(n->in[k]) || !def_of(s->g, n->in[k]))
            continue;
        const NodeId from = value_at(s->g, n->in[k])->def;
        for (uint32_t loop = 0; loop < s->loops->n; loop++)
            if (has(s, from, loop) && !is_end_of(s, from, loop))
                put(s, id, loop, true);
    }
}

/* The LoopEnd's LoopBegin; NO_NODE if there is none. */
static NodeId begin_of(const Graph *g, const Node *end)
{
    const ValueId v = node_in(end, LOOP_GOING_ON);
    const Node *begin = has_value(v) ? def_of(g, v) : NULL;
    return begin && begin->op == OP_LoopBegin && value_at(g, v)->def_out == LOOP_GOING_ON
               ? value_at(g, v)->def
               : NO_NODE;
}

/* Both ends carry the same values. */
static bool ends_agree(const Graph *g, const Node *begin, const Node *end)
{
    const uint32_t carried = loop_carried(end);
    for (uint32_t k = 0; k < begin->n_out + end->n_out; k++)
        if (!has_value(k < begin->n_out ? begin->out[k] : end->out[k - begin->n_out]))
            return false;
    if (begin->n_out != LOOP_CARRIED + carried || begin->n_in != begin->n_out ||
        end->n_in < LOOP_NEXT + carried ||
        !same_value(end->in[LOOP_ITERATION], begin->out[LOOP_ITERATION]) ||
        !same_value(end->in[LOOP_TRIPS], begin->in[0]))
        return false;
    for (uint32_t k = 0; k < carried; k++)
        if (!type_equal(type_of(g, begin->out[LOOP_CARRIED + k]),
                        type_of(g, end->in[LOOP_NEXT + k])))
            return false;
    return true;
}

static const char *find_ends(const Graph *g, Arena *arena, Loops *l, NodeId *at)
{
    uint32_t begins = 0;
    bool *ended = ARENA_ARRAY(arena, bool, (size_t)g->n_nodes + 1);
    l->loop = ARENA_ARRAY(arena, GraphLoop, MAX_LOOPS);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        begins += n->op == OP_LoopBegin;
        if (n->op != OP_LoopEnd)
            continue;
        const NodeId begin = begin_of(g, n);
        *at = (NodeId){i};
        if (begin.i == NO_NODE.i || ended[begin.i])
            return "is no end of a LoopBegin of its own";
        if (!ends_agree(g, node_at(g, begin), n))
            return "carries other values than its LoopBegin";
        if (l->n == MAX_LOOPS)
            return "is one loop too many";
        ended[begin.i] = true;
        l->loop[l->n++] = (GraphLoop){.begin = begin, .end = *at, .outer = NO_ROW, .depth = 1};
    }
    for (uint32_t i = 0; begins != l->n; i++)
        if (g->nodes[i].op == OP_LoopBegin && !ended[i]) {
            *at = (NodeId){i};
            return "is a loop without an end";
        }
    return NULL;
}

/* A loop that needs what another one makes in each iteration is in that with all of its nodes. */
static void add_outer(const Sets *s, NodeId id)
{
    for (uint32_t loop = s->loops->n; loop-- > 0;) /* outer ones come later */
        for (uint32_t k = loop; has(s, id, loop) && ++k < s->loops->n;)
            if (has(s, s->loops->loop[loop].end, k))
                put(s, id, k, true);
}

/* The loops in each other around a node: the innermost, the one around that and so on. */
static const char *nest(const Sets *s, NodeId id)
{
    uint32_t inner = NO_ROW, depth = 0;
    for (uint32_t loop = 0; loop < s->loops->n; loop++) {
        if (!has(s, id, loop))
            continue;
        depth++;
        if (inner == NO_ROW) {
            s->loops->of[id.i] = inner = loop;
            continue;
        }
        if (!has(s, s->loops->loop[inner].end, loop))
            return "needs what two loops make that are not in each other";
        inner = loop;
    }
    return depth > MAX_LOOP_DEPTH ? "is a loop too deep in others" : NULL;
}

static const char *nest_all(const Sets *s, NodeId *at)
{
    const Graph *g = s->g;
    Loops *l = s->loops;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        *at = (NodeId){i};
        const char *why = nest(s, *at);
        if (why)
            return why;
    }
    for (uint32_t i = l->n; i-- > 0;)
        for (uint32_t k = i + 1; k < l->n && l->loop[i].outer == NO_ROW; k++)
            if (has(s, l->loop[i].end, k)) {
                l->loop[i].outer = k;
                l->loop[i].depth = l->loop[k].depth + 1;
            }
    return NULL;
}

/* Whether the loop that begins with `begin` ends with node `id`. */
static bool ends_with(const Sets *s, const Node *begin, NodeId id)
{
    const Node *n = node_at(s->g, id);
    return n->op == OP_LoopEnd && node_at(s->g, begin_of(s->g, n)) == begin;
}

static const char *find_escapes(const Sets *s, NodeId *at)
{
    const Graph *g = s->g;
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const ValueId v = g->outputs[i].value;
        if (loop_of_value(g, s->loops, v) != NO_ROW) {
            *at = value_at(g, v)->def;
            return "makes an output of the model inside of a loop";
        }
    }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t j = 0; j < g->nodes[i].n_in; j++) {
            const ValueId v = g->nodes[i].in[j];
            const Node *begin = has_value(v) ? def_of(g, v) : NULL;
            *at = (NodeId){i};
            if (begin && begin->op == OP_LoopBegin && value_at(g, v)->def_out == LOOP_GOING_ON &&
                !ends_with(s, begin, *at))
                return "reads what is for the end of a loop only";
        }
    return NULL;
}

const char *graph_find_loops(const Graph *g, Arena *arena, Loops *l, NodeId *at)
{
    bool any = false;
    *l = (Loops){.n = 0};
    for (uint32_t i = 0; i < g->n_nodes && !any; i++)
        any = op_has(g->nodes[i].op, TRAIT_LOOP);
    const char *why = any ? find_ends(g, arena, l, at) : NULL;
    if (!any || why)
        return why;
    Sets s = {.g = g, .loops = l, .words = (l->n + 63) / 64};
    s.row = ARENA_ARRAY(arena, uint64_t, g->n_nodes * s.words + 1);
    l->of = ARENA_ARRAY(arena, uint32_t, (size_t)g->n_nodes + 1);
    memset(l->of, 0xff, g->n_nodes * sizeof *l->of);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        add_operands(&s, (NodeId){i});
        for (uint32_t k = 0; k < l->n && g->nodes[i].op == OP_LoopBegin; k++)
            if (l->loop[k].begin.i == i)
                put(&s, (NodeId){i}, k, true);
    }
    for (uint32_t k = l->n; k-- > 0;)
        add_outer(&s, l->loop[k].end);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        add_outer(&s, (NodeId){i});
    why = nest_all(&s, at);
    return why ? why : find_escapes(&s, at);
}

Loops graph_loops(const Graph *g, Arena *arena)
{
    Loops l;
    NodeId at = NO_NODE;
    const char *why = graph_find_loops(g, arena, &l, &at);
    if (why)
        bug("node '%s' %s", node_at(g, at)->name, why);
    return l;
}

uint32_t loop_of_value(const Graph *g, const Loops *l, ValueId v)
{
    if (!l->n || !has_value(v) || !def_of(g, v))
        return NO_ROW;
    const NodeId def = value_at(g, v)->def;
    const uint32_t loop = l->of[def.i];
    return loop != NO_ROW && l->loop[loop].end.i == def.i ? l->loop[loop].outer : loop;
}

uint32_t loop_carried(const Node *end)
{
    return (uint32_t)attr_int(end, "carried", 0);
}

static bool is_true(const Graph *g, ValueId v)
{
    return value_at(g, v)->data && *(const uint8_t *)value_at(g, v)->data;
}

bool loop_fills_rows(const Graph *g, const GraphLoop *loop)
{
    const Node *begin = node_at(g, loop->begin), *end = node_at(g, loop->end);
    const Value *trips = value_at(g, begin->in[0]);
    return trips->data && is_true(g, begin->in[1]) && is_true(g, end->in[LOOP_CONDITION]) &&
           *(const int64_t *)trips->data == attr_int(end, "capacity", 0);
}
