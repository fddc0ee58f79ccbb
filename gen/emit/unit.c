/* What the emitters of the driver and of both kinds of units share: places in memory, comments,
 * names. */
#include "unit.h"

#include "../dnnl/plan.h"

#include "../ops/ops.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const Buffer *buffer_root(const Program *p, BufferId id, size_t *offset)
{
    const Buffer *b = &p->buffers[id];
    for (*offset = 0; b->base != NO_BUFFER; b = &p->buffers[b->base])
        *offset += b->base_offset;
    *offset += b->offset;
    return b;
}

const char *buffer_expr(Arena *arena, const Program *p, BufferId id, bool is_const)
{
    size_t offset;
    const Buffer *b = buffer_root(p, id, &offset);
    const char *qualifier = is_const ? "const " : "", *type = dtype_c(p->buffers[id].type.dtype);
    const char *root = NULL;
    switch (b->kind) {
    case BUFFER_INPUT:
        if (!is_const)
            bug("an input of the model would be written to");
        root = arena_printf(arena, "m->in[%" PRIu32 "]", b->port);
        break;
    case BUFFER_OUTPUT:
        root = arena_printf(arena, "m->out[%" PRIu32 "]", b->port);
        break;
    case BUFFER_CONST:
        if (!is_const)
            bug("a constant would be written to");
        root = "m->weights";
        break;
    case BUFFER_ARENA:
        root = "m->workspace";
        break;
    }
    if (!offset)
        return arena_printf(arena, "(%s%s *)%s", qualifier, type, root);
    if (b->kind == BUFFER_CONST || b->kind == BUFFER_ARENA)
        return arena_printf(arena, "(%s%s *)(%s + %zu)", qualifier, type, root, offset);
    return arena_printf(arena, "(%s%s *)((%sunsigned char *)%s + %zu)", qualifier, type, qualifier,
                        root, offset);
}

/* --- names from a model --- */

static bool is_c_word(const char *s)
{
    static const char *const words[] = {
        "alignas",     "alignof",
        "and",         "and_eq",
        "asm",         "auto",
        "bitand",      "bitor",
        "bool",        "break",
        "case",        "catch",
        "char",        "class",
        "compl",       "concept",
        "const",       "consteval",
        "constexpr",   "constinit",
        "const_cast",  "continue",
        "co_await",    "co_return",
        "co_yield",    "decltype",
        "default",     "delete",
        "do",          "double",
        "else",        "enum",
        "errno",       "explicit",
        "export",      "extern",
        "false",       "float",
        "for",         "friend",
        "goto",        "if",
        "inline",      "int",
        "linux",       "long",
        "main",        "mutable",
        "namespace",   "new",
        "noexcept",    "not",
        "not_eq",      "nullptr",
        "operator",    "or",
        "or_eq",       "private",
        "protected",   "public",
        "register",    "reinterpret_cast",
        "requires",    "restrict",
        "return",      "short",
        "signed",      "sizeof",
        "static",      "static_assert",
        "static_cast", "struct",
        "switch",      "template",
        "this",        "thread_local",
        "throw",       "true",
        "try",         "typedef",
        "typeid",      "typename",
        "typeof",      "union",
        "unix",        "unsigned",
        "using",       "virtual",
        "void",        "volatile",
        "wchar_t",     "while",
        "xor",         "xor_eq",
        "i386",        "I",
        "NULL",        "INFINITY",
        "NAN",         "EOF",
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(words[i], s))
            return true;
    return false;
}

/* Names that start with a digit or an underscore (reserved), and words of C and C++, get an "n" in
 * front. */
const char *c_identifier(Arena *arena, const char *name)
{
    enum { LONGEST = 64 }; /* C17 tells compilers to look at 63 characters */
    Text t;
    text_init(&t, arena);
    for (const char *s = name; *s && t.size < LONGEST - 2; s++) {
        char c = isalnum((unsigned char)*s) && (unsigned char)*s < 128 ? *s : '_';
        if (c == '_' && t.size && t.data[t.size - 1] == '_')
            continue; /* two in a row are reserved in C++ */
        text_append(&t, &c, 1);
    }
    if (!t.size)
        return "n";
    if (t.data[0] == '_')
        return arena_printf(arena, "n%s", t.data);
    if (isdigit((unsigned char)t.data[0]) || is_c_word(t.data))
        return arena_printf(arena, "n_%s", t.data);
    return t.data;
}

const char *c_safe_text(Arena *arena, const char *name)
{
    enum { LONGEST = 120 };
    Text t;
    text_init(&t, arena);
    for (const char *s = name; *s; s++) {
        char c = *s, last = t.size ? t.data[t.size - 1] : 0;
        if (t.size == LONGEST) {
            text_puts(&t, "...");
            break;
        }
        if (c < 32 || c > 126 || c == '"' || c == '\'' || c == '\\')
            c = '_';
        else if (c == '/' && (last == '*' || last == '/'))
            c = '_'; /* would end a comment, or begin one */
        else if ((c == '*' && last == '/') || (c == '?' && last == '?'))
            c = '_'; /* begins a comment; a trigraph */
        text_append(&t, &c, 1);
    }
    return t.data;
}

/* --- comments --- */

/* Words after each other in lines of at most 100 columns, " * " in front; further lines are
 * indented. */
typedef struct Paragraph {
    Text text;
    size_t column;
} Paragraph;

static void put_word(Paragraph *p, const char *word)
{
    size_t n = strlen(word);
    if (p->column && p->column + 1 + n > 100) {
        text_puts(&p->text, "\n *     ");
        p->column = 7;
    } else {
        text_puts(&p->text, p->column ? " " : " * ");
        p->column += p->column ? 1 : 3;
    }
    text_puts(&p->text, word);
    p->column += n;
}

static void end_line(Paragraph *p)
{
    text_puts(&p->text, "\n");
    p->column = 0;
}

static void put_node(Paragraph *p, Arena *arena, const Graph *g, NodeId id, bool last)
{
    const Node *n = node_at(g, id);
    put_word(p, arena_printf(arena, "%s%s", op_info(n->op)->name, last || *n->name ? "" : ","));
    if (*n->name)
        put_word(p, arena_printf(arena, "'%s'%s", c_safe_text(arena, n->name), last ? "" : ","));
}

static void put_buffers(Paragraph *p, Arena *arena, const Program *prog, const char *what,
                        const BufferId *ids, uint32_t n)
{
    put_word(p, what);
    bool first = true;
    for (uint32_t i = 0; i < n; i++) {
        if (ids[i] == NO_BUFFER)
            continue;
        const Buffer *b = &prog->buffers[ids[i]];
        const char *tag = layout_is_plain(&b->layout) ? "" : layout_tag(arena, &b->layout);
        if (!first)
            text_puts(&p->text, ","), p->column++;
        first = false;
        put_word(p,
                 arena_printf(arena, "%s%s%s", type_text(arena, &b->type), *tag ? " " : "", tag));
    }
    end_line(p);
}

const char *step_op_name(const Program *p, const Step *s)
{
    return s->node.i == NO_NODE.i          ? "Reorder"
           : s->dnnl && s->dnnl->attention ? "Attention"
                                           : op_info(node_at(p->graph, s->node)->op)->name;
}

const char *step_title(Arena *arena, const Program *p, const Step *s)
{
    const Graph *g = p->graph;
    Text t;
    text_init(&t, arena);
    if (s->dnnl && s->dnnl->attention)
        return arena_printf(arena, "Attention '%s' of %u nodes, in 3 primitives",
                            c_safe_text(arena, node_at(g, s->node)->name), s->n_nodes);
    if (!s->n_nodes)
        text_printf(&t, "Reorder %s",
                    c_safe_text(arena, has_value(p->buffers[s->out[0]].value)
                                           ? value_at(g, p->buffers[s->out[0]].value)->name
                                           : ""));
    for (uint32_t i = 0; i < s->n_nodes && i < 6; i++) {
        const Node *n = node_at(g, s->nodes[i]);
        text_printf(&t, "%s%s", i ? " + " : "", op_info(n->op)->name);
        if (i == 0 && *n->name)
            text_printf(&t, " '%s'", c_safe_text(arena, n->name));
    }
    if (s->n_nodes > 6)
        text_printf(&t, " + %u more", s->n_nodes - 6);
    return t.data;
}

const char *step_comment(Arena *arena, const Program *prog, const Step *s)
{
    Paragraph p = {.column = 0};
    text_init(&p.text, arena);
    for (uint32_t i = 0; i < s->n_nodes; i++)
        put_node(&p, arena, prog->graph, s->nodes[i], i + 1 == s->n_nodes);
    if (!s->n_nodes)
        put_word(&p, step_title(arena, prog, s));
    end_line(&p);
    put_buffers(&p, arena, prog, "src", s->in, s->n_in);
    put_buffers(&p, arena, prog, "dst", s->out, s->n_out);
    return p.text.data;
}
