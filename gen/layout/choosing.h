/* What choosing layouts is about: candidates of values, alternatives of layers. Shared by layout/choose.c, layout/candidates.c and
 * layout/alternatives.c. */
#pragma once

#include "../lower/lower.h"
#include "solve.h"

enum {
    MOST_CANDIDATES = 5,
    MOST_ALTERNATIVES = 2 * MOST_CANDIDATES,
    ALL = (1 << MOST_CANDIDATES) - 1
};

typedef struct Candidates {
    uint32_t n; /* 0: the value is no variable */
    Layout at[MOST_CANDIDATES];
    uint32_t variable;
} Candidates;

/* The label of a value: its first layout, and the other one that it is copied to; the same where there is no copy. */
static inline uint32_t first_of(const Candidates *v, uint32_t label)
{
    return label / v->n;
}

static inline uint32_t second_of(const Candidates *v, uint32_t label)
{
    return label % v->n;
}

typedef struct Alternative {
    unsigned *in;  /* by operand: set of candidates that will do */
    uint32_t *out; /* by result: the candidate that it is left in */
    double ns;
    bool as_it_is; /* whatever the operands' layouts are */
    bool no_copy;  /* operand 0 as its producer left it */
    Layout reads;  /* of operand 0 where rank > 0: under this name */
} Alternative;

typedef struct Layer {
    NodeId id;     /* the node, or the root of the composite */
    const Node *n; /* the node, or the anchor */
    const Composite *c;
    const ValueId *in, *out;
    uint32_t n_in, n_out, n_alternatives, variable;
    Alternative alternative[MOST_ALTERNATIVES];
} Layer;

typedef struct Choosing {
    Lowering *l;
    const Graph *g;
    Problem *problem;
    Candidates *value; /* by value */
    Layer *layer;
    uint32_t n_layers, n_values;
} Choosing;

static inline bool is_free(const Choosing *s, ValueId v)
{
    return has_value(v) && s->value[v.i].n > 0;
}

/* The first output that is wanted: an LSTM's may be its second. */
static inline ValueId result_of(const Layer *y)
{
    uint32_t k = 0;
    while (k + 1 < y->n_out && !has_value(y->out[k]))
        k++;
    return y->out[k];
}

static inline bool same_as_result(const Choosing *s, const Layer *y, ValueId v)
{
    return has_value(v) && same_shape(type_of(s->g, v), type_of(s->g, result_of(y)));
}

/* layout/candidates.c: the candidates of all values; those of v with the bytes of `layout`, as a set; those that lie in this
 * order, if its rank is v's. */
void find_candidates(Choosing *s);
unsigned candidates_as(const Choosing *s, ValueId v, const Layout *layout);
unsigned candidates_in_order(const Choosing *s, ValueId v, const Layout *order);
/* A Reshape or Transpose; the layout of its result that is the same memory as its operand in layout `in`, false if there is none. */
bool is_view_op(const Node *n);
bool view_forwards(const Choosing *s, const Node *n, const Layout *in, Layout *out);

/* layout/alternatives.c: in which alternatives a layer can be computed, at least one. */
void find_alternatives(const Choosing *s, Layer *y);
