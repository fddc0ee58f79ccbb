/* Layers that are the same but for their numbers: one set of functions computes them all, and what differs are rows of a table.
 *
 * To find them, each layer's text is written with names of members, as in `s->workspace + at->src`, in the place of its numbers, shapes
 * and data types: layers whose texts are the same are alike. Of those, what all have in common is written as it is, and so is all of a
 * layer that is like no other. */
#include "emit_dnnl.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* What may differ between layers that are alike. */
typedef struct Place {
    PlaceType type;
    const char *kind,
        *name; /* "src"; the member that has it, which is another one for another value of the same kind */
    const char *value; /* as C text */
} Place;

struct LayerText {
    const char *label; /* of its functions */
    bool named;        /* places have names */
    const bool *
        varies; /* by place: the others are written out in spite of that; NULL: there are none of these */
    Place *places;
    size_t n, cap;
};

/* By PlaceType: what a member is declared as. Those of the first types stand side by side in a row. */
static const struct {
    const char *type, *star;
    bool is_number;
} types[] = {
    [PLACE_INDEX] = {"unsigned", "", true},
    [PLACE_INT] = {"int", "", true},
    [PLACE_OFFSET] = {"size_t", "", true},
    [PLACE_DIM] = {"dnnl_dim_t", "", true},
    [PLACE_FLOAT] = {"float", "", true},
    [PLACE_ALGORITHM] = {"dnnl_alg_kind_t", "", false},
    [PLACE_MD] = {"struct dnnlc_md", "", false},
    [PLACE_WINDOW] = {"struct dnnlc_window", "", false},
    [PLACE_TEXT] = {"const char", "*", false},
    [PLACE_PANEL] = {"const struct panel", "*", false},
    [PLACE_FINISH] = {"indirect_finish", "*", false},
    [PLACE_TO_END] = {"panel_to_end", "*", false},
};

/* --- places -------------------------------------------------------------------------------------------------------- */

static size_t find_place(const Emit *e, PlaceType type, const char *kind, const char *value)
{
    LayerText *t = e->text;
    size_t i = 0, namesakes = 0;
    for (; i < t->n; i++) {
        const bool same = !strcmp(t->places[i].kind, kind);
        if (same && !strcmp(t->places[i].value, value))
            return i;
        namesakes += same;
    }
    t->places = arena_grow(e->arena, t->places, t->n, &t->cap, sizeof *t->places);
    t->places[t->n++] = (Place){
        .type = type,
        .kind = kind,
        .name = namesakes ? arena_printf(e->arena, "%s_%zu", kind, namesakes + 1) : kind,
        .value = value,
    };
    return i;
}

const char *place_member(const Emit *e, PlaceType type, const char *kind, const char *value)
{
    const LayerText *t = e->text;
    if (!t->named)
        return NULL;
    const size_t i = find_place(e, type, kind, value);
    return t->varies && !t->varies[i] ? NULL : arena_printf(e->arena, "at->%s", t->places[i].name);
}

const char *place_value(const Emit *e, PlaceType type, const char *kind, const char *value)
{
    const char *at = place_member(e, type, kind, value);
    return at ? at : value;
}

const char *place_int(const Emit *e, PlaceType type, const char *kind, int64_t value)
{
    return place_value(e, type, kind, arena_printf(e->arena, "%lld", (long long)value));
}

const char *place_index(const Emit *e, const char *kind, uint32_t first, uint32_t i)
{
    const char *at = place_member(e, PLACE_INDEX, kind, arena_printf(e->arena, "%" PRIu32, first));
    return !at ? arena_printf(e->arena, "%" PRIu32, first + i)
           : i ? arena_printf(e->arena, "%s + %" PRIu32, at, i)
               : at;
}

const char *place_offset(const Emit *e, const char *kind, size_t offset)
{
    return place_value(e, PLACE_OFFSET, kind, arena_printf(e->arena, "%zu", offset));
}

const char *place_address(const Emit *e, const char *root, const char *kind, size_t offset)
{
    const char *at = place_offset(e, kind, offset);
    return strcmp(at, "0") ? arena_printf(e->arena, "%s + %s", root, at) : root;
}

const char *place_operand(const Emit *e, const char *kind, BufferId id, bool is_const)
{
    size_t offset;
    const BufferKind where = buffer_root(e->p, id, &offset)->kind;
    if (where != BUFFER_CONST && where != BUFFER_ARENA)
        return buffer_expr(e->arena, e->p, id, is_const);
    return arena_printf(e->arena, "%s_at(m, %s)", where == BUFFER_CONST ? "weights" : "workspace",
                        place_offset(e, kind, offset));
}

void bind_field(Bindings *b, const char *field, const char *value, bool *varies)
{
    Bindings *row = bind_row(b, "fields");
    bind(row, "field", "%s", field);
    bind(row, "value", "%s", value);
    *varies = *varies || strstr(value, "at->");
}

void bind_fields(const Emit *e, Bindings *b, const PlaceNumber *numbers, size_t n, bool *varies)
{
    for (size_t i = 0; i < n; i++)
        bind_field(b, numbers[i].name,
                   place_int(e, numbers[i].type, numbers[i].name, numbers[i].value), varies);
}

void bind_constant(const Emit *e, Bindings *b, bool varies)
{
    bind(b, "varies", "%d", varies);
    bind(b, "constant", "%d", !varies);
    bind(b, "shape", varies ? "shape" : "shape_%s", e->text->label);
}

/* --- functions ------------------------------------------------------------------------------------------------------- */

const char *layer_label(const Emit *e)
{
    return e->text->label;
}

static bool has_row(const LayerText *t)
{
    bool any = t->named && !t->varies;
    for (size_t i = 0; t->varies && i < t->n; i++)
        any = any || t->varies[i];
    return any;
}

void bind_layer(const Emit *e, const Step *s, uint32_t index, Bindings *b)
{
    const char *label = e->text->label;
    const bool rows = has_row(e->text);
    const char *ctx = arena_printf(e->arena, "const %s_context *ctx", e->names.name);
    const char *memory = arena_printf(e->arena, "const struct %s_memory *m", e->names.name);
    const char *at = rows ? arena_printf(e->arena, ", const struct at_%s *at", label) : "";
    bind(b, "label", "%s", label);
    bind(b, "index", "%s", place_index(e, "index", index, 0));
    bind(b, "slot", "%s", place_index(e, "slot", s->slot, 0));
    bind(b, "has_row", "%d", rows);
    bind(b, "create_params", "struct dnnlc_setup *s%s", rows ? ", const void *row" : "");
    bind(b, "context_params", "%s%s", ctx, at);
    bind(b, "context_args", "ctx%s", rows ? ", at" : "");
    bind(b, "run_params", "%s, %s%s", ctx, memory, at);
    bind(b, "run_args", "ctx, m%s", rows ? ", at" : "");
}

/* --- layers that are alike --------------------------------------------------------------------------------------------- */

/* The text of a layer of which nothing is known yet, with all names. */
static LayerText *name_places(Emit *e, uint32_t step, Text *out)
{
    LayerText *t = ARENA_NEW(e->arena, LayerText);
    *t = (LayerText){.label = "", .named = true};
    e->text = t;
    *out = text_new(e->arena);
    emit_layer(e, step, out);
    return t;
}

void find_layers_alike(Emit *e)
{
    const uint32_t n = e->p->n_steps;
    Text *texts = ARENA_ARRAY(e->arena, Text, n + 1);
    uint64_t *hashes = ARENA_ARRAY(e->arena, uint64_t, n + 1);
    e->layers = ARENA_ARRAY(e->arena, LayerFunctions, n + 1);
    e->file_first = 0;
    e->file_end = n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i;
        e->layers[i] = (LayerFunctions){.alike = i, .row = NO_ROW};
        if (!e->p->steps[i].dnnl)
            continue;
        name_places(e, i, &texts[i]);
        hashes[i] = hash64(texts[i].data, texts[i].size, 0);
        for (k = 0; k < i; k++)
            if (hashes[k] == hashes[i] && texts[k].data && !strcmp(texts[k].data, texts[i].data))
                break;
        e->layers[i].alike = k;
    }
}

uint32_t first_layer_alike(const Emit *e, uint32_t step)
{
    uint32_t i = e->file_first;
    while (e->layers[i].alike != e->layers[step].alike)
        i++;
    return i;
}

/* The layer's value for a place of another that is alike. */
static const char *value_of(const LayerText *row, const Place *place)
{
    size_t i = 0;
    while (strcmp(row->places[i].name, place->name))
        i++;
    return row->places[i].value;
}

/* Whether a text written with all names has this one. */
static bool has_name(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *s = text; (s = strstr(s, "at->"));) {
        s += strlen("at->");
        if (!strncmp(s, name, n) && !isalnum((unsigned char)s[n]) && s[n] != '_')
            return true;
    }
    return false;
}

bool planned_alike(const Emit *e, uint32_t step)
{
    bool same = true;
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        same = same && (e->layers[i].alike != e->layers[step].alike ||
                        !strcmp(e->p->steps[i].dnnl->impl, e->p->steps[step].dnnl->impl));
    return same;
}

uint32_t count_layers_alike(const Emit *e, uint32_t step)
{
    uint32_t n = 0;
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        n += e->layers[i].alike == e->layers[step].alike;
    return n;
}

/* --- tables ------------------------------------------------------------------------------------------------------------ */

/* Members of a table that stand in one line of each row: numbers, or one that is anything else. */
typedef struct Column {
    size_t *places;
    size_t n, cap, width;
    bool is_number;
} Column;

typedef struct Table {
    LayerText *const *rows;
    uint32_t n_rows;
    Column *columns;
    size_t n, cap;
} Table;

enum { ROW_WIDTH = 100, INDENT = 4 }; /* the template indents a row by that */

/* How much of a line the longest value takes. */
static size_t place_width(const Table *t, size_t place)
{
    size_t width = 0;
    for (uint32_t r = 0; r < t->n_rows; r++) {
        const size_t n = strlen(value_of(t->rows[r], &t->rows[0]->places[place]));
        width = n > width ? n : width;
    }
    return width + strlen(", ");
}

static void add_place(const Emit *e, Table *t, size_t place)
{
    const bool is_number = types[t->rows[0]->places[place].type].is_number;
    const size_t width = place_width(t, place), around = strlen("    {{},");
    Column *last = t->n ? &t->columns[t->n - 1] : NULL;
    if (!last || !is_number || !last->is_number || last->width + width + around > ROW_WIDTH) {
        t->columns = arena_grow(e->arena, t->columns, t->n, &t->cap, sizeof *t->columns);
        last = &t->columns[t->n++];
        *last = (Column){.is_number = is_number};
    }
    last->places = arena_grow(e->arena, last->places, last->n, &last->cap, sizeof *last->places);
    last->places[last->n++] = place;
    last->width += width;
}

/* A line of declarations for each type, or several where they are long. */
static void bind_members(const Emit *e, const LayerText *t, const size_t *places, size_t n,
                         const char *list, const char *name, Bindings *b)
{
    enum { LONG = 72 };
    Text line = text_new(e->arena);
    for (size_t i = 0; i < n; i++) {
        const Place *p = &t->places[places[i]];
        const bool ends = i + 1 == n || t->places[places[i + 1]].type != p->type;
        text_printf(&line, line.size ? ", %s%s" : "%s %s%s",
                    line.size ? types[p->type].star : types[p->type].type,
                    line.size ? p->name : types[p->type].star, p->name);
        if (ends || line.size > LONG) {
            bind(bind_row(b, list), name, "%s", line.data);
            line = text_new(e->arena);
        }
    }
}

/* "{1, 2, {3, 4}}", which begins in a column and has so much behind it: in one line, or one for each item, aligned. */
static void put_initialiser(Text *out, Arena *arena, const char *s, size_t column, size_t behind)
{
    const size_t n = strlen(s), name = strcspn(s, "{");
    if (column + n + behind <= ROW_WIDTH || name == n || s[n - 1] != '}') {
        text_puts(out, s);
        return;
    }
    text_printf(out, "%.*s{", (int)name, s);
    const char *item = s + name + 1, *end = s + n - 1;
    for (int depth = 0; item < end;) {
        const char *stop = item;
        for (; stop < end && (depth || *stop != ','); stop++)
            depth += (*stop == '{') - (*stop == '}');
        put_initialiser(out, arena, arena_strndup(arena, item, (size_t)(stop - item)),
                        column + name + 1, 1 + (stop == end ? behind : 0));
        if (stop < end)
            text_printf(out, ",\n%*s", (int)(column + name + 1 - INDENT), "");
        item = stop + (stop < end ? strlen(", ") : 0);
    }
    text_puts(out, "}");
}

/* What a row has of a column: the numbers side by side, or the value of the other member. */
static const char *column_text(const Emit *e, const Table *t, const Column *c, const LayerText *row)
{
    Text s = text_new(e->arena);
    for (size_t k = 0; k < c->n; k++)
        text_printf(&s, k ? ", %s" : "%s", value_of(row, &t->rows[0]->places[c->places[k]]));
    return s.data;
}

/* A row: what stands in its braces if that fits on a line, otherwise a list "items" with a line for each column. */
static void bind_row_text(const Emit *e, const Table *t, const LayerText *row, Bindings *b)
{
    Text all = text_new(e->arena);
    for (size_t i = 0; i < t->n; i++) {
        const Column *c = &t->columns[i];
        const char *name = t->rows[0]->places[c->places[0]].name, *text = column_text(e, t, c, row);
        const bool first = i == 0, last = i + 1 == t->n;
        Text value = text_new(e->arena);
        put_initialiser(&value, e->arena, text, INDENT + strlen("{. = ") + strlen(name),
                        last ? strlen("},") : strlen(","));
        Bindings *item = bind_row(b, "items");
        bind_int(item, "numbers", c->is_number);
        bind(item, "open", "%s", first ? "{" : " ");
        bind(item, "field", "%s", name);
        bind(item, "value", "%s", value.data);
        bind(item, "close", "%s", last ? "}," : ",");
        if (c->is_number)
            text_printf(&all, t->n > 1 ? "%s{%s}" : "%s%s", first ? "" : ", ", text);
        else
            text_printf(&all, "%s.%s = %s", first ? "" : ", ", name, text);
    }
    bind(b, "fits", "%d", t->n == 1 || INDENT + strlen("{},") + all.size <= ROW_WIDTH);
    bind(b, "row", "%s", all.data);
}

/* The numbers of a line are a struct without a name, unless there is no other line. */
static void bind_columns(const Emit *e, const Table *t, Bindings *b)
{
    const LayerText *first = t->rows[0];
    size_t *others = ARENA_ARRAY(e->arena, size_t, t->n + 1), n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const Column *c = &t->columns[i];
        if (!c->is_number)
            others[n++] = c->places[0];
        else if (t->n > 1)
            bind_members(e, first, c->places, c->n, "members", "member", bind_row(b, "groups"));
        else
            bind_members(e, first, c->places, c->n, "others", "other", b);
    }
    bind_members(e, first, others, n, "others", "other", b);
}

/* The members in the order of their types. */
static Table table_of(const Emit *e, LayerText *const *rows, uint32_t n)
{
    Table t = {.rows = rows, .n_rows = n};
    for (PlaceType type = 0; type < COUNT_OF(types); type++)
        for (size_t i = 0; i < rows[0]->n; i++)
            if (rows[0]->varies[i] && rows[0]->places[i].type == type)
                add_place(e, &t, i);
    return t;
}

/* The table of the layers of the file that are like this one, which is the first; sets what is known of them, and how its text is to be
 * written. */
static void emit_rows(Emit *e, LayerText **rows, const char *text, uint32_t step, uint32_t n,
                      Text *out)
{
    LayerText *t = rows[0];
    bool *varies = ARENA_ARRAY(e->arena, bool, t->n + 1);
    for (uint32_t r = 1; r < n; r++)
        for (size_t i = 0; i < t->n; i++)
            varies[i] = varies[i] || (has_name(text, t->places[i].name) &&
                                      strcmp(value_of(rows[r], &t->places[i]), t->places[i].value));
    t->varies = varies;
    t->label = e->p->steps[step].label;
    e->text = t;
    if (!has_row(t))
        return;
    Bindings *b = bindings_new(e->arena, NULL);
    const Table table = table_of(e, rows, n);
    bind(b, "label", "%s", t->label);
    bind_columns(e, &table, b);
    for (uint32_t i = step, r = 0; r < n; i++)
        if (e->layers[i].alike == e->layers[step].alike) {
            Bindings *row = bind_row(b, "rows");
            bind_row_text(e, &table, rows[r], row);
            bind_int(row, "step", i);
            bind(row, "title", "%s", step_title(e->arena, e->p, &e->p->steps[i]));
            bind(row, "impl", planned_alike(e, step) ? "" : "; %s", e->p->steps[i].dnnl->impl);
            e->layers[i].row = r++;
        }
    render(out, "dnnl/rows.c", b);
}

void emit_layers_alike(Emit *e, uint32_t step, Text *out)
{
    uint32_t n = 0;
    Text first, other;
    LayerText **rows = ARENA_ARRAY(e->arena, LayerText *, e->file_end - step);
    for (uint32_t i = step; i < e->file_end; i++)
        if (e->layers[i].alike == e->layers[step].alike) {
            rows[n] = name_places(e, i, n ? &other : &first);
            n++;
            e->layers[i].label = e->p->steps[step].label;
            e->layers[i].row = NO_ROW;
        }
    if (n > 1)
        emit_rows(e, rows, first.data, step, n, out);
    else {
        e->text = rows[0];
        *e->text = (LayerText){.label = e->p->steps[step].label};
    }
    emit_layer(e, step, out);
}
