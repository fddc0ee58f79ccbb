/* Which nodes compute the images of a batch, the first dimension, one by one: image k of the result depends on image k of the operands alone. */
#pragma once

#include "../../gen/graph/ir.h"

/* Whether this one does, by what becomes of data-dependent rows in operators of its kind; those of a batch of `images` that are not all operands' are constants. */
bool computes_images(const Graph *g, const Node *n, int64_t images);
/* The attribute whose first number is that of the images; NULL: there is none. */
const char *images_attr(const Node *n);

/* Whether all of a model does, in each variant of more rows than one: each input and output has as many rows along its first dimension, and row k of every
 * output depends on row k of the inputs alone. False where that is not known, and where no variant has more rows than one. */
bool computes_rows_apart(const Graph *g);
