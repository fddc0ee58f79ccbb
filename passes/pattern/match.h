/* Patterns over the graph, as text, and the one matcher for them. Used by merge-composite and
 * match-spelled.
 *
 *     $x              any value; a name that comes again must be the same value
 *     $x:const,full   … that fulfils the predicates (predicates.c)
 *     $x=PATTERN      a value that matches PATTERN, under a name
 *     #c              a constant of one element; its number gets the name; again: the same number
 *     0.5             a constant of one element with this value, within 1e-5 relative
 *     0.5~0.01        … within 0.01 relative
 *     Op(a, b)        output 0 of such a node; operands of commutative ops match in either order
 *     Op.1(a)         output 1 of such a node
 *     Op(a, [b])      b may be absent; _ must be absent; Op(a, ...) any further inputs
 *     Op(a){k=1, l=[1,2], m="s", p=$}   attributes: equal numbers (within 1e-5), lists, texts; $: it is there
 *     Op(a)!name      the node gets a name
 *     ?Op(a, b)       optional: this, or what matches a
 *     a | b           alternatives, the first that leads to a match; ( ) for grouping
 *     chain(N, s, p)  up to N times the step s, whose % stands for what is below; at the bottom p;
 *                     longest first
 *     product(c, p, q)  Mul, Div by a constant, Neg and Pow to 2, 3 or 4, at least one of them, in any
 *                     arrangement that multiplies what matches p, q, … and constants whose product is
 *                     c (a number or #name)
 *     %               outside of a chain: the value given with the match
 *
 * A match fails if a value inside it (made by a node of the match other than the root) is used
 * outside it. */
#pragma once

#include "../../gen/graph/ir.h"

typedef struct Pattern Pattern;

enum { MATCH_BINDINGS = 24, MATCH_NODES = 128 };

typedef struct Binding {
    const char *name;
    ValueId value; /* $ */
    double number; /* # */
    NodeId node;   /* ! */
} Binding;

typedef struct Match {
    const Graph *g;
    const Uses *uses;
    ValueId hole; /* what % stands for; NO_VALUE: the pattern has none */
    ValueId root;
    struct PatternContext *context; /* for predicates: composite.h; may be NULL */
    Binding bind[MATCH_BINDINGS];
    uint32_t n_bind;
    NodeId node[MATCH_NODES]; /* in the order they were met, each once; the root first */
    uint32_t n_nodes;
    const char *why;    /* where the attempt that went furthest failed; NULL: nothing was tried */
    uint32_t why_depth; /* how far that was, in nodes and names; 0: not even the root fits */
    uint32_t fuel, depth;
} Match;

/* A syntax error is our mistake: bug(). */
const Pattern *pattern_parse(Arena *arena, const char *text);

/* Tries to match p so that its root makes `root`. m->g, uses, hole, context are set by the
 * caller; the rest is reset. */
bool match_value(Match *m, const Pattern *p, ValueId root);

ValueId matched_value(const Match *m, const char *name); /* NO_VALUE if absent or unknown */
double matched_number(const Match *m, const char *name);
NodeId matched_node(const Match *m, const char *name);
bool match_covers(const Match *m, NodeId n);

/* predicates.c */
typedef bool PredicateFn(const Match *m, ValueId v);
PredicateFn *find_predicate(const char *name, size_t size);
/* Predicate k, with what it asks; NULL after the last. */
const char *predicate_row(size_t k, const char **help);
