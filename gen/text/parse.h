/* The state of the text IR parser, shared by its files and, by way of form.h, by that of programs (program/rows.c). */
#pragma once

#include "../base/names.h"
#include "lex.h"
#include "text_ir.h"

typedef struct NodeMarks {
    uint32_t composite;
    Target target;
    uint32_t region;
    const char *reason, *explain;
    Layout reads, *leaves; /* leaves: by output, NULL if all are row-major */
    uint32_t n_leaves;
    bool as_it_is;
} NodeMarks;

/* What a text has said something of. */
enum { HAS_COMPOSITE, HAS_TARGET, HAS_REGION, HAS_LAYOUT, HAS_EXPLAIN, HAS_COUNT };

typedef struct Parser {
    Lex l;
    Graph *g;
    NameMap names; /* the value's number, from 1 */
    size_t budget;
    NodeMarks *marks; /* by node */
    size_t n_marks, cap_marks, cap_composites, cap_regions;
    bool has[HAS_COUNT], partitioned;
    const char *layouts;
} Parser;

/* text/parse.c: a parser that stands before a graph, and the graph, verified. What follows it in the text can name its values. */
Parser parser_begin(Arena *arena, Diag *diag, const char *file, const char *text, size_t size);
bool parse_graph(Parser *p);
/* What cannot be read is refused; who needs to know asks the Lex. */
void parse_new_name(Parser *p, const char **name);
void parse_remember(Parser *p, ValueId v); /* under its name */
void parse_type(Parser *p, TensorType *t);
void parse_value(Parser *p, ValueId *v); /* or "_" */
void parse_node(Parser *p);

/* text/layouts.c: "acdb", "acdb/512", "cdBa16b"; "-" without dimensions */
void parse_layout(Lex *l, Layout *layout);
bool is_layout_of(const Layout *l, const TensorType *t); /* an order of its dimensions */
/* Behind "@what" of a node, and what becomes of it all. */
void parse_layout_mark(Parser *p, const char *what, NodeMarks *marks);
bool finish_layouts(Parser *p);

/* text/columns.c */
void parse_mark(Parser *p, NodeMarks *marks); /* behind an @ */
void keep_marks(Parser *p, NodeId id, const NodeMarks *marks);
bool finish_columns(Parser *p);
