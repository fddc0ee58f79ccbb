/* Names from a model in what is emitted. */
#include "quote.h"

#include <ctype.h>
#include <string.h>

static bool is_c_word(const char *s)
{
    static const char *const words[] = {
        "alignas",     "alignof",
        "and",         "and_eq",
        "asm",         "auto",
        "bitand",      "bitor",
        "bool",        "break",
        "case",        "catch",
        "char",        "class",
        "compl",       "concept",
        "const",       "consteval",
        "constexpr",   "constinit",
        "const_cast",  "continue",
        "co_await",    "co_return",
        "co_yield",    "decltype",
        "default",     "delete",
        "do",          "double",
        "else",        "enum",
        "errno",       "explicit",
        "export",      "extern",
        "false",       "float",
        "for",         "friend",
        "goto",        "if",
        "inline",      "int",
        "linux",       "long",
        "main",        "mutable",
        "namespace",   "new",
        "noexcept",    "not",
        "not_eq",      "nullptr",
        "operator",    "or",
        "or_eq",       "private",
        "protected",   "public",
        "register",    "reinterpret_cast",
        "requires",    "restrict",
        "return",      "short",
        "signed",      "sizeof",
        "static",      "static_assert",
        "static_cast", "struct",
        "switch",      "template",
        "this",        "thread_local",
        "throw",       "true",
        "try",         "typedef",
        "typeid",      "typename",
        "typeof",      "union",
        "unix",        "unsigned",
        "using",       "virtual",
        "void",        "volatile",
        "wchar_t",     "while",
        "xor",         "xor_eq",
        "i386",        "I",
        "NULL",        "INFINITY",
        "NAN",         "EOF",
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(words[i], s))
            return true;
    return false;
}

/* Names that start with a digit or an underscore (reserved), and words of C and C++, get an "n" in
 * front. */
const char *c_identifier(Arena *arena, const char *name)
{
    enum { LONGEST = 64 }; /* C17 tells compilers to look at 63 characters */
    Text t;
    text_init(&t, arena);
    for (const char *s = name; *s && t.size < LONGEST - 2; s++) {
        char c = isalnum((unsigned char)*s) && (unsigned char)*s < 128 ? *s : '_';
        if (c == '_' && t.size && t.data[t.size - 1] == '_')
            continue; /* two in a row are reserved in C++ */
        text_append(&t, &c, 1);
    }
    if (!t.size)
        return "n";
    if (t.data[0] == '_')
        return arena_printf(arena, "n%s", t.data);
    if (isdigit((unsigned char)t.data[0]) || is_c_word(t.data))
        return arena_printf(arena, "n_%s", t.data);
    return t.data;
}

const char *c_safe_text(Arena *arena, const char *name)
{
    enum { LONGEST = 120 };
    Text t;
    text_init(&t, arena);
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
    for (const unsigned char *c = (const unsigned char *)s; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_printf(t, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            text_printf(t, "\\u%04x", *c);
        else
            text_append(t, (const char *)c, 1);
    }
    text_puts(t, "\"");
}
