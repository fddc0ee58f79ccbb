/* Columns: what passes decided about the rows of a graph. A column is NULL until its pass has run, and
 * graph_apply drops them all. */
#pragma once

#include "ir.h"
#include "layout.h"

#define NO_ROW UINT32_MAX

typedef enum Target {
    TARGET_C,
    TARGET_DNNL,
} Target;
/* As text has it. */
static inline const char *target_word(Target t)
{
    return t == TARGET_DNNL ? "dnnl" : "c";
}

/* One operation appended to an anchor (oneDNN's post-ops), in order of execution. */
typedef struct PostOp {
    enum PostOpKind {
        POST_SUM,
        POST_BINARY,
        POST_ELTWISE,
        POST_PRELU,
        POST_DEPTHWISE,
        POST_SCALE,   /* the first, of sums of bytes: what makes them floats, before the bias */
        POST_QUANTIZE /* the last: the result is bytes, by the node's scale and zero point */
    } kind;
    NodeId node; /* the node it stands for; its attributes are the parameters */
    ValueId
        arg; /* SUM, BINARY, PRELU, SCALE: the other operand; DEPTHWISE: the weights; NO_VALUE otherwise */
    bool linear;         /* ELTWISE whose node is an Add, Sub, Mul or Div by a scalar constant: */
    double scale, shift; /* … it computes scale * x + shift */
} PostOp;

typedef enum CompositeKind {
    COMPOSITE_LAYER,     /* an anchor with what is appended to it */
    COMPOSITE_ATTENTION, /* composite/attention.h */
    COMPOSITE_SUM_NORM,  /* composite/sum_norm.h: C computes it */
    COMPOSITE_LOOP,      /* elementwise nodes, which are one loop of C */
    COMPOSITE_EPILOGUE,  /* a kernel of C with the elementwise nodes behind it */
    COMPOSITE_KINDS
} CompositeKind;
/* As text has it; that of a layer is left out. */
static inline const char *composite_kind_word(CompositeKind kind)
{
    static const char *const words[] = {"layer", "attention", "sum_norm", "loop", "epilogue"};
    return words[kind];
}

/* A match of the pattern table, or a group of elementwise nodes, kept as data: downstream nothing is matched again. The nodes it
 * covers form a connected set in which only the root's output is used outside. */
typedef struct Composite {
    CompositeKind kind;
    const char *pattern; /* name of the row of the pattern table, e.g. "dnnl.conv2d" */
    NodeId anchor;       /* the convolution, matmul, … */
    NodeId root;         /* the last node; its output is the composite's */
    const NodeId *nodes; /* in topological order */
    uint32_t n_nodes;
    ValueId bias;       /* NO_VALUE where none; always a constant or a per-channel vector */
    const PostOp *post; /* in order */
    uint32_t n_post;
    const ValueId *args; /* distinct values from outside, in the pattern's slot order */
    uint32_t n_args;
    const struct Attention *attention; /* what one of that kind computes; NULL for others */
    const struct SumNorm *sum;         /* the same */
} Composite;

/* A maximal set of steps of one target that becomes one translation unit. */
typedef struct Region {
    Target target;
    uint32_t variant;      /* of a program's unit: whose steps these are */
    const char *why_ended; /* why it did not grow further, for --explain */
    /* partition: what becomes the function. Empty before. */
    const NodeId *nodes; /* in topological order */
    const ValueId
        *in; /* values made outside that it reads, constants excepted, in order of first use */
    const ValueId *out; /* values it makes that are read outside or are outputs of the model */
    const ValueId *constants;
    uint32_t n_nodes, n_in, n_out, n_constants;
} Region;

/* The order of dimensions of every activation, chosen for the whole graph at once: what lowering follows where it is free to. */
typedef struct LayoutChoice {
    Layout *value;  /* by value: what its producer leaves */
    Layout *reads;  /* by node (a composite's root, or inside of one): how operand 0 is taken */
    bool *as_it_is; /* by node: a kernel that takes its operands as they are */
    const char
        *said; /* what the choice was, and what it costs, for --explain; NULL: there was none */
} LayoutChoice;

struct Columns {
    Composite *composites; /* table; NULL until merge-composite has run */
    uint32_t n_composites;
    uint32_t *composite; /* by node: row of `composites` or NO_ROW */
    const char **
        explain; /* by node: at anchors, which pattern took it and what ended it; merge-composite */
    Target *target;      /* by node; annotate-target */
    const char **reason; /* by node: why it has that target */
    Region *regions;     /* table; merge-regions */
    uint32_t n_regions;
    uint32_t *region;      /* by node: row of `regions` */
    LayoutChoice *layouts; /* choose-layouts, where there is a choice */
};

/* The composite that covers a node; NULL: none. */
static inline const Composite *composite_of(const Graph *g, NodeId id)
{
    const Columns *c = g->columns;
    const uint32_t row = c && c->composite ? c->composite[id.i] : NO_ROW;
    return row == NO_ROW ? NULL : &c->composites[row];
}

/* Its sums of bytes are multiplied by a scale, before the bias. */
static inline bool composite_has_scale(const Composite *c)
{
    return c->n_post > 0 && c->post[0].kind == POST_SCALE;
}

/* One of its post-ops is another layer; c may be NULL. */
static inline bool composite_has_depthwise(const Composite *c)
{
    for (uint32_t i = 0; c && i < c->n_post; i++)
        if (c->post[i].kind == POST_DEPTHWISE)
            return true;
    return false;
}
