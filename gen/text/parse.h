/* The state of the text IR parser, shared by its files and by that of programs (program/parse.c). */
#pragma once

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

typedef struct Parser {
    Lex l;
    Graph *g;
    uint32_t *slots; /* by hash of the name: value id + 1 */
    size_t n_slots, cap_slots;
    size_t budget;
    NodeMarks *marks; /* by node */
    size_t n_marks, cap_marks, cap_composites, cap_regions;
    bool has_composite, has_target, has_region, has_explain, has_layout, partitioned;
    const char *layouts;
} Parser;

/* text/parse.c: a parser that stands before a graph, and the graph, verified. What follows it in the text can name its values. */
Parser parser_begin(Arena *arena, Diag *diag, const char *file, const char *text, size_t size);
bool parse_graph(Parser *p);
bool parse_type(Parser *p, TensorType *t);
bool parse_layout(Lex *l,
                  Layout *layout); /* "acdb", "acdb/512", "cdBa16b"; "-" without dimensions */
bool is_layout_of(const Layout *l, const TensorType *t); /* an order of its dimensions */
bool parse_value(Parser *p, ValueId *v);
bool parse_value_or_none(Parser *p, ValueId *v); /* or "_" */
/* "(%a, _, %b)" */
bool parse_values(Parser *p, ValueId **values, uint32_t *n);

/* text/layouts.c: behind "@what" of a node, and what becomes of it all */
bool parse_layout_mark(Parser *p, const char *what, NodeMarks *marks);
bool finish_layouts(Parser *p);

/* text/columns.c */
bool parse_node_ref(Parser *p, NodeId *n);    /* a node by a value that it makes */
bool parse_mark(Parser *p, NodeMarks *marks); /* behind an @ */
void keep_marks(Parser *p, NodeId id, const NodeMarks *marks);
bool parse_which_columns(Parser *p);
bool parse_composite(Parser *p);
bool parse_region(Parser *p);
bool finish_columns(Parser *p);
