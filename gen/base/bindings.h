/* What names mean in a template, as the renderer (template.c) sees it; those who bind them see template.h. */
#pragma once

#include "template.h"

enum { BINDING_OPERANDS = 8 }; /* most of a function */

typedef enum BindingKind {
    BINDING_TEXT,
    BINDING_LIST,
    BINDING_FUNCTION,
    BINDING_MACRO
} BindingKind;

typedef struct Binding {
    struct Binding *next;
    const char *name;
    BindingKind kind;
    const char *text; /* of a macro with placeholders */
    Bindings **rows;  /* of a list */
    size_t n_rows, cap_rows;
    const char *separator;
    TemplateFn *fn;
    const void *user;
    const char *params[BINDING_OPERANDS]; /* of a macro */
    size_t n_params;
} Binding;

struct Bindings {
    Arena *arena;
    const Bindings *outer;
    Binding *first;
};

/* What a name means here or further out; NULL: it is not bound. */
const Binding *binding_find(const Bindings *b, const char *name, size_t n);
