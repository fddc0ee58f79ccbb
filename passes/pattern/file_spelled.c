/* The rows of a user's patterns that say how a function is spelled out: its operator, its attributes or builder, what it is
 * made of. */
#include "file.h"

#include "../../gen/ops/ops.h"
#include "pattern.h"

#include <stdlib.h>
#include <string.h>

static bool take_attr(PatternFile *f, Op op, Text *attrs, const char **names, size_t n)
{
    const char *at = f->p, *name = pattern_file_word(f);
    OpAttr attr;
    bool known = false;
    for (size_t k = 0; name && op_attr(op, k, &attr); k++)
        if (strlen(name) == attr.size && memcmp(name, attr.name, attr.size) == 0) {
            known = true;
            if (attr.kind != ATTR_FLOAT)
                return pattern_file_refuse(f, at, "only attributes that are floats can be given");
        }
    if (!name)
        return false;
    if (!known)
        return pattern_file_refuse(f, at, "the operator has no such attribute");
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return pattern_file_refuse(f, at, "an attribute is given twice");
    names[n] = name;
    if (!pattern_file_expect(f, "="))
        return false;
    text_printf(attrs, "%s%s=", attrs->size ? " " : "", name);
    if (pattern_file_accept(f, "#")) {
        const char *bound = pattern_file_word(f);
        text_printf(attrs, "#%s", bound ? bound : "");
        return bound != NULL;
    }
    char *end;
    f->p = pattern_skip(f->p);
    strtod(f->p, &end);
    if (end == f->p)
        return pattern_file_refuse(f, f->p, "a number or #name is expected");
    text_append(attrs, f->p, (size_t)(end - f->p));
    f->p = end;
    return true;
}

enum { ATTRS_MAX = 3 };

static bool take_builder(PatternFile *f, SpelledRow *row, size_t n_attrs)
{
    const char *at = pattern_skip(f->p), *builder = pattern_file_word(f), *needs;
    Op op = row->op;
    size_t k = 0;
    if (!builder)
        return false;
    while ((row->builder = spelled_builder(k, &op, &needs)) && strcmp(row->builder, builder) != 0)
        k++;
    if (!row->builder)
        return pattern_file_refuse(f, at, "there is no such builder");
    if (op != row->op)
        return pattern_file_refuse(f, at, "the builder makes another operator");
    return n_attrs == 0 || pattern_file_refuse(f, at, "a builder takes no attributes");
}

static bool take_attrs(PatternFile *f, SpelledRow *row, const char *at)
{
    const char *names[ATTRS_MAX + 1];
    size_t n = 0;
    OpAttr attr;
    Text attrs = text_new(f->arena);
    for (f->p = pattern_skip(f->p); *f->p != ':' && *f->p && !pattern_file_next_is(f, "by");
         f->p = pattern_skip(f->p)) {
        if (n == ATTRS_MAX)
            return pattern_file_refuse(f, f->p, "too many attributes");
        if (!take_attr(f, row->op, &attrs, names, n++))
            return false;
    }
    row->attrs = attrs.data;
    if (pattern_file_accept(f, "by"))
        return take_builder(f, row, n);
    const OpInfo *op = op_info(row->op);
    if (op->min_in > 1 || op->max_in < 1 || op->max_out != 1)
        return pattern_file_refuse(f, at, "the operator must have one input and one output");
    for (size_t k = 0; op_attr(row->op, k, &attr); k++) {
        bool given = attr.optional;
        for (size_t i = 0; i < n; i++)
            given =
                given || (strlen(names[i]) == attr.size && !memcmp(names[i], attr.name, attr.size));
        if (!given)
            return pattern_file_refuse(f, at,
                                       arena_printf(f->arena,
                                                    "attribute '%.*s' of the operator is missing",
                                                    (int)attr.size, attr.name));
    }
    return true;
}

/* The names in a list separated by blanks are bound by every match. */
static bool check_names(PatternFile *f, const Pattern *p, const char *names)
{
    for (names += strspn(names, " "); *names; names += strspn(names, " ")) {
        const char *name = arena_strndup(f->arena, names, strcspn(names, " "));
        if (!pattern_binds(p, name))
            return pattern_file_refuse(f, p->at,
                                       arena_printf(f->arena, "not every match has a '%s'", name));
        names += strlen(name);
    }
    return true;
}

static bool check_bound(PatternFile *f, const SpelledRow *row)
{
    Text names = text_new(f->arena);
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
    return check_names(f, row->pattern, names.data);
}

bool pattern_file_spelled(PatternFile *f)
{
    PatternTable *t = f->table;
    SpelledRow row = {.builder = NULL};
    f->p = pattern_skip(f->p);
    const char *at = f->p, *op = pattern_file_word(f);
    if (!op)
        return false;
    if (!op_from_name(op, &row.op))
        return pattern_file_refuse(f, at, arena_printf(f->arena, "there is no operator '%s'", op));
    if (!take_attrs(f, &row, at) || !pattern_file_pattern(f, false, &row.pattern, &row.text) ||
        !check_bound(f, &row))
        return false;
    f->at = arena_grow(f->arena, f->at, t->n_spelled, &f->cap_at, sizeof *f->at);
    f->at[t->n_spelled] = row.pattern->at;
    ARENA_PUSH(f->arena, t->spelled, t->n_spelled, f->cap_spelled, row);
    return true;
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

bool pattern_file_ends(PatternFile *f)
{
    const PatternTable *t = f->table;
    for (size_t i = 0; i < t->n_spelled; i++) {
        bool *seen = ARENA_ARRAY(f->arena, bool, t->n_spelled);
        if (leads_back(t, i, t->spelled[i].op, seen))
            return pattern_file_refuse(f, f->at[i],
                                       "what it makes is matched again: it would never end");
    }
    return true;
}
