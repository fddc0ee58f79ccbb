/* Tokens of text IR. */
#pragma once

#include "../base/base.h"

typedef struct Lex {
    Arena *arena;
    Diag *diag;
    const char *file;
    const char *p, *end, *line_start;
    unsigned line;
    bool
        refused; /* the rest of the text counts as empty: who reads on finds nothing, and nothing more is said */
} Lex;

/* A number as written: integers keep their 64 bits, everything has a double. */
typedef struct LexNumber {
    bool is_int;
    int64_t i; /* of an integer beyond int64 but within uint64: its bits */
    double f;
} LexNumber;

Lex lex_begin(Arena *arena, Diag *diag, const char *file, const char *text, size_t size);
/* Refuses with file, line and column of the place reached. Returns false. */
#define lex_refuse(l, ...) (refuse_at((l)->diag, lex_place(l), __VA_ARGS__), lex_stop(l))
bool lex_stop(Lex *l);
const char *lex_place(const Lex *l); /* "FILE:LINE:COLUMN" */
void lex_skip(Lex *l);               /* blanks and comments */
bool lex_at_end(Lex *l);
bool lex_peek(Lex *l, char c);
bool lex_accept(Lex *l, char c);
bool lex_expect(Lex *l, char c);
/* Whether item i of a list follows, whose items have commas between them and which ends with `close`. */
bool lex_more(Lex *l, char close, size_t i);
bool lex_accept_word(Lex *l, const char *word); /* followed by no letter, digit or underscore */
bool lex_expect_word(Lex *l, const char *word);
bool lex_word(Lex *l, const char **word); /* [A-Za-z_][A-Za-z0-9_]* */
bool lex_string(Lex *l, const char **s);  /* "…" with the escapes \" \\ \xHH */
bool lex_name(Lex *l, const char **name); /* after %: a string or [A-Za-z0-9_.]+ */
bool lex_number(Lex *l, LexNumber *n);    /* also inf, -inf, nan */
bool lex_int(Lex *l, int64_t *i);
bool lex_hex(Lex *l, void *data, size_t bytes); /* hex"…" of exactly that many bytes */
