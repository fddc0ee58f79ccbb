/* Tokens of text IR. The text is untrusted: every step is checked against the end. */
#include "lex.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Lex lex_begin(Arena *arena, Diag *diag, const char *file, const char *text, size_t size)
{
    return (Lex){.arena = arena,
                 .diag = diag,
                 .file = file,
                 .p = text,
                 .end = text + size,
                 .line_start = text,
                 .line = 1};
}

const char *lex_place(const Lex *l)
{
    return arena_printf(l->arena, "%s:%u:%zu", l->file, l->line,
                        (size_t)(l->p - l->line_start) + 1);
}

bool lex_stop(Lex *l)
{
    l->p = l->end;
    l->refused = true;
    return false;
}

void lex_skip(Lex *l)
{
    while (l->p < l->end) {
        if (*l->p == '\n') {
            l->line++;
            l->line_start = ++l->p;
        } else if (*l->p == ' ' || *l->p == '\t' || *l->p == '\r') {
            l->p++;
        } else if (*l->p == '/' && l->p + 1 < l->end && l->p[1] == '/') {
            while (l->p < l->end && *l->p != '\n')
                l->p++;
        } else {
            return;
        }
    }
}

bool lex_at_end(Lex *l)
{
    lex_skip(l);
    return l->p == l->end;
}

bool lex_peek(Lex *l, char c)
{
    lex_skip(l);
    return l->p < l->end && *l->p == c;
}

bool lex_accept(Lex *l, char c)
{
    if (!lex_peek(l, c))
        return false;
    l->p++;
    return true;
}

bool lex_expect(Lex *l, char c)
{
    return lex_accept(l, c) || lex_refuse(l, "'%c' is expected here", c);
}

bool lex_more(Lex *l, char close, size_t i)
{
    if (lex_accept(l, close) || (i && !lex_expect(l, ',')))
        return false;
    return !lex_at_end(l) || lex_expect(l, close);
}

bool lex_accept_word(Lex *l, const char *word)
{
    lex_skip(l);
    size_t n = strlen(word);
    if ((size_t)(l->end - l->p) < n || memcmp(l->p, word, n) != 0)
        return false;
    if (l->p + n < l->end && is_word_char(l->p[n]))
        return false;
    l->p += n;
    return true;
}

bool lex_expect_word(Lex *l, const char *word)
{
    return lex_accept_word(l, word) || lex_refuse(l, "'%s' is expected here", word);
}

bool lex_word(Lex *l, const char **word)
{
    lex_skip(l);
    const char *start = l->p;
    while (l->p < l->end && is_word_char(*l->p))
        l->p++;
    if (l->p == start || isdigit((unsigned char)*start)) {
        l->p = start;
        return lex_refuse(l, "a word is expected here");
    }
    *word = arena_strndup(l->arena, start, (size_t)(l->p - start));
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* One character of a string, escapes resolved; -1 after a refusal. */
static int string_char(Lex *l)
{
    char c = *l->p++;
    if ((unsigned char)c < 0x20) {
        lex_refuse(l, "a string holds a control character");
        return -1;
    }
    if (c != '\\')
        return (unsigned char)c;
    if (l->p < l->end && (*l->p == '"' || *l->p == '\\'))
        return *l->p++;
    if (l->end - l->p >= 3 && l->p[0] == 'x' && hex_digit(l->p[1]) >= 0 &&
        hex_digit(l->p[2]) >= 0) {
        int v = hex_digit(l->p[1]) * 16 + hex_digit(l->p[2]);
        l->p += 3;
        if (v != 0)
            return v;
        lex_refuse(l, "a string cannot hold a NUL");
        return -1;
    }
    lex_refuse(l, "unknown escape in a string");
    return -1;
}

bool lex_string(Lex *l, const char **s)
{
    if (!lex_expect(l, '"'))
        return false;
    const char *close = l->p;
    while (close < l->end && *close != '"' && *close != '\n')
        close += *close == '\\' && l->end - close >= 2 ? 2 : 1;
    if (close >= l->end || *close != '"')
        return lex_refuse(l, "a string without end");
    char *copy = arena_alloc(l->arena, (size_t)(close - l->p) + 1);
    size_t n = 0;
    while (l->p < close) {
        int c = string_char(l);
        if (c < 0)
            return false;
        copy[n++] = (char)c;
    }
    l->p = close + 1;
    *s = copy;
    return true;
}

bool lex_name(Lex *l, const char **name)
{
    if (!lex_expect(l, '%'))
        return false;
    if (l->p < l->end && *l->p == '"')
        return lex_string(l, name) && (**name || lex_refuse(l, "an empty name"));
    const char *start = l->p;
    while (l->p < l->end && (is_word_char(*l->p) || *l->p == '.'))
        l->p++;
    if (l->p == start)
        return lex_refuse(l, "a name is expected after %%");
    *name = arena_strndup(l->arena, start, (size_t)(l->p - start));
    return true;
}

static bool number_char(char c)
{
    return is_word_char(c) || c == '.' || c == '+' || c == '-';
}

static bool parse_float(const char *s, LexNumber *n)
{
    const char *magnitude = *s == '-' || *s == '+' ? s + 1 : s;
    bool word = isalpha((unsigned char)*magnitude);
    if (word && strcmp(magnitude, "inf") != 0 && strcmp(magnitude, "nan") != 0)
        return false;
    char *rest;
    *n = (LexNumber){.f = strtod(s, &rest)};
    return *rest == '\0' && rest != s;
}

static bool parse_int(const char *s, LexNumber *n)
{
    char *rest;
    errno = 0;
    *n = (LexNumber){.is_int = true, .i = strtoll(s, &rest, 10)};
    if (errno) {
        errno = 0;
        n->i = *s == '-' ? 0 : (int64_t)strtoull(s, &rest, 10);
        if (errno || *s == '-')
            return false;
    }
    n->f = strtod(s, NULL);
    return *rest == '\0';
}

bool lex_number(Lex *l, LexNumber *n)
{
    lex_skip(l);
    char s[64];
    size_t k = 0;
    const char *start = l->p;
    while (l->p < l->end && number_char(*l->p) && k < sizeof s - 1)
        s[k++] = *l->p++;
    s[k] = '\0';
    const char *digits = *s == '-' ? s + 1 : s;
    bool is_int = *digits && digits[strspn(digits, "0123456789")] == '\0';
    if (k < sizeof s - 1 && (is_int ? parse_int(s, n) : parse_float(s, n)))
        return true;
    l->p = start;
    return lex_refuse(l, "a number is expected here");
}

bool lex_int(Lex *l, int64_t *i)
{
    LexNumber n;
    if (!lex_number(l, &n))
        return false;
    if (!n.is_int)
        return lex_refuse(l, "an integer is expected here");
    *i = n.i;
    return true;
}

bool lex_hex(Lex *l, void *data, size_t bytes)
{
    if (!lex_expect(l, '"'))
        return false;
    if ((size_t)(l->end - l->p) / 2 < bytes)
        return lex_refuse(l, "%zu bytes are expected", bytes);
    unsigned char *d = data;
    for (size_t i = 0; i < bytes; i++, l->p += 2) {
        int high = hex_digit(l->p[0]), low = high < 0 ? -1 : hex_digit(l->p[1]);
        if (low < 0)
            return lex_refuse(l, "%zu bytes in hexadecimal are expected, %zu are here", bytes, i);
        d[i] = (unsigned char)(high * 16 + low);
    }
    return lex_expect(l, '"');
}
