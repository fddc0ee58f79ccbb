/* Nodes of constants, evaluated by the reference evaluator. */
#pragma once

#include "../../gen/graph/ir.h"

/* Makes a constant of each output of n, which has constants as its operands `in`, one for each of its own; NO_VALUE for an output it does not
 * have. They are called `name`, NULL: as the outputs are. Whoever calls has asked whether that is worth its memory and time. false: n was refused, and the graph's message says why. */
bool evaluate_constants(Graph *g, const Node *n, const ValueId *in, const char *name, ValueId *out);

/* The constant that v is where its node, of one output, reads one constant, called as that is; else v. For nodes that a rule has just made and that only
 * choose or move elements: fold-constant has run before, and what is computed by weights is not the same as what is computed by any operand. */
ValueId folded(Graph *g, ValueId v);
