/* The members of what describes a primitive of oneDNN or a kernel of C, as data: one table for each struct, from which the text form is printed and
 * parsed. A member that a struct gains gets a row here. */
#pragma once

#include "../dnnl/plan.h"
#include "../kernel/plan.h"

typedef enum FieldKind {
    FIELD_BOOL,
    FIELD_INT,
    FIELD_UNSIGNED, /* unsigned, uint32_t */
    FIELD_INT64,
    FIELD_SIZE,
    FIELD_FLOAT,
    FIELD_DOUBLE,
    FIELD_TEXT,      /* const char *, NULL where missing */
    FIELD_ENUM,      /* of `names` */
    FIELD_ALGORITHM, /* Algorithm, as oneDNN's header spells it without "dnnl_" */
    FIELD_DTYPE,
    FIELD_BUFFER, /* BufferId */
    FIELD_VALUE,  /* ValueId */
    FIELD_INT64S, /* an array of `length` numbers, of which the first are in use if there is a `count` */
    FIELD_STRUCT,  /* the same of structs; one without a `count` is no array */
    FIELD_STRUCTS, /* a pointer to as many as `count`, an uint32_t, says */
    FIELD_POINTER, /* to one, or NULL */
} FieldKind;

typedef struct FieldTable FieldTable;

typedef struct Field {
    const char *name;
    FieldKind kind;
    size_t at;    /* bytes from the start of the struct */
    size_t size;  /* bytes of the member */
    size_t count; /* the same of the member that counts elements, which is not the first; 0: none */
    size_t length;
    const char *const *names; /* ends with NULL */
    const FieldTable *of;     /* FIELD_STRUCT, FIELD_STRUCTS, FIELD_POINTER */
} Field;

struct FieldTable {
    size_t size; /* of the struct */
    const Field *field;
    size_t n;
    void (*begin)(
        void *row); /* what members are that the text leaves out, where that is not 0; or NULL */
};

extern const FieldTable primitive_fields; /* DnnlPrimitive */
extern const FieldTable plan_fields;      /* CPlan */

/* A member has what it has where the text leaves it out. */
bool field_is_missing(const Field *f, const void *row, const void *untouched);
/* How many elements the array of FIELD_INT64S, FIELD_STRUCT or FIELD_STRUCTS has in this row. */
size_t field_length(const Field *f, const void *row);
/* A member in which two rows differ, whose members are numbers and rows or lists of such; NULL: they are equal. */
const Field *fields_differ(const FieldTable *table, const void *a, const void *b);
