/* What oneDNN takes. */
#pragma once

#include "../graph/ir.h"
#include "../machine/machine.h"

/* Can oneDNN compute this node (alone, or as the anchor of a composite) exactly as ONNX defines
 * it? Otherwise *why says what stands against it: static text or in the graph's arena. */
bool onednn_supports(const Graph *g, const Node *anchor, const char **why);
/* Element types that it computes with, in f32 inside. */
bool onednn_computes(DType t);
/* Is it worth a call of oneDNN by itself: convolutions, matrix products, pooling, …? What is not
 * (elementwise, moving, small reductions) goes to oneDNN only beside such a node. */
bool onednn_worthwhile(Op op);
/* oneDNN takes it, but the portable C kernel is quicker: *why says so. */
bool onednn_too_small(const Machine *m, const Graph *g, const Node *n, const char **why);
