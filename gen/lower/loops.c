/* The two ends of a loop, and the order in which its nodes run: see lower/lower.h.
 *
 * What is carried has one place, which both ends write: the LoopBegin copies there what it begins with, the LoopEnd what the iteration has
 * made, unless that was made in place. Rows of results are written where they belong. */
#include "lower.h"

#include "../graph/columns.h"
#include "../kernel/plan.h"

#include <string.h>

/* --- order --------------------------------------------------------------------------------------------------------- */

typedef struct Order {
    const Loops *loops;
    const uint32_t *from;
    uint32_t *to, n, n_nodes;
} Order;

/* The nodes of a loop stand together where its end stood; only then all is there that they need from outside. */
static void put_loop(Order *o, uint32_t loop)
{
    for (uint32_t i = 0; i < o->n_nodes; i++) {
        const uint32_t node = o->from[i], of = o->loops->of[node];
        if (of == loop)
            o->to[o->n++] = node;
        else if (of != NO_ROW && o->loops->loop[of].end.i == node &&
                 o->loops->loop[of].outer == loop)
            put_loop(o, of);
    }
}

const uint32_t *lower_loops_together(const Loops *loops, Arena *arena, const uint32_t *order,
                                     uint32_t n_nodes)
{
    Order o = {.loops = loops, .from = order, .n_nodes = n_nodes};
    if (!loops->n)
        return order;
    o.to = ARENA_ARRAY(arena, uint32_t, n_nodes);
    put_loop(&o, NO_ROW);
    if (o.n != n_nodes)
        bug("%u of %u nodes are in no loop", n_nodes - o.n, n_nodes);
    return o.to;
}

uint32_t lower_loops_last_use(const Lowering *l, ValueId v, uint32_t at)
{
    const Value *value = value_at(l->g, v);
    for (uint32_t i = 0; i < l->loops.n && at != NO_ROW; i++) { /* inner ones come first */
        const GraphLoop *loop = &l->loops.loop[i];
        const uint32_t begin = l->position[loop->begin.i], end = l->position[loop->end.i];
        const bool outside = value->kind != VALUE_NODE || l->position[value->def.i] < begin;
        if (outside && at > begin && at < end)
            at = end;
    }
    return at;
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

static Layout plain_layout(const Lowering *l, ValueId v)
{
    return layout_plain(type_of(l->g, v)->rank);
}

static BufferId *read_all(Lowering *l, const Node *n)
{
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, n->n_in);
    for (uint32_t k = 0; k < n->n_in; k++) {
        const Layout plain = plain_layout(l, n->in[k]);
        in[k] = lower_value_in(l, n->in[k], &plain);
    }
    return in;
}

static void add_step(Lowering *l, NodeId id, BufferId *in, BufferId *out, uint32_t n_out)
{
    Step *s = lower_new_step(l, TARGET_C);
    s->node = id;
    s->nodes = arena_copy(l->arena, &id, sizeof id);
    s->n_nodes = 1;
    s->in = in;
    s->n_in = node_at(l->g, id)->n_in;
    s->out = out;
    s->n_out = n_out;
    c_plan(l->p, s);
}

static void lower_begin_of(Lowering *l, uint32_t loop)
{
    const GraphLoop *row = &l->loops.loop[loop];
    const Node *n = node_at(l->g, row->begin), *end = node_at(l->g, row->end);
    const uint32_t n_out = loop_fills_rows(l->g, row) ? n->n_out : end->n_out;
    BufferId *in = read_all(l, n), *out = ARENA_ARRAY(l->arena, BufferId, n_out);
    for (uint32_t k = 0; k < n->n_out; k++) {
        const TensorType *t = type_of(l->g, n->out[k]);
        out[k] = l->primary[n->out[k].i] = l->primary[end->out[k].i] =
            lower_arena_buffer(l, n->out[k], *t, plain_layout(l, n->out[k]), type_bytes(t));
    }
    for (uint32_t k = n->n_out; k < n_out; k++) {
        const Layout plain = plain_layout(l, end->out[k]);
        out[k] = lower_output(l, end->out[k], &plain);
    }
    add_step(l, row->begin, in, out, n_out);
    l->copies_before[loop] = l->n_copies;
}

/* A part of what is carried that is not yet to be written over, though the LoopEnd writes there. */
static bool is_in_carried(const Lowering *l, const Node *begin, BufferId b, uint32_t but)
{
    size_t at;
    const BufferId root = root_buffer(l->p, b, &at);
    for (uint32_t k = 0; k < begin->n_out; k++)
        if (l->primary[begin->out[k].i] == root)
            return k != but || at || l->p->buffers[b].layout.pitch ||
                   l->p->buffers[b].bytes != l->p->buffers[root].bytes;
    return false;
}

static void lower_end_of(Lowering *l, uint32_t loop)
{
    const GraphLoop *row = &l->loops.loop[loop];
    const Node *begin = node_at(l->g, row->begin), *n = node_at(l->g, row->end);
    BufferId *in = read_all(l, n), *out = ARENA_ARRAY(l->arena, BufferId, n->n_out);
    for (uint32_t k = LOOP_NEXT; k < n->n_in; k++) {
        if (!is_in_carried(l, begin, in[k], k - LOOP_NEXT + LOOP_CARRIED))
            continue;
        const TensorType *t = type_of(l->g, n->in[k]);
        const BufferId copy =
            lower_arena_buffer(l, n->in[k], *t, plain_layout(l, n->in[k]), type_bytes(t));
        lower_add_copy(l, in[k], copy);
        in[k] = copy;
    }
    for (uint32_t k = 0; k < n->n_out; k++) {
        const Layout plain = plain_layout(l, n->out[k]);
        if (l->primary[n->out[k].i] == NO_BUFFER)
            lower_output(l, n->out[k], &plain);
        out[k] = l->primary[n->out[k].i];
    }
    add_step(l, row->end, in, out, n->n_out);
    l->n_copies =
        l->copies_before[loop]; /* there may have been no iteration that made the others */
}

void lower_loop_ends(Lowering *l, NodeId id)
{
    const uint32_t loop = l->loops.of[id.i];
    if (l->loops.loop[loop].begin.i == id.i)
        lower_begin_of(l, loop);
    else
        lower_end_of(l, loop);
}
