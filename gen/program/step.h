/* What a step is called. */
#pragma once

#include "program.h"

/* What a step does, in one word: the operator of its node, "Attention" or "Reorder". */
const char *step_op_name(const Program *p, const Step *s);
