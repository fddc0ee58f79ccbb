/* Parses the text of a pattern. The texts are ours: a mistake in one is a bug. */
#include "pattern.h"

#include "../gen/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    Arena *arena;
    const char *text, *p;
} Reader;

static Pattern *parse_alternatives(Reader *r);

_Noreturn static void syntax(const Reader *r, const char *what)
{
    bug("pattern \"%s\": %s at \"%s\"", r->text, what, r->p);
}

static bool accept(Reader *r, const char *s)
{
    r->p += strspn(r->p, " \n");
    size_t n = strlen(s);
    if (strncmp(r->p, s, n) != 0)
        return false;
    r->p += n;
    return true;
}

static void expect(Reader *r, const char *s)
{
    if (!accept(r, s))
        syntax(r, s);
}

static const char *word(Reader *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->p[n]) || r->p[n] == '_')
        n++;
    if (n == 0)
        syntax(r, "a word is expected");
    const char *w = arena_strndup(r->arena, r->p, n);
    r->p += n;
    return w;
}

static double number(Reader *r)
{
    char *end;
    double v = strtod(r->p, &end);
    if (end == r->p)
        syntax(r, "a number is expected");
    r->p = end;
    return v;
}

static Pattern *new_pattern(Reader *r, PatternKind kind)
{
    Pattern *p = ARENA_NEW(r->arena, Pattern);
    p->kind = kind;
    return p;
}

static void parse_predicates(Reader *r, Pattern *p)
{
    do {
        const char *w = word(r);
        if (p->n_predicates == PATTERN_PREDICATES)
            syntax(r, "too many predicates");
        p->predicate[p->n_predicates] = find_predicate(w, strlen(w));
        p->predicate_name[p->n_predicates] = w;
        if (!p->predicate[p->n_predicates++])
            syntax(r, "unknown predicate");
    } while (*r->p == ',' && isalpha((unsigned char)r->p[1]) && r->p++);
}

static Pattern *parse_primary(Reader *r);

static Pattern *parse_value(Reader *r)
{
    Pattern *p = new_pattern(r, PAT_VALUE);
    p->name = word(r);
    if (*r->p == ':' && r->p++)
        parse_predicates(r, p);
    if (accept(r, "="))
        p->inner = parse_primary(r);
    return p;
}

static void parse_attr(Reader *r, Pattern *p)
{
    if (p->n_attrs == PATTERN_ATTRS)
        syntax(r, "too many attributes");
    PatternAttr *a = &p->attr[p->n_attrs++];
    r->p += strspn(r->p, " ");
    a->name = word(r);
    expect(r, "=");
    if (accept(r, "$")) {
        a->any = true;
    } else if (accept(r, "\"")) {
        size_t n = strcspn(r->p, "\"");
        a->text = arena_strndup(r->arena, r->p, n);
        r->p += n;
        expect(r, "\"");
    } else {
        a->number = number(r);
    }
}

static void parse_operand(Reader *r, Pattern *p)
{
    if (accept(r, "...")) {
        p->more_inputs = true;
        return;
    }
    if (p->n_args == PATTERN_ARGS)
        syntax(r, "too many operands");
    if (accept(r, "[")) {
        p->may_miss[p->n_args] = true;
        p->arg[p->n_args++] = parse_alternatives(r);
        expect(r, "]");
    } else {
        p->arg[p->n_args++] = parse_alternatives(r);
    }
}

static Pattern *parse_op(Reader *r, bool optional)
{
    Pattern *p = new_pattern(r, PAT_OP);
    r->p += strspn(r->p, " \n");
    const char *w = word(r);
    if (!op_from_name(w, &p->op))
        syntax(r, "unknown operator");
    p->optional = optional;
    if (*r->p == '.' && isdigit((unsigned char)r->p[1])) {
        r->p++;
        p->out = (uint32_t)number(r);
    }
    expect(r, "(");
    do
        parse_operand(r, p);
    while (accept(r, ","));
    expect(r, ")");
    if (accept(r, "{")) {
        do
            parse_attr(r, p);
        while (accept(r, ","));
        expect(r, "}");
    }
    if (accept(r, "!"))
        p->node_name = word(r);
    return p;
}

static Pattern *parse_chain(Reader *r)
{
    Pattern *p = new_pattern(r, PAT_CHAIN);
    r->p += strspn(r->p, " \n");
    p->times = (int)number(r);
    expect(r, ",");
    p->arg[0] = parse_alternatives(r);
    expect(r, ",");
    p->inner = parse_alternatives(r);
    expect(r, ")");
    return p;
}

static Pattern *parse_primary(Reader *r)
{
    r->p += strspn(r->p, " \n");
    if (accept(r, "$"))
        return parse_value(r);
    if (accept(r, "#")) {
        Pattern *p = new_pattern(r, PAT_NUMBER);
        p->name = word(r);
        return p;
    }
    if (accept(r, "%"))
        return new_pattern(r, PAT_HOLE);
    if (accept(r, "?"))
        return parse_op(r, true);
    if (accept(r, "chain("))
        return parse_chain(r);
    if (accept(r, "(")) {
        Pattern *p = parse_alternatives(r);
        expect(r, ")");
        return p;
    }
    if (*r->p == '_' && !isalnum((unsigned char)r->p[1]) && r->p++)
        return new_pattern(r, PAT_ABSENT);
    if (isdigit((unsigned char)*r->p) || *r->p == '-') {
        Pattern *p = new_pattern(r, PAT_NUMBER);
        p->number = number(r);
        return p;
    }
    return parse_op(r, false);
}

static Pattern *parse_alternatives(Reader *r)
{
    Pattern *p = parse_primary(r);
    if (!accept(r, "|"))
        return p;
    Pattern *either = new_pattern(r, PAT_OR);
    either->arg[0] = p;
    either->arg[1] = parse_alternatives(r);
    return either;
}

const Pattern *pattern_parse(Arena *arena, const char *text)
{
    Reader r = {.arena = arena, .text = text, .p = text};
    Pattern *p = parse_alternatives(&r);
    r.p += strspn(r.p, " \n");
    if (*r.p)
        syntax(&r, "nothing more is expected");
    return p;
}
