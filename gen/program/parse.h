/* The state of the parser of programs, shared by its two files. */
#pragma once

#include "../text/parse.h"
#include "fields.h"
#include "program.h"

typedef struct ProgramParser {
    Parser t; /* with the names of the graph before it */
    Program *p;
    size_t cap_regions, cap_starts;
} ProgramParser;

/* "b3" of a buffer above, or "_". */
bool parse_buffer_ref(ProgramParser *w, BufferId *b);
/* Numbers from 0 to `most`. */
bool parse_size(Lex *l, size_t most, size_t *n);

/* parse_fields.c: "{kind=convolution, …}", a row of this table; NULL after a refusal. */
void *parse_fields(ProgramParser *w, const FieldTable *table);
