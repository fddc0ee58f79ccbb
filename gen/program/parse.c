/* Parses programs: see program/text.h. The text is untrusted: rows are referred to after they are defined, and what is parsed is
 * checked as a whole before anything is done with it. */
#include "parse.h"

#include "../text/data.h"
#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 4096, LANES_MAX = 64 };

/* Offsets and sizes: as far as types go. */
static const size_t bytes_max = (size_t)1 << 47;

bool parse_size(Lex *l, size_t most, size_t *n)
{
    int64_t i;
    if (!lex_int(l, &i))
        return false;
    *n = (size_t)i;
    return (i >= 0 && *n <= most) || lex_refuse(l, "a number from 0 to %zu is expected", most);
}

static bool parse_row(Lex *l, uint32_t most, uint32_t *row)
{
    size_t n;
    if (!parse_size(l, most, &n))
        return false;
    *row = (uint32_t)n;
    return true;
}

/* "b12" */
static bool parse_buffer_name(Lex *l, BufferId *b)
{
    const char *word;
    char *end;
    if (!lex_word(l, &word))
        return false;
    unsigned long n = *word == 'b' && isdigit((unsigned char)word[1]) ? strtoul(word + 1, &end, 10)
                                                                      : (end = "?", 0);
    if (*end || n >= NO_ROW - 1)
        return lex_refuse(l, "'%s' is no buffer", word);
    *b = (BufferId)n;
    return true;
}

bool parse_buffer_ref(ProgramParser *w, BufferId *b)
{
    Lex *l = &w->t.l;
    *b = NO_BUFFER;
    if (lex_accept_word(l, "_"))
        return true;
    return parse_buffer_name(l, b) &&
           (*b < w->p->n_buffers || lex_refuse(l, "buffer b%u is not defined above", *b));
}

static bool parse_buffers(ProgramParser *w, BufferId **list, uint32_t *n)
{
    Lex *l = &w->t.l;
    size_t cap = 0;
    *list = NULL;
    *n = 0;
    if (!lex_expect(l, '('))
        return false;
    while (!lex_accept(l, ')')) {
        if (*n && !lex_expect(l, ','))
            return false;
        *list = arena_grow(l->arena, *list, *n, &cap, sizeof **list);
        if (!parse_buffer_ref(w, &(*list)[(*n)++]))
            return false;
    }
    return true;
}

static bool parse_target(Lex *l, Target *target)
{
    *target = lex_accept_word(l, "dnnl") ? TARGET_DNNL : TARGET_C;
    return *target == TARGET_DNNL || lex_expect_word(l, "c");
}

/* --- what it was made of and for ----------------------------------------------------------------------------------- */

static bool of_characters(const char *s, const char *ok)
{
    return *s && s[strspn(s, ok)] == 0;
}

/* These become code, or names of files, as they are. */
static bool check_origin(Lex *l, const ProgramOrigin *o)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (o->model_hash && !of_characters(o->model_hash, letters))
        return lex_refuse(l, "not a hash");
    if (o->isa && !of_characters(o->isa, letters))
        return lex_refuse(l, "not an instruction set");
    if (o->name && (!of_characters(o->name, letters) || isdigit((unsigned char)*o->name)))
        return lex_refuse(l, "the name is no C identifier");
    return true;
}

static bool parse_texts(Lex *l, const char *const *names, const char **const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (lex_accept_word(l, names[i]) && (!lex_expect(l, '=') || !lex_string(l, texts[i])))
            return false;
    return true;
}

static bool parse_named_size(Lex *l, const char *name, size_t most, size_t *n)
{
    return lex_expect_word(l, name) && lex_expect(l, '=') && parse_size(l, most, n);
}

static bool parse_origin(ProgramParser *w)
{
    static const char *const names[] = {"model", "sha256", "name", "command", "isa"};
    Lex *l = &w->t.l;
    ProgramOrigin *o = &w->p->origin;
    const char **const texts[] = {&o->model, &o->model_hash, &o->name, &o->command, &o->isa};
    size_t threads;
    Target target;
    if (!parse_texts(l, names, (const char **const *)texts, COUNT_OF(names)) ||
        !parse_named_size(l, "threads", THREADS_MAX, &threads) || !parse_target(l, &target))
        return false;
    o->threads = (int)threads;
    o->dnnl = target == TARGET_DNNL;
    o->bf16 = lex_accept_word(l, "bf16");
    return check_origin(l, o);
}

static bool parse_plan(ProgramParser *w)
{
    static const char *const names[] = {"layouts"};
    Lex *l = &w->t.l;
    const char **const texts[] = {&w->p->layouts};
    size_t threads, lanes;
    LexNumber share;
    if (!parse_named_size(l, "threads", THREADS_MAX, &threads) ||
        !parse_named_size(l, "lanes", LANES_MAX, &lanes) ||
        !lex_expect_word(l, "share_operations") || !lex_expect(l, '=') || !lex_number(l, &share))
        return false;
    w->p->threads = (int)threads;
    w->p->lanes = (int)lanes;
    w->p->share_operations = share.f;
    return parse_texts(l, names, (const char **const *)texts, COUNT_OF(names));
}

static bool parse_memory(ProgramParser *w)
{
    Lex *l = &w->t.l;
    w->p->placed = true;
    return parse_named_size(l, "workspace", bytes_max, &w->p->workspace_bytes) &&
           parse_named_size(l, "live", bytes_max, &w->p->live_bytes) &&
           parse_named_size(l, "weights", bytes_max, &w->p->weights_bytes);
}

/* --- buffers ------------------------------------------------------------------------------------------------------- */

static bool parse_contents(ProgramParser *w, Buffer *b)
{
    Lex *l = &w->t.l;
    ValueId v;
    const TensorType bytes = type_make(DT_U8, 1, (const int64_t[]){(int64_t)b->bytes});
    if (!lex_expect(l, '='))
        return false;
    if (!lex_peek(l, '%'))
        return parse_data(l, b->bytes == type_bytes(&b->type) ? &b->type : &bytes, &w->t.budget,
                          &b->data);
    if (!parse_value(&w->t, &v))
        return false;
    const Value *value = value_at(w->t.g, v);
    b->data = value->data;
    return (value->kind == VALUE_CONST && type_bytes(&value->type) == b->bytes) ||
           lex_refuse(l, "'%s' is no constant of %zu bytes", value->name, b->bytes);
}

static bool parse_place(ProgramParser *w, Buffer *b)
{
    Lex *l = &w->t.l;
    b->base = NO_BUFFER;
    b->first = UINT32_MAX;
    if (lex_accept_word(l, "in") && (!parse_buffer_ref(w, &b->base) || b->base == NO_BUFFER))
        return lex_refuse(l, "a part of no buffer");
    if (lex_accept_word(l, "at") &&
        !parse_size(l, bytes_max, b->base == NO_BUFFER ? &b->offset : &b->base_offset))
        return false;
    if (!lex_accept_word(l, "live"))
        return true;
    return parse_row(l, NO_ROW - 1, &b->first) && lex_expect_word(l, "to") &&
           parse_row(l, NO_ROW - 1, &b->last);
}

static bool parse_kind(Lex *l, BufferKind *kind)
{
    static const char *const kinds[] = {"input", "output", "const", "arena"};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (lex_accept_word(l, kinds[i])) {
            *kind = (BufferKind)i;
            return true;
        }
    return lex_refuse(l, "a kind of buffer is expected here: input, output, const or arena");
}

static bool parse_buffer(ProgramParser *w)
{
    Lex *l = &w->t.l;
    Program *p = w->p;
    BufferId id;
    Buffer b = {0};
    if (!parse_buffer_name(l, &id))
        return false;
    if (id != p->n_buffers)
        return lex_refuse(l, "buffer b%u is expected here", p->n_buffers);
    if (!parse_kind(l, &b.kind) ||
        ((b.kind == BUFFER_INPUT || b.kind == BUFFER_OUTPUT) && !parse_row(l, NO_ROW, &b.port)) ||
        !parse_value_or_none(&w->t, &b.value) || !lex_expect(l, ':') ||
        !parse_type(&w->t, &b.type) || !parse_layout(l, &b.layout))
        return false;
    if (!is_layout_of(&b.layout, &b.type))
        return lex_refuse(l, "the layout is no order of the type's dimensions");
    b.bytes = layout_bytes(&b.layout, &b.type);
    if ((lex_accept_word(l, "bytes") && !parse_size(l, bytes_max, &b.bytes)) ||
        !parse_place(w, &b) ||
        (b.kind == BUFFER_CONST && b.base == NO_BUFFER && !parse_contents(w, &b)))
        return false;
    ARENA_PUSH(l->arena, p->buffers, p->n_buffers, p->cap_buffers, b);
    return true;
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

static bool parse_nodes(ProgramParser *w, Step *s)
{
    Lex *l = &w->t.l;
    NodeId *nodes = NULL;
    size_t cap = 0;
    s->node = NO_NODE;
    if (!lex_accept_word(l, "nodes"))
        return true;
    if (!lex_expect(l, '('))
        return false;
    do {
        nodes = arena_grow(l->arena, nodes, s->n_nodes, &cap, sizeof *nodes);
        if (!parse_node_ref(&w->t, &nodes[s->n_nodes++]))
            return false;
    } while (lex_accept(l, ','));
    s->nodes = nodes;
    s->node = nodes[0];
    return lex_expect(l, ')') && (!lex_accept_word(l, "anchor") ||
                                  (lex_expect(l, '=') && parse_node_ref(&w->t, &s->node)));
}

static bool parse_guards(ProgramParser *w, Step *s)
{
    Lex *l = &w->t.l;
    StepGuard *guards = NULL;
    size_t cap = 0;
    if (!lex_accept_word(l, "guards"))
        return true;
    if (!lex_expect(l, '('))
        return false;
    do {
        guards = arena_grow(l->arena, guards, s->n_guards, &cap, sizeof *guards);
        s->guards = guards;
        StepGuard *guard = &guards[s->n_guards++];
        guard->when = !lex_accept(l, '!');
        if (!parse_buffer_ref(w, &guard->condition))
            return false;
    } while (lex_accept(l, ','));
    return lex_expect(l, ')');
}

static bool parse_scratch(ProgramParser *w, Step *s)
{
    Lex *l = &w->t.l;
    s->scratch = NO_BUFFER;
    return (!lex_accept_word(l, "scratch") ||
            (lex_expect(l, '=') && parse_buffer_ref(w, &s->scratch))) &&
           (!lex_accept_word(l, "part") ||
            (lex_expect(l, '=') && parse_size(l, bytes_max, &s->scratch_part)));
}

static bool parse_step(ProgramParser *w)
{
    static const char *const names[] = {"why"};
    Lex *l = &w->t.l;
    Program *p = w->p;
    Step s = {.region = p->n_regions - 1};
    const char **const texts[] = {&s.why};
    if (!p->n_regions)
        return lex_refuse(l, "a step of no unit");
    if (!lex_word(l, &s.label) || !parse_target(l, &s.target) || !lex_expect_word(l, "in") ||
        !parse_buffers(w, &s.in, &s.n_in) || !lex_expect_word(l, "out") ||
        !parse_buffers(w, &s.out, &s.n_out) || !parse_nodes(w, &s) || !parse_scratch(w, &s) ||
        !parse_guards(w, &s))
        return false;
    s.rounds = lex_accept_word(l, "rounds");
    if (!parse_texts(l, names, (const char **const *)texts, COUNT_OF(names)) ||
        (s.target == TARGET_DNNL && !(s.dnnl = parse_fields(w, &primitive_fields))) ||
        (s.target == TARGET_C && lex_peek(l, '{') && !(s.c = parse_fields(w, &plan_fields))))
        return false;
    ARENA_PUSH(l->arena, p->steps, p->n_steps, p->cap_steps, s);
    p->unit_start[p->n_regions] = p->n_steps;
    return true;
}

static bool parse_unit(ProgramParser *w)
{
    Lex *l = &w->t.l;
    Program *p = w->p;
    Region r = {0};
    if (!parse_target(l, &r.target))
        return false;
    if (lex_peek(l, '"') && !lex_string(l, &r.why_ended))
        return false;
    ARENA_PUSH(l->arena, p->regions, p->n_regions, w->cap_regions, r);
    p->unit_start =
        arena_grow(l->arena, p->unit_start, p->n_regions, &w->cap_starts, sizeof *p->unit_start);
    p->unit_start[p->n_regions] = p->n_steps;
    return true;
}

static bool parse_copy(ProgramParser *w)
{
    Lex *l = &w->t.l;
    Program *p = w->p;
    BufferCopy c;
    if (!parse_buffer_ref(w, &c.from) || !lex_expect(l, '-') || !lex_expect(l, '>') ||
        !parse_buffer_ref(w, &c.to))
        return false;
    ARENA_PUSH(l->arena, p->copies, p->n_copies, p->cap_copies, c);
    return true;
}

/* --- the whole ------------------------------------------------------------------------------------------------------ */

static bool parse_statement(ProgramParser *w)
{
    static const struct {
        const char *word;
        bool (*parse)(ProgramParser *w);
    } statements[] = {
        {"origin", parse_origin}, {"plan", parse_plan}, {"memory", parse_memory},
        {"buffer", parse_buffer}, {"unit", parse_unit}, {"step", parse_step},
        {"copy", parse_copy},
    };
    for (size_t i = 0; i < COUNT_OF(statements); i++)
        if (lex_accept_word(&w->t.l, statements[i].word))
            return statements[i].parse(w);
    return lex_refuse(&w->t.l, "a row of a program is expected here: origin, plan, memory, buffer, "
                               "unit, step or copy");
}

static bool parse_program(ProgramParser *w)
{
    Lex *l = &w->t.l;
    if (!lex_expect_word(l, "program") || !lex_expect(l, '{'))
        return false;
    w->p->unit_start = arena_grow(l->arena, NULL, 0, &w->cap_starts, sizeof(uint32_t));
    w->p->unit_start[0] = 0;
    while (!lex_accept(l, '}')) {
        if (lex_at_end(l))
            return lex_refuse(l, "'}' is missing");
        if (!parse_statement(w))
            return false;
    }
    if (!lex_at_end(l))
        return lex_refuse(l, "nothing is expected after the program");
    w->p->lowered = true;
    if (!verify_program(w->p))
        return false;
    onednn_number_steps(w->p);
    return true;
}

Graph *parse_program_text(Arena *arena, Diag *diag, const char *file, const char *text, size_t size,
                          Program *p)
{
    ProgramParser w = {.t = parser_begin(arena, diag, file, text, size), .p = p};
    if (!parse_graph(&w.t))
        return NULL;
    *p = (Program){.graph = w.t.g, .arena = arena};
    return lex_at_end(&w.t.l) || parse_program(&w) ? w.t.g : NULL;
}
