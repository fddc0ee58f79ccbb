/* What the executable prints about a model and its outputs. */
#ifndef DNNLC_RUNTIME_REPORT_H
#define DNNLC_RUNTIME_REPORT_H

#include "dnnlc_main.h"
#include "dnnlc_tensor.h"

#include <stdio.h>

/* Prints text with control characters replaced: names come from the model. NULL prints nothing. */
void dnnlc_print(const char *text);
/* Prints: 'data_0' f32[1,3,224,224] */
void dnnlc_print_tensor(const struct dnnlc_tensor *tensor);
/* Prints a JSON string with its quotes; the other one to any stream. */
void dnnlc_print_json(const char *text);
void dnnlc_put_json(FILE *to, const char *text);

/* One line: type, shape, least, largest and mean of the finite elements, the first values, and for
 * a vector the position of the largest. */
void dnnlc_print_summary(const struct dnnlc_tensor *tensor, const struct dnnlc_array *array);
/* Inputs, outputs, sizes, layers, ISA, versions. */
void dnnlc_print_info(const struct dnnlc_model *model);

#endif
