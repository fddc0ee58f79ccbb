/* A pattern as a tree. */
#pragma once

#include "../../gen/ops/ops.h"
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

/* Reads words, punctuation and patterns one after the other. The first mistake is kept; after it the rest of the text counts as empty. Blanks and
 * comments (to the end of the line, after two slashes) may stand anywhere between words. */
typedef struct PatternReader {
    Arena *arena;
    const char *p;
    int depth;
    PatternError error;
} PatternReader;

void pattern_wrong(PatternReader *r, const char *what, const char *at);
const char *pattern_skip(PatternReader *r); /* blanks and comments; what comes then */
bool pattern_accept(PatternReader *r, const char *s);
void pattern_expect(PatternReader *r, const char *s);
const char *pattern_word(PatternReader *r); /* "" after a mistake */
/* Which word of a list that ends with NULL comes next; -1: none of them, and nothing is read. */
int pattern_choice(PatternReader *r, const char *const *words);
double pattern_number(PatternReader *r);
Pattern *pattern_read(PatternReader *r);

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
