/* Layouts in text IR: those that the choice of layouts has given values and operands. */
#include "../ops/ops.h"
#include "parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 64 };
#define PITCH_MAX (INT64_C(1) << 47)

void parse_layout(Lex *l, Layout *layout)
{
    const char *word, *at;
    char *end;
    *layout = (Layout){0};
    if (lex_accept(l, '-') || !lex_word(l, &word))
        return;
    for (at = word; isalpha((unsigned char)*at) && layout->rank < MAX_RANK; at++)
        layout->order[layout->rank++] = (int8_t)(tolower((unsigned char)*at) - 'a');
    if (isdigit((unsigned char)*at)) {
        long block = strtol(at, &end, 10);
        at = block < 1 || block > BLOCK_MAX || !islower((unsigned char)*end) ? at : end + 1;
        layout->block = (int8_t)block;
        layout->block_dim = (int8_t)(*end - 'a');
    }
    if (*at)
        lex_refuse(l, "'%s' is no layout", word);
    if (lex_accept(l, '/') && lex_int(l, &layout->pitch) &&
        (layout->pitch < 1 || layout->pitch > PITCH_MAX))
        lex_refuse(l, "rows are that far apart in no layout");
}

bool is_layout_of(const Layout *l, const TensorType *t)
{
    unsigned seen = 0;
    for (int i = 0; i < l->rank; i++)
        if (l->order[i] >= 0 && l->order[i] < l->rank)
            seen |= 1u << l->order[i];
    return l->rank == t->rank && seen == (1u << l->rank) - 1 &&
           (!l->block || l->block_dim < l->rank);
}

/* "acdb, _, abcd", by output. */
static void parse_leaves(Lex *l, NodeMarks *marks)
{
    size_t cap = 0;
    marks->n_leaves = 0;
    do {
        marks->leaves =
            arena_grow(l->arena, marks->leaves, marks->n_leaves, &cap, sizeof *marks->leaves);
        Layout *leaves = &marks->leaves[marks->n_leaves++];
        *leaves = (Layout){.rank = -1};
        if (!lex_accept_word(l, "_"))
            parse_layout(l, leaves);
    } while (lex_accept(l, ','));
}

void parse_layout_mark(Parser *p, const char *what, NodeMarks *marks)
{
    p->has[HAS_LAYOUT] = true;
    if (!strcmp(what, "as_it_is")) {
        marks->as_it_is = true;
        return;
    }
    lex_expect(&p->l, '=');
    if (!strcmp(what, "reads"))
        parse_layout(&p->l, &marks->reads);
    else
        parse_leaves(&p->l, marks);
}

static bool keep_node(Parser *p, LayoutChoice *c, uint32_t i)
{
    const Node *n = &p->g->nodes[i];
    const NodeMarks *m = &p->marks[i];
    const ValueId first = node_in(n, 0);
    c->reads[i] =
        m->reads.rank ? m->reads : layout_plain(has_value(first) ? type_of(p->g, first)->rank : 0);
    c->as_it_is[i] = m->as_it_is;
    if (c->reads[i].block || c->reads[i].pitch || (m->leaves && m->n_leaves != n->n_out) ||
        (m->reads.rank && (!has_value(first) || m->reads.rank != type_of(p->g, first)->rank)))
        return lex_refuse(&p->l, "layouts of '%s' that its operand and results cannot have",
                          op_info(n->op)->name);
    for (uint32_t k = 0; m->leaves && k < n->n_out; k++) {
        if (!has_value(n->out[k]))
            continue;
        if (!is_layout_of(&m->leaves[k], type_of(p->g, n->out[k])) || m->leaves[k].block ||
            m->leaves[k].pitch)
            return lex_refuse(&p->l, "a layout that '%s' cannot have",
                              value_at(p->g, n->out[k])->name);
        c->value[n->out[k].i] = m->leaves[k];
    }
    return true;
}

bool finish_layouts(Parser *p)
{
    Graph *g = p->g;
    if (!p->has[HAS_LAYOUT])
        return true;
    LayoutChoice *c = ARENA_NEW(p->l.arena, LayoutChoice);
    c->value = ARENA_ARRAY(p->l.arena, Layout, g->n_values + 1);
    c->reads = ARENA_ARRAY(p->l.arena, Layout, g->n_nodes + 1);
    c->as_it_is = ARENA_ARRAY(p->l.arena, bool, g->n_nodes + 1);
    c->said = p->layouts;
    for (uint32_t v = 0; v < g->n_values; v++)
        c->value[v] = layout_plain(g->values[v].type.rank);
    g->columns->layouts = c;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (!keep_node(p, c, i))
            return false;
    return true;
}
