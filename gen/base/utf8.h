/* UTF-8 as RFC 3629 has it: no surrogates, no overlong forms, nothing above U+10FFFF. */
#pragma once

#include "base.h"

/* The bytes of the character at s, of which n > 0 are there, and the character itself; 0 if it is not well-formed. */
size_t utf8_decode(const char *s, size_t n, uint32_t *character);
/* A character that moves the cursor, ends a line, or changes the direction of text instead of standing somewhere. */
bool utf8_is_control(uint32_t character);
/* `text` with '?' in the place of control characters and of what is not UTF-8: it stays on one line of a terminal. */
const char *utf8_one_line(Arena *arena, const char *text);
