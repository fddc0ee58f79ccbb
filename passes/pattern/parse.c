/* Parses the text of a pattern. The first mistake is kept; after it the rest of the text counts as
 * empty. */
#include "pattern.h"

#include "../../gen/ops/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 200, TIMES_MAX = 64 };

typedef struct Reader {
    Arena *arena;
    const char *p;
    int depth;
    PatternError error;
} Reader;

static Pattern *parse_alternatives(Reader *r);

static void syntax(Reader *r, const char *what, const char *at)
{
    if (!r->error.what)
        r->error = (PatternError){what, at};
    r->p = "";
}

const char *pattern_skip(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (p[0] != '/' || p[1] != '/')
            return p;
        p += strcspn(p, "\n");
    }
}

static bool accept(Reader *r, const char *s)
{
    const char *p = pattern_skip(r->p);
    size_t n = strlen(s);
    if (strncmp(p, s, n) != 0)
        return false;
    r->p = p + n;
    return true;
}

static void expect(Reader *r, const char *s)
{
    if (!accept(r, s))
        syntax(r, arena_printf(r->arena, "'%s' is expected", s), pattern_skip(r->p));
}

static const char *word(Reader *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->p[n]) || r->p[n] == '_')
        n++;
    if (n == 0) {
        syntax(r, "a word is expected", r->p);
        return "";
    }
    const char *w = arena_strndup(r->arena, r->p, n);
    r->p += n;
    return w;
}

static double number(Reader *r)
{
    char *end;
    const char *p = pattern_skip(r->p);
    double v = strtod(p, &end);
    if (end == p) {
        syntax(r, "a number is expected", p);
        return 0;
    }
    r->p = end;
    return v;
}

static int whole_number(Reader *r, int most)
{
    const char *at = pattern_skip(r->p);
    double v = number(r);
    if (!(v >= 0 && v <= most) || v != (double)(int)v) {
        syntax(r, arena_printf(r->arena, "a whole number up to %d is expected", most), at);
        return 0;
    }
    return (int)v;
}

static Pattern *new_pattern(Reader *r, PatternKind kind, const char *at)
{
    Pattern *p = ARENA_NEW(r->arena, Pattern);
    p->kind = kind;
    p->at = at;
    return p;
}

static void parse_predicates(Reader *r, Pattern *p)
{
    do {
        const char *at = r->p, *w = word(r);
        if (p->n_predicates == PATTERN_PREDICATES) {
            syntax(r, "too many predicates", at);
            return;
        }
        p->predicate[p->n_predicates] = find_predicate(w, strlen(w));
        p->predicate_name[p->n_predicates] = w;
        if (!p->predicate[p->n_predicates++])
            syntax(r, arena_printf(r->arena, "there is no predicate '%s'", w), at);
    } while (*r->p == ',' && isalpha((unsigned char)r->p[1]) && r->p++);
}

static Pattern *parse_primary(Reader *r);

static Pattern *parse_value(Reader *r, const char *at)
{
    Pattern *p = new_pattern(r, PAT_VALUE, at);
    p->name = word(r);
    if (*r->p == ':' && r->p++)
        parse_predicates(r, p);
    if (accept(r, "="))
        p->inner = parse_primary(r);
    return p;
}

static void parse_numbers(Reader *r, PatternAttr *a)
{
    a->list = true;
    if (accept(r, "]"))
        return;
    do {
        if (a->n == PATTERN_NUMBERS) {
            syntax(r, "too many numbers", r->p);
            return;
        }
        a->number[a->n++] = number(r);
    } while (accept(r, ","));
    expect(r, "]");
}

static void parse_attr(Reader *r, Pattern *p)
{
    r->p = pattern_skip(r->p);
    if (p->n_attrs == PATTERN_ATTRS) {
        syntax(r, "too many attributes", r->p);
        return;
    }
    PatternAttr *a = &p->attr[p->n_attrs++];
    a->name = word(r);
    expect(r, "=");
    if (accept(r, "$")) {
        a->any = true;
    } else if (accept(r, "[")) {
        parse_numbers(r, a);
    } else if (accept(r, "\"")) {
        size_t n = strcspn(r->p, "\"\n");
        a->text = arena_strndup(r->arena, r->p, n);
        r->p += n;
        expect(r, "\"");
    } else {
        a->number[a->n++] = number(r);
    }
}

static void parse_operand(Reader *r, Pattern *p)
{
    if (accept(r, "...")) {
        p->more_inputs = true;
        return;
    }
    if (p->n_args == PATTERN_ARGS) {
        syntax(r, "too many operands", pattern_skip(r->p));
        return;
    }
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
    r->p = pattern_skip(r->p);
    Pattern *p = new_pattern(r, PAT_OP, r->p);
    const char *w = word(r);
    if (!op_from_name(w, &p->op))
        syntax(r, arena_printf(r->arena, "there is no operator '%s'", w), p->at);
    p->optional = optional;
    if (*r->p == '.' && isdigit((unsigned char)r->p[1])) {
        r->p++;
        p->out = (uint32_t)whole_number(r, 1000);
    }
    expect(r, "(");
    do
        parse_operand(r, p);
    while (!p->more_inputs && accept(r, ","));
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

static Pattern *parse_chain(Reader *r, const char *at)
{
    Pattern *p = new_pattern(r, PAT_CHAIN, at);
    p->times = whole_number(r, TIMES_MAX);
    expect(r, ",");
    p->arg[0] = parse_alternatives(r);
    expect(r, ",");
    p->inner = parse_alternatives(r);
    expect(r, ")");
    return p;
}

/* product(0.5, p, q) or product(#name, p, q) */
static Pattern *parse_product(Reader *r, const char *at)
{
    Pattern *p = new_pattern(r, PAT_PRODUCT, at);
    if (accept(r, "#"))
        p->name = word(r);
    else
        p->number = number(r);
    if (*r->p == '~' && r->p++)
        p->tolerance = number(r);
    while (accept(r, ",")) {
        if (p->n_args == PATTERN_ARGS) {
            syntax(r, "too many factors", pattern_skip(r->p));
            return p;
        }
        p->arg[p->n_args++] = parse_alternatives(r);
    }
    if (p->n_args == 0)
        syntax(r, "a factor is expected", pattern_skip(r->p));
    expect(r, ")");
    return p;
}

static Pattern *parse_number(Reader *r, const char *at)
{
    Pattern *p = new_pattern(r, PAT_NUMBER, at);
    p->number = number(r);
    if (*r->p == '~' && r->p++)
        p->tolerance = number(r);
    return p;
}

static Pattern *parse_kind(Reader *r)
{
    const char *at = r->p = pattern_skip(r->p);
    if (accept(r, "$"))
        return parse_value(r, at);
    if (accept(r, "#")) {
        Pattern *p = new_pattern(r, PAT_NUMBER, at);
        p->name = word(r);
        return p;
    }
    if (accept(r, "%"))
        return new_pattern(r, PAT_HOLE, at);
    if (accept(r, "?"))
        return parse_op(r, true);
    if (accept(r, "chain("))
        return parse_chain(r, at);
    if (accept(r, "product("))
        return parse_product(r, at);
    if (accept(r, "(")) {
        Pattern *p = parse_alternatives(r);
        expect(r, ")");
        return p;
    }
    if (*r->p == '_' && !isalnum((unsigned char)r->p[1]) && r->p++)
        return new_pattern(r, PAT_ABSENT, at);
    if (isdigit((unsigned char)*r->p) || *r->p == '-')
        return parse_number(r, at);
    return parse_op(r, false);
}

static Pattern *parse_primary(Reader *r)
{
    if (r->depth == DEPTH_MAX) {
        syntax(r, "it is nested too deep", r->p);
        return new_pattern(r, PAT_HOLE, r->p);
    }
    r->depth++;
    Pattern *p = parse_kind(r);
    r->depth--;
    return p;
}

/* a | b | c is a | (b | c). */
static Pattern *parse_alternatives(Reader *r)
{
    Pattern *first = parse_primary(r), *last = NULL;
    while (accept(r, "|")) {
        Pattern *either = new_pattern(r, PAT_OR, first->at);
        either->arg[0] = last ? last->arg[1] : first;
        either->arg[1] = parse_primary(r);
        if (last)
            last->arg[1] = either;
        else
            first = either;
        last = either;
    }
    return first;
}

const Pattern *pattern_parse_prefix(Arena *arena, const char *text, const char **end,
                                    PatternError *error)
{
    Reader r = {.arena = arena, .p = text};
    Pattern *p = parse_alternatives(&r);
    *error = r.error;
    *end = r.p;
    return r.error.what ? NULL : p;
}

const Pattern *pattern_parse(Arena *arena, const char *text)
{
    PatternError error;
    const char *end;
    const Pattern *p = pattern_parse_prefix(arena, text, &end, &error);
    if (p && *pattern_skip(end))
        error = (PatternError){"nothing more is expected", end};
    if (error.what)
        bug("pattern \"%s\": %s at \"%s\"", text, error.what, error.at);
    return p;
}
