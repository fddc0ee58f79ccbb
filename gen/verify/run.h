/* --verify: the passes must not change what the graph computes.
 *
 * The folder verify: in comes a graph, after any pass; out goes whether it holds what passes may rely on, and computes what it did. */
#pragma once

#include "../../passes/pass.h"

/* The outputs for inputs by the generator that the runtime's --random uses as well, seed 1, as the reference evaluator makes them; NULL after a refusal. Of
 * a graph with bounds all outputs for each of DNNLC_TESTED_ROWS, one after the other. */
Tensor *evaluate_random(const Graph *g);

/* Inputs by that generator, as --random SEED makes them; of rows with a bound half of those that there can be. */
Tensor *random_inputs(const Graph *g, uint64_t seed);
/* The largest difference as a part of a's largest element; infinite where one is NaN and the other is not. */
double tensor_difference(const Tensor *a, const Tensor *b);

/* Does a node round to the steps of a scale? Asked before the passes, which make whole numbers in floats of bytes. */
bool graph_quantises(const Graph *g);

/* What was computed of it, by port. */
typedef struct Verified {
    Tensor *inputs, *after; /* the outputs, behind the passes */
} Verified;

/* Runs the passes like run_passes, evaluates the graph before and after with the reference
 * evaluator on seeded random inputs and refuses if an output differs by more than 1e-4 of its
 * largest element, and what roundings that go the other way do to it. Prints what it found. */
bool run_passes_verified(Graph *g, Program *p, const PassOptions *options, const char *list,
                         const char *print_after, const char *stop_after, Text *log, Text *printed,
                         Verified *verified);
