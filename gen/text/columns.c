/* The part of the text IR parser that reads columns. */
#include "parse.h"

#include <string.h>

static bool parse_row(Parser *p, uint32_t *row)
{
    int64_t i;
    if (!lex_int(&p->l, &i))
        return false;
    if (i < 0 || i >= (int64_t)NO_ROW)
        return lex_refuse(&p->l, "not a row number");
    *row = (uint32_t)i;
    return true;
}

static bool parse_target(Parser *p, Target *target)
{
    if (lex_accept_word(&p->l, "dnnl"))
        *target = TARGET_DNNL;
    else if (lex_accept_word(&p->l, "c"))
        *target = TARGET_C;
    else
        return lex_refuse(&p->l, "a target is expected here: dnnl or c");
    return true;
}

bool parse_mark(Parser *p, NodeMarks *marks)
{
    const char *what;
    if (!lex_word(&p->l, &what))
        return false;
    if (!strcmp(what, "layout") || !strcmp(what, "reads") || !strcmp(what, "as_it_is"))
        return parse_layout_mark(p, what, marks);
    if (!lex_expect(&p->l, '='))
        return false;
    if (strcmp(what, "composite") == 0)
        return parse_row(p, &marks->composite);
    if (strcmp(what, "region") == 0)
        return parse_row(p, &marks->region);
    if (strcmp(what, "target") == 0)
        return parse_target(p, &marks->target);
    if (strcmp(what, "reason") == 0)
        return lex_string(&p->l, &marks->reason);
    if (strcmp(what, "explain") == 0) {
        p->has_explain = true;
        return lex_string(&p->l, &marks->explain);
    }
    return lex_refuse(&p->l, "'%s' is no column", what);
}

void keep_marks(Parser *p, NodeId id, const NodeMarks *marks)
{
    p->marks = arena_grow(p->l.arena, p->marks, p->n_marks, &p->cap_marks, sizeof *p->marks);
    p->marks[id.i] = *marks;
    p->n_marks++;
}

bool parse_which_columns(Parser *p)
{
    do {
        if (lex_accept_word(&p->l, "composite"))
            p->has_composite = true;
        else if (lex_accept_word(&p->l, "target"))
            p->has_target = true;
        else if (lex_accept_word(&p->l, "region"))
            p->has_region = true;
        else if (lex_accept_word(&p->l, "layout"))
            p->has_layout = true;
        else
            return lex_refuse(&p->l,
                              "a column is expected here: composite, target, region or layout");
    } while (lex_accept(&p->l, ','));
    return true;
}

bool parse_node_ref(Parser *p, NodeId *n)
{
    ValueId v;
    if (!parse_value(p, &v))
        return false;
    if (!def_of(p->g, v))
        return lex_refuse(&p->l, "'%s' is not made by a node", value_at(p->g, v)->name);
    *n = value_at(p->g, v)->def;
    return true;
}

static bool parse_linear(Parser *p, PostOp *post)
{
    LexNumber scale, shift;
    post->linear = true;
    if (!lex_expect(&p->l, '(') || !lex_number(&p->l, &scale) || !lex_expect(&p->l, ',') ||
        !lex_number(&p->l, &shift) || !lex_expect(&p->l, ')'))
        return false;
    post->scale = scale.f;
    post->shift = shift.f;
    return true;
}

static bool parse_post_op(Parser *p, PostOp *post)
{
    static const char *const kinds[] = {"sum", "binary", "eltwise", "prelu", "depthwise"};
    size_t kind = 0;
    while (kind < COUNT_OF(kinds) && !lex_accept_word(&p->l, kinds[kind]))
        kind++;
    if (kind == COUNT_OF(kinds))
        return lex_refuse(&p->l,
                          "a post-op is expected here: sum, binary, eltwise, prelu or depthwise");
    *post = (PostOp){.kind = (enum PostOpKind)kind, .arg = NO_VALUE};
    if (!parse_node_ref(p, &post->node))
        return false;
    if (lex_peek(&p->l, '%') && !parse_value(p, &post->arg))
        return false;
    return !lex_accept_word(&p->l, "linear") || parse_linear(p, post);
}

static bool parse_post_list(Parser *p, Composite *c)
{
    PostOp *post = NULL;
    size_t cap = 0;
    if (!lex_expect(&p->l, '('))
        return false;
    while (!lex_accept(&p->l, ')')) {
        if (c->n_post && !lex_expect(&p->l, ','))
            return false;
        post = arena_grow(p->l.arena, post, c->n_post, &cap, sizeof *post);
        c->post = post;
        if (!parse_post_op(p, &post[c->n_post++]))
            return false;
    }
    return true;
}

static bool parse_node_list(Parser *p, Composite *c)
{
    ValueId *values;
    if (!parse_values(p, &values, &c->n_nodes))
        return false;
    NodeId *nodes = ARENA_ARRAY(p->l.arena, NodeId, c->n_nodes);
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        if (!has_value(values[i]) || !def_of(p->g, values[i]))
            return lex_refuse(&p->l, "a composite covers nodes only");
        nodes[i] = value_at(p->g, values[i])->def;
    }
    c->nodes = nodes;
    return true;
}

static bool parse_args(Parser *p, Composite *c)
{
    ValueId *values;
    if (!parse_values(p, &values, &c->n_args))
        return false;
    for (uint32_t i = 0; i < c->n_args; i++)
        if (!has_value(values[i]))
            return lex_refuse(&p->l, "an argument cannot be absent");
    c->args = values;
    return true;
}

static bool parse_composite_kind(Parser *p, Composite *c)
{
    for (int kind = 0; kind < COMPOSITE_KINDS; kind++)
        if (lex_accept_word(&p->l, composite_kind_word((CompositeKind)kind)))
            c->kind = (CompositeKind)kind;
    return true;
}

static bool parse_composite_parts(Parser *p, Composite *c)
{
    return lex_string(&p->l, &c->pattern) && parse_composite_kind(p, c) &&
           lex_expect_word(&p->l, "anchor") && lex_expect(&p->l, '=') &&
           parse_node_ref(p, &c->anchor) && lex_expect_word(&p->l, "root") &&
           lex_expect(&p->l, '=') && parse_node_ref(p, &c->root) &&
           lex_expect_word(&p->l, "nodes") && parse_node_list(p, c) &&
           (!lex_accept_word(&p->l, "bias") ||
            (lex_expect(&p->l, '=') && parse_value(p, &c->bias))) &&
           (!lex_accept_word(&p->l, "post") || parse_post_list(p, c)) &&
           lex_expect_word(&p->l, "args") && parse_args(p, c);
}

bool parse_composite(Parser *p)
{
    Columns *col = p->g->columns;
    uint32_t row = 0;
    Composite c = {.bias = NO_VALUE};
    if (!parse_row(p, &row))
        return false;
    if (row != col->n_composites)
        return lex_refuse(&p->l, "composite %u is expected here", col->n_composites);
    if (!parse_composite_parts(p, &c))
        return false;
    p->has_composite = true;
    ARENA_PUSH(p->l.arena, col->composites, col->n_composites, p->cap_composites, c);
    return true;
}

/* What partition has found out; the list of nodes follows from the region column
 * (finish_columns). */
static bool parse_region_values(Parser *p, const char *what, const ValueId **v, uint32_t *n)
{
    ValueId *values;
    if (!lex_accept_word(&p->l, what))
        return true;
    if (!parse_values(p, &values, n))
        return false;
    for (uint32_t i = 0; i < *n; i++)
        if (!has_value(values[i]))
            return lex_refuse(&p->l, "a value cannot be absent here");
    *v = values;
    return true;
}

bool parse_region(Parser *p)
{
    Columns *col = p->g->columns;
    uint32_t row = 0;
    Region r = {0};
    if (!parse_row(p, &row))
        return false;
    if (row != col->n_regions)
        return lex_refuse(&p->l, "region %u is expected here", col->n_regions);
    if (!parse_target(p, &r.target))
        return false;
    if (lex_peek(&p->l, '"') && !lex_string(&p->l, &r.why_ended))
        return false;
    lex_skip(&p->l);
    p->partitioned = p->partitioned || (p->l.p < p->l.end && *p->l.p == 'i');
    if (!parse_region_values(p, "in", &r.in, &r.n_in) ||
        !parse_region_values(p, "out", &r.out, &r.n_out) ||
        !parse_region_values(p, "constants", &r.constants, &r.n_constants))
        return false;
    p->has_region = true;
    ARENA_PUSH(p->l.arena, col->regions, col->n_regions, p->cap_regions, r);
    return true;
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
    if (p->has_composite)
        c->composite = ARENA_ARRAY(arena, uint32_t, n + 1);
    if (p->has_target)
        c->target = ARENA_ARRAY(arena, Target, n + 1);
    if (p->has_region)
        c->region = ARENA_ARRAY(arena, uint32_t, n + 1);
    c->reason = p->has_target ? ARENA_ARRAY(arena, const char *, n + 1) : NULL;
    c->explain = p->has_explain ? ARENA_ARRAY(arena, const char *, n + 1) : NULL;
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
