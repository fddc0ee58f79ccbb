/* A pattern becomes a program for a machine that is in several places of it at once (Thompson's), as it is parsed. Jumps are relative, so that the
 * code of a part can be moved and repeated as it stands. */
#include "regex.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_MAX = 20000, DEPTH_MAX = 500, REPEAT_MAX = 1000, POINT_MAX = 0x10ffff };

typedef struct Step {
    enum { ONE_OF, JUMP, SPLIT, BEGIN, END, BOUNDARY, NO_BOUNDARY, MATCH } kind;
    int32_t x, y; /* JUMP: x; SPLIT: both; ONE_OF: y ranges from x on */
} Step;

typedef struct Range {
    uint32_t low, high;
} Range;

struct Regex {
    Arena *arena;
    Step *code;
    size_t n, cap;
    Range *ranges;
    size_t n_ranges, cap_ranges;
};

typedef struct Parser {
    struct Regex *r;
    const char *at;
    const char *why; /* the first failure */
    int depth;
} Parser;

static bool fail(Parser *p, const char *why)
{
    p->why = p->why ? p->why : why;
    return false;
}

/* The next character, of UTF-8 where it is that, else a byte. */
static uint32_t next_point(const char **at)
{
    const unsigned char *s = (const unsigned char *)*at;
    const int more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
    uint32_t point = more ? s[0] & (0x3fu >> more) : s[0];
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            (*at)++;
            return s[0];
        }
        point = point << 6 | (s[i] & 0x3f);
    }
    *at += 1 + more;
    return point;
}

/* --- code ---------------------------------------------------------------------------------------------------------- */

/* Space for n steps at a place; those behind it move. */
static Step *open_code(Parser *p, size_t at, size_t n)
{
    static Step none;
    struct Regex *r = p->r;
    if (p->why || r->n + n > CODE_MAX) {
        fail(p, "it is too large");
        return &none;
    }
    for (size_t i = 0; i < n; i++)
        ARENA_PUSH(r->arena, r->code, r->n, r->cap, (Step){0});
    memmove(r->code + at + n, r->code + at, (r->n - n - at) * sizeof *r->code);
    return r->code + at;
}

static bool emit_step(Parser *p, Step step)
{
    *open_code(p, p->r->n, 1) = step;
    return !p->why;
}

static void add_range(Parser *p, uint32_t low, uint32_t high)
{
    ARENA_PUSH(p->r->arena, p->r->ranges, p->r->n_ranges, p->r->cap_ranges, ((Range){low, high}));
}

/* \d, \w, \s, and what is none of them by capital letters. */
static bool add_letter_class(Parser *p, char letter)
{
    static const Range digits[] = {{'0', '9'}},
                       words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}},
                       spaces[] = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    const char small = (char)(letter | 0x20);
    const Range *set = small == 'd' ? digits : small == 'w' ? words : small == 's' ? spaces : NULL;
    const size_t n = small == 'd'   ? COUNT_OF(digits)
                     : small == 'w' ? COUNT_OF(words)
                                    : COUNT_OF(spaces);
    uint32_t from = 0;
    for (size_t i = 0; set && i < n; i++) {
        if (letter == small)
            add_range(p, set[i].low, set[i].high);
        else
            add_range(p, from, set[i].low - 1);
        from = set[i].high + 1;
    }
    if (set && letter != small)
        add_range(p, from, POINT_MAX);
    return set != NULL;
}

static int by_low(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* What is in none of the ranges from `first` on, in their place. */
static void negate(Parser *p, size_t first)
{
    struct Regex *r = p->r;
    const size_t n = r->n_ranges - first;
    Range *set = arena_copy(r->arena, r->ranges + first, (n + 1) * sizeof *set);
    uint32_t from = 0;
    qsort(set, n, sizeof *set, by_low);
    r->n_ranges = first;
    for (size_t i = 0; i < n; i++) {
        if (set[i].low > from)
            add_range(p, from, set[i].low - 1);
        from = set[i].high >= from ? set[i].high + 1 : from;
    }
    if (from <= POINT_MAX)
        add_range(p, from, POINT_MAX);
}

static bool emit_ranges(Parser *p, size_t first)
{
    return emit_step(p, (Step){ONE_OF, (int32_t)first, (int32_t)(p->r->n_ranges - first)});
}

/* --- the pattern ---------------------------------------------------------------------------------------------------- */

/* The character that stands behind a backslash. */
static bool escaped(Parser *p, uint32_t *point)
{
    static const char letters[] = "tnrfva", points[] = "\t\n\r\f\v\a";
    const char *letter = *p->at ? strchr(letters, *p->at) : NULL;
    if (letter) {
        *point = (unsigned char)points[letter - letters];
        p->at++;
        return true;
    }
    if (!*p->at || (*p->at >= '0' && *p->at <= '9') ||
        ((*p->at | 0x20) >= 'a' && (*p->at | 0x20) <= 'z'))
        return fail(p, "an escape is unknown");
    *point = next_point(&p->at);
    return true;
}

static bool class_member(Parser *p, uint32_t *point, bool *is_set)
{
    *is_set = false;
    if (!*p->at)
        return fail(p, "a ] is missing");
    if (p->at[0] == '[' && p->at[1] == ':')
        return fail(p, "classes by name are not known");
    if (*p->at != '\\') {
        *point = next_point(&p->at);
        return true;
    }
    p->at++;
    *is_set = *p->at && add_letter_class(p, *p->at);
    p->at += *is_set;
    return *is_set || escaped(p, point);
}

static bool parse_class(Parser *p)
{
    const size_t first = p->r->n_ranges;
    const bool negated = *p->at == '^';
    p->at += negated;
    for (const char *begin = p->at; *p->at != ']' || p->at == begin;) {
        uint32_t low, high;
        bool is_set;
        if (!class_member(p, &low, &is_set))
            return false;
        if (is_set)
            continue;
        high = low;
        if (p->at[0] == '-' && p->at[1] && p->at[1] != ']') {
            p->at++;
            if (!class_member(p, &high, &is_set))
                return false;
            if (is_set || high < low)
                return fail(p, "a range of characters is wrong");
        }
        add_range(p, low, high);
    }
    p->at++;
    if (negated)
        negate(p, first);
    return emit_ranges(p, first);
}

static bool parse_escape(Parser *p)
{
    static const char letters[] = "AzbB";
    static const int kinds[] = {BEGIN, END, BOUNDARY, NO_BOUNDARY};
    const size_t first = p->r->n_ranges;
    const char *letter = *p->at ? strchr(letters, *p->at) : NULL;
    uint32_t point;
    if (letter) {
        p->at++;
        return emit_step(p, (Step){.kind = kinds[letter - letters]});
    }
    if (*p->at && add_letter_class(p, *p->at)) {
        p->at++;
        return emit_ranges(p, first);
    }
    if (!escaped(p, &point))
        return false;
    add_range(p, point, point);
    return emit_ranges(p, first);
}

static bool parse_alternatives(Parser *p);

static bool parse_group(Parser *p)
{
    if (p->at[0] == '?') {
        if (p->at[1] == ':')
            p->at += 2;
        else if (p->at[1] == 'P' && p->at[2] == '<' && strchr(p->at, '>'))
            p->at = strchr(p->at, '>') + 1;
        else
            return fail(p, "flags of a group are not known");
    }
    if (!parse_alternatives(p))
        return false;
    return *p->at == ')' ? (p->at++, true) : fail(p, "a ) is missing");
}

static bool parse_atom(Parser *p)
{
    const size_t first = p->r->n_ranges;
    const char c = *p->at;
    if (strchr("*+?", c))
        return fail(p, "a repetition has nothing before it");
    const uint32_t point = next_point(&p->at);
    switch (c) {
    case '(':
        return parse_group(p);
    case '[':
        return parse_class(p);
    case '\\':
        return parse_escape(p);
    case '^':
    case '$':
        return emit_step(p, (Step){.kind = c == '^' ? BEGIN : END});
    case '.':
        add_range(p, 0, '\n' - 1);
        add_range(p, '\n' + 1, POINT_MAX);
        return emit_ranges(p, first);
    default:
        add_range(p, point, point);
        return emit_ranges(p, first);
    }
}

/* {n}, {n,} or {n,m}; *most -1: any number. What is none of these is text. */
static bool parse_counts(Parser *p, long *least, long *most)
{
    char *end;
    if (*p->at != '{' || p->at[1] < '0' || p->at[1] > '9')
        return false;
    *most = *least = strtol(p->at + 1, &end, 10);
    if (*end == ',') {
        end++;
        *most = *end == '}' ? -1 : *end >= '0' && *end <= '9' ? strtol(end, &end, 10) : -2;
    }
    if (*end != '}' || *most == -2)
        return false;
    p->at = end + 1;
    return true;
}

/* The steps from `first` on as often as that. */
static void repeat(Parser *p, size_t first, long least, long most)
{
    struct Regex *r = p->r;
    const size_t n = r->n - first;
    const Step *part = arena_copy(r->arena, r->code + first, (n + 1) * sizeof *part);
    const long times = most < 0 ? least + 1 : most;
    r->n = first;
    for (long i = 0; i < times && !p->why; i++) {
        if (most < 0 && i == least)
            emit_step(p, (Step){SPLIT, 1, (int32_t)n + 2});
        else if (i >= least) /* without this one, without those behind it */
            emit_step(p, (Step){SPLIT, 1, (int32_t)((n + 1) * (size_t)(times - i))});
        for (size_t k = 0; k < n && !p->why; k++)
            emit_step(p, part[k]);
    }
    if (most < 0)
        emit_step(p, (Step){JUMP, -(int32_t)n - 1, 0});
}

static bool parse_repeated(Parser *p)
{
    const size_t first = p->r->n;
    long least = 1, most = 1;
    if (!parse_atom(p))
        return false;
    const char c = *p->at;
    if (c && strchr("*+?", c)) {
        least = c == '+';
        most = c == '?' ? 1 : -1;
        p->at++;
    } else if (!parse_counts(p, &least, &most)) {
        return true;
    }
    if (least > REPEAT_MAX || most > REPEAT_MAX || (most >= 0 && most < least))
        return fail(p, "the numbers of a repetition are wrong or too large");
    p->at += *p->at == '?'; /* as little as there can be: the same here */
    if (*p->at && strchr("*+", *p->at))
        return fail(p, "a repetition is repeated");
    repeat(p, first, least, most);
    return !p->why;
}

static bool parse_alternatives(Parser *p)
{
    const size_t first = p->r->n;
    if (p->depth++ == DEPTH_MAX)
        return fail(p, "it is nested too deeply");
    while (*p->at && *p->at != '|' && *p->at != ')')
        if (!parse_repeated(p))
            return false;
    if (*p->at == '|') {
        p->at++;
        const Step both = {SPLIT, 1, (int32_t)(p->r->n - first) + 2};
        *open_code(p, first, 1) = both;
        const size_t jump = p->r->n;
        emit_step(p, (Step){.kind = JUMP});
        if (p->why || !parse_alternatives(p))
            return false;
        p->r->code[jump].x = (int32_t)(p->r->n - jump);
    }
    p->depth--;
    return !p->why;
}

const Regex *regex_new(Arena *arena, const char *pattern, const char **why)
{
    struct Regex *r = ARENA_NEW(arena, struct Regex);
    *r = (struct Regex){.arena = arena};
    Parser p = {.r = r, .at = pattern};
    if (parse_alternatives(&p) && *p.at)
        fail(&p, "a ) is too much");
    if (!p.why)
        emit_step(&p, (Step){.kind = MATCH});
    *why = p.why;
    return p.why ? NULL : r;
}

size_t regex_size(const Regex *r)
{
    return r->n;
}

/* --- matching -------------------------------------------------------------------------------------------------------- */

typedef struct Places {
    uint32_t *at, n;
} Places;

typedef struct Machine {
    const Regex *r;
    const char *text, *now; /* the whole, and where it is being read */
    size_t *seen;           /* when each step was reached last */
    uint32_t *stack;
} Machine;

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static bool holds(const Machine *m, int kind)
{
    const bool before = m->now > m->text && is_word(m->now[-1]), after = is_word(*m->now);
    return kind == BEGIN      ? m->now == m->text
           : kind == END      ? !*m->now
           : kind == BOUNDARY ? before != after
                              : before == after;
}

/* All steps that read a character, and the end, which are reached from a step without reading. */
static void reach(Machine *m, Places *places, size_t time, uint32_t from)
{
    uint32_t n = 0;
    m->stack[n++] = from;
    while (n) {
        const uint32_t at = m->stack[--n];
        if (m->seen[at] == time)
            continue;
        m->seen[at] = time;
        const Step *s = &m->r->code[at];
        if (s->kind == ONE_OF || s->kind == MATCH)
            places->at[places->n++] = at;
        else if (s->kind == JUMP || s->kind == SPLIT)
            m->stack[n++] = (uint32_t)((int32_t)at + s->x);
        else if (holds(m, s->kind))
            m->stack[n++] = at + 1;
        if (s->kind == SPLIT)
            m->stack[n++] = (uint32_t)((int32_t)at + s->y);
    }
}

static bool takes(const Regex *r, const Step *s, uint32_t point)
{
    for (int32_t i = 0; s->kind == ONE_OF && i < s->y; i++)
        if (point >= r->ranges[s->x + i].low && point <= r->ranges[s->x + i].high)
            return true;
    return false;
}

bool regex_matches(const Regex *r, const char *text)
{
    Arena *scratch = arena_new();
    Machine m = {r, text, text, ARENA_ARRAY(scratch, size_t, r->n),
                 ARENA_ARRAY(scratch, uint32_t, 2 * r->n + 2)};
    Places now = {ARENA_ARRAY(scratch, uint32_t, r->n), 0},
           next = {ARENA_ARRAY(scratch, uint32_t, r->n), 0};
    memset(m.seen, 0, r->n * sizeof *m.seen);
    size_t time = 1;
    reach(&m, &now, time, 0);
    while (*m.now && now.n) {
        const uint32_t point = next_point(&m.now);
        next.n = 0;
        time++;
        for (uint32_t i = 0; i < now.n; i++)
            if (takes(r, &r->code[now.at[i]], point))
                reach(&m, &next, time, now.at[i] + 1);
        const Places other = now;
        now = next;
        next = other;
    }
    bool matches = false;
    for (uint32_t i = 0; i < now.n && !*m.now; i++)
        matches |= r->code[now.at[i]].kind == MATCH;
    arena_free(scratch);
    return matches;
}
