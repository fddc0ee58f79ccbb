/* Parses the text of a pattern. */
#include "pattern.h"

#include "../../gen/ops/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 200, TIMES_MAX = 64 };

void pattern_wrong(PatternReader *r, const char *what, const char *at)
{
    if (!r->error.what)
        r->error = (PatternError){what, at};
    r->p = "";
}

const char *pattern_skip(PatternReader *r)
{
    for (;;) {
        r->p += strspn(r->p, " \t\r\n");
        if (r->p[0] != '/' || r->p[1] != '/')
            return r->p;
        r->p += strcspn(r->p, "\n");
    }
}

bool pattern_accept(PatternReader *r, const char *s)
{
    const size_t n = strlen(s);
    const char *p = pattern_skip(r);
    if (strncmp(p, s, n) != 0 || (is_word_char(s[n - 1]) && is_word_char(p[n])))
        return false;
    r->p += n;
    return true;
}

void pattern_expect(PatternReader *r, const char *s)
{
    if (!pattern_accept(r, s))
        pattern_wrong(r, arena_printf(r->arena, "'%s' is expected", s), r->p);
}

const char *pattern_word(PatternReader *r)
{
    const char *start = pattern_skip(r);
    r->p += word_length(start);
    const char *word = arena_strndup(r->arena, start, (size_t)(r->p - start));
    if (!*word)
        pattern_wrong(r, "a word is expected", start);
    return word;
}

int pattern_choice(PatternReader *r, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (pattern_accept(r, words[i]))
            return i;
    return -1;
}

double pattern_number(PatternReader *r)
{
    char *end;
    double v = strtod(pattern_skip(r), &end);
    if (end == r->p)
        pattern_wrong(r, "a number is expected", r->p);
    else
        r->p = end;
    return v;
}

static int whole_number(PatternReader *r, int most)
{
    const char *at = pattern_skip(r);
    double v = pattern_number(r);
    if (!(v >= 0 && v <= most) || v != (double)(int)v) {
        pattern_wrong(r, arena_printf(r->arena, "a whole number up to %d is expected", most), at);
        return 0;
    }
    return (int)v;
}

static Pattern *new_pattern(PatternReader *r, PatternKind kind, const char *at)
{
    Pattern *p = ARENA_NEW(r->arena, Pattern);
    p->kind = kind;
    p->at = at;
    return p;
}

static void parse_predicates(PatternReader *r, Pattern *p)
{
    do {
        const char *at = r->p, *w = pattern_word(r);
        if (p->n_predicates == PATTERN_PREDICATES) {
            pattern_wrong(r, "too many predicates", at);
            return;
        }
        p->predicate[p->n_predicates] = find_predicate(w, strlen(w));
        p->predicate_name[p->n_predicates] = w;
        if (!p->predicate[p->n_predicates++])
            pattern_wrong(r, arena_printf(r->arena, "there is no predicate '%s'", w), at);
    } while (*r->p == ',' && isalpha((unsigned char)r->p[1]) && r->p++);
}

static Pattern *parse_primary(PatternReader *r);

static Pattern *parse_value(PatternReader *r, const char *at)
{
    Pattern *p = new_pattern(r, PAT_VALUE, at);
    p->name = pattern_word(r);
    if (*r->p == ':' && r->p++)
        parse_predicates(r, p);
    if (pattern_accept(r, "="))
        p->inner = parse_primary(r);
    return p;
}

static void parse_numbers(PatternReader *r, PatternAttr *a)
{
    a->list = true;
    if (pattern_accept(r, "]"))
        return;
    do {
        if (a->n == PATTERN_NUMBERS) {
            pattern_wrong(r, "too many numbers", r->p);
            return;
        }
        a->number[a->n++] = pattern_number(r);
    } while (pattern_accept(r, ","));
    pattern_expect(r, "]");
}

static void parse_attr(PatternReader *r, Pattern *p)
{
    pattern_skip(r);
    if (p->n_attrs == PATTERN_ATTRS) {
        pattern_wrong(r, "too many attributes", r->p);
        return;
    }
    PatternAttr *a = &p->attr[p->n_attrs++];
    a->name = pattern_word(r);
    pattern_expect(r, "=");
    if (pattern_accept(r, "$")) {
        a->any = true;
    } else if (pattern_accept(r, "[")) {
        parse_numbers(r, a);
    } else if (pattern_accept(r, "\"")) {
        size_t n = strcspn(r->p, "\"\n");
        a->text = arena_strndup(r->arena, r->p, n);
        r->p += n;
        pattern_expect(r, "\"");
    } else {
        a->number[a->n++] = pattern_number(r);
    }
}

static void parse_operand(PatternReader *r, Pattern *p)
{
    if (pattern_accept(r, "...")) {
        p->more_inputs = true;
        return;
    }
    if (p->n_args == PATTERN_ARGS) {
        pattern_wrong(r, "too many operands", pattern_skip(r));
        return;
    }
    if (pattern_accept(r, "[")) {
        p->may_miss[p->n_args] = true;
        p->arg[p->n_args++] = pattern_read(r);
        pattern_expect(r, "]");
    } else {
        p->arg[p->n_args++] = pattern_read(r);
    }
}

static Pattern *parse_op(PatternReader *r, bool optional)
{
    pattern_skip(r);
    Pattern *p = new_pattern(r, PAT_OP, r->p);
    const char *w = pattern_word(r);
    if (!op_from_name(w, &p->op))
        pattern_wrong(r, arena_printf(r->arena, "there is no operator '%s'", w), p->at);
    p->optional = optional;
    if (*r->p == '.' && isdigit((unsigned char)r->p[1])) {
        r->p++;
        p->out = (uint32_t)whole_number(r, 1000);
    }
    pattern_expect(r, "(");
    do
        parse_operand(r, p);
    while (!p->more_inputs && pattern_accept(r, ","));
    pattern_expect(r, ")");
    if (pattern_accept(r, "{")) {
        do
            parse_attr(r, p);
        while (pattern_accept(r, ","));
        pattern_expect(r, "}");
    }
    if (pattern_accept(r, "!"))
        p->node_name = pattern_word(r);
    return p;
}

static Pattern *parse_chain(PatternReader *r, const char *at)
{
    Pattern *p = new_pattern(r, PAT_CHAIN, at);
    p->times = whole_number(r, TIMES_MAX);
    pattern_expect(r, ",");
    p->arg[0] = pattern_read(r);
    pattern_expect(r, ",");
    p->inner = pattern_read(r);
    pattern_expect(r, ")");
    return p;
}

/* product(0.5, p, q) or product(#name, p, q) */
static Pattern *parse_product(PatternReader *r, const char *at)
{
    Pattern *p = new_pattern(r, PAT_PRODUCT, at);
    if (pattern_accept(r, "#"))
        p->name = pattern_word(r);
    else
        p->number = pattern_number(r);
    if (*r->p == '~' && r->p++)
        p->tolerance = pattern_number(r);
    while (pattern_accept(r, ",")) {
        if (p->n_args == PATTERN_ARGS) {
            pattern_wrong(r, "too many factors", pattern_skip(r));
            return p;
        }
        p->arg[p->n_args++] = pattern_read(r);
    }
    if (p->n_args == 0)
        pattern_wrong(r, "a factor is expected", pattern_skip(r));
    pattern_expect(r, ")");
    return p;
}

static Pattern *parse_number(PatternReader *r, const char *at)
{
    Pattern *p = new_pattern(r, PAT_NUMBER, at);
    p->number = pattern_number(r);
    if (*r->p == '~' && r->p++)
        p->tolerance = pattern_number(r);
    return p;
}

static Pattern *parse_kind(PatternReader *r)
{
    const char *at = pattern_skip(r);
    if (pattern_accept(r, "$"))
        return parse_value(r, at);
    if (pattern_accept(r, "#")) {
        Pattern *p = new_pattern(r, PAT_NUMBER, at);
        p->name = pattern_word(r);
        return p;
    }
    if (pattern_accept(r, "%"))
        return new_pattern(r, PAT_HOLE, at);
    if (pattern_accept(r, "?"))
        return parse_op(r, true);
    if (pattern_accept(r, "chain("))
        return parse_chain(r, at);
    if (pattern_accept(r, "product("))
        return parse_product(r, at);
    if (pattern_accept(r, "(")) {
        Pattern *p = pattern_read(r);
        pattern_expect(r, ")");
        return p;
    }
    if (*r->p == '_' && !isalnum((unsigned char)r->p[1]) && r->p++)
        return new_pattern(r, PAT_ABSENT, at);
    if (isdigit((unsigned char)*r->p) || *r->p == '-')
        return parse_number(r, at);
    return parse_op(r, false);
}

static Pattern *parse_primary(PatternReader *r)
{
    if (r->depth == DEPTH_MAX) {
        pattern_wrong(r, "it is nested too deep", r->p);
        return new_pattern(r, PAT_HOLE, r->p);
    }
    r->depth++;
    Pattern *p = parse_kind(r);
    r->depth--;
    return p;
}

/* a | b | c is a | (b | c). */
Pattern *pattern_read(PatternReader *r)
{
    Pattern *first = parse_primary(r), *last = NULL;
    while (pattern_accept(r, "|")) {
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

const Pattern *pattern_parse(Arena *arena, const char *text)
{
    PatternReader r = {.arena = arena, .p = text};
    const Pattern *p = pattern_read(&r);
    if (r.error.what)
        bug("pattern \"%s\": %s at \"%s\"", text, r.error.what, r.error.at);
    if (*pattern_skip(&r))
        bug("pattern \"%s\": \"%s\" stands behind it", text, r.p);
    return p;
}
