/* Parses text IR: see text/text_ir.h. Rows come first; the columns (text/columns.c) are read with the
 * names known. */
#include "parse.h"

#include "../composite/covered.h"
#include "../ops/ops.h"
#include "../verify/verify.h"
#include "data.h"

#include <string.h>

enum { GENERATED_MAX_GIB = 4, ATTRS_MAX = 64 };

/* --- names: open addressing, no deletion ---------------------------------------------------------
 */

static uint32_t *find_slot(const Parser *p, const char *name)
{
    size_t mask = p->cap_slots - 1;
    size_t i = hash64(name, strlen(name), 0) & mask;
    while (p->slots[i] && strcmp(p->g->values[p->slots[i] - 1].name, name) != 0)
        i = (i + 1) & mask;
    return &p->slots[i];
}

static bool known(const Parser *p, const char *name)
{
    return *find_slot(p, name) != 0;
}

static void remember(Parser *p, ValueId v)
{
    if ((p->n_slots + 1) * 2 > p->cap_slots) {
        size_t old_cap = p->cap_slots;
        uint32_t *old = p->slots;
        p->cap_slots *= 2;
        p->slots = ARENA_ARRAY(p->l.arena, uint32_t, p->cap_slots);
        for (size_t i = 0; i < old_cap; i++)
            if (old[i])
                *find_slot(p, p->g->values[old[i] - 1].name) = old[i];
    }
    *find_slot(p, value_at(p->g, v)->name) = v.i + 1;
    p->n_slots++;
}

bool parse_value(Parser *p, ValueId *v)
{
    const char *name;
    if (!lex_name(&p->l, &name))
        return false;
    uint32_t slot = *find_slot(p, name);
    if (!slot)
        return lex_refuse(&p->l, "'%s' is not defined above", name);
    *v = (ValueId){slot - 1};
    return true;
}

bool parse_value_or_none(Parser *p, ValueId *v)
{
    if (lex_accept_word(&p->l, "_")) {
        *v = NO_VALUE;
        return true;
    }
    return parse_value(p, v);
}

bool parse_values(Parser *p, ValueId **values, uint32_t *n)
{
    size_t cap = 0;
    *values = NULL;
    *n = 0;
    if (!lex_expect(&p->l, '('))
        return false;
    while (!lex_accept(&p->l, ')')) {
        if (*n && !lex_expect(&p->l, ','))
            return false;
        *values = arena_grow(p->l.arena, *values, *n, &cap, sizeof **values);
        if (!parse_value_or_none(p, &(*values)[(*n)++]))
            return false;
    }
    return true;
}

static bool parse_new_name(Parser *p, const char **name)
{
    return lex_name(&p->l, name) &&
           (!known(p, *name) || lex_refuse(&p->l, "'%s' is defined twice", *name));
}

/* --- types and attributes --------------------------------------------------------------------- */

bool parse_type(Parser *p, TensorType *t)
{
    const char *word;
    *t = (TensorType){0};
    if (!lex_word(&p->l, &word))
        return false;
    if (!dtype_from_name(word, &t->dtype))
        return lex_refuse(&p->l, "'%s' is no element type", word);
    if (!lex_expect(&p->l, '['))
        return false;
    while (!lex_accept(&p->l, ']')) {
        if (t->rank == MAX_RANK)
            return lex_refuse(&p->l, "more than %d dimensions", MAX_RANK);
        if ((t->rank && !lex_expect(&p->l, ',')) || !lex_int(&p->l, &t->dims[t->rank++]))
            return false;
    }
    return type_valid(t) || lex_refuse(&p->l, "not a type that can be: too large or negative");
}

static bool parse_attr_list(Parser *p, Attr *a, bool floats)
{
    LexNumber *items = NULL;
    size_t cap = 0;
    a->n = 0;
    while (!lex_accept(&p->l, ']')) {
        if (a->n && !lex_expect(&p->l, ','))
            return false;
        items = arena_grow(p->l.arena, items, a->n, &cap, sizeof *items);
        if (!lex_number(&p->l, &items[a->n]))
            return false;
        floats = floats || !items[a->n].is_int;
        a->n++;
    }
    a->kind = floats ? ATTR_FLOATS : ATTR_INTS;
    int64_t *ints = ARENA_ARRAY(p->l.arena, int64_t, a->n);
    double *fs = ARENA_ARRAY(p->l.arena, double, a->n);
    for (size_t i = 0; i < a->n; i++) {
        ints[i] = items[i].is_int ? items[i].i : 0;
        fs[i] = items[i].f;
    }
    a->ints = ints;
    a->floats = fs;
    return true;
}

static bool parse_attr_word(Parser *p, Attr *a)
{
    const char *word;
    DType t;
    if (lex_accept_word(&p->l, "floats"))
        return lex_expect(&p->l, '[') && parse_attr_list(p, a, true);
    if (!lex_word(&p->l, &word))
        return false;
    if (!dtype_from_name(word, &t))
        return lex_refuse(&p->l, "'%s' is no value of an attribute", word);
    a->kind = ATTR_INT;
    a->i = t;
    return true;
}

static bool number_ahead(Lex *l)
{
    lex_skip(l);
    if (l->p == l->end)
        return false;
    return strchr("-+.0123456789", *l->p) ||
           (l->end - l->p >= 3 && (!memcmp(l->p, "inf", 3) || !memcmp(l->p, "nan", 3)));
}

static bool parse_attr(Parser *p, Attr *a)
{
    *a = (Attr){0};
    if (!lex_word(&p->l, &a->name) || !lex_expect(&p->l, '='))
        return false;
    if (lex_accept(&p->l, '['))
        return parse_attr_list(p, a, false);
    if (lex_peek(&p->l, '"')) {
        a->kind = ATTR_STRING;
        return lex_string(&p->l, &a->s);
    }
    if (!number_ahead(&p->l))
        return parse_attr_word(p, a);
    LexNumber n;
    if (!lex_number(&p->l, &n))
        return false;
    a->kind = n.is_int ? ATTR_INT : ATTR_FLOAT;
    a->i = n.i;
    a->f = n.f;
    return true;
}

static bool parse_attrs(Parser *p, Attr **attrs, uint32_t *n)
{
    size_t cap = 0;
    *attrs = NULL;
    *n = 0;
    if (!lex_accept(&p->l, '{'))
        return true;
    while (!lex_accept(&p->l, '}')) {
        if (*n && !lex_expect(&p->l, ','))
            return false;
        *attrs = arena_grow(p->l.arena, *attrs, *n, &cap, sizeof **attrs);
        Attr *a = &(*attrs)[*n];
        if (*n == ATTRS_MAX)
            return lex_refuse(&p->l, "too many attributes");
        if (!parse_attr(p, a))
            return false;
        for (uint32_t i = 0; i < *n; i++)
            if (strcmp((*attrs)[i].name, a->name) == 0)
                return lex_refuse(&p->l, "attribute '%s' is given twice", a->name);
        ++*n;
    }
    return true;
}

/* --- nodes --------------------------------------------------------------------------------------
 */

typedef struct Results {
    const char **names; /* "" where the output is not wanted */
    TensorType *types;
    bool *typed;
    uint32_t n;
    size_t cap_names, cap_types, cap_typed;
} Results;

static bool parse_result(Parser *p, Results *r)
{
    Arena *arena = p->l.arena;
    r->names = arena_grow(arena, r->names, r->n, &r->cap_names, sizeof *r->names);
    r->types = arena_grow(arena, r->types, r->n, &r->cap_types, sizeof *r->types);
    r->typed = arena_grow(arena, r->typed, r->n, &r->cap_typed, sizeof *r->typed);
    uint32_t i = r->n++;
    r->names[i] = "";
    r->typed[i] = false;
    if (lex_accept_word(&p->l, "_"))
        return true;
    if (!parse_new_name(p, &r->names[i]))
        return false;
    r->typed[i] = lex_accept(&p->l, ':');
    return !r->typed[i] || parse_type(p, &r->types[i]);
}

static bool check_results(Parser *p, const Node *n, const Results *r)
{
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (!has_value(n->out[k]))
            continue;
        /* the graph has renamed what was there already */
        if (strcmp(value_at(p->g, n->out[k])->name, r->names[k]) != 0)
            return lex_refuse(&p->l, "'%s' is defined twice", r->names[k]);
        remember(p, n->out[k]);
        const TensorType *t = type_of(p->g, n->out[k]);
        if (r->typed[k] && !type_equal(t, &r->types[k]))
            return lex_refuse(&p->l, "the type of '%s' is %s", r->names[k],
                              type_text(p->l.arena, t));
    }
    return true;
}

/* name="…", #12 and @column=… in any order. */
static bool parse_suffixes(Parser *p, const char **name, uint32_t *index, NodeMarks *marks)
{
    for (;;) {
        int64_t i;
        if (lex_accept(&p->l, '#')) {
            if (!lex_int(&p->l, &i))
                return false;
            if (i < 0 || i >= UINT32_MAX)
                return lex_refuse(&p->l, "not an index");
            *index = (uint32_t)i;
        } else if (lex_accept(&p->l, '@')) {
            if (!parse_mark(p, marks))
                return false;
        } else if (lex_accept_word(&p->l, "name")) {
            if (!lex_expect(&p->l, '=') || !lex_string(&p->l, name))
                return false;
        } else {
            return true;
        }
    }
}

/* While the node is checked, messages that name the file say the place as well. */
static NodeId add_node(Parser *p, const Node *n, const Results *r, const char *where)
{
    const char *file = p->g->file;
    p->g->file = where;
    NodeId id = graph_add_node(p->g, n->op, n->name, n->model_index, n->in, n->n_in, r->n, r->names,
                               n->attr, n->n_attr);
    p->g->file = file;
    return id;
}

static bool parse_node(Parser *p)
{
    Results r = {0};
    const char *word, *name = "";
    uint32_t index = UINT32_MAX;
    Node n = {0};
    NodeMarks marks = {.composite = NO_ROW, .target = TARGET_C, .region = NO_ROW};
    do {
        if (!parse_result(p, &r))
            return false;
    } while (lex_accept(&p->l, ','));
    if (!lex_expect(&p->l, '='))
        return false;
    lex_skip(&p->l);
    const char *where = lex_place(&p->l);
    if (!lex_word(&p->l, &word))
        return false;
    if (!op_from_name(word, &n.op))
        return lex_refuse(&p->l, "'%s' is no operator", word);
    if (!parse_values(p, &n.in, &n.n_in) || !parse_attrs(p, &n.attr, &n.n_attr) ||
        !parse_suffixes(p, &name, &index, &marks))
        return false;
    while (n.n_in && !has_value(n.in[n.n_in - 1]))
        n.n_in--;
    n.name = name;
    n.model_index = index;
    n.n_out = r.n;
    NodeId id = add_node(p, &n, &r, where);
    if (id.i == NO_NODE.i)
        return false;
    keep_marks(p, id, &marks);
    return check_results(p, node_at(p->g, id), &r);
}

/* --- everything else
 * ------------------------------------------------------------------------------ */

static bool parse_input(Parser *p)
{
    const char *name;
    TensorType t;
    if (!parse_new_name(p, &name) || !lex_expect(&p->l, ':') || !parse_type(p, &t))
        return false;
    remember(p, graph_add_input(p->g, name, t));
    if (!lex_accept_word(&p->l, "name"))
        return true;
    return lex_expect(&p->l, '=') && lex_string(&p->l, &p->g->inputs[p->g->n_inputs - 1].name);
}

static bool parse_const(Parser *p)
{
    const char *name;
    const void *data;
    TensorType t;
    if (!parse_new_name(p, &name) || !lex_expect(&p->l, ':') || !parse_type(p, &t) ||
        !lex_expect(&p->l, '=') || !parse_data(&p->l, &t, &p->budget, &data))
        return false;
    remember(p, graph_add_const(p->g, name, t, data));
    return true;
}

/* The last output counts the rows of an earlier one. */
static bool parse_count(Parser *p)
{
    const char *name;
    int64_t axis;
    uint32_t k = 0;
    if (!lex_string(&p->l, &name) || !lex_expect_word(&p->l, "along") || !lex_int(&p->l, &axis))
        return false;
    while (k + 1 < p->g->n_outputs && strcmp(p->g->outputs[k].name, name) != 0)
        k++;
    return (axis >= 0 && axis < MAX_RANK &&
            graph_count_output(p->g, k, (int)axis, p->g->n_outputs - 1)) ||
           lex_refuse(&p->l, "it cannot count the rows of '%s' along %lld", name, (long long)axis);
}

static bool parse_output(Parser *p)
{
    const char *name;
    ValueId v;
    if (!lex_string(&p->l, &name) || !lex_expect(&p->l, '=') || !parse_value(p, &v))
        return false;
    graph_add_output(p->g, name, v);
    return !lex_accept_word(&p->l, "counts") || parse_count(p);
}

static bool parse_statement(Parser *p)
{
    if (lex_accept_word(&p->l, "input"))
        return parse_input(p);
    if (lex_accept_word(&p->l, "const"))
        return parse_const(p);
    if (lex_accept_word(&p->l, "output"))
        return parse_output(p);
    if (lex_accept_word(&p->l, "columns"))
        return parse_which_columns(p);
    if (lex_accept_word(&p->l, "layouts"))
        return lex_string(&p->l, &p->layouts);
    if (lex_accept_word(&p->l, "verified"))
        return lex_string(&p->l, &p->g->verified);
    if (lex_accept_word(&p->l, "composite"))
        return parse_composite(p);
    if (lex_accept_word(&p->l, "region"))
        return parse_region(p);
    return parse_node(p);
}

Parser parser_begin(Arena *arena, Diag *diag, const char *file, const char *text, size_t size)
{
    Parser p = {.l = lex_begin(arena, diag, file, text, size),
                .cap_slots = 256,
                .budget = (size_t)GENERATED_MAX_GIB << 30};
    p.slots = ARENA_ARRAY(arena, uint32_t, p.cap_slots);
    return p;
}

bool parse_graph(Parser *p)
{
    const char *name;
    if (!lex_expect_word(&p->l, "graph") || !lex_string(&p->l, &name) || !lex_expect(&p->l, '{'))
        return false;
    p->g = graph_new(p->l.arena, p->l.diag, p->l.file, name);
    while (!lex_accept(&p->l, '}')) {
        if (lex_at_end(&p->l))
            return lex_refuse(&p->l, "'}' is missing");
        if (!parse_statement(p))
            return false;
    }
    return finish_columns(p) && verify_graph(p->g) && composites_read(p->g);
}

Graph *parse_text_ir(Arena *arena, Diag *diag, const char *file, const char *text, size_t size)
{
    Parser p = parser_begin(arena, diag, file, text, size);
    if (!parse_graph(&p))
        return NULL;
    if (lex_at_end(&p.l))
        return p.g;
    lex_refuse(&p.l, "nothing is expected after the graph");
    return NULL;
}
