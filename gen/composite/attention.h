/* Attention as the composite that merge-composite makes of it: softmax(f(q k)) v, where f scales the scores and masks them, and
 * q, k, v and the result are seen through the Reshapes, Transposes and cuts that make heads of them. */
#pragma once

#include "../graph/columns.h"
#include "../graph/layout.h"

/* What is done to a score before the softmax, in order. */
typedef struct ScoreOp {
    enum {
        SCORE_SCALE, /* times number */
        SCORE_ADD,   /* plus arg, which is broadcast */
        SCORE_KEEP,  /* where arg (bool) is true; number elsewhere */
        SCORE_DROP,  /* where arg is false; number elsewhere */
    } kind;
    float number;
    ValueId arg;
} ScoreOp;

enum { SCORE_OPS = 8, HEAD_RANK = 4 };

typedef struct Attention {
    NodeId scores, softmax, mix;
    ValueId q, k, v; /* operands of the two products */
    ScoreOp op[SCORE_OPS];
    uint32_t n_ops;
    int64_t batch, heads, rows, keys, depth,
        width; /* q: rows by depth, k: depth by keys, v: keys by width */
} Attention;

/* A value as a part of another one's memory. Strides and offset are in elements. */
typedef struct HeadView {
    ValueId source; /* what lies in memory: not made within the composite */
    int rank;
    int64_t dims[MAX_RANK], strides[MAX_RANK], offset;
    double factor; /* numbers that it is multiplied with on the way */
} HeadView;

/* Nodes that a view may lead through: they move nothing, or multiply with a number. */
bool attention_may_view(const Graph *g, const Node *n, uint32_t *operand);

/* Reads the composite of these nodes, whose second product is `mix`. False, with the reason, if it is none that can be
 * computed as one. */
bool attention_read(const Graph *g, const NodeId *nodes, uint32_t n, NodeId mix, Attention *a,
                    const char **why);

/* What v is made of, through nodes of the composite; then the view, where the source lies in memory as `layout` says. False
 * if strides cannot say it; *culprit is the node that stands against it. */
ValueId attention_source(const Graph *g, const NodeId *nodes, uint32_t n, ValueId v);
bool attention_view(const Graph *g, const NodeId *nodes, uint32_t n, ValueId v,
                    const Layout *layout, HeadView *view, NodeId *culprit);
/* The result of `mix`, as a part of what `root` makes of it, row-major. */
bool attention_result(const Graph *g, NodeId mix, NodeId root, HeadView *view);

/* The view as [batch, heads, rows, columns]: dimensions of size 1 in front where it has fewer. */
void attention_align(const HeadView *view, int64_t dims[HEAD_RANK], int64_t strides[HEAD_RANK]);
/* Matrices that oneDNN's product takes: one of the two dimensions is dense. */
bool attention_is_dense(const HeadView *view);
