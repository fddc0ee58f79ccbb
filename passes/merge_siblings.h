/* merge-conv, second half: convolutions of few filters over one value. */
#pragma once

#include "../gen/graph/ir.h"
#include "../gen/machine/machine.h"

/* How many convolutions are parts of wider ones now. */
uint32_t merge_siblings(Graph *g, const Machine *m);
