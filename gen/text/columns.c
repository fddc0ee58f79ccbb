/* The columns of nodes: marks behind them in a text, and what becomes of these when it is read. */
#include "form.h"

#include <string.h>

void parse_mark(Parser *p, NodeMarks *marks)
{
    Form f = {.in = p, .g = p->g};
    const char *what = "";
    lex_word(&p->l, &what);
    if (!strcmp(what, "layout") || !strcmp(what, "reads") || !strcmp(what, "as_it_is")) {
        parse_layout_mark(p, what, marks);
        return;
    }
    lex_expect(&p->l, '=');
    p->has[HAS_EXPLAIN] |= !strcmp(what, "explain");
    if (!strcmp(what, "composite"))
        form_row(&f, &marks->composite);
    else if (!strcmp(what, "region"))
        form_row(&f, &marks->region);
    else if (!strcmp(what, "target"))
        form_target(&f, &marks->target);
    else if (!strcmp(what, "reason"))
        form_quoted(&f, &marks->reason);
    else if (!strcmp(what, "explain"))
        form_quoted(&f, &marks->explain);
    else
        lex_refuse(&p->l, "'%s' is no column", what);
}

void keep_marks(Parser *p, NodeId id, const NodeMarks *marks)
{
    p->marks = arena_grow(p->l.arena, p->marks, p->n_marks, &p->cap_marks, sizeof *p->marks);
    p->marks[id.i] = *marks;
    p->n_marks++;
}

static void list_region_nodes(Graph *g)
{
    Columns *c = g->columns;
    size_t *cap = ARENA_ARRAY(g->arena, size_t, c->n_regions);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        if (c->region[i] >= c->n_regions)
            continue; /* the verifier refuses it */
        Region *r = &c->regions[c->region[i]];
        NodeId *nodes =
            arena_grow(g->arena, (NodeId *)r->nodes, r->n_nodes, &cap[c->region[i]], sizeof *nodes);
        nodes[r->n_nodes++] = (NodeId){i};
        r->nodes = nodes;
    }
}

bool finish_columns(Parser *p)
{
    Columns *c = p->g->columns;
    Arena *arena = p->l.arena;
    uint32_t n = p->g->n_nodes;
    if (p->has[HAS_COMPOSITE])
        c->composite = ARENA_ARRAY(arena, uint32_t, n + 1);
    if (p->has[HAS_TARGET])
        c->target = ARENA_ARRAY(arena, Target, n + 1);
    if (p->has[HAS_REGION])
        c->region = ARENA_ARRAY(arena, uint32_t, n + 1);
    c->reason = p->has[HAS_TARGET] ? ARENA_ARRAY(arena, const char *, n + 1) : NULL;
    c->explain = p->has[HAS_EXPLAIN] ? ARENA_ARRAY(arena, const char *, n + 1) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (c->explain)
            c->explain[i] = p->marks[i].explain;
        if (c->composite)
            c->composite[i] = p->marks[i].composite;
        if (c->target)
            c->target[i] = p->marks[i].target;
        if (c->region)
            c->region[i] = p->marks[i].region;
        if (c->reason)
            c->reason[i] = p->marks[i].reason;
    }
    if (p->partitioned && c->region)
        list_region_nodes(p->g);
    return finish_layouts(p);
}
