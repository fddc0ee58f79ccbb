/* The emitted functions of each layer, for the page that shows them. */
#pragma once

#include "../emit/emit.h"

typedef struct CodeText {
    const char *name; /* as in EmittedCode */
    const char *file; /* NULL: it was not found */
    size_t line;      /* the first, from 1 on */
    Text text; /* several functions follow one another; empty where there is too much of it */
} CodeText;

typedef struct CodeTexts {
    CodeText *code;
    uint32_t n;
    uint32_t *of; /* by step: its code */
} CodeTexts;

CodeTexts find_code(const Program *p, const EmittedCode *emitted);
