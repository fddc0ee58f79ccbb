/* The plan of a kernel of C: how it computes its step, as data. It is chosen once, while lowering, stands in the text of the program, and
 * is checked there; emission prints the kernel that it describes.
 *
 * A variant has numbers that are free within bounds (how large a block of sums is) and others that follow from these, the node and
 * its layouts (bytes of scratch memory). Its function fit_NAME knows both. */
#pragma once

#include "../ops/op.h"
#include "../ops/trees.h"
#include "../program/program.h"

typedef enum CFamily {
    C_FAMILY_NONE, /* there is nothing to choose */
#define FAMILY(name, choose) C_FAMILY_##name,
#include "variants.def"
} CFamily;

typedef enum CVariant {
#define VARIANT(name, family, scratch) C_##name,
#include "variants.def"
    C_VARIANTS
} CVariant;

extern const char *const c_variant_names[C_VARIANTS + 1]; /* NULL behind them */

enum { EPILOGUE_OPERANDS_MAX = 6 };

/* How an operand of an epilogue is spread over the result. Constants of one element become part of the code. */
typedef enum EpilogueSpread {
    EPILOGUE_SCALAR,
    EPILOGUE_CHANNEL,
    EPILOGUE_FULL,
    EPILOGUE_OTHER
} EpilogueSpread;

typedef struct EpilogueOperand {
    ValueId value;
    EpilogueSpread spread;
} EpilogueOperand;

typedef struct EpilogueOperands {
    EpilogueOperand operand[EPILOGUE_OPERANDS_MAX];
    uint32_t n;
} EpilogueOperands;

/* Where the weights of a tree's leaf are. */
typedef enum LeafForm {
    LEAF_VALUE, /* in the leaf: there is one target */
    LEAF_ONE,   /* one weight of some target */
    LEAF_DENSE, /* a row with a weight for each target */
    LEAF_LIST,  /* weights of some targets */
} LeafForm;

/* The tables of a forest as its kernel reads them. */
typedef struct TreeForm {
    LeafForm leaves;
    TreeMode mode;
    int feature_bits;
    bool masked; /* nodes say what their condition is; else it is `mode` for all */
    bool
        replaced; /* a second copy of the row, with what NaN stands for where it goes on with the condition */
    bool wide;   /* 64 bits say where a node goes on */
    bool steady; /* most leaves are as far down as any */
    bool
        by_rows; /* walks of several rows go side by side down one tree; else those of one row down several */
} TreeForm;

enum {
    TREE_LANES = 8, /* walks side by side: as many as there are registers for */
    TREE_MASK_BITS = 5,
};

/* A copy within a kernel, of its operand or result number `part`. */
typedef struct CPart {
    CVariant variant;
    uint32_t part;
} CPart;

/* Numbers that a variant does not have are 0. */
typedef struct CPlan {
    CVariant variant;
    int64_t rows, columns; /* of a block of sums that stays in registers */
    int64_t lanes;         /* partial sums of one number, or walks down trees */
    int64_t width;         /* neighbouring results that are computed before the next ones */
    int64_t at_once; /* lines of an image, pixels or rows of a table that are computed together */
    int64_t pitch;   /* elements from one row of scratch memory to the next */
    int64_t line,
        slack; /* conv_flat: floats of a filter's sums; floats that are read behind the last row */
    int64_t summed; /* elements of a row after which its partial sums are added up; 0: all */
    bool in_double; /* sums of floats */
    TreeForm trees;
    EpilogueOperands
        epilogue; /* what the nodes behind the layer read besides; the step has them behind the layer's own operands */
    CPart *parts; /* those that are not in their place already */
    uint32_t n_parts;
    int64_t blocks;       /* parts of the work, in one image or in all */
    size_t second_at;     /* bytes from the start of its scratch memory to the second thing in it */
    size_t scratch_bytes; /* for each of the threads that share the kernel */
    int64_t
        shared; /* iterations of the outermost loop, if threads share them; 0: one computes all */
} CPlan;

/* The step that is planned. Its operands have their buffers and layouts. */
typedef struct CStep {
    const Program *p;
    const Step *s;
    const Graph *g;
    const Node *n; /* the anchor */
    CPlan *plan;
    /* The outermost loop of the kernel: how often it goes, 0 if it cannot be shared between threads, and how many operations on single
     * elements it takes by estimation, a load and a store being one each. */
    int64_t iterations;
    double operations;
} CStep;

/* Chooses among the variants of a family. */
typedef CVariant CChooseFn(const CStep *k);
/* False if this is no way to compute the step. Free numbers of the plan that are 0 get their usual values; those that follow are set. */
typedef bool CFitFn(CStep *k);

CChooseFn choose_matmul, choose_top_k, choose_reduce, choose_copy, choose_pool;
#define VARIANT(name, family, scratch) CFitFn fit_##name;
#include "variants.def"

/* Plans the kernel of a step: s->c. False if there is none for its nodes together. */
bool c_plan(const Program *p, Step *s);
/* The sum with a norm behind it that the step computes; NULL: it computes something else. */
const struct SumNorm *c_sum_norm_of(const Graph *g, const Step *s);
/* Its nodes are one loop over elements. */
bool c_is_fused_group(const Graph *g, const Step *s);
/* What the plan has to be with the variant and the free numbers that it has: false if the step cannot be computed so. */
bool c_complete_plan(const Program *p, const Step *s, CPlan *plan);
/* The threads that share the kernel may have scratch memory of their own: always, or where the result is large. */
bool c_scratch_for_each(const CPlan *plan, bool large);

/* Iterations of the kernel's outermost loop that the program's threads could share, 0: none; and how many operations it takes, by estimation. */
int64_t c_shareable(const Program *p, const Step *s, double *operations);
/* Two buffers have bytes in common. */
bool c_overlap(const Program *p, BufferId a, BufferId b);
/* They are bytes of one section of memory, which begin so far from its start. */
bool c_same_memory(const Program *p, BufferId a, BufferId b, size_t *at_a, size_t *at_b);

/* Whether C copies this in squares of registers, which is quicker than a reorder of oneDNN. */
bool c_moves_squares(const Program *p, const Buffer *to, const Buffer *from);
/* A free number within its bounds, the usual one if it is not given. */
static inline bool c_free_number(int64_t *n, int64_t usual, int64_t most)
{
    *n = *n ? *n : usual;
    return *n > 0 && *n <= most;
}

/* The block of sums of a product by tiles: emit/c/tile.h. */
bool c_free_tile(CPlan *plan);
bool c_free_tile_of(CPlan *plan, int64_t usual_rows, int64_t usual_columns);
/* A power of two. */
bool c_free_lanes(CPlan *plan, int64_t usual);
/* A row of `size` elements summed in plan->lanes parts: after how many elements a double takes up the parts, so that each has few terms; 0:
 * the row is so short that it need not. */
int64_t c_summed(const CPlan *plan, int64_t size);
