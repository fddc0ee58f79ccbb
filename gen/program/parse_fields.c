/* Parses the members of oneDNN's primitives and of plans of kernels by their tables. */
#include "parse.h"

#include <limits.h>
#include <string.h>

enum { DEPTH_MAX = 4 }; /* structs in each other that are reached through pointers */

/* Offsets, sizes and counts; far enough from the end of int64_t that emission can add and multiply a few of them. */
static const int64_t number_max = INT64_C(1) << 47;

static bool parse_row(ProgramParser *w, const FieldTable *table, void *row, int depth);

static bool parse_number(Lex *l, int64_t least, int64_t most, int64_t *n)
{
    return lex_int(l, n) && ((*n >= least && *n <= most) || lex_refuse(l, "a number out of range"));
}

static bool parse_name_of(Lex *l, const Field *f, unsigned *choice)
{
    const char *word;
    if (!lex_word(l, &word))
        return false;
    for (*choice = 0; f->names[*choice]; ++*choice)
        if (!strcmp(f->names[*choice], word))
            return true;
    return lex_refuse(l, "'%s' is no %s", word, f->name);
}

static bool parse_algorithm(Lex *l, Algorithm *alg)
{
    const char *word;
    return lex_word(l, &word) &&
           (onednn_alg_from_name(arena_printf(l->arena, "dnnl_%s", word), alg) ||
            lex_refuse(l, "'%s' is no algorithm of oneDNN", word));
}

static bool parse_dtype(Lex *l, DType *t)
{
    const char *word;
    return lex_word(l, &word) &&
           (dtype_from_name(word, t) || lex_refuse(l, "'%s' is no element type", word));
}

static bool parse_bool(Lex *l, bool *b)
{
    *b = lex_accept_word(l, "true");
    return *b || lex_expect_word(l, "false");
}

/* The number of elements is where the struct has it, the same for all members that it counts. */
static bool keep_count(Lex *l, const Field *f, char *row, size_t n)
{
    uint32_t have;
    if (!f->count)
        return n == f->length || lex_refuse(l, "%s has %zu numbers", f->name, f->length);
    memcpy(&have, row + f->count, sizeof have);
    if (have && have != n)
        return lex_refuse(l, "%s has %u elements", f->name, have);
    have = (uint32_t)n;
    memcpy(row + f->count, &have, sizeof have);
    return true;
}

static bool parse_numbers(Lex *l, const Field *f, char *row)
{
    int64_t *v = (int64_t *)(void *)(row + f->at);
    size_t n = 0;
    if (!lex_expect(l, '['))
        return false;
    while (!lex_accept(l, ']')) {
        if (n == f->length)
            return lex_refuse(l, "%s has at most %zu numbers", f->name, f->length);
        if ((n && !lex_expect(l, ',')) || !parse_number(l, -number_max, number_max, &v[n]))
            return false;
        n++;
    }
    return keep_count(l, f, row, n);
}

/* Into the array of the struct, or into one of its own. */
static bool parse_rows(ProgramParser *w, const Field *f, char *row, int depth)
{
    Lex *l = &w->t.l;
    const bool own = f->kind == FIELD_STRUCTS;
    char *rows = own ? NULL : row + f->at;
    size_t n = 0, cap = 0;
    if (!lex_expect(l, '['))
        return false;
    while (!lex_accept(l, ']')) {
        if (!own && n == f->length)
            return lex_refuse(l, "%s has at most %zu elements", f->name, f->length);
        if (n && !lex_expect(l, ','))
            return false;
        if (own)
            rows = arena_grow(l->arena, rows, n, &cap, f->of->size);
        memset(rows + n * f->of->size, 0, f->of->size);
        if (!parse_row(w, f->of, rows + n * f->of->size, depth))
            return false;
        n++;
    }
    if (own)
        memcpy(row + f->at, &rows, sizeof rows);
    return keep_count(l, f, row, n);
}

static bool parse_scalar(ProgramParser *w, const Field *f, void *at)
{
    Lex *l = &w->t.l;
    LexNumber number;
    int64_t i;
    switch (f->kind) {
    case FIELD_BOOL:
        return parse_bool(l, at);
    case FIELD_INT:
        return parse_number(l, INT_MIN, INT_MAX, &i) && (*(int *)at = (int)i, true);
    case FIELD_UNSIGNED:
        return parse_number(l, 0, INT_MAX, &i) && (*(uint32_t *)at = (uint32_t)i, true);
    case FIELD_INT64:
        return parse_number(l, -number_max, number_max, at);
    case FIELD_SIZE:
        return parse_size(l, (size_t)number_max, at);
    case FIELD_FLOAT:
        return lex_number(l, &number) && (*(float *)at = (float)number.f, true);
    case FIELD_DOUBLE:
        return lex_number(l, &number) && (*(double *)at = number.f, true);
    case FIELD_TEXT:
        return lex_string(l, at);
    case FIELD_ENUM:
        return parse_name_of(l, f, at);
    case FIELD_ALGORITHM:
        return parse_algorithm(l, at);
    case FIELD_DTYPE:
        return parse_dtype(l, at);
    case FIELD_BUFFER:
        return parse_buffer_ref(w, at);
    case FIELD_VALUE:
        return parse_value_or_none(&w->t, at);
    default:
        bug("member '%s' is no scalar", f->name);
    }
}

static bool parse_member(ProgramParser *w, const Field *f, char *row, int depth)
{
    if (f->kind == FIELD_INT64S)
        return parse_numbers(&w->t.l, f, row);
    if (f->kind == FIELD_STRUCTS || (f->kind == FIELD_STRUCT && f->count))
        return parse_rows(w, f, row, depth);
    if (f->kind == FIELD_STRUCT)
        return parse_row(w, f->of, row + f->at, depth);
    if (f->kind != FIELD_POINTER)
        return parse_scalar(w, f, row + f->at);
    if (depth == DEPTH_MAX)
        return lex_refuse(&w->t.l, "primitives in primitives in primitives");
    void *inside = arena_alloc(w->t.l.arena, f->of->size);
    memcpy(row + f->at, &inside, sizeof inside);
    return parse_row(w, f->of, inside, depth + 1);
}

static const Field *find_field(Lex *l, const FieldTable *table, uint64_t *seen)
{
    const char *word;
    if (!lex_word(l, &word))
        return NULL;
    for (size_t i = 0; i < table->n; i++) {
        if (strcmp(table->field[i].name, word) != 0)
            continue;
        if (*seen & UINT64_C(1) << i) {
            lex_refuse(l, "'%s' is given twice", word);
            return NULL;
        }
        *seen |= UINT64_C(1) << i;
        return &table->field[i];
    }
    lex_refuse(l, "there is no '%s' here", word);
    return NULL;
}

static bool parse_row(ProgramParser *w, const FieldTable *table, void *row, int depth)
{
    Lex *l = &w->t.l;
    uint64_t seen = 0;
    if (table->begin)
        table->begin(row);
    if (!lex_expect(l, '{'))
        return false;
    while (!lex_accept(l, '}')) {
        const Field *f;
        if ((seen && !lex_expect(l, ',')) || !(f = find_field(l, table, &seen)) ||
            !lex_expect(l, '=') || !parse_member(w, f, row, depth))
            return false;
    }
    return true;
}

void *parse_fields(ProgramParser *w, const FieldTable *table)
{
    void *row = arena_alloc(w->t.l.arena, table->size);
    return parse_row(w, table, row, 0) ? row : NULL;
}
