/* The template engine: bindings, and the line-by-line renderer. See template.h for the language. */
#include "template.h"

#include "bundle.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

typedef struct Binding {
    struct Binding *next;
    const char *name;
    const char *text; /* NULL for a list */
    Bindings **rows;
    size_t n_rows, cap_rows;
} Binding;

struct Bindings {
    Arena *arena;
    const Bindings *outer;
    Binding *first;
};

Bindings *bindings_new(Arena *arena, const Bindings *outer)
{
    Bindings *b = ARENA_NEW(arena, Bindings);
    b->arena = arena;
    b->outer = outer;
    return b;
}

static Binding *find_own(const Bindings *b, const char *name, size_t n)
{
    for (Binding *e = b->first; e; e = e->next)
        if (!strncmp(e->name, name, n) && !e->name[n])
            return e;
    return NULL;
}

static Binding *find(const Bindings *b, const char *name, size_t n)
{
    for (; b; b = b->outer) {
        Binding *e = find_own(b, name, n);
        if (e)
            return e;
    }
    return NULL;
}

static Binding *own_entry(Bindings *b, const char *name)
{
    Binding *e = find_own(b, name, strlen(name));
    if (!e) {
        e = ARENA_NEW(b->arena, Binding);
        e->name = arena_strdup(b->arena, name);
        e->next = b->first;
        b->first = e;
    }
    return e;
}

void bind(Bindings *b, const char *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    own_entry(b, name)->text = arena_vprintf(b->arena, fmt, args);
    va_end(args);
}

void bind_int(Bindings *b, const char *name, int64_t value)
{
    bind(b, name, "%" PRId64, value);
}

Bindings *bind_row(Bindings *b, const char *list)
{
    Binding *e = own_entry(b, list);
    if (e->text)
        bug("template binding '%s' is a text and a list", list);
    e->rows = arena_grow(b->arena, e->rows, e->n_rows, &e->cap_rows, sizeof *e->rows);
    return e->rows[e->n_rows++] = bindings_new(b->arena, b);
}

typedef struct Line {
    const char *s;
    size_t n; /* without the newline */
} Line;

typedef struct Render {
    Text *out;
    const char *path;
    Line *lines;
    size_t n_lines;
    size_t at; /* the line to render next */
} Render;

typedef enum Directive { PLAIN, BEGIN, IF, ELSE, FOR, END } Directive;

static _Noreturn void template_bug(const Render *r, size_t line, const char *what, Line name)
{
    bug("%s:%zu: %s '%.*s'", r->path, line + 1, what, (int)name.n, name.s);
}

static Line trimmed(Line l)
{
    while (l.n && isspace((unsigned char)l.s[0]))
        l.s++, l.n--;
    while (l.n && isspace((unsigned char)l.s[l.n - 1]))
        l.n--;
    return l;
}

/* What a line is; `name` gets the operand of an if or for. */
static Directive classify(const Render *r, size_t line, Line *name)
{
    static const struct {
        const char *word;
        Directive directive;
        bool operand;
    } words[] = {
        {"begin", BEGIN, false}, {"if", IF, true},    {"else", ELSE, false},
        {"for", FOR, true},      {"end", END, false},
    };
    Line l = trimmed(r->lines[line]);
    if (l.n < 3 || memcmp(l.s, "//@", 3))
        return PLAIN;
    l.s += 3, l.n -= 3;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t n = strlen(words[i].word);
        if (l.n < n || memcmp(l.s, words[i].word, n) ||
            (l.n > n && !isspace((unsigned char)l.s[n])))
            continue;
        *name = trimmed((Line){l.s + n, l.n - n});
        if ((name->n > 0) != words[i].operand)
            break;
        return words[i].directive;
    }
    template_bug(r, line, "unknown directive", l);
}

static size_t name_length(const char *s, size_t n)
{
    size_t k = 0;
    while (k < n && (isalnum((unsigned char)s[k]) || s[k] == '_'))
        k++;
    return k;
}

/* The value of the placeholder whose '$' stands at l.s[i]; *length gets that of the whole
 * placeholder. */
static const char *placeholder(const Render *r, const Bindings *b, Line l, size_t i, size_t *length)
{
    size_t n = name_length(l.s + i + 1, l.n - i - 1);
    if (!n || i + 1 + n >= l.n || l.s[i + 1 + n] != '$')
        template_bug(r, r->at, "stray '$' in", trimmed(l));
    const Binding *e = find(b, l.s + i + 1, n);
    if (!e || !e->text)
        template_bug(r, r->at, "unbound placeholder", (Line){l.s + i, n + 2});
    *length = n + 2;
    return e->text;
}

/* Lines after the first are indented like the line that the value stands in; blank ones stay blank.
 */
static void put_value(Text *out, const char *value, Line indent)
{
    for (const char *nl; (nl = strchr(value, '\n')); value = nl + 1) {
        text_append(out, value, (size_t)(nl - value) + 1);
        if (nl[1] && nl[1] != '\n')
            text_append(out, indent.s, indent.n);
    }
    text_puts(out, value);
}

static void render_line(Render *r, const Bindings *b, Line l)
{
    Line body = trimmed(l), indent = {l.s, (size_t)(body.s - l.s)};
    size_t length;
    if (body.n > 2 && body.s[0] == '$' && name_length(body.s + 1, body.n - 1) + 2 == body.n) {
        const char *value = placeholder(r, b, body, 0, &length);
        if (!*value)
            return; /* a line of one empty placeholder leaves nothing behind */
        text_append(r->out, indent.s, indent.n);
        put_value(r->out, value, indent);
        if (value[strlen(value) - 1] != '\n')
            text_puts(r->out, "\n");
        return;
    }
    size_t copied = 0;
    for (size_t i = 0; i < l.n; i++) {
        if (l.s[i] != '$')
            continue;
        const char *value = placeholder(r, b, l, i, &length);
        text_append(r->out, l.s + copied, i - copied);
        put_value(r->out, value, indent);
        copied = i + length;
        i = copied - 1;
    }
    text_append(r->out, l.s + copied, l.n - copied);
    text_puts(r->out, "\n");
}

static bool is_true(const Render *r, const Bindings *b, Line name)
{
    const Binding *e = find(b, name.s, name.n);
    if (!e || !e->text)
        template_bug(r, r->at, "unbound name in //@if", name);
    return *e->text && strcmp(e->text, "0") != 0;
}

static Directive render_block(Render *r, const Bindings *b, bool live);

/* r->at is the line of the //@if; afterwards the one after its //@end. */
static void render_if(Render *r, const Bindings *b, Line name, bool live)
{
    size_t start = r->at;
    bool yes = live && is_true(r, b, name);
    r->at++;
    Directive stop = render_block(r, b, yes);
    if (stop == ELSE)
        stop = render_block(r, b, live && !yes);
    if (stop != END)
        template_bug(r, start, "//@if without its //@end:", name);
}

static void render_for(Render *r, const Bindings *b, Line name, bool live)
{
    size_t start = r->at;
    const Binding *e = live ? find(b, name.s, name.n) : NULL;
    if (e && e->text)
        template_bug(r, start, "//@for over a text:", name);
    size_t n = e ? e->n_rows : 0;
    for (size_t i = 0; i < (n ? n : 1); i++) {
        r->at = start + 1;
        if (render_block(r, n ? e->rows[i] : b, n > 0) != END)
            template_bug(r, start, "//@for without its //@end:", name);
    }
}

/* Renders up to an //@else, an //@end or the end of the text (PLAIN), and steps over it. */
static Directive render_block(Render *r, const Bindings *b, bool live)
{
    while (r->at < r->n_lines) {
        Line name;
        Directive d = classify(r, r->at, &name);
        switch (d) {
        case PLAIN:
            if (live)
                render_line(r, b, r->lines[r->at]);
            r->at++;
            break;
        case IF:
            render_if(r, b, name, live);
            break;
        case FOR:
            render_for(r, b, name, live);
            break;
        case ELSE:
        case END:
            r->at++;
            return d;
        case BEGIN:
            template_bug(r, r->at, "second directive", trimmed(r->lines[r->at]));
        }
    }
    return PLAIN;
}

static void split_lines(Render *r, Arena *arena, const char *text)
{
    size_t cap = 0;
    while (*text) {
        const char *nl = strchr(text, '\n');
        Line l = {text, nl ? (size_t)(nl - text) : strlen(text)};
        r->lines = arena_grow(arena, r->lines, r->n_lines, &cap, sizeof *r->lines);
        r->lines[r->n_lines++] = l;
        text += l.n + (nl != NULL);
    }
}

void render_text(Text *out, const char *path, const char *text, const Bindings *b)
{
    Render r = {.out = out, .path = path};
    Line name = {"//@begin", 8};
    split_lines(&r, b->arena, text);
    while (r.at < r.n_lines && classify(&r, r.at, &name) != BEGIN)
        r.at++;
    if (r.at++ >= r.n_lines)
        template_bug(&r, 0, "no directive", (Line){"//@begin", 8});
    Directive stop = render_block(&r, b, true);
    if (stop != PLAIN)
        template_bug(&r, r.at - 1, "unmatched directive", trimmed(r.lines[r.at - 1]));
}

void render(Text *out, const char *path, const Bindings *b)
{
    const char *full = arena_printf(b->arena, "templates/%s", path);
    const char *text = bundled_file(full, NULL);
    if (!text)
        bug("no template %s", full);
    render_text(out, full, text, b);
}

const char *bundled_file(const char *path, size_t *size)
{
    for (const BundledFile *f = bundled_files; f->path; f++)
        if (!strcmp(f->path, path)) {
            if (size)
                *size = f->size;
            return (const char *)f->data;
        }
    return NULL;
}
