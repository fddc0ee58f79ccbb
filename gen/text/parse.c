/* Parses text IR: see text/text_ir.h. Names, types and nodes; all other rows are in rows.c. */
#include "form.h"

#include "../composite/covered.h"
#include "../ops/ops.h"
#include "../verify/verify.h"

#include <string.h>

enum { GENERATED_MAX_GIB = 4, ATTRS_MAX = 64 };

/* --- names ------------------------------------------------------------------------------------ */

void parse_remember(Parser *p, ValueId v)
{
    name_map_put(&p->names, value_at(p->g, v)->name, v.i + 1);
}

void parse_value(Parser *p, ValueId *v)
{
    const char *name;
    *v = NO_VALUE;
    if (lex_accept_word(&p->l, "_") || !lex_name(&p->l, &name))
        return;
    const uint32_t row = name_map_find(&p->names, name);
    if (row)
        *v = (ValueId){row - 1};
    else
        lex_refuse(&p->l, "'%s' is not defined above", name);
}

void parse_new_name(Parser *p, const char **name)
{
    if (lex_name(&p->l, name) && name_map_find(&p->names, *name))
        lex_refuse(&p->l, "'%s' is defined twice", *name);
}

/* --- types and attributes --------------------------------------------------------------------- */

void parse_type(Parser *p, TensorType *t)
{
    const char *word;
    *t = (TensorType){0};
    if (!lex_word(&p->l, &word))
        return;
    if (!dtype_from_name(word, &t->dtype))
        lex_refuse(&p->l, "'%s' is no element type", word);
    lex_expect(&p->l, '[');
    for (int64_t dim = 0; lex_more(&p->l, ']', (size_t)t->rank); t->dims[t->rank++] = dim) {
        lex_int(&p->l, &dim);
        if (t->rank == MAX_RANK) {
            lex_refuse(&p->l, "more than %d dimensions", MAX_RANK);
            return;
        }
    }
    if (!type_valid(t))
        lex_refuse(&p->l, "not a type that can be: too large or negative");
}

static void parse_attr_list(Parser *p, Attr *a, bool floats)
{
    LexNumber *items = NULL;
    size_t cap = 0;
    for (a->n = 0; lex_more(&p->l, ']', a->n); a->n++) {
        items = arena_grow(p->l.arena, items, a->n, &cap, sizeof *items);
        lex_number(&p->l, &items[a->n]);
        floats = floats || !items[a->n].is_int;
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
}

static void parse_attr_word(Parser *p, Attr *a)
{
    const char *word = "";
    DType t;
    if (lex_accept_word(&p->l, "floats")) {
        lex_expect(&p->l, '[');
        parse_attr_list(p, a, true);
    } else if (lex_word(&p->l, &word) && dtype_from_name(word, &t)) {
        a->kind = ATTR_INT;
        a->i = t;
    } else
        lex_refuse(&p->l, "'%s' is no value of an attribute", word);
}

static bool number_ahead(Lex *l)
{
    lex_skip(l);
    if (l->p == l->end)
        return false;
    return strchr("-+.0123456789", *l->p) ||
           (l->end - l->p >= 3 && (!memcmp(l->p, "inf", 3) || !memcmp(l->p, "nan", 3)));
}

static void parse_attr(Parser *p, Attr *a)
{
    LexNumber n = {0};
    *a = (Attr){.name = ""};
    lex_word(&p->l, &a->name);
    lex_expect(&p->l, '=');
    if (lex_accept(&p->l, '['))
        parse_attr_list(p, a, false);
    else if (lex_peek(&p->l, '"')) {
        a->kind = ATTR_STRING;
        lex_string(&p->l, &a->s);
    } else if (!number_ahead(&p->l))
        parse_attr_word(p, a);
    else if (lex_number(&p->l, &n)) {
        a->kind = n.is_int ? ATTR_INT : ATTR_FLOAT;
        a->i = n.i;
        a->f = n.f;
    }
}

static void parse_attrs(Parser *p, Node *n)
{
    size_t cap = 0;
    if (!lex_accept(&p->l, '{'))
        return;
    for (; lex_more(&p->l, '}', n->n_attr); n->n_attr++) {
        n->attr = arena_grow(p->l.arena, n->attr, n->n_attr, &cap, sizeof *n->attr);
        if (n->n_attr == ATTRS_MAX)
            lex_refuse(&p->l, "too many attributes");
        Attr *a = &n->attr[n->n_attr];
        parse_attr(p, a);
        for (uint32_t i = 0; i < n->n_attr; i++)
            if (strcmp(n->attr[i].name, a->name) == 0)
                lex_refuse(&p->l, "attribute '%s' is given twice", a->name);
    }
}

/* --- nodes ------------------------------------------------------------------------------------ */

typedef struct Results {
    const char **names; /* "" where the output is not wanted */
    TensorType *types;
    bool *typed;
    uint32_t n;
    size_t cap_names, cap_types, cap_typed;
} Results;

static void parse_result(Parser *p, Results *r)
{
    Arena *arena = p->l.arena;
    r->names = arena_grow(arena, r->names, r->n, &r->cap_names, sizeof *r->names);
    r->types = arena_grow(arena, r->types, r->n, &r->cap_types, sizeof *r->types);
    r->typed = arena_grow(arena, r->typed, r->n, &r->cap_typed, sizeof *r->typed);
    uint32_t i = r->n++;
    r->names[i] = "";
    if (lex_accept_word(&p->l, "_"))
        return;
    parse_new_name(p, &r->names[i]);
    r->typed[i] = lex_accept(&p->l, ':');
    if (r->typed[i])
        parse_type(p, &r->types[i]);
}

static void check_results(Parser *p, const Node *n, const Results *r)
{
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (!has_value(n->out[k]))
            continue;
        /* the graph has renamed what was there already */
        if (strcmp(value_at(p->g, n->out[k])->name, r->names[k]) != 0)
            lex_refuse(&p->l, "'%s' is defined twice", r->names[k]);
        parse_remember(p, n->out[k]);
        const TensorType *t = type_of(p->g, n->out[k]);
        if (r->typed[k] && !type_equal(t, &r->types[k]))
            lex_refuse(&p->l, "the type of '%s' is %s", r->names[k], type_text(p->l.arena, t));
    }
}

/* name="…", #12 and @column=… in any order. */
static void parse_suffixes(Parser *p, Node *n, NodeMarks *marks)
{
    for (;;) {
        int64_t i = 0;
        if (lex_accept(&p->l, '#')) {
            if (lex_int(&p->l, &i) && (i < 0 || i >= UINT32_MAX))
                lex_refuse(&p->l, "not an index");
            n->model_index = (uint32_t)i;
        } else if (lex_accept(&p->l, '@')) {
            parse_mark(p, marks);
        } else if (lex_accept_word(&p->l, "name")) {
            lex_expect(&p->l, '=');
            lex_string(&p->l, &n->name);
        } else {
            return;
        }
    }
}

static void parse_operands(Parser *p, Node *n)
{
    size_t cap = 0;
    lex_expect(&p->l, '(');
    for (; lex_more(&p->l, ')', n->n_in); n->n_in++) {
        n->in = arena_grow(p->l.arena, n->in, n->n_in, &cap, sizeof *n->in);
        parse_value(p, &n->in[n->n_in]);
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

void parse_node(Parser *p)
{
    Results r = {0};
    const char *word = "";
    Node n = {.name = "", .model_index = UINT32_MAX};
    NodeMarks marks = {.composite = NO_ROW, .target = TARGET_C, .region = NO_ROW};
    do
        parse_result(p, &r);
    while (lex_accept(&p->l, ','));
    lex_expect(&p->l, '=');
    lex_skip(&p->l);
    const char *where = lex_place(&p->l);
    if (lex_word(&p->l, &word) && !op_from_name(word, &n.op))
        lex_refuse(&p->l, "'%s' is no operator", word);
    parse_operands(p, &n);
    parse_attrs(p, &n);
    parse_suffixes(p, &n, &marks);
    if (p->l.refused)
        return;
    NodeId id = add_node(p, &n, &r, where);
    if (id.i == NO_NODE.i) {
        p->l.refused = true;
        return;
    }
    keep_marks(p, id, &marks);
    check_results(p, node_at(p->g, id), &r);
}

/* --- the whole -------------------------------------------------------------------------------- */

Parser parser_begin(Arena *arena, Diag *diag, const char *file, const char *text, size_t size)
{
    return (Parser){.l = lex_begin(arena, diag, file, text, size),
                    .names = name_map_new(arena),
                    .budget = (size_t)GENERATED_MAX_GIB << 30};
}

bool parse_graph(Parser *p)
{
    form_graph(&(Form){.in = p});
    return !p->l.refused && finish_columns(p) && verify_graph(p->g) && composites_read(p->g);
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
