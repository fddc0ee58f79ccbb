/* How exact a model can be: by how much the evaluator's own outputs move when its inputs change in their last bits. */
#pragma once

#include "../../gen/eval/eval.h"

/* The root of the mean square of what two tensors of one type differ by, relative to that of `ref`. Equal infinities and NaN on both sides are no difference. */
double rms_difference(const Tensor *got, const Tensor *ref);

/* For each output, the largest rms_difference of `out`, the outputs for `in`, to those of inputs that differ by 2^-22 of themselves. False after a refusal. */
bool own_differences(const Graph *g, const Tensor *in, const Tensor *out, double *largest);

/* The graph's inputs from FOLDER/input_K.npy; false after a refusal. */
bool read_inputs(const Graph *g, const char *folder, Tensor *in);
