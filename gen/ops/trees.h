/* The tables of TreeEnsemble (ops.def), for its shape function, the evaluator, the emitter and the export. */
#pragma once

#include "../graph/ir.h"

/* Inputs by their place in the node. All but X are constants. */
enum TreeInput {
    TREE_X,
    TREE_NODES,
    TREE_SPLITS,
    TREE_ROOTS,
    TREE_WEIGHTS,
    TREE_TARGETS,
    TREE_MEMBERS,
    TREE_INPUTS
};

/* As ONNX numbers them in nodes_modes, and LEAF behind them. */
typedef enum TreeMode {
    TREE_LEQ,
    TREE_LT,
    TREE_GTE,
    TREE_GT,
    TREE_EQ,
    TREE_NEQ,
    TREE_MEMBER,
    TREE_LEAF,
    TREE_MODES
} TreeMode;

/* A row of the table of nodes. */
typedef struct TreeNode {
    int32_t mode;
    int32_t feature; /* that is compared; of a leaf: how many weights it has */
    int32_t child; /* where the condition does not hold; where it does, the node behind that one */
    int32_t missing; /* 1: the condition holds for NaN, whatever the mode says */
    int32_t first;   /* of a leaf's weights; of the members of the set, which end with a NaN */
} TreeNode;

enum { TREE_COLUMNS = sizeof(TreeNode) / sizeof(int32_t) };

typedef struct Forest {
    DType dtype; /* f32 or f64: of X, splits, weights, members and the result */
    int64_t rows, features, n_targets, n, n_roots, n_weights, n_members;
    const TreeNode *node;
    const int32_t *roots, *targets;
    const void *splits, *weights, *members;
    char aggregate; /* 'S'um, mi'N', ma'X' */
} Forest;

/* Of a node whose inputs have their types and are known. */
Forest forest_of(const Graph *g, const Node *n);
/* Element i of a table of f->dtype. */
double forest_number(const Forest *f, const void *table, int64_t i);
/* Steps from each node to the leaf that is farthest away. */
int32_t *forest_depths(const Forest *f, Arena *arena);
/* What is wrong with the tables, NULL if nothing is: children stand behind their parents, and all that is pointed to exists. */
const char *forest_fault(const Forest *f, Arena *arena);
