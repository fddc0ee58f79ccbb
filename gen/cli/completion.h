/* What a shell has to know to complete the words of a line of dnnlc. */
#pragma once

#include "../base/base.h"

/* Adds a script for "bash", "zsh" or "fish". */
void print_completion(Arena *arena, const char *shell, Text *out);
