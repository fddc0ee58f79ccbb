/* Steps that need not be made at each run: those of the branch of an If that is not taken. */
#pragma once

#include "program.h"

/* Fills Step.guards. After lowering, before memory is planned: where things stand in the arena does not matter. */
void guard_steps(Program *p);

/* Two steps of a unit (NULL: none) stand in the same block of guarded ones. */
bool guard_same_block(const Step *a, const Step *b);
/* The value that input k of a step in C is read for: the buffer's own may be another, since constants of equal contents share one. */
ValueId step_value_read(const Program *p, const Step *s, uint32_t k);
