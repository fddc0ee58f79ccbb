/* What a step is called, and what it reads besides its operands. */
#pragma once

#include "program.h"

/* What a step does, in one word: the operator of its node, "Attention" or "Reorder". */
const char *step_op_name(const Program *p, const Step *s);
/* A sum in place: it reads what its destination holds. */
bool step_adds_to_destination(const Step *s);
