/* Trees as the operators of ai.onnx.ml spell them: read by normalise_trees.c and normalise_tree_ensemble.c, put together by forest.c. */
#pragma once

#include "../ops/trees.h"
#include "node.h"

/* Branches and leaves in any order, named by their position. */
typedef struct OnnxForest {
    size_t n, n_roots, n_weights, n_members;
    TreeMode *mode;
    const int64_t *feature; /* of branches */
    int64_t *when, *other;  /* where a branch goes on if its condition holds, and if not */
    bool *missing;          /* it holds for NaN */
    int64_t *first, *count; /* weights of a leaf; first member of a set */
    const double *split;
    int64_t *roots;
    const double *weights, *members;
    const int64_t *targets;
    int64_t n_targets;
    bool whole; /* all nodes have to be part of a tree */
} OnnxForest;

/* Room for n nodes. */
void forest_reserve(OnnxNode *c, OnnxForest *f, size_t n);
/* Numbers from the attribute `name`, or from the tensor NAME_as_tensor. */
const double *get_numbers(OnnxNode *c, const char *name, size_t *n);
/* The elements of a tensor attribute; NULL if it is absent. */
const double *get_tensor_floats(OnnxNode *c, const char *name, size_t *n);
/* What the operators compare with: input 0 as [rows, features] of f32 or f64. */
ValueId forest_rows(OnnxNode *c);
/* [rows, targets] of the type of x. */
ValueId emit_forest(OnnxNode *c, const OnnxForest *f, ValueId x, const char *aggregate);
/* As const_floats, in the type of v. */
ValueId const_like(OnnxNode *c, ValueId v, const double *x, int rank, const int64_t *dims);
