/* The order in which the nodes of a body are imported: topological, as close to the model's as can be, without what
 * no output needs. */
#include "../base/names.h"
#include "node.h"

typedef struct Order {
    Import *im;
    Onnx__NodeProto *const *nodes;
    size_t n;
    NameMap producers; /* of a name: its node, counted from 1 */
    uint8_t *state;    /* 0 new, 1 being visited, 2 done */
    uint32_t *done;    /* in post-order */
    size_t n_done;
} Order;

/* Exporters that write a Constant twice under one name mean the later one, as ONNX Runtime takes it. */
static bool both_constant(const Order *o, uint32_t a, size_t b)
{
    return !strcmp(o->nodes[a]->op_type, "Constant") && !strcmp(o->nodes[b]->op_type, "Constant");
}

static bool index_producers(Order *o)
{
    Graph *g = o->im->g;
    o->producers = name_map_new(g->arena);
    for (uint32_t i = 0; i < o->n; i++)
        for (size_t k = 0; k < o->nodes[i]->n_output; k++) {
            const char *name = o->nodes[i]->output[k];
            const uint32_t other = *name ? name_map_find(&o->producers, name) : 0;
            if (other && !both_constant(o, other - 1, i))
                return refuse_graph(g, "'%s' is an output of two nodes, '%s' and '%s'", name,
                                    o->nodes[other - 1]->name, o->nodes[i]->name);
            if (*name)
                name_map_put(&o->producers, name, i + 1);
        }
    return true;
}

/* Positions, growing. */
typedef struct List {
    uint32_t *at;
    size_t n, cap;
} List;

static void push(Order *o, List *l, uint32_t v)
{
    ARENA_PUSH(o->im->g->arena, l->at, l->n, l->cap, v);
}

/* What an inner graph calls by itself: it hides the same names of the graphs around it. */
typedef struct Inner {
    NameMap names;
    const struct Inner *outer; /* NULL: of the body that is being ordered */
} Inner;

static NameMap names_of(Arena *arena, const Onnx__GraphProto *graph)
{
    NameMap names = name_map_new(arena);
    for (size_t i = 0; i < graph->n_input; i++)
        name_map_put(&names, graph->input[i]->name, 1);
    for (size_t i = 0; i < graph->n_initializer; i++)
        name_map_put(&names, graph->initializer[i]->name, 1);
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; k < graph->node[i]->n_output; k++)
            name_map_put(&names, graph->node[i]->output[k], 1);
    return names;
}

static void need_name(Order *o, const char *name, const Inner *inner, List *l)
{
    const uint32_t producer = *name ? name_map_find(&o->producers, name) : 0;
    for (; producer && inner; inner = inner->outer)
        if (name_map_find(&inner->names, name))
            return;
    if (producer)
        push(o, l, producer - 1);
}

/* An inner graph reads outer names. */
static void need_graph(Order *o, const Onnx__GraphProto *graph, const Inner *outer, List *l)
{
    const Inner inner = {names_of(o->im->g->arena, graph), outer};
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *p = graph->node[i];
        for (size_t k = 0; k < p->n_input; k++)
            need_name(o, p->input[k], &inner, l);
        for (size_t k = 0; k < p->n_attribute; k++)
            if (p->attribute[k]->g)
                need_graph(o, p->attribute[k]->g, &inner, l);
    }
    for (size_t i = 0; i < graph->n_output; i++)
        need_name(o, graph->output[i]->name, &inner, l);
}

static const uint32_t *needs_of(Order *o, uint32_t node)
{
    const Onnx__NodeProto *p = o->nodes[node];
    List l = {0};
    for (size_t k = 0; k < p->n_input; k++)
        need_name(o, p->input[k], NULL, &l);
    for (size_t k = 0; k < p->n_attribute; k++)
        if (p->attribute[k]->g)
            need_graph(o, p->attribute[k]->g, NULL, &l);
    push(o, &l, UINT32_MAX);
    return l.at;
}

/* Depth-first with an explicit stack: chains may be long. */
static bool visit(Order *o, uint32_t root, uint32_t *stack, const uint32_t **cursor)
{
    size_t depth = 0;
    stack[depth++] = root;
    o->state[root] = 1;
    cursor[root] = needs_of(o, root);
    while (depth) {
        uint32_t node = stack[depth - 1];
        uint32_t next = *cursor[node];
        if (next == UINT32_MAX) {
            o->state[node] = 2;
            o->done[o->n_done++] = node;
            depth--;
            continue;
        }
        cursor[node]++;
        if (o->state[next] == 1)
            return refuse_graph(o->im->g, "node %u '%s' (%s): is on a cycle", next,
                                o->nodes[next]->name, o->nodes[next]->op_type);
        if (o->state[next] == 0) {
            o->state[next] = 1;
            cursor[next] = needs_of(o, next);
            stack[depth++] = next;
        }
    }
    return true;
}

/* The model's own order, if every node reads only from earlier ones. */
static void keep_model_order(Order *o, size_t live)
{
    uint32_t *place = ARENA_ARRAY(o->im->g->arena, uint32_t, o->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < live; i++)
        place[o->done[i]] = 1;
    for (size_t i = 0; i < live; i++)
        for (const uint32_t *need = needs_of(o, o->done[i]); *need != UINT32_MAX; need++)
            if (*need > o->done[i])
                return;
    for (uint32_t i = 0; i < o->n; i++)
        if (place[i])
            o->done[n++] = i;
}

bool onnx_order(Import *im, Onnx__NodeProto *const *nodes, size_t n, const char *const *wanted,
                size_t n_wanted, uint32_t **order, size_t *n_order)
{
    Arena *arena = im->g->arena;
    Order o = {.im = im,
               .nodes = nodes,
               .n = n,
               .state = ARENA_ARRAY(arena, uint8_t, n + 1),
               .done = ARENA_ARRAY(arena, uint32_t, n + 1)};
    uint32_t *stack = ARENA_ARRAY(arena, uint32_t, n + 1);
    const uint32_t **cursor = ARENA_ARRAY(arena, const uint32_t *, n + 1);
    if (!index_producers(&o))
        return false;
    for (size_t i = 0; i < n_wanted; i++) {
        const uint32_t producer = *wanted[i] ? name_map_find(&o.producers, wanted[i]) : 0;
        if (producer && o.state[producer - 1] == 0 && !visit(&o, producer - 1, stack, cursor))
            return false;
    }
    size_t live = o.n_done;
    for (uint32_t i = 0; i < n; i++) /* a cycle is refused wherever it is */
        if (o.state[i] == 0 && !visit(&o, i, stack, cursor))
            return false;
    keep_model_order(&o, live);
    *order = o.done;
    *n_order = live;
    return true;
}
