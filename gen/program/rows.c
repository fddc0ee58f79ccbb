/* Programs as text, in both directions: see program/text.h. The text is untrusted: rows are referred to after they are defined, and what is read
 * is checked as a whole before anything is done with it. */
#include "form.h"

#include "../ops/ops.h"
#include "../text/text_ir.h"
#include "text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 4096, LANES_MAX = 64 };

/* Offsets and sizes: as far as types go. */
static const size_t bytes_max = (size_t)1 << 47;

static int form_threads(Form *f, int n)
{
    size_t threads = (size_t)n;
    form_text(f, " threads=");
    form_size(f, THREADS_MAX, &threads);
    return (int)threads;
}

/* "b12" */
static void form_buffer_name(Form *f, BufferId *b)
{
    const char *word = f->in ? "" : arena_printf(f->out->arena, "b%" PRIu32, *b);
    char *end = "";
    form_word(f, &word);
    if (!f->in || !*word)
        return;
    unsigned long n =
        *word == 'b' && isdigit((unsigned char)word[1]) ? strtoul(word + 1, &end, 10) : NO_ROW;
    if (*end || n >= NO_ROW - 1)
        lex_refuse(form_lex(f), "'%s' is no buffer", word);
    *b = (BufferId)n;
}

void form_buffer_ref(ProgramForm *w, BufferId *b)
{
    Form *f = &w->f;
    if (form_if(f, *b == NO_BUFFER, "_")) {
        *b = NO_BUFFER;
        return;
    }
    form_buffer_name(f, b);
    if (f->in && *b >= w->p->n_buffers)
        lex_refuse(form_lex(f), "buffer b%u is not defined above", *b);
}

static void buffer_item(Form *f, void *item)
{
    form_buffer_ref((ProgramForm *)f, item);
}

/* --- what it was made of and for ----------------------------------------------------------------------------------- */

static bool is_word(const char *s)
{
    return *s && !s[word_length(s)];
}

/* These become code, or names of files, as they are. */
static void check_origin(Lex *l, const ProgramOrigin *o)
{
    if ((o->model_hash && !is_word(o->model_hash)) || (o->machine && !is_word(o->machine)))
        lex_refuse(l, "not a hash");
    if (o->isa && !is_word(o->isa))
        lex_refuse(l, "not an instruction set");
    if (o->name && (!is_word(o->name) || isdigit((unsigned char)*o->name)))
        lex_refuse(l, "the name is no C identifier");
}

static void form_origin(Form *f, ProgramOrigin *o)
{
    Target target = o->dnnl ? TARGET_DNNL : TARGET_C;
    form_label(f, " model=", &o->model);
    form_label(f, " sha256=", &o->model_hash);
    form_label(f, " name=", &o->name);
    form_label(f, " command=", &o->command);
    form_label(f, " isa=", &o->isa);
    form_label(f, " machine=", &o->machine);
    o->threads = form_threads(f, o->threads);
    form_text(f, " ");
    form_target(f, &target);
    o->dnnl = target == TARGET_DNNL;
    o->bf16 = form_if(f, o->bf16, " bf16");
    o->keep_denormals = form_if(f, o->keep_denormals, " keep-denormals");
    o->rows_apart = form_if(f, o->rows_apart, " rows-apart");
    form_text(f, "\n");
    if (f->in)
        check_origin(form_lex(f), o);
}

static void form_plan(Form *f, Program *p)
{
    size_t lanes = (size_t)p->lanes;
    p->threads = form_threads(f, p->threads);
    form_text(f, " lanes=");
    form_size(f, LANES_MAX, &lanes);
    p->lanes = (int)lanes;
    form_label(f, " layouts=", &p->layouts);
    form_text(f, "\n");
}

static void form_memory(Form *f, Program *p)
{
    form_text(f, " workspace=");
    form_size(f, bytes_max, &p->workspace_bytes);
    form_text(f, " live=");
    form_size(f, bytes_max, &p->live_bytes);
    form_text(f, " weights=");
    form_size(f, bytes_max, &p->weights_bytes);
    form_text(f, "\n");
}

/* --- buffers ------------------------------------------------------------------------------------------------------- */

/* A constant of the graph with the same contents, whose name is shorter than they are. */
static bool is_contents_of(const Graph *g, const Buffer *b)
{
    const Value *v = has_value(b->value) ? value_at(g, b->value) : NULL;
    return v && v->kind == VALUE_CONST && type_bytes(&v->type) == b->bytes &&
           (v->data == b->data || !memcmp(v->data, b->data, b->bytes));
}

static void form_contents(Form *f, Buffer *b)
{
    const TensorType bytes = type_make(DT_U8, 1, (const int64_t[]){(int64_t)b->bytes});
    ValueId v = b->value;
    form_text(f, " = ");
    if (!form_peek(f, !f->in && is_contents_of(f->g, b), '%')) {
        form_data(f, b->bytes == type_bytes(&b->type) ? &b->type : &bytes, &b->data);
        return;
    }
    form_present(f, &v);
    if (!f->in || form_failed(f))
        return;
    const Value *value = value_at(f->g, v);
    b->data = value->data;
    if (value->kind != VALUE_CONST || type_bytes(&value->type) != b->bytes)
        lex_refuse(form_lex(f), "'%s' is no constant of %zu bytes", value->name, b->bytes);
}

static void form_place(ProgramForm *w, Buffer *b)
{
    Form *f = &w->f;
    if (form_if(f, b->base != NO_BUFFER, " in ")) {
        form_buffer_ref(w, &b->base);
        if (f->in && b->base == NO_BUFFER)
            lex_refuse(form_lex(f), "a part of no buffer");
        form_text(f, " at ");
        form_size(f, bytes_max, &b->base_offset);
        return;
    }
    const bool lives = w->p->placed && b->kind != BUFFER_CONST && b->first != UINT32_MAX;
    if (form_if(f, (lives && b->kind == BUFFER_ARENA) || (w->p->placed && b->kind == BUFFER_CONST),
                " at "))
        form_size(f, bytes_max, &b->offset);
    if (!form_if(f, lives, " live "))
        return;
    form_row(f, &b->first);
    form_text(f, " to ");
    form_row(f, &b->last);
}

static void form_buffer(ProgramForm *w, BufferId id)
{
    static const char *const kinds[] = {"input", "output", "const", "arena", NULL};
    Form *f = &w->f;
    Program *p = w->p;
    Buffer b = f->in ? (Buffer){.base = NO_BUFFER, .first = UINT32_MAX} : p->buffers[id];
    BufferId name = id;
    unsigned kind = b.kind;
    form_buffer_name(f, &name);
    if (name != id)
        lex_refuse(form_lex(f), "buffer b%u is expected here", id);
    form_text(f, " ");
    form_choice(f, kinds, "kind of buffer: input, output, const or arena", &kind);
    b.kind = (BufferKind)kind;
    form_text(f, " ");
    if (b.kind == BUFFER_INPUT || b.kind == BUFFER_OUTPUT) {
        form_row(f, &b.port);
        form_text(f, " ");
    }
    form_value(f, &b.value);
    form_text(f, ": ");
    form_type(f, &b.type);
    form_text(f, " ");
    form_layout(f, &b.layout);
    if (form_failed(f))
        return;
    if (f->in && !is_layout_of(&b.layout, &b.type)) {
        lex_refuse(form_lex(f), "the layout is no order of the type's dimensions");
        return;
    }
    const size_t bytes = layout_bytes(&b.layout, &b.type);
    b.bytes = f->in ? bytes : b.bytes;
    if (form_if(f, b.bytes != bytes, " bytes "))
        form_size(f, bytes_max, &b.bytes);
    form_place(w, &b);
    if (b.kind == BUFFER_CONST && b.base == NO_BUFFER)
        form_contents(f, &b);
    form_text(f, "\n");
    if (f->in)
        ARENA_PUSH(p->arena, p->buffers, p->n_buffers, p->cap_buffers, b);
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

static void form_step_nodes(Form *f, Step *s)
{
    if (!form_if(f, s->n_nodes > 0, " nodes"))
        return;
    form_nodes(f, &s->nodes, &s->n_nodes);
    if (f->in && s->n_nodes)
        s->node = s->nodes[0];
    if (form_if(f, s->n_nodes && s->node.i != s->nodes[0].i, " anchor="))
        form_node(f, &s->node);
}

static void guard_item(Form *f, void *item)
{
    StepGuard *guard = item;
    guard->when = !form_if(f, !guard->when, "!");
    form_buffer_ref((ProgramForm *)f, &guard->condition);
}

/* The operators, for the reader. */
static void print_operators(Form *f, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++)
        text_printf(f->out, "%s%s", i ? " + " : " // ",
                    op_info(node_at(f->g, s->nodes[i])->op)->name);
}

static void form_description(ProgramForm *w, Step *s)
{
    const FieldTable *table = s->target == TARGET_DNNL ? &primitive_fields : &plan_fields;
    void *row = s->target == TARGET_DNNL ? (void *)s->dnnl : s->c;
    if (!w->f.in)
        print_operators(&w->f, s);
    if (s->target == TARGET_C && !form_peek(&w->f, row != NULL, '{'))
        return;
    form_text(&w->f, "\n      ");
    if (w->f.in)
        row = arena_alloc(w->p->arena, table->size);
    form_fields(w, table, row, 8);
    if (s->target == TARGET_DNNL)
        s->dnnl = row;
    else
        s->c = row;
}

static void form_step(ProgramForm *w, uint32_t i)
{
    Form *f = &w->f;
    Program *p = w->p;
    Step s = f->in ? (Step){.region = p->n_regions - 1, .node = NO_NODE, .scratch = NO_BUFFER}
                   : p->steps[i];
    form_text(f, " ");
    form_word(f, &s.label);
    form_text(f, " ");
    form_target(f, &s.target);
    form_text(f, " in");
    form_list(f, &s.in, &s.n_in, sizeof *s.in, buffer_item);
    form_text(f, " out");
    form_list(f, &s.out, &s.n_out, sizeof *s.out, buffer_item);
    form_step_nodes(f, &s);
    if (form_if(f, s.scratch != NO_BUFFER, " scratch="))
        form_buffer_ref(w, &s.scratch);
    if (form_if(f, s.scratch_part > 0, " part="))
        form_size(f, bytes_max, &s.scratch_part);
    if (form_if(f, s.n_guards > 0, " guards"))
        form_list(f, &s.guards, &s.n_guards, sizeof *s.guards, guard_item);
    s.rounds = form_if(f, s.rounds, " rounds");
    form_label(f, " why=", &s.why);
    form_description(w, &s);
    form_text(f, "\n");
    if (f->in)
        ARENA_PUSH(p->arena, p->steps, p->n_steps, p->cap_steps, s);
}

/* " variant 1", where there are several: the last one's units come first. */
static void form_unit_variant(Form *f, const Program *p, uint32_t *variant)
{
    const uint32_t n = p->n_regions, before = f->in && n ? p->regions[n - 1].variant : NO_ROW;
    if (f->g->variants.n == 1)
        return;
    form_text(f, " variant ");
    form_row(f, variant);
    if (f->in && (*variant > before || *variant >= f->g->variants.n))
        lex_refuse(form_lex(f), "there is no such variant, or it comes too late");
}

static void form_unit(ProgramForm *w, uint32_t u)
{
    Form *f = &w->f;
    Program *p = w->p;
    Region r = f->in ? (Region){0} : p->regions[u];
    form_text(f, " ");
    form_target(f, &r.target);
    form_unit_variant(f, p, &r.variant);
    form_label(f, " ", &r.why_ended);
    form_text(f, "\n");
    if (f->in) {
        ARENA_PUSH(p->arena, p->regions, p->n_regions, w->cap_regions, r);
        p->unit_start =
            arena_grow(p->arena, p->unit_start, u + 1, &w->cap_starts, sizeof *p->unit_start);
    }
    for (uint32_t i = p->unit_start[u]; form_if(f, i < p->unit_start[u + 1], "    step"); i++)
        form_step(w, i);
    if (f->in)
        p->unit_start[u + 1] = p->n_steps;
}

static void form_copy(ProgramForm *w, uint32_t i)
{
    Program *p = w->p;
    BufferCopy c = w->f.in ? (BufferCopy){NO_BUFFER, NO_BUFFER} : p->copies[i];
    form_text(&w->f, " ");
    form_buffer_ref(w, &c.from);
    form_text(&w->f, " -> ");
    form_buffer_ref(w, &c.to);
    form_text(&w->f, "\n");
    if (w->f.in)
        ARENA_PUSH(p->arena, p->copies, p->n_copies, p->cap_copies, c);
}

/* --- the whole ------------------------------------------------------------------------------------------------------ */

static void form_program(ProgramForm *w)
{
    Form *f = &w->f;
    Program *p = w->p;
    form_text(f, "program {\n");
    if (form_if(f, !f->elide, "  origin"))
        form_origin(f, &p->origin);
    form_text(f, "  plan");
    form_plan(f, p);
    p->placed = form_if(f, p->placed, "  memory");
    if (p->placed)
        form_memory(f, p);
    for (BufferId b = 0; form_if(f, b < p->n_buffers, "  buffer "); b++)
        form_buffer(w, b);
    for (uint32_t u = 0; form_if(f, u < p->n_regions, "  unit"); u++)
        form_unit(w, u);
    for (uint32_t i = 0; form_if(f, i < p->n_copies, "  copy"); i++)
        form_copy(w, i);
    if (f->in && !lex_peek(form_lex(f), '}'))
        lex_refuse(form_lex(f),
                   "a row of a program is expected here: origin, plan, memory, buffer, "
                   "unit, step or copy, in this order");
    form_text(f, "}\n");
}

Graph *parse_program_text(Arena *arena, Diag *diag, const char *file, const char *text, size_t size,
                          Program *p)
{
    Parser t = parser_begin(arena, diag, file, text, size);
    if (!parse_graph(&t))
        return NULL;
    *p = (Program){.graph = t.g, .arena = arena};
    if (lex_at_end(&t.l))
        return t.g;
    ProgramForm w = {.f = {.in = &t, .g = t.g}, .p = p};
    p->unit_start = arena_grow(arena, NULL, 0, &w.cap_starts, sizeof *p->unit_start);
    form_program(&w);
    if (!t.l.refused && !lex_at_end(&t.l))
        lex_refuse(&t.l, "nothing is expected after the program");
    p->lowered = true;
    if (t.l.refused || !verify_program(p))
        return NULL;
    onednn_number_steps(p);
    return t.g;
}

static void print_program(const Program *p, Text *out, bool elide)
{
    Program copy = *p;
    form_program(&(ProgramForm){.f = {.g = p->graph, .out = out, .elide = elide}, .p = &copy});
}

void print_program_text(const Program *p, Text *out)
{
    print_text_ir_explained(p->graph, out);
    print_program(p, out, false);
}

void print_program_elided(const Program *p, Text *out)
{
    print_program(p, out, true);
}
