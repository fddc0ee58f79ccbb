/* A pattern as a tree. */
#ifndef DNNLC_PATTERN_H
#define DNNLC_PATTERN_H

#include "match.h"

enum { PATTERN_ARGS = 6, PATTERN_PREDICATES = 4, PATTERN_ATTRS = 4 };

typedef enum PatternKind {
    PAT_VALUE,  /* $x */
    PAT_NUMBER, /* #c or a literal */
    PAT_OP,
    PAT_OR,
    PAT_CHAIN,
    PAT_HOLE,
    PAT_ABSENT,
} PatternKind;

typedef struct PatternAttr {
    const char *name;
    const char *text; /* NULL: a number */
    double number;
    bool any; /* $: only has to be there */
} PatternAttr;

struct Pattern {
    PatternKind kind;
    const char *name; /* of the binding, NULL: none */
    PredicateFn *predicate[PATTERN_PREDICATES];
    const char *predicate_name[PATTERN_PREDICATES];
    uint32_t n_predicates;
    const Pattern *inner; /* VALUE: $x=inner; CHAIN: the bottom */
    double number;        /* NUMBER without a name */
    Op op;
    uint32_t out;
    const char *node_name;
    const Pattern
        *arg[PATTERN_ARGS]; /* OP: inputs; OR: the two alternatives; CHAIN: arg[0] the step */
    bool may_miss[PATTERN_ARGS];
    uint32_t n_args;
    bool more_inputs; /* … */
    bool optional;    /* ?Op */
    PatternAttr attr[PATTERN_ATTRS];
    uint32_t n_attrs;
    int times; /* CHAIN */
};

#endif
