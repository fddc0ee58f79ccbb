/* simplify: what a loop carries from iteration to iteration and does not change is read where it comes from, and not copied. What depends on nothing else
 * in the body is outside of the loop with that (gen/graph/loops.h). */
#include "simplify.h"

#include "../../gen/graph/loops.h"

#include <string.h>

static void take_out(ValueId *ids, uint32_t *n, uint32_t k)
{
    memmove(&ids[k], &ids[k + 1], (--*n - k) * sizeof *ids);
}

static void take_output(Graph *g, Node *n, uint32_t k)
{
    take_out(n->out, &n->n_out, k);
    for (; k < n->n_out; k++)
        value_at(g, n->out[k])->def_out = k;
}

bool drop_carried(Simplify *s, NodeId id)
{
    Graph *g = s->g;
    Node *end = node_at(g, id), *begin = def_of(g, end->in[LOOP_GOING_ON]);
    const uint32_t carried = loop_carried(end);
    uint32_t k = 0;
    while (k < carried && !same_value(arg(s, end, LOOP_NEXT + k), begin->out[LOOP_CARRIED + k]))
        k++;
    if (k == carried)
        return false;
    const ValueId from = arg(s, begin, LOOP_CARRIED + k);
    rewrite_replace(&s->rw, begin->out[LOOP_CARRIED + k], from);
    rewrite_replace(&s->rw, end->out[LOOP_CARRIED + k], from);
    take_out(begin->in, &begin->n_in, LOOP_CARRIED + k);
    take_output(g, begin, LOOP_CARRIED + k);
    take_out(end->in, &end->n_in, LOOP_NEXT + k);
    take_output(g, end, LOOP_CARRIED + k);
    Attr *attr = arena_copy(g->arena, end->attr, end->n_attr * sizeof *attr);
    for (uint32_t a = 0; a < end->n_attr; a++)
        attr[a].i -= !strcmp(attr[a].name, "carried");
    end->attr = attr;
    return true;
}
