/* Rows of the text of programs in both directions (text/form.h), shared by the two files for them. */
#pragma once

#include "../text/form.h"
#include "fields.h"
#include "program.h"

typedef struct ProgramForm {
    Form f;     /* with the names of the graph before it */
    Program *p; /* what it becomes, or a copy of what is printed */
    size_t cap_regions, cap_starts;
} ProgramForm;

/* "b3" of a buffer above, or "_". */
void form_buffer_ref(ProgramForm *w, BufferId *b);
/* form_fields.c: "{kind=convolution, …}", a row of this table. Members that hold rows of their own begin a line, indented by so much. */
void form_fields(ProgramForm *w, const FieldTable *table, void *row, int indent);
