/* A graph as exporters write it that have the channels last. */
#pragma once

#include "../../gen/graph/ir.h"

/* Computes the same as g: activations have their channels in the last dimension, operators that need them in dimension 1
 * (convolutions, pools, norms, resizes) stand between two Transposes, and the others work on the last dimension. Inputs and
 * outputs stay as they are, with a Transpose where they are read and written. NULL with a message in diag after a mistake. */
Graph *with_channels_last(Arena *arena, Diag *diag, const Graph *g);
