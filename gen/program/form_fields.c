/* The members of oneDNN's primitives and of plans of kernels as text, in both directions, by their tables. */
#include "form.h"

#include <limits.h>
#include <string.h>

enum { DEPTH_MAX = 6 }; /* structs in each other */

/* Offsets, sizes and counts; far enough from the end of int64_t that emission can add and multiply a few of them. */
static const int64_t number_max = INT64_C(1) << 47;

static void form_struct(ProgramForm *w, const FieldTable *table, void *row, int indent, int depth);

/* The number of elements is where the struct has it, the same for all members that it counts. */
static void keep_count(Lex *l, const Field *f, char *row, size_t n)
{
    uint32_t have = (uint32_t)n;
    if (!f->count) {
        if (n != f->length)
            lex_refuse(l, "%s has %zu numbers", f->name, f->length);
        return;
    }
    memcpy(&have, row + f->count, sizeof have);
    if (have && have != n)
        lex_refuse(l, "%s has %u elements", f->name, have);
    have = (uint32_t)n;
    memcpy(row + f->count, &have, sizeof have);
}

/* Whether element n follows in a list in brackets, which has at most as many as the struct has place for, if it is there. */
static bool more_elements(Form *f, const Field *field, size_t n, size_t length)
{
    if (!f->in)
        return n < length;
    if (!lex_more(form_lex(f), ']', n))
        return false;
    return field->kind == FIELD_STRUCTS || n < field->length ||
           lex_refuse(form_lex(f), "%s has at most %zu elements", field->name, field->length);
}

static void form_numbers(Form *f, const Field *field, char *row)
{
    int64_t *v = (int64_t *)(void *)(row + field->at);
    const size_t length = field_length(field, row);
    size_t n = 0;
    form_text(f, "[");
    for (; more_elements(f, field, n, length); n++) {
        if (!f->in && n)
            text_puts(f->out, ",");
        form_int(f, -number_max, number_max, &v[n]);
    }
    if (f->in)
        keep_count(form_lex(f), field, row, n);
    else
        text_puts(f->out, "]");
}

/* An array of the struct, or one of its own. */
static void form_structs(ProgramForm *w, const Field *field, char *row, int indent, int depth)
{
    Form *f = &w->f;
    const bool own = field->kind == FIELD_STRUCTS;
    const size_t length = field_length(field, row), size = field->of->size;
    char *rows = row + field->at;
    size_t n = 0, cap = 0;
    if (own)
        memcpy(&rows, row + field->at, sizeof rows);
    form_text(f, "[");
    for (; more_elements(f, field, n, length); n++) {
        if (f->in && own)
            rows = arena_grow(form_lex(f)->arena, rows, n, &cap, size);
        if (!f->in)
            text_printf(f->out, "%s\n%*s", n ? "," : "", indent, "");
        form_struct(w, field->of, rows + n * size, indent + 1, depth);
    }
    if (!f->in) {
        text_puts(f->out, "]");
        return;
    }
    if (own)
        memcpy(row + field->at, &rows, sizeof rows);
    keep_count(form_lex(f), field, row, n);
}

/* A number of another type than int64_t, by way of that. */
static int64_t form_integer(Form *f, int64_t least, int64_t most, int64_t n)
{
    form_int(f, least, most, &n);
    return n;
}

static float form_single(Form *f, float v)
{
    double d = (double)v;
    form_float(f, DT_F32, &d);
    return (float)d;
}

static void form_bool(Form *f, bool *b)
{
    static const char *const words[] = {"false", "true", NULL};
    unsigned choice = *b;
    form_choice(f, words, "true or false", &choice);
    *b = choice;
}

static void form_algorithm(Form *f, Algorithm *alg)
{
    const char *word = f->in ? NULL : onednn_alg_name(*alg) + strlen("dnnl_");
    form_word(f, &word);
    if (word && f->in &&
        !onednn_alg_from_name(arena_printf(form_lex(f)->arena, "dnnl_%s", word), alg))
        lex_refuse(form_lex(f), "'%s' is no algorithm of oneDNN", word);
}

static void form_scalar(ProgramForm *w, const Field *field, void *at)
{
    Form *f = &w->f;
    switch (field->kind) {
    case FIELD_BOOL:
        form_bool(f, at);
        return;
    case FIELD_INT:
        *(int *)at = (int)form_integer(f, INT_MIN, INT_MAX, *(int *)at);
        return;
    case FIELD_UNSIGNED:
        *(uint32_t *)at = (uint32_t)form_integer(f, 0, INT_MAX, *(uint32_t *)at);
        return;
    case FIELD_INT64:
        form_int(f, -number_max, number_max, at);
        return;
    case FIELD_SIZE:
        form_size(f, (size_t)number_max, at);
        return;
    case FIELD_FLOAT:
        *(float *)at = form_single(f, *(float *)at);
        return;
    case FIELD_DOUBLE:
        form_float(f, DT_F64, at);
        return;
    case FIELD_TEXT:
        form_quoted(f, at);
        return;
    case FIELD_ENUM:
        form_choice(f, field->names, field->name, at);
        return;
    case FIELD_ALGORITHM:
        form_algorithm(f, at);
        return;
    case FIELD_DTYPE:
        form_dtype(f, at);
        return;
    case FIELD_BUFFER:
        form_buffer_ref(w, at);
        return;
    case FIELD_VALUE:
        form_value(f, at);
        return;
    default:
        bug("member '%s' is no scalar", field->name);
    }
}

static void form_member(ProgramForm *w, const Field *field, char *row, int indent, int depth)
{
    void *inside = row + field->at;
    if (field->kind == FIELD_INT64S)
        form_numbers(&w->f, field, row);
    else if (field->kind == FIELD_STRUCTS || (field->kind == FIELD_STRUCT && field->count))
        form_structs(w, field, row, indent, depth);
    else if (!field->of)
        form_scalar(w, field, inside);
    else {
        if (field->kind == FIELD_POINTER && w->f.in) {
            inside = arena_alloc(form_lex(&w->f)->arena, field->of->size);
            memcpy(row + field->at, &inside, sizeof inside);
        } else if (field->kind == FIELD_POINTER)
            memcpy(&inside, row + field->at, sizeof inside);
        form_struct(w, field->of, inside, indent, depth);
    }
}

/* The member whose name comes next; NULL after a refusal. */
static const Field *find_field(Lex *l, const FieldTable *table, uint64_t *seen)
{
    const char *word;
    size_t i = 0;
    if (!lex_word(l, &word))
        return NULL;
    while (i < table->n && strcmp(table->field[i].name, word) != 0)
        i++;
    if (i == table->n || *seen >> i & 1) {
        lex_refuse(l, i == table->n ? "there is no '%s' here" : "'%s' is given twice", word);
        return NULL;
    }
    *seen |= UINT64_C(1) << i;
    return &table->field[i];
}

static void read_members(ProgramForm *w, const FieldTable *table, void *row, int depth)
{
    Lex *l = form_lex(&w->f);
    uint64_t seen = 0;
    if (table->begin)
        table->begin(row);
    for (const Field *f; lex_more(l, '}', seen != 0) && (f = find_field(l, table, &seen));) {
        lex_expect(l, '=');
        form_member(w, f, row, 0, depth);
    }
}

static void print_members(ProgramForm *w, const FieldTable *table, void *row, int indent, int depth)
{
    Text *out = w->f.out;
    bool first = true;
    void *untouched = arena_alloc(out->arena, table->size);
    if (table->begin)
        table->begin(untouched);
    for (size_t i = 0; i < table->n; i++) {
        const Field *f = &table->field[i];
        if (field_is_missing(f, row, untouched))
            continue;
        text_puts(out, first ? "" : ",");
        if (f->of)
            text_printf(out, "\n%*s", indent, "");
        else
            text_puts(out, first ? "" : " ");
        first = false;
        text_printf(out, "%s=", f->name);
        form_member(w, f, row, indent + 2, depth);
    }
    text_puts(out, "}");
}

static void form_struct(ProgramForm *w, const FieldTable *table, void *row, int indent, int depth)
{
    form_text(&w->f, "{");
    if (!w->f.in)
        print_members(w, table, row, indent, depth + 1);
    else if (depth == DEPTH_MAX)
        lex_refuse(form_lex(&w->f), "primitives in primitives in primitives");
    else
        read_members(w, table, row, depth + 1);
}

void form_fields(ProgramForm *w, const FieldTable *table, void *row, int indent)
{
    form_struct(w, table, row, indent, 0);
}
