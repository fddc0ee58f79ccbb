/* Names from a model in what is emitted. */
#include "quote.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>

static bool is_c_word(const char *s)
{
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class "
        "compl concept const consteval constexpr constinit const_cast continue co_await "
        "co_return co_yield decltype default delete do double else enum errno explicit "
        "export extern false float for friend goto if inline int linux long main mutable "
        "namespace new noexcept not not_eq nullptr operator or or_eq private protected "
        "public register reinterpret_cast requires restrict return short signed sizeof "
        "static static_assert static_cast struct switch template this thread_local throw "
        "true try typedef typeid typename typeof union unix unsigned using virtual void "
        "volatile wchar_t while xor xor_eq i386 I NULL INFINITY NAN EOF ";
    const size_t n = strlen(s);
    for (const char *at = words; (at = strstr(at, s)); at++)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static bool begins_with(const char *s, const char *start)
{
    return !strncmp(s, start, strlen(start));
}

/* A macro of <stdint.h>, now or later (C17 7.20 and 7.31.10): SIZE_MAX, INT8_C, WCHAR_MIN, UINT16_WIDTH. */
static bool is_limit_macro(const char *s)
{
    static const char *const ends[] = {"_MAX", "_MIN", "_WIDTH", "_C"};
    for (const char *c = s; *c; c++)
        if (islower((unsigned char)*c))
            return false;
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (has_suffix(s, ends[i]))
            return true;
    return false;
}

/* Names that start with a digit or an underscore (reserved), words of C and C++, and macros of the C library get an "n" in
 * front. */
const char *c_identifier(Arena *arena, const char *name)
{
    enum { LONGEST = 62 }; /* C17 tells compilers to look at 63 characters */
    Text t = text_new(arena);
    if (isdigit((unsigned char)*name))
        text_puts(&t, "n_");
    for (const char *s = name; *s && t.size < LONGEST; s++) {
        char c = isalnum((unsigned char)*s) && (unsigned char)*s < 128 ? *s : '_';
        if (c == '_' && t.size && t.data[t.size - 1] == '_')
            continue; /* two in a row are reserved in C++ */
        if (c == '_' && !t.size)
            text_puts(&t, "n");
        text_append(&t, &c, 1);
    }
    if (!t.size)
        return "n";
    return is_c_word(t.data) || is_limit_macro(t.data) ? arena_printf(arena, "n_%.60s", t.data)
                                                       : t.data;
}

const char *c_member(Arena *arena, const char *name, const char *prefix)
{
    const char *member = c_identifier(arena, name);
    if (begins_with(member, prefix) && member[strlen(prefix)] == '_')
        return arena_printf(arena, "n_%s", member);
    return member;
}

const char *c_safe_text(Arena *arena, const char *name)
{
    enum { LONGEST = 120 };
    Text t = text_new(arena);
    for (const char *s = name; *s; s++) {
        char c = *s, last = t.size ? t.data[t.size - 1] : 0;
        if (t.size == LONGEST) {
            text_puts(&t, "...");
            break;
        }
        if (c < 32 || c > 126 || c == '"' || c == '\'' || c == '\\')
            c = '_';
        else if (c == '/' && (last == '*' || last == '/'))
            c = '_'; /* would end a comment, or begin one */
        else if ((c == '*' && last == '/') || (c == '?' && last == '?'))
            c = '_'; /* begins a comment; a trigraph */
        text_append(&t, &c, 1);
    }
    return t.data;
}

void json_string(Text *t, const char *s)
{
    text_puts(t, "\"");
    for (size_t n = strlen(s), length; n > 0; s += length, n -= length) {
        uint32_t c;
        length = utf8_decode(s, n, &c);
        if (length == 0)
            text_puts(t, "\\ufffd");
        else if (c == '"' || c == '\\')
            text_printf(t, "\\%c", (int)c);
        else if (utf8_is_control(c))
            text_printf(t, "\\u%04x", (unsigned)c);
        else
            text_append(t, s, length);
        length = length > 0 ? length : 1;
    }
    text_puts(t, "\"");
}

static bool is_plain_word(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.,:/@+%=", *c))
            return false;
    return *word != 0;
}

void shell_text(Text *t, const char *text, const char *special)
{
    for (; *text; text++)
        if (*text == '\'')
            text_puts(t, "'\\''");
        else
            text_printf(t, "%s%c", strchr(special, *text) ? "\\" : "", *text);
}

const char *shell_word(Arena *arena, const char *word)
{
    if (is_plain_word(word))
        return word;
    Text t = text_new(arena);
    text_puts(&t, "'");
    shell_text(&t, word, "");
    text_puts(&t, "'");
    return t.data;
}

void c_string(Text *t, const char *s)
{
    text_puts(t, "\"");
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c < 32 || c > 126)
            text_printf(t, "\\%03o", c);
        else
            text_printf(t, "%s%c", strchr("\"\\?", c) ? "\\" : "", c); /* "??=" is a trigraph */
    }
    text_puts(t, "\"");
}
