/* Inputs and outputs of a quantised model become bytes; says so in `notes`, a line each. */
#pragma once

#include "../../gen/graph/ir.h"

void ports_in_bytes(Graph *g, Text *notes);
