/* What is told of a step by itself. */
#pragma once

#include "program.h"

/* What a step does, in one word: the operator of its node, "Attention" or "Reorder". */
const char *step_op_name(const Program *p, const Step *s);
/* The value that input k of a step in C is read for: the buffer's own may be another, since constants of equal contents share one. */
ValueId step_value_read(const Program *p, const Step *s, uint32_t k);
