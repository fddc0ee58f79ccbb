/* Lines for people, as wide as their terminal. */
#pragma once

#include "base.h"

/* Characters of UTF-8. */
int line_characters(const char *text);
/* On one line, as many characters at most, the last three of which are dots where there are more. */
const char *line_cut(Arena *arena, const char *text, int most);
/* `text` and blanks up to so many characters. */
void line_cell(Text *out, const char *text, int width);
/* Words on as many lines as they take, each line indented, all but the first by two more. */
void line_words(Text *out, int width, int indent, const char *text);
void line_printf(Text *out, int width, int indent, const char *fmt, ...) PRINTF_LIKE(4, 5);
