/* Prints a program: see program/text.h. */
#include "text.h"

#include "../ops/ops.h"
#include "../text/text_ir.h"
#include "../text/write.h"
#include "fields.h"

#include <inttypes.h>
#include <string.h>

typedef struct Printer {
    const Program *p;
    Text *out;
    bool elide;
} Printer;

static void print_buffer_ref(Printer *w, BufferId b)
{
    if (b == NO_BUFFER)
        text_puts(w->out, "_");
    else
        text_printf(w->out, "b%" PRIu32, b);
}

/* --- members of primitives ----------------------------------------------------------------------------------------- */

static void print_fields(Printer *w, const FieldTable *table, const void *row, int indent);

static void print_list(Printer *w, const Field *f, const char *rows, size_t n, int indent)
{
    text_puts(w->out, "[");
    for (size_t i = 0; i < n; i++) {
        text_printf(w->out, "%s\n%*s", i ? "," : "", indent, "");
        print_fields(w, f->of, rows + i * f->of->size, indent + 1);
    }
    text_puts(w->out, "]");
}

static void print_numbers(Printer *w, const int64_t *v, size_t n)
{
    text_puts(w->out, "[");
    for (size_t i = 0; i < n; i++)
        text_printf(w->out, "%s%" PRId64, i ? "," : "", v[i]);
    text_puts(w->out, "]");
}

static void print_scalar(Printer *w, const Field *f, const void *at)
{
    switch (f->kind) {
    case FIELD_BOOL:
        text_puts(w->out, *(const bool *)at ? "true" : "false");
        return;
    case FIELD_INT:
        text_printf(w->out, "%d", *(const int *)at);
        return;
    case FIELD_UNSIGNED:
        text_printf(w->out, "%" PRIu32, *(const uint32_t *)at);
        return;
    case FIELD_INT64:
        text_printf(w->out, "%" PRId64, *(const int64_t *)at);
        return;
    case FIELD_SIZE:
        text_printf(w->out, "%zu", *(const size_t *)at);
        return;
    case FIELD_FLOAT:
        write_float(w->out, DT_F32, (double)*(const float *)at);
        return;
    case FIELD_DOUBLE:
        write_float(w->out, DT_F64, *(const double *)at);
        return;
    case FIELD_TEXT:
        write_quoted(w->out, *(const char *const *)at);
        return;
    case FIELD_ENUM:
        text_puts(w->out, f->names[*(const unsigned *)at]);
        return;
    case FIELD_ALGORITHM:
        text_puts(w->out, onednn_alg_name(*(const Algorithm *)at) + strlen("dnnl_"));
        return;
    case FIELD_DTYPE:
        text_puts(w->out, dtype_name(*(const DType *)at));
        return;
    case FIELD_BUFFER:
        print_buffer_ref(w, *(const BufferId *)at);
        return;
    case FIELD_VALUE:
        write_value(w->out, w->p->graph, *(const ValueId *)at);
        return;
    default:
        bug("member '%s' is no scalar", f->name);
    }
}

static void print_member(Printer *w, const Field *f, const void *row, int indent)
{
    const char *at = (const char *)row + f->at;
    if (f->kind == FIELD_INT64S)
        print_numbers(w, (const int64_t *)(const void *)at, field_length(f, row));
    else if (f->kind == FIELD_STRUCTS)
        print_list(w, f, *(const char *const *)(const void *)at, field_length(f, row), indent);
    else if (f->kind == FIELD_STRUCT && f->count)
        print_list(w, f, at, field_length(f, row), indent);
    else if (f->kind == FIELD_STRUCT)
        print_fields(w, f->of, at, indent);
    else if (f->kind == FIELD_POINTER)
        print_fields(w, f->of, *(const void *const *)(const void *)at, indent);
    else
        print_scalar(w, f, at);
}

/* Members that hold rows of their own begin a line. */
static void print_fields(Printer *w, const FieldTable *table, const void *row, int indent)
{
    bool first = true;
    void *untouched = arena_alloc(w->out->arena, table->size);
    if (table->begin)
        table->begin(untouched);
    text_puts(w->out, "{");
    for (size_t i = 0; i < table->n; i++) {
        const Field *f = &table->field[i];
        if (field_is_missing(f, row, untouched))
            continue;
        text_puts(w->out, first ? "" : ",");
        if (f->of)
            text_printf(w->out, "\n%*s", indent, "");
        else
            text_puts(w->out, first ? "" : " ");
        first = false;
        text_printf(w->out, "%s=", f->name);
        print_member(w, f, row, indent + 2);
    }
    text_puts(w->out, "}");
}

/* --- buffers ------------------------------------------------------------------------------------------------------- */

/* A constant of the graph with the same contents, whose name is shorter than they are. */
static bool is_contents_of(const Program *p, const Buffer *b)
{
    const Value *v = has_value(b->value) ? value_at(p->graph, b->value) : NULL;
    return v && v->kind == VALUE_CONST && type_bytes(&v->type) == b->bytes &&
           (v->data == b->data || !memcmp(v->data, b->data, b->bytes));
}

static void print_contents(Printer *w, const Buffer *b)
{
    const TensorType bytes = type_make(DT_U8, 1, (const int64_t[]){(int64_t)b->bytes});
    text_puts(w->out, " = ");
    if (is_contents_of(w->p, b))
        write_value(w->out, w->p->graph, b->value);
    else
        write_data(w->out, b->bytes == type_bytes(&b->type) ? &b->type : &bytes, b->data, w->elide);
}

static void print_place(Printer *w, const Buffer *b)
{
    if (b->base != NO_BUFFER) {
        text_puts(w->out, " in ");
        print_buffer_ref(w, b->base);
        text_printf(w->out, " at %zu", b->base_offset);
        return;
    }
    if (!w->p->placed || (b->kind != BUFFER_CONST && b->kind != BUFFER_ARENA))
        return;
    if (b->kind == BUFFER_CONST || b->first != UINT32_MAX)
        text_printf(w->out, " at %zu", b->offset);
    if (b->kind == BUFFER_ARENA && b->first != UINT32_MAX)
        text_printf(w->out, " live %" PRIu32 " to %" PRIu32, b->first, b->last);
}

static void print_buffer(Printer *w, BufferId id)
{
    static const char *const kinds[] = {"input", "output", "const", "arena"};
    const Buffer *b = &w->p->buffers[id];
    text_puts(w->out, "  buffer ");
    print_buffer_ref(w, id);
    text_printf(w->out, " %s ", kinds[b->kind]);
    if (b->kind == BUFFER_INPUT || b->kind == BUFFER_OUTPUT)
        text_printf(w->out, "%" PRIu32 " ", b->port);
    write_value(w->out, w->p->graph, b->value);
    text_puts(w->out, ": ");
    write_type(w->out, &b->type);
    text_puts(w->out, " ");
    write_layout(w->out, &b->layout);
    if (b->bytes != layout_bytes(&b->layout, &b->type))
        text_printf(w->out, " bytes %zu", b->bytes);
    print_place(w, b);
    if (b->kind == BUFFER_CONST && b->base == NO_BUFFER)
        print_contents(w, b);
    text_puts(w->out, "\n");
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

static void print_buffers(Printer *w, const char *what, const BufferId *b, uint32_t n)
{
    text_printf(w->out, " %s(", what);
    for (uint32_t i = 0; i < n; i++) {
        text_puts(w->out, i ? ", " : "");
        print_buffer_ref(w, b[i]);
    }
    text_puts(w->out, ")");
}

/* A node goes by its first output that is wanted. */
static ValueId name_of(const Graph *g, NodeId id)
{
    const Node *n = node_at(g, id);
    uint32_t k = 0;
    while (k + 1 < n->n_out && !has_value(n->out[k]))
        k++;
    return n->out[k];
}

static void print_nodes(Printer *w, const Step *s)
{
    if (!s->n_nodes)
        return;
    text_puts(w->out, " nodes(");
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        text_puts(w->out, i ? ", " : "");
        write_value(w->out, w->p->graph, name_of(w->p->graph, s->nodes[i]));
    }
    text_puts(w->out, ")");
    if (s->node.i != s->nodes[0].i) {
        text_puts(w->out, " anchor=");
        write_value(w->out, w->p->graph, name_of(w->p->graph, s->node));
    }
}

static void print_guards(Printer *w, const Step *s)
{
    if (!s->n_guards)
        return;
    text_puts(w->out, " guards(");
    for (uint32_t i = 0; i < s->n_guards; i++) {
        text_printf(w->out, "%s%s", i ? ", " : "", s->guards[i].when ? "" : "!");
        print_buffer_ref(w, s->guards[i].condition);
    }
    text_puts(w->out, ")");
}

/* The operators, for the reader. */
static void print_operators(Printer *w, const Step *s)
{
    const Graph *g = w->p->graph;
    for (uint32_t i = 0; i < s->n_nodes; i++)
        text_printf(w->out, "%s%s", i ? " + " : " // ", op_info(node_at(g, s->nodes[i])->op)->name);
}

static void print_step(Printer *w, const Step *s)
{
    text_printf(w->out, "    step %s %s", s->label, target_word(s->target));
    print_buffers(w, "in", s->in, s->n_in);
    print_buffers(w, "out", s->out, s->n_out);
    print_nodes(w, s);
    if (s->scratch != NO_BUFFER)
        text_printf(w->out, " scratch=b%" PRIu32, s->scratch);
    if (s->scratch_part)
        text_printf(w->out, " part=%zu", s->scratch_part);
    print_guards(w, s);
    text_puts(w->out, s->rounds ? " rounds" : "");
    write_labelled(w->out, " why=", s->why);
    print_operators(w, s);
    if (s->dnnl || s->c) {
        text_puts(w->out, "\n      ");
        print_fields(w, s->dnnl ? &primitive_fields : &plan_fields,
                     s->dnnl ? (const void *)s->dnnl : s->c, 8);
    }
    text_puts(w->out, "\n");
}

static void print_unit(Printer *w, uint32_t u)
{
    const Region *r = &w->p->regions[u];
    text_printf(w->out, "  unit %s", target_word(r->target));
    write_labelled(w->out, " ", r->why_ended);
    text_puts(w->out, "\n");
    for (uint32_t i = w->p->unit_start[u]; i < w->p->unit_start[u + 1]; i++)
        print_step(w, &w->p->steps[i]);
}

/* --- the whole ------------------------------------------------------------------------------------------------------ */

static void print_origin(Printer *w)
{
    const ProgramOrigin *o = &w->p->origin;
    text_puts(w->out, "  origin");
    write_labelled(w->out, " model=", o->model);
    write_labelled(w->out, " sha256=", o->model_hash);
    write_labelled(w->out, " name=", o->name);
    write_labelled(w->out, " command=", o->command);
    write_labelled(w->out, " isa=", o->isa);
    text_printf(w->out, " threads=%d %s%s\n", o->threads, o->dnnl ? "dnnl" : "c",
                o->bf16 ? " bf16" : "");
}

static void print_program(Printer *w)
{
    const Program *p = w->p;
    text_puts(w->out, "program {\n");
    if (!w->elide)
        print_origin(w);
    text_printf(w->out, "  plan threads=%d lanes=%d share_operations=", p->threads, p->lanes);
    write_float(w->out, DT_F64, p->share_operations);
    write_labelled(w->out, " layouts=", p->layouts);
    text_puts(w->out, "\n");
    if (p->placed)
        text_printf(w->out, "  memory workspace=%zu live=%zu weights=%zu\n", p->workspace_bytes,
                    p->live_bytes, p->weights_bytes);
    for (BufferId b = 0; b < p->n_buffers; b++)
        print_buffer(w, b);
    for (uint32_t u = 0; u < p->n_regions; u++)
        print_unit(w, u);
    for (uint32_t i = 0; i < p->n_copies; i++)
        text_printf(w->out, "  copy b%" PRIu32 " -> b%" PRIu32 "\n", p->copies[i].from,
                    p->copies[i].to);
    text_puts(w->out, "}\n");
}

void print_program_text(const Program *p, Text *out)
{
    print_text_ir_explained(p->graph, out);
    print_program(&(Printer){.p = p, .out = out});
}

void print_program_elided(const Program *p, Text *out)
{
    print_program(&(Printer){.p = p, .out = out, .elide = true});
}
