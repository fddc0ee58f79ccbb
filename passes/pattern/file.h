/* What the files share that read a user's patterns: the text, where reading has come to, and the rows so far. */
#pragma once

#include "table.h"

typedef struct PatternFile {
    Arena *arena;
    Diag *diag;
    const char *path, *text, *p;
    PatternTable *table; /* the rows of the file alone */
    size_t cap_anchors, cap_appends, cap_spelled;
    const char **at; /* by row of table->spelled */
    size_t cap_at;
} PatternFile;

/* Refuses with the line and column of `at`. */
bool pattern_file_refuse(PatternFile *f, const char *at, const char *what);
/* Is `w`, a word or punctuation, next? Blanks and comments before it are skipped by all but the first. */
bool pattern_file_next_is(const PatternFile *f, const char *w);
bool pattern_file_accept(PatternFile *f, const char *w);
bool pattern_file_expect(PatternFile *f, const char *w);
const char *pattern_file_word(PatternFile *f); /* NULL after a refusal */
/* ": PATTERN;", parsed and as one line */
bool pattern_file_pattern(PatternFile *f, bool hole, const Pattern **pattern, const char **text);

/* file_spelled.c: a row behind the word "spelled"; whether all such rows come to an end. */
bool pattern_file_spelled(PatternFile *f);
bool pattern_file_ends(PatternFile *f);
