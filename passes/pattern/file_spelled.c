/* The rows of a user's patterns that say how a function is spelled out: its operator, its attributes or builder, what it is
 * made of. */
#include "file.h"

#include "../../gen/ops/ops.h"

#include <string.h>

enum { ATTRS_MAX = 3 };

/* "name=number" or "name=#bound" */
static void take_attr(PatternReader *r, Op op, Text *attrs, const char **names, size_t n)
{
    const char *at = pattern_skip(r), *name = pattern_word(r);
    OpAttr attr;
    if (!op_attr_named(op, name, &attr))
        pattern_wrong(r, "the operator has no such attribute", at);
    else if (attr.kind != ATTR_FLOAT)
        pattern_wrong(r, "only attributes that are floats can be given", at);
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            pattern_wrong(r, "an attribute is given twice", at);
    names[n] = name;
    pattern_expect(r, "=");
    text_printf(attrs, "%s%s=", n ? " " : "", name);
    at = pattern_skip(r);
    if (pattern_accept(r, "#"))
        pattern_word(r);
    else
        pattern_number(r);
    if (!r->error.what)
        text_append(attrs, at, (size_t)(r->p - at));
}

static void take_builder(PatternReader *r, SpelledRow *row, size_t n_attrs)
{
    const char *at = pattern_skip(r), *builder = pattern_word(r), *needs;
    Op op = row->op;
    size_t k = 0;
    while ((row->builder = spelled_builder(k, &op, &needs)) && strcmp(row->builder, builder) != 0)
        k++;
    if (!row->builder)
        pattern_wrong(r, "there is no such builder", at);
    else if (op != row->op)
        pattern_wrong(r, "the builder makes another operator", at);
    else if (n_attrs)
        pattern_wrong(r, "a builder takes no attributes", at);
}

/* An operator by itself needs all its attributes. */
static void check_attrs(PatternReader *r, Op op, const char *const *names, size_t n, const char *at)
{
    const OpInfo *info = op_info(op);
    OpAttr attr;
    if (info->min_in > 1 || info->max_in < 1 || info->max_out != 1)
        pattern_wrong(r, "the operator must have one input and one output", at);
    for (size_t k = 0; op_attr(op, k, &attr); k++) {
        bool given = attr.optional;
        for (size_t i = 0; i < n; i++)
            given =
                given || (strlen(names[i]) == attr.size && !memcmp(names[i], attr.name, attr.size));
        if (!given)
            pattern_wrong(r,
                          arena_printf(r->arena, "attribute '%.*s' of the operator is missing",
                                       (int)attr.size, attr.name),
                          at);
    }
}

static void take_attrs(PatternReader *r, SpelledRow *row, const char *at)
{
    const char *names[ATTRS_MAX + 1];
    size_t n = 0;
    Text attrs = text_new(r->arena);
    bool built = false;
    while (*pattern_skip(r) && *r->p != ':' && !(built = pattern_accept(r, "by"))) {
        if (n == ATTRS_MAX)
            pattern_wrong(r, "too many attributes", r->p);
        else
            take_attr(r, row->op, &attrs, names, n++);
    }
    row->attrs = attrs.data;
    if (built)
        take_builder(r, row, n);
    else if (!r->error.what)
        check_attrs(r, row->op, names, n, at);
}

/* The names in a list separated by blanks are bound by every match. */
static void check_names(PatternReader *r, const Pattern *p, const char *names)
{
    for (names += strspn(names, " "); *names; names += strspn(names, " ")) {
        const char *name = arena_strndup(r->arena, names, strcspn(names, " "));
        if (!pattern_binds(p, name))
            pattern_wrong(r, arena_printf(r->arena, "not every match has a '%s'", name), p->at);
        names += strlen(name);
    }
}

static void check_bound(PatternReader *r, const SpelledRow *row)
{
    Text names = text_new(r->arena);
    text_puts(&names, "x");
    for (const char *p = strchr(row->attrs, '#'); p; p = strchr(p + 1, '#')) {
        text_puts(&names, " ");
        text_append(&names, p + 1, strcspn(p + 1, " "));
    }
    const char *builder, *needs;
    Op op;
    for (size_t k = 0; row->builder && (builder = spelled_builder(k, &op, &needs)); k++)
        if (strcmp(builder, row->builder) == 0)
            text_printf(&names, " %s", needs);
    check_names(r, row->pattern, names.data);
}

void pattern_file_spelled(PatternFile *f)
{
    PatternReader *r = &f->r;
    PatternTable *t = f->table;
    SpelledRow row = {.builder = NULL};
    const char *at = pattern_skip(r), *op = pattern_word(r);
    if (!op_from_name(op, &row.op))
        pattern_wrong(r, arena_printf(r->arena, "there is no operator '%s'", op), at);
    else
        take_attrs(r, &row, at);
    row.pattern = pattern_file_pattern(f, false, &row.text);
    if (row.pattern)
        check_bound(r, &row);
    ARENA_PUSH(r->arena, t->spelled, t->n_spelled, f->cap_spelled, row);
}

/* Rows that take two nodes or more make a graph smaller, so they come to an end. Rows that turn one
 * node into another may go round: row i's operator leads to that of a row that matches it alone. */
static bool leads_back(const PatternTable *t, size_t from, Op to, bool *seen)
{
    for (size_t i = 0; i < t->n_spelled; i++) {
        if (seen[i] || !pattern_matches_alone(t->spelled[i].pattern, t->spelled[from].op))
            continue;
        seen[i] = true;
        if (t->spelled[i].op == to || leads_back(t, i, to, seen))
            return true;
    }
    return false;
}

/* The built-in rows have no place in the file: a way round is laid to the file's last row. */
void pattern_file_ends(PatternFile *f, size_t own)
{
    const PatternTable *t = f->table;
    for (size_t i = 0; own && i < t->n_spelled; i++) {
        bool *seen = ARENA_ARRAY(f->r.arena, bool, t->n_spelled);
        if (leads_back(t, i, t->spelled[i].op, seen))
            pattern_wrong(&f->r, "what it makes is matched again: it would never end",
                          t->spelled[i < own ? i : own - 1].pattern->at);
    }
}
