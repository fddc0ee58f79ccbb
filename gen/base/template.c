/* The template engine: the renderer, line by line. See template.h for the language. */
#include "bindings.h"
#include "bundle.h"

#include <ctype.h>
#include <string.h>

#ifndef LINE_MARK /* tests/structure compiles this file with one, to tell the lines of templates from others */
#define LINE_MARK ""
#endif

enum { INDENT = 4 }; /* of what stands in a loop */

typedef struct Line {
    const char *s;
    size_t n; /* without the newline */
} Line;

typedef struct Render {
    Text *out;
    const char *path;
    Line *lines;
    size_t n_lines;
    size_t at;        /* the line to render next */
    const char *mark; /* at the end of lines */
    int shift;        /* columns that lines stand further to the right than in the template */
} Render;

typedef enum Directive { PLAIN, BEGIN, IF, ELSE, FOR, NEST, END } Directive;

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
        {"begin", BEGIN, false}, {"if", IF, true},     {"else", ELSE, false},
        {"for", FOR, true},      {"nest", NEST, true}, {"end", END, false},
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

static void put_text(Render *r, Text *out, const Bindings *b, Line l, Line indent);

/* The length of the operands that begin with the parenthesis at `s`, both parentheses included. */
static size_t operands_length(const Render *r, Line l, size_t at)
{
    int depth = 0;
    for (size_t i = at; i < l.n; i++) {
        depth += (l.s[i] == '(') - (l.s[i] == ')');
        if (depth == 0)
            return i + 1 - at;
    }
    template_bug(r, r->at, "operands without an end in", trimmed(l));
}

/* Where the operand that begins at `at` ends: the comma behind it, or the end of them all. */
static size_t operand_end(Line l, size_t at)
{
    int depth = 0;
    for (; at < l.n && (depth > 0 || l.s[at] != ','); at++)
        depth += (strchr("([{", l.s[at]) != NULL) - (strchr(")]}", l.s[at]) != NULL);
    return at;
}

static const char *expanded(Render *r, const Bindings *b, Line l)
{
    Text out = text_new(b->arena);
    put_text(r, &out, b, l, (Line){"", 0});
    return out.data;
}

/* A list in a line: the operand for each row. */
static const char *listed(Render *r, const Bindings *b, const Binding *list, Line operand)
{
    Text out = text_new(b->arena);
    for (size_t i = 0; i < list->n_rows; i++) {
        if (i)
            text_puts(&out, list->separator ? list->separator : ", ");
        put_text(r, &out, list->rows[i], operand, (Line){"", 0});
    }
    return out.data;
}

/* A function of operands: what stands between its parentheses, with the placeholders replaced. */
static const char *called(Render *r, const Bindings *b, const Binding *fn, Line all)
{
    const char *operand[BINDING_OPERANDS];
    size_t n = 0;
    for (size_t at = 0, end; at < all.n; at = end + 1) {
        end = operand_end(all, at);
        if (n == BINDING_OPERANDS)
            template_bug(r, r->at, "too many operands", all);
        operand[n++] = expanded(r, b, trimmed((Line){all.s + at, end - at}));
    }
    if (fn->kind == BINDING_FUNCTION)
        return fn->fn(fn->user, b->arena, operand, n);
    if (n != fn->n_params)
        template_bug(r, r->at, "not as many operands as parameters:", all);
    Bindings *own = bindings_new(b->arena, b);
    for (size_t i = 0; i < n; i++)
        bind(own, fn->params[i], "%s", operand[i]);
    return expanded(r, own, (Line){fn->text, strlen(fn->text)});
}

/* The value of the placeholder whose '$' stands at l.s[i]; *length gets that of the whole
 * placeholder, operands included. */
static const char *placeholder(Render *r, const Bindings *b, Line l, size_t i, size_t *length)
{
    size_t n = name_length(l.s + i + 1, l.n - i - 1);
    if (!n || i + 1 + n >= l.n || l.s[i + 1 + n] != '$')
        template_bug(r, r->at, "stray '$' in", trimmed(l));
    const Binding *e = binding_find(b, l.s + i + 1, n);
    *length = n + 2;
    if (e && e->kind == BINDING_TEXT)
        return e->text;
    const size_t open = i + n + 2;
    if (!e || open >= l.n || l.s[open] != '(')
        template_bug(r, r->at, "unbound placeholder", (Line){l.s + i, n + 2});
    const size_t operands = operands_length(r, l, open);
    const Line inner = {l.s + open + 1, operands - 2};
    *length += operands;
    return e->kind == BINDING_LIST ? listed(r, b, e, inner) : called(r, b, e, inner);
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

static void put_text(Render *r, Text *out, const Bindings *b, Line l, Line indent)
{
    size_t copied = 0, length;
    for (size_t i = 0; i < l.n; i++) {
        if (l.s[i] != '$')
            continue;
        const char *value = placeholder(r, b, l, i, &length);
        text_append(out, l.s + copied, i - copied);
        put_value(out, value, indent);
        copied = i + length;
        i = copied - 1;
    }
    text_append(out, l.s + copied, l.n - copied);
}

/* The white space in front of a line where it is rendered; directives of the preprocessor stay where they are. */
static Line indent_of(const Render *r, Arena *arena, Line l, Line body)
{
    const int column = (int)(body.s - l.s), shifted = column + r->shift;
    if (!r->shift || !body.n || *body.s == '#')
        return (Line){l.s, (size_t)column};
    const char *indent = arena_printf(arena, "%*s", shifted > 0 ? shifted : 0, "");
    return (Line){indent, strlen(indent)};
}

/* More than placeholders and what ends a statement. */
static bool has_own_text(Line l)
{
    bool inside = false;
    for (size_t i = 0; i < l.n; i++)
        if (l.s[i] == '$')
            inside = !inside;
        else if (!inside && !strchr(" ;,", l.s[i]))
            return true;
    return false;
}

/* A line of one placeholder, which goes away if that is empty; false for any other line. */
static bool put_alone(Render *r, const Bindings *b, Line body, Line indent)
{
    size_t length;
    if (body.n < 3 || body.s[0] != '$' || !strchr("$)", body.s[body.n - 1]))
        return false;
    const char *value = placeholder(r, b, body, 0, &length);
    if (length != body.n)
        return false;
    if (!*value)
        return true;
    text_append(r->out, indent.s, indent.n);
    put_value(r->out, value, indent);
    if (value[strlen(value) - 1] != '\n')
        text_puts(r->out, "\n");
    return true;
}

static void render_line(Render *r, const Bindings *b, Line l)
{
    Line body = trimmed(l), indent = indent_of(r, b->arena, l, body);
    if (put_alone(r, b, body, indent))
        return;
    text_append(r->out, indent.s, indent.n);
    put_text(r, r->out, b, (Line){body.s, (size_t)(l.s + l.n - body.s)}, indent);
    text_puts(r->out, *r->mark && has_own_text(body) ? r->mark : "");
    text_puts(r->out, "\n");
}

static bool is_true(const Render *r, const Bindings *b, Line name)
{
    const Binding *e = binding_find(b, name.s, name.n);
    if (!e || (e->kind != BINDING_TEXT && e->kind != BINDING_LIST))
        template_bug(r, r->at, "unbound name in //@if", name);
    return e->kind == BINDING_LIST ? e->n_rows > 0 : *e->text && strcmp(e->text, "0") != 0;
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

/* NULL: a list that nobody added a row to. */
static const Binding *list_of(const Render *r, const Bindings *b, Line name)
{
    const Binding *e = binding_find(b, name.s, name.n);
    if (e && e->kind != BINDING_LIST)
        template_bug(r, r->at, "not a list:", name);
    return e;
}

static void render_for(Render *r, const Bindings *b, Line name, bool live)
{
    size_t start = r->at;
    const Binding *e = live ? list_of(r, b, name) : NULL;
    size_t n = e ? e->n_rows : 0;
    for (size_t i = 0; i < (n ? n : 1); i++) {
        r->at = start + 1;
        if (render_block(r, n ? e->rows[i] : b, n > 0) != END)
            template_bug(r, start, "//@for without its //@end:", name);
    }
}

/* The loops of the nest that begins at line `start` around its body, which is rendered. They open a block if the line of the template does, but not around a
 * body of a single line. */
static void put_nest(Render *r, const Binding *list, size_t start, const Text *body)
{
    const Line head = r->lines[start + 1];
    const size_t n = list ? list->n_rows : 0, body_lines = count_lines(body->data), end = r->at;
    const bool opens = head.s[head.n - 1] == '{', blocks = opens && body_lines > 2;
    Line loop = head;
    while (opens && (loop.s[loop.n - 1] == '{' || isspace((unsigned char)loop.s[loop.n - 1])))
        loop.n--;
    r->at = start + 1;
    for (size_t i = 0; i < n; i++, r->shift += INDENT)
        render_line(r, list->rows[i], blocks && i + 1 == n ? head : loop);
    r->shift -= INDENT * (int)n;
    const char *last = body->data + body->size; /* the line that closes the block */
    if (opens && body_lines > 0)
        for (last--; last > body->data && last[-1] != '\n'; last--)
            ;
    if (opens && last[strspn(last, " ")] != '}')
        template_bug(r, start, "the block is not closed in front of the //@end of nest",
                     trimmed(head));
    r->at = end;
    text_append(r->out, body->data, n && blocks ? body->size : (size_t)(last - body->data));
}

/* r->at is the line of the //@nest; afterwards the one after its //@end. */
static void render_nest(Render *r, const Bindings *b, Line name, bool live)
{
    const size_t start = r->at;
    const Binding *list = live ? list_of(r, b, name) : NULL;
    const int deeper = INDENT * ((list ? (int)list->n_rows : 0) - 1);
    Text body, *out = r->out;
    Line unused;
    if (start + 1 >= r->n_lines || classify(r, start + 1, &unused) != PLAIN)
        template_bug(r, start, "//@nest without a line of a loop:", name);
    body = text_new(b->arena);
    r->at += 2;
    r->out = &body;
    r->shift += deeper;
    if (render_block(r, b, live) != END)
        template_bug(r, start, "//@nest without its //@end:", name);
    r->shift -= deeper;
    r->out = out;
    if (live)
        put_nest(r, list, start, &body);
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
        case NEST:
            render_nest(r, b, name, live);
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
        ARENA_PUSH(arena, r->lines, r->n_lines, cap, l);
        text += l.n + (nl != NULL);
    }
}

static void render_marked(Text *out, const char *path, const char *text, const Bindings *b,
                          const char *mark)
{
    Render r = {.out = out, .path = path, .mark = mark};
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

void render_text(Text *out, const char *path, const char *text, const Bindings *b)
{
    render_marked(out, path, text, b, "");
}

void render(Text *out, const char *path, const Bindings *b)
{
    const char *full = arena_printf(b->arena, "templates/%s", path);
    const char *text = bundled_file(full, NULL);
    if (!text)
        bug("no template %s", full);
    render_marked(out, full, text, b, LINE_MARK);
}

void render_at_signs(Text *out, Arena *arena, const char *path, const Bindings *b)
{
    enum { DOLLAR = 1 };
    size_t size;
    const char *data = bundled_file(path, &size);
    if (!data)
        bug("%s is not built in", path);
    char *text = arena_strndup(arena, data, size);
    for (char *c = text; *c; c++)
        *c = *c == '$'                                                     ? DOLLAR
             : *c == '@' && (c < text + 2 || c[-1] != '/' || c[-2] != '/') ? '$'
                                                                           : *c;
    size_t start = out->size;
    render_text(out, path, text, b);
    for (char *c = out->data + start; *c; c++)
        *c = *c == DOLLAR ? '$' : *c;
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
