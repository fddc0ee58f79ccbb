/* Emitted lines of at most 100 columns. What templates and emitters write is broken where it suits the names in them; names come
 * from the model and the layer, so that lines are broken anew here when a file is complete: arguments side by side, aligned with
 * the first, or behind the `=`, and sums behind a `+`. Nothing but white space changes. What no argument list can be broken in, directives and lines
 * with comments stay as they are; comments behind code are aligned. What comes out is what clang-format would make of it. */
#include "unit.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 4 };

/* The end of a string or character literal that begins at `s`. */
static const char *skip_literal(const char *s, const char *end)
{
    const char quote = *s;
    for (s++; s < end && *s != quote; s++)
        s += *s == '\\';
    return s;
}

static int nesting(char c)
{
    return (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
}

/* The first of `wanted` outside of literals and brackets that are opened behind `s`; `end` if there is none. */
static const char *find(const char *s, const char *end, const char *wanted)
{
    int depth = 0;
    for (; s < end; s++) {
        if (depth == 0 && strchr(wanted, *s))
            return s;
        if (*s == '"' || *s == '\'')
            s = skip_literal(s, end);
        else
            depth += nesting(*s);
    }
    return end;
}

typedef struct Wrap {
    Text text;
    size_t column;
    int breaks;
    bool declares; /* a function */
} Wrap;

static void put(Wrap *w, const char *s, size_t n)
{
    text_append(&w->text, s, n);
    w->column += n;
}

static void start_line(Wrap *w, size_t column)
{
    text_printf(&w->text, "\n%*s", (int)column, "");
    w->column = column;
    w->breaks++;
}

/* Goes back to an earlier state of the same text. */
static void take_back(Wrap *w, const Wrap *before)
{
    w->text.size = before->text.size;
    w->text.data[w->text.size] = 0;
    w->column = before->column;
    w->breaks = before->breaks;
}

/* The longest list in brackets of s..end that is in no other; NULL if there is none. Initialisers count where one begins at `s`. */
static const char *longest_list(const char *s, const char *end, const char **close)
{
    const char *longest = NULL, *wanted = *s == '{' ? "{" : "(";
    for (const char *open = find(s, end, wanted), *to; open < end;
         open = find(to + 1, end, wanted)) {
        to = find(open + 1, end, ")}");
        if (to == end)
            return NULL;
        if (!longest || to - open > *close - longest) {
            longest = open;
            *close = to;
        }
    }
    return longest;
}

/* Whether what is between `open` and its other half are arguments: the name before it ends there. */
static bool is_call(const char *s, const char *open)
{
    return *open == '(' && open > s && is_word_char(open[-1]);
}

static bool put_broken(Wrap *w, const char *s, const char *end, size_t behind);

/* Puts an argument: on this line, on the next one, or broken in itself, whichever takes fewer lines. */
static bool put_item(Wrap *w, const char *s, const char *end, size_t behind, size_t column,
                     bool first)
{
    const size_t length = (size_t)(end - s) + behind;
    const bool here = w->column + !first + length <= WIDTH;
    const Wrap before = *w;
    if (!first && !here) {
        start_line(w, column);
        const bool fits = put_broken(w, s, end, behind);
        if (fits && column + length <= WIDTH)
            return true;
        const int breaks = fits ? w->breaks : INT_MAX;
        take_back(w, &before);
        put(w, " ", 1);
        if (put_broken(w, s, end, behind) && w->breaks < breaks)
            return true;
        take_back(w, &before);
        start_line(w, column);
        return put_broken(w, s, end, behind);
    }
    if (!first)
        put(w, " ", 1);
    return put_broken(w, s, end, behind);
}

/* Puts the items of open..close at `column`, which starts a line if `hangs`, and what is behind them. */
static bool put_list(Wrap *w, const char *open, const char *close, const char *end, size_t behind,
                     size_t column, bool hangs)
{
    const size_t tail = (size_t)(end - close) + behind;
    if (hangs)
        start_line(w, column);
    for (const char *item = open + 1;; item += strspn(item, " ")) {
        const char *stop = find(item, close, ",;");
        const bool last = stop == close;
        if (!put_item(w, item, stop, last ? tail : 1, column, item == open + 1))
            return false;
        put(w, stop, last ? (size_t)(end - close) : 1);
        if (last)
            return w->column + behind <= WIDTH;
        item = stop + 1;
    }
}

/* Puts s..end, behind which `behind` more columns have to fit; what is too long is broken between the items of its longest list,
 * which are aligned, or begin on a line of their own where that takes fewer lines, or in a declaration only if they do not fit. False if it is too long all the same. */
static bool put_broken(Wrap *w, const char *s, const char *end, size_t behind)
{
    if (w->column + (size_t)(end - s) + behind <= WIDTH || *s == '"') {
        put(w, s, (size_t)(end - s));
        return true;
    }
    const char *close, *open = longest_list(s, end, &close);
    if (!open)
        return false;
    const size_t start = w->column;
    put(w, s, (size_t)(open + 1 - s));
    const Wrap before = *w;
    const bool aligned = put_list(w, open, close, end, behind, w->column, false);
    const int breaks = aligned ? w->breaks : INT_MAX;
    if (!is_call(s, open) || (aligned && (w->declares || breaks <= before.breaks + 1)))
        return aligned;
    take_back(w, &before);
    if (put_list(w, open, close, end, behind, start + INDENT, true) && w->breaks < breaks)
        return true;
    take_back(w, &before);
    return put_list(w, open, close, end, behind, before.column, false);
}

/* The end of what may stand on one line of a sum: a " + " at depth `outer`, or the end of the statement. */
static const char *sum_piece(const char *s, int outer, int *depth)
{
    const char *end = s;
    for (; *end; end++) {
        *depth += nesting(*end);
        if (*depth <= outer && end > s && !strncmp(end, " + ", 3))
            break;
    }
    return end;
}

/* An assignment whose value is a sum, or the element at one: the value on lines of its own, broken behind a +. */
static bool put_sum(Text *out, size_t indent, const char *s, const char *equals)
{
    const char *value = equals + 3;
    const size_t name = strcspn(value, "[( +");
    const int outer = value[name] == '[';
    const size_t inner = indent + INDENT + (outer ? name + 1 : 0);
    size_t column = indent + INDENT;
    const size_t start = out->size;
    int depth = 0;
    bool fits = true;
    text_printf(out, "%*s%.*s\n%*s", (int)indent, "", (int)(equals + 2 - s), s, (int)column, "");
    for (const char *piece = value, *end; *piece; piece = end + (*end ? 3 : 0)) {
        end = sum_piece(piece, outer, &depth);
        const size_t n = (size_t)(end - piece) + (*end ? 2 : 0);
        if (piece != value && column + 1 + n + !*end > WIDTH) {
            text_printf(out, "\n%*s", (int)inner, "");
            column = inner;
        } else if (piece != value) {
            text_puts(out, " ");
            column++;
        }
        text_append(out, piece, n);
        column += n;
        fits = fits && column <= WIDTH;
    }
    if (fits)
        text_puts(out, "\n");
    else
        out->data[out->size = start] = 0;
    return fits;
}

/* The head of a function with its result on a line of its own, or with its parameters behind the first line: what clang-format makes of it
 * where that saves three lines of parameters. */
static bool put_head(Text *out, Arena *arena, const char *s, const char *end, int breaks)
{
    enum { SAVED = 3 };
    const char *open = find(s, end, "("), *name = open, *close = find(open + 1, end, ")");
    Wrap hanging = {.text = text_new(arena), .declares = true};
    put(&hanging, s, (size_t)(open - s) + (open < end));
    if (open == end || close == end || !put_list(&hanging, open, close, end, 0, INDENT, true))
        hanging.breaks = INT_MAX;
    while (name > s && name[-1] != ' ')
        name--;
    Wrap w = {.text = text_new(arena), .declares = true};
    if (open == end || name == s || *name == '*' || !put_broken(&w, name, end, 0))
        return false;
    if (hanging.breaks < w.breaks && breaks - hanging.breaks >= SAVED) {
        text_printf(out, "%s\n", hanging.text.data);
        return true;
    }
    if (breaks - w.breaks < SAVED)
        return false;
    text_printf(out, "%.*s\n%s\n", (int)(name - 1 - s), s, w.text.data);
    return true;
}

/* An enum, with a line for each enumerator. */
static bool put_enumerators(Text *out, size_t indent, const char *s, const char *end)
{
    const char *close = find(s + 6, end, "}");
    text_printf(out, "%*senum {\n", (int)indent, "");
    for (const char *item = s + 7, *stop; item < close; item = stop + strspn(stop, ", ")) {
        stop = find(item, close, ",");
        const size_t n = (size_t)(stop - item) - (stop == close && stop[-1] == ' ');
        text_printf(out, "%*s%.*s%s\n", (int)(indent + INDENT), "", (int)n, item,
                    stop == close ? "" : ",");
    }
    text_printf(out, "%*s%.*s\n", (int)indent, "", (int)(end - close), close);
    return true;
}

/* Something that a product is added to: broken behind the *, which has a space on both sides, where one that reads through a pointer has one. */
static bool put_product(Text *out, size_t indent, const char *s)
{
    const char *value = strstr(s, " += ");
    if (!value)
        return false;
    const char *end = s + strlen(s), *factor = find(value += 4, end, "*");
    while (factor < end && (factor[-1] != ' ' || factor[1] != ' '))
        factor = find(factor + 1, end, "*");
    const size_t column = indent + (size_t)(value - s);
    if (factor == end || indent + (size_t)(factor + 1 - s) > WIDTH ||
        column + strlen(factor + 2) > WIDTH)
        return false;
    text_printf(out, "%*s%.*s\n%*s%s\n", (int)indent, "", (int)(factor + 1 - s), s, (int)column, "",
                factor + 2);
    return true;
}

/* One statement without line breaks: on one line, behind its `=`, or between arguments. */
static bool put_statement(Text *out, Arena *arena, size_t indent, const char *s)
{
    const char *end = s + strlen(s), *equals = strstr(s, " = ");
    const bool assigns = equals && find(s, end, "({") > equals;
    if (assigns && indent + (size_t)(end - s) > WIDTH) {
        const size_t first = indent + (size_t)(equals + 2 - s), rest = strlen(equals + 3);
        if (equals[3] == '{' && first + 2 <= WIDTH && indent + INDENT + rest - 1 <= WIDTH) {
            text_printf(out, "%*s%.*s\n%*s%s\n", (int)indent, "", (int)(equals + 4 - s), s,
                        (int)indent + INDENT, "", equals + 4);
            return true;
        }
        if (first <= WIDTH && indent + INDENT + rest <= WIDTH) {
            text_printf(out, "%*s%.*s\n%*s%s\n", (int)indent, "", (int)(equals + 2 - s), s,
                        (int)indent + INDENT, "", equals + 3);
            return true;
        }
    }
    if (!strncmp(s, "enum { ", 7) && indent + (size_t)(end - s) > WIDTH)
        return put_enumerators(out, indent, s, end);
    Wrap w = {.column = indent, .declares = indent == 0};
    w.text = text_new(arena);
    if (!put_broken(&w, s, end, 0))
        return (assigns && put_sum(out, indent, s, equals)) || put_product(out, indent, s);
    if (indent == 0 && !assigns && put_head(out, arena, s, end, w.breaks))
        return true;
    text_printf(out, "%*s%s\n", (int)indent, "", w.text.data);
    return true;
}

/* Where the line that begins at `s` ends: its line feed, or the end of the text. */
static const char *line_end(const char *s)
{
    return s + strcspn(s, "\n");
}

/* How many ( and [ a line leaves open; `plain` is false where it has a comment or is a directive. */
static int left_open(const char *s, const char *end, bool *plain)
{
    int depth = 0;
    *plain = s[strspn(s, " ")] != '#' && end > s;
    for (; s < end; s++) {
        if (*s == '"' || *s == '\'')
            s = skip_literal(s, end);
        else if (*s == '/' && (s[1] == '*' || s[1] == '/'))
            *plain = false;
        else if (*s != '{' && *s != '}')
            depth += nesting(*s);
    }
    return depth;
}

/* Joins the lines of the statement that begins at `s` to one; its end, or NULL where it cannot be joined. */
static const char *join(Text *joined, const char *s)
{
    int depth = 0;
    for (bool more = true; more; s = line_end(s) + 1) {
        const char *end = line_end(s);
        bool plain;
        depth += left_open(s, end, &plain);
        if (!plain || !*end || depth < 0)
            return NULL;
        more = depth > 0 || end[-1] == '=' || (end[-1] == '+' && end[-2] == ' ');
        s += strspn(s, " ");
        if (joined->size && joined->data[joined->size - 1] != '(')
            text_puts(joined, " ");
        text_append(joined, s, (size_t)(end - s));
    }
    return s;
}

/* The end of a line that stays as it is, with all others of the comment or directive that begins in it. */
static const char *skip_as_it_is(const char *s)
{
    const char *end = line_end(s);
    const char *comment = strstr(s, "/*");
    if (comment && comment < end) {
        const char *close = strstr(comment, "*/");
        end = close ? line_end(close) : s + strlen(s);
    } else if (s[strspn(s, " ")] == '#')
        while (*end && end[-1] == '\\')
            end = line_end(end + 1);
    return *end ? end + 1 : end;
}

/* Where the comment that ends the line, and begins behind code, begins; NULL if there is none. */
static const char *trailing_comment(const char *s, const char *end)
{
    const char *code = s + strspn(s, " ");
    for (const char *at = code; at < end; at++)
        if (*at == '"' || *at == '\'')
            at = skip_literal(at, end);
        else if (at[0] == '/' && at[1] == '*') {
            const char *close = strstr(at, "*/");
            return at > code && *code != '#' && close && close + 2 == end ? at : NULL;
        }
    return NULL;
}

/* The code of a line in front of its comment, without blanks between them. */
static size_t code_length(const char *s, const char *comment)
{
    while (comment > s && comment[-1] == ' ')
        comment--;
    return (size_t)(comment - s);
}

/* The columns in which the comments of some lines may begin: behind the code of all, and so that all fit. */
typedef struct CommentColumns {
    size_t least, most;
} CommentColumns;

static CommentColumns comment_columns(const char *line, const char *comment)
{
    const size_t least = code_length(line, comment) + 1,
                 length = (size_t)(line_end(comment) - comment),
                 most = length < WIDTH ? WIDTH - length : 0;
    return (CommentColumns){least, most > least ? most : least};
}

static void put_aligned(Text *out, const char *line, const char *end, size_t column)
{
    for (const char *next; line < end; line = next) {
        next = line_end(line) + 1;
        const char *comment = trailing_comment(line, next - 1);
        const size_t code = code_length(line, comment);
        text_printf(out, "%.*s%*s%.*s", (int)code, line, (int)(column - code), "",
                    (int)(next - comment), comment);
    }
}

/* Comments behind the code of lines that follow each other begin in the same column, as far as there is one for all of them. */
static void align_comments(Text *out, const char *text)
{
    for (const char *s = text, *next; *s; s = next) {
        CommentColumns all = {0, WIDTH};
        for (next = s; *next; next = line_end(next) + 1) {
            const char *comment = trailing_comment(next, line_end(next));
            if (!comment || !*line_end(next))
                break;
            const CommentColumns one = comment_columns(next, comment);
            if (next > s && (one.most < all.least || one.least > all.most))
                break;
            all.least = next == s || one.least > all.least ? one.least : all.least;
            all.most = next == s || one.most < all.most ? one.most : all.most;
        }
        put_aligned(out, s, next, all.least);
        if (next == s) {
            const char *end = line_end(s);
            next = *end ? end + 1 : end;
            text_append(out, s, (size_t)(next - s));
        }
    }
}

static void break_lines(Text *out, Arena *arena, const char *text)
{
    Text joined = text_new(arena);
    for (const char *s = text, *next; *s; s = next) {
        joined.size = 0;
        next = join(&joined, s);
        if (next && put_statement(out, arena, strspn(s, " "), joined.data))
            continue;
        if (!next)
            next = skip_as_it_is(s);
        text_append(out, s, (size_t)(next - s));
    }
}

void wrap_lines(Text *out, Arena *arena, const char *text)
{
    Text broken = text_new(arena);
    break_lines(&broken, arena, text);
    align_comments(out, broken.data);
}
