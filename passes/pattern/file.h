/* What the files share that read a user's patterns: the text, where reading has come to, and the rows so far. */
#pragma once

#include "pattern.h"
#include "table.h"

typedef struct PatternFile {
    PatternReader r;
    PatternTable *table; /* the rows of the file alone */
    size_t cap_anchors, cap_appends, cap_spelled;
} PatternFile;

/* ": PATTERN;", parsed and as one line; NULL after a mistake. */
const Pattern *pattern_file_pattern(PatternFile *f, bool hole, const char **text);

/* file_spelled.c: a row behind the word "spelled"; that all such rows come to an end, those of the file being the first `own`. */
void pattern_file_spelled(PatternFile *f);
void pattern_file_ends(PatternFile *f, size_t own);
