/* A pattern as a tree. */
#pragma once

#include "match.h"

enum { PATTERN_ARGS = 6, PATTERN_PREDICATES = 4, PATTERN_ATTRS = 4, PATTERN_NUMBERS = 8 };

typedef enum PatternKind {
    PAT_VALUE,  /* $x */
    PAT_NUMBER, /* #c or a literal */
    PAT_OP,
    PAT_OR,
    PAT_CHAIN,
    PAT_PRODUCT,
    PAT_HOLE,
    PAT_ABSENT,
} PatternKind;

typedef struct PatternAttr {
    const char *name;
    const char *text; /* NULL: a number */
    double number[PATTERN_NUMBERS];
    size_t n;  /* numbers */
    bool list; /* [1, 2] */
    bool any;  /* $: only has to be there */
} PatternAttr;

struct Pattern {
    PatternKind kind;
    const char *at;   /* where it begins in the text */
    const char *name; /* of the binding, NULL: none */
    PredicateFn *predicate[PATTERN_PREDICATES];
    const char *predicate_name[PATTERN_PREDICATES];
    uint32_t n_predicates;
    const Pattern *inner; /* VALUE: $x=inner; CHAIN: the bottom */
    double number;        /* NUMBER and PRODUCT without a name */
    double tolerance;     /* relative */
    Op op;
    uint32_t out;
    const char *node_name;
    const Pattern *arg
        [PATTERN_ARGS]; /* OP: inputs; OR: the two alternatives; CHAIN: arg[0] the step; PRODUCT: factors */
    bool may_miss[PATTERN_ARGS];
    uint32_t n_args;
    bool more_inputs; /* … */
    bool optional;    /* ?Op */
    PatternAttr attr[PATTERN_ATTRS];
    uint32_t n_attrs;
    int times; /* CHAIN */
};

/* What is wrong with a text and where. */
typedef struct PatternError {
    const char *what, *at;
} PatternError;

/* Parses a pattern at the beginning of text and sets *end behind it. Blanks and comments (to the end of the line, after two
 * slashes) may stand anywhere between words. NULL after an error. */
const Pattern *pattern_parse_prefix(Arena *arena, const char *text, const char **end,
                                    PatternError *error);
/* Skips blanks and comments. */
const char *pattern_skip(const char *p);

/* check.c. What keeps a pattern from ever matching, if that can be told from it alone: false and *error. `hole`: a value
 * is given for % outside of chains. */
bool pattern_check(const Pattern *p, bool hole, PatternError *error);
/* Every match binds the name. */
bool pattern_binds(const Pattern *p, const char *name);
bool pattern_has_predicate(const Pattern *p,
                           const char *name); /* a value that is written with it */
/* The fewest nodes a match has. */
uint32_t pattern_min_nodes(const Pattern *p);
/* Calls visit for each alternative of the root that is an operator; false as soon as one call gives false or an alternative is none. */
typedef bool PatternVisit(const Pattern *op, void *data);
bool pattern_roots(const Pattern *p, PatternVisit *visit, void *data);
/* Could the pattern match one node of this operator by itself, whatever its operands? */
bool pattern_matches_alone(const Pattern *p, Op op);
