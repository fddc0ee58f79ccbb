/* Layers that are the same but for where their operands are: one set of functions computes them all, and what differs are rows of a
 * table.
 *
 * To find them, each layer's text is written with names of members, as in `s->workspace + at->src`, in the place of its numbers:
 * layers whose texts are the same are alike. Of those, numbers that all have in common are written as such, and so is every number of
 * a layer that is like no other. */
#include "emit_dnnl.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* A number that may differ between layers that are alike. */
typedef struct Place {
    const char *kind,
        *name; /* "src"; the member that has it, which is another one for another value of the same kind */
    size_t value;
    bool is_offset; /* in bytes; otherwise an index */
} Place;

struct LayerText {
    const char *label; /* of its functions */
    bool named;        /* places have names */
    const bool *
        varies; /* by place: the others are numbers in spite of that; NULL: there are none of these */
    Place *places;
    size_t n, cap;
};

/* --- places -------------------------------------------------------------------------------------------------------- */

static size_t find_place(const Emit *e, const char *kind, size_t value, bool is_offset)
{
    LayerText *t = e->text;
    size_t i = 0, namesakes = 0;
    for (; i < t->n; i++) {
        const bool same = !strcmp(t->places[i].kind, kind);
        if (same && t->places[i].value == value)
            return i;
        namesakes += same;
    }
    t->places = arena_grow(e->arena, t->places, t->n, &t->cap, sizeof *t->places);
    t->places[t->n++] = (Place){
        .kind = kind,
        .name = namesakes ? arena_printf(e->arena, "%s_%zu", kind, namesakes + 1) : kind,
        .value = value,
        .is_offset = is_offset,
    };
    return i;
}

/* "at->src", or NULL where the number is to be written. */
static const char *member(const Emit *e, const char *kind, size_t value, bool is_offset)
{
    const LayerText *t = e->text;
    if (!t->named)
        return NULL;
    const size_t i = find_place(e, kind, value, is_offset);
    return t->varies && !t->varies[i] ? NULL : arena_printf(e->arena, "at->%s", t->places[i].name);
}

const char *place_index(const Emit *e, const char *kind, uint32_t first, uint32_t i)
{
    const char *at = member(e, kind, first, false);
    return !at ? arena_printf(e->arena, "%" PRIu32, first + i)
           : i ? arena_printf(e->arena, "%s + %" PRIu32, at, i)
               : at;
}

const char *place_offset(const Emit *e, const char *kind, size_t offset)
{
    const char *at = member(e, kind, offset, true);
    return at ? at : arena_printf(e->arena, "%zu", offset);
}

const char *place_address(const Emit *e, const char *root, const char *kind, size_t offset)
{
    const char *at = member(e, kind, offset, true);
    return at       ? arena_printf(e->arena, "%s + %s", root, at)
           : offset ? arena_printf(e->arena, "%s + %zu", root, offset)
                    : root;
}

const char *place_operand(const Emit *e, const char *kind, BufferId id, bool is_const)
{
    size_t offset;
    const BufferKind where = buffer_root(e->p, id, &offset)->kind;
    const bool inside = where == BUFFER_CONST || where == BUFFER_ARENA;
    const char *at = inside ? member(e, kind, offset, true) : NULL;
    if (!at)
        return buffer_expr(e->arena, e->p, id, is_const);
    return arena_printf(e->arena, "%s_at(m, %s)", where == BUFFER_CONST ? "weights" : "workspace",
                        at);
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
    text_init(out, e->arena);
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
static size_t place_value(const LayerText *row, const Place *place)
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

uint32_t count_layers_alike(const Emit *e, uint32_t step)
{
    uint32_t n = 0;
    for (uint32_t i = e->file_first; i < e->file_end; i++)
        n += e->layers[i].alike == e->layers[step].alike;
    return n;
}

static void bind_members(const LayerText *t, Bindings *b)
{
    bind_list(b, "indices", ", ");
    bind_list(b, "offsets", ", ");
    for (size_t i = 0; i < t->n; i++)
        if (t->varies[i] && t->places[i].is_offset)
            bind(bind_row(b, "offsets"), "offset", "%s", t->places[i].name);
        else if (t->varies[i])
            bind(bind_row(b, "indices"), "member", "%s", t->places[i].name);
}

/* In the order of the members: indices first. */
static void bind_values(const LayerText *t, const LayerText *row, Bindings *b)
{
    for (int offsets = 0; offsets < 2; offsets++)
        for (size_t i = 0; i < t->n; i++)
            if (t->varies[i] && t->places[i].is_offset == offsets)
                bind(bind_row(b, "values"), "value", "%zu", place_value(row, &t->places[i]));
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
                                      place_value(rows[r], &t->places[i]) != t->places[i].value);
    t->varies = varies;
    t->label = e->p->steps[step].label;
    e->text = t;
    if (!has_row(t))
        return;
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "label", "%s", t->label);
    bind_members(t, b);
    for (uint32_t i = step, r = 0; r < n; i++)
        if (e->layers[i].alike == e->layers[step].alike) {
            Bindings *row = bind_row(b, "rows");
            bind_values(t, rows[r], row);
            bind_int(row, "step", i);
            bind(row, "title", "%s", step_title(e->arena, e->p, &e->p->steps[i]));
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
