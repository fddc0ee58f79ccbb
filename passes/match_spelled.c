/* match-spelled: functions that a model spells out in smaller ops become one node (spelled.def).
 *
 * Needs nothing, kills all columns. Run it after fold-constant and simplify: those bring clips,
 * powers and scalars to one form. Nodes that a match has used are not used again in the same
 * round; the replacement is always a single op that no row matches alone (a mean over the plane,
 * which is one node, turns into a pooling), so that rounds end. After each round the graph is
 * simplified: one node in the place of many lets reshapes and transposes sink and meet. */
#include "pass.h"
#include "pattern/match.h"
#include "pattern/table.h"

#include "../gen/ops/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 8, ATTRS_MAX = 3 };

static bool float_root(const Graph *g, const Node *root)
{
    return dtype_is_float(type_of(g, root->out[0])->dtype);
}

/* name=number or name=#bound, separated by blanks. */
static void read_attrs(Graph *g, const char *text, const Match *m, Attr *attrs)
{
    uint32_t n = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        if (n == ATTRS_MAX)
            bug("too many attributes in spelled.def");
        size_t name = strcspn(text, "="), value = strcspn(text, " ") - name - 1;
        const char *v = arena_strndup(g->arena, text + name + 1, value);
        double number = *v == '#' ? matched_number(m, v + 1) : strtod(v, NULL);
        attrs[n++] = ATTR_F(arena_strndup(g->arena, text, name), number);
        text += name + 1 + value;
    }
    attrs[n] = ATTR_END;
}

static ValueId build(Graph *g, const SpelledRow *row, const Match *m, const Node *root)
{
    Attr attrs[ATTRS_MAX + 1];
    ValueId x = matched_value(m, "x");
    if (row->builder)
        return spelled_build(g, row->builder, m, root);
    if (!type_equal(type_of(g, x), type_of(g, root->out[0])))
        return NO_VALUE;
    read_attrs(g, row->attrs, m, attrs);
    return graph_op(g, row->op, root, &x, 1, attrs);
}

/* --- the pass --------------------------------------------------------------------------------- */

typedef struct Spelled {
    Graph *g;
    Arena *scratch;
    Rewrite rw;
    Uses uses;
    bool *used; /* by node */
    const PatternTable *table;
} Spelled;

static bool try_row(Spelled *s, const SpelledRow *row, const Node *root)
{
    Match m = {.g = s->g, .uses = &s->uses, .hole = NO_VALUE};
    if (!match_value(&m, row->pattern, root->out[0]))
        return false;
    for (uint32_t i = 0; i < m.n_nodes; i++)
        if (s->used[m.node[i].i])
            return false;
    ValueId to = build(s->g, row, &m, root);
    if (!has_value(to) || s->g->diag->message)
        return false;
    for (uint32_t i = 0; i < m.n_nodes; i++)
        s->used[m.node[i].i] = true;
    rewrite_replace(&s->rw, root->out[0], to);
    return true;
}

static uint32_t run_round(Graph *g, const PatternTable *table)
{
    Spelled s = {.g = g, .table = table, .scratch = arena_new(), .rw = rewrite_begin(g)};
    s.uses = graph_uses(g, s.scratch);
    s.used = ARENA_ARRAY(s.scratch, bool, g->n_nodes);
    uint32_t count = 0;
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        Node root = g->nodes[i];
        if (s.used[i] || root.n_out != 1 || !has_value(root.out[0]) || !float_root(g, &root))
            continue;
        bool done = false;
        for (size_t row = 0; row < table->n_spelled && !done; row++)
            done = try_row(&s, &table->spelled[row], &root);
        count += done;
    }
    graph_apply(&s.rw);
    arena_free(s.scratch);
    return count;
}

bool pass_match_spelled(Graph *g, const PassOptions *options, const char **report)
{
    const PatternTable *table = options->patterns ? options->patterns : pattern_table_new(g->arena);
    uint32_t count = 0;
    for (int round = 0; round < ROUNDS_MAX && !g->diag->message; round++) {
        uint32_t n = run_round(g, table);
        count += n;
        const char *simplified;
        if (!n || !pass_simplify(g, options, &simplified))
            break;
    }
    *report = arena_printf(g->arena, "%u functions recognised", count);
    return !g->diag->message;
}
