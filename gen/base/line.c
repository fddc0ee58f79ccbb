#include "line.h"

#include "utf8.h"

#include <string.h>

int line_characters(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

const char *line_cut(Arena *arena, const char *text, int most)
{
    const char *at = text = utf8_one_line(arena, text);
    if (line_characters(text) <= most)
        return text;
    for (int n = 0; n < most - 3; n++)
        for (at++; ((unsigned char)*at & 0xc0) == 0x80;)
            at++;
    return arena_printf(arena, "%.*s...", (int)(at - text), text);
}

void line_cell(Text *out, const char *text, int width)
{
    const int n = line_characters(text);
    text_printf(out, "%s%*s", text, width > n ? width - n : 0, "");
}

void line_words(Text *out, int width, int indent, const char *text)
{
    int at = indent;
    text = utf8_one_line(out->arena, text);
    text_printf(out, "%*s", indent, "");
    for (bool first = true; *text; first = false) {
        const size_t n = strcspn(text, " ");
        const int size = line_characters(arena_strndup(out->arena, text, n));
        if (!first && at + 1 + size > width) {
            text_printf(out, "\n%*s", indent + 2, "");
            at = indent + 2;
        } else if (!first) {
            text_puts(out, " ");
            at++;
        }
        text_append(out, text, n);
        at += size;
        text += n + strspn(text + n, " ");
    }
    text_puts(out, "\n");
}

void line_printf(Text *out, int width, int indent, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    line_words(out, width, indent, arena_vprintf(out->arena, fmt, args));
    va_end(args);
}
