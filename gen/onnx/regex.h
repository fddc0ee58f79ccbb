/* Regular expressions in the syntax of RE2, as far as a match of the whole text needs it: literals, classes, groups, alternatives, repetitions
 * (whether they are greedy makes no difference), ^ $ \A \z \b \B. In: a pattern in UTF-8. Out: whether texts match, in a time of at most the
 * pattern's size times the text's. */
#pragma once

#include "../base/base.h"

typedef struct Regex Regex;
/* NULL and *why where the pattern is wrong or not supported. */
const Regex *regex_new(Arena *arena, const char *pattern, const char **why);
size_t regex_size(const Regex *r);
bool regex_matches(const Regex *r, const char *text);
