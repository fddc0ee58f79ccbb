/* Names from a model, as they may stand in emitted C and in JSON. */
#pragma once

#include "base.h"

/* A name from the model as a C identifier: letters, digits, _; never a keyword, never empty. */
const char *c_identifier(Arena *arena, const char *name);
/* The same where macros are defined whose names begin with `prefix` and an underscore: no name is one of them. */
const char *c_member(Arena *arena, const char *name, const char *prefix);
/* A name from the model inside a comment or string literal: printable ASCII, no quotes, backslashes, or comment ends. */
const char *c_safe_text(Arena *arena, const char *name);
/* In quotes, as JSON has it; bytes that are no UTF-8 become U+FFFD. */
void json_string(Text *t, const char *s);
/* As it stands between single quotes for a shell, with a backslash before each of the characters in `special`. */
void shell_text(Text *t, const char *text, const char *special);
/* As one word of a shell's command line: in single quotes where it needs them. */
const char *shell_word(Arena *arena, const char *word);
/* Any bytes as a string literal of C, with its quotes. */
void c_string(Text *t, const char *s);
