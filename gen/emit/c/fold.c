/* Factors of 1 and summands of 0 in what a template has become, and parentheses of negative literals: "tap * 1 - 0" where a stride is 1 and a padding 0. Templates stay
 * complete formulas that way. Only integer literals are looked at, so that no float is touched. */
#include "nn.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static bool ends(const Text *out, const char *with)
{
    const size_t n = strlen(with);
    return out->size >= n && memcmp(out->data + out->size - n, with, n) == 0;
}

/* What stands here ends a sum, or goes on with one. */
static bool sum_ends(const char *s)
{
    return (*s && strchr(";,)]", *s)) || starts(s, " + ") || starts(s, " - ") || starts(s, " < ");
}

/* A sum or product may start behind what was written. */
static bool term_starts(const Text *out)
{
    return ends(out, "(") || ends(out, "[") || ends(out, "= ") || ends(out, "+ ") ||
           ends(out, "- ") || ends(out, "< ");
}

/* "[(a + b)" with more of the sum to come, or its end: takes the inner parentheses away. */
static void drop_parentheses(Text *out, const char *next)
{
    size_t at = out->size - 1;
    if (!ends(out, ")") || !sum_ends(next))
        return;
    for (int depth = 1; depth > 0 && at > 0;) {
        at--;
        depth += (out->data[at] == ')') - (out->data[at] == '(');
        if (strchr("?<>=&|^:,", out->data[at]))
            return;
    }
    if (at == 0 || out->data[at] != '(' || !strchr("([", out->data[at - 1]))
        return;
    memmove(out->data + at, out->data + at + 1, out->size - at - 2);
    out->size -= 2;
    out->data[out->size] = 0;
}

/* What was written ends in a parenthesis with a single word behind it, and this parenthesis is part of an expression. */
static bool is_single(const Text *out, size_t *open)
{
    size_t at = out->size;
    while (at > 0 && is_word(out->data[at - 1]))
        at--;
    *open = at - 1;
    return at > 1 && at < out->size && out->data[at - 1] == '(' && strchr("([", out->data[at - 2]);
}

/* The length of a factor or summand at `s` that changes nothing; 0: there is none. */
static size_t idle_term(const Text *out, const char *s)
{
    if (starts(s, " * 1") && !is_word(s[4]) && s[4] != '(')
        return 4;
    if ((starts(s, " + 0") || starts(s, " - 0")) && sum_ends(s + 4))
        return 4;
    if (starts(s, "0 + ") && ends(out, "["))
        return 4;
    return starts(s, "1 * ") && term_starts(out) ? 4 : 0;
}

/* A negative literal that is assigned needs no parentheses: the length of "(-7);" at `s`, or 0. */
static size_t bare_negative(const Text *out, const char *s)
{
    if (!starts(s, "(-") || !ends(out, " = "))
        return 0;
    const size_t n = 2 + strcspn(s + 2, "( )");
    return n > 2 && s[n] == ')' && s[n + 1] == ';' ? n + 2 : 0;
}

const char *nn_folded(Arena *arena, const char *code)
{
    Text out = text_new(arena);
    for (const char *s = code; *s;) {
        const char *comment_end = starts(s, "/*") ? strstr(s, "*/") : NULL;
        size_t n = comment_end ? (size_t)(comment_end - s) : idle_term(&out, s), open;
        const size_t negative = bare_negative(&out, s);
        if (comment_end) {
            text_append(&out, s, n);
        } else if (negative) {
            text_append(&out, s + 1, (n = negative) - 3);
            text_puts(&out, ";");
        } else if (n) {
            if (starts(s, " * 1"))
                drop_parentheses(&out, s + n);
            else if (*s == ' ' && s[n] == ')' && is_single(&out, &open)) {
                memmove(out.data + open, out.data + open + 1, out.size - open - 1);
                out.data[--out.size] = 0;
                n++;
            }
        } else {
            text_append(&out, s, n = 1);
        }
        s += n;
    }
    return out.size ? out.data : "";
}
