/* Steps that need not be made at each run: those of the branch of an If that is not taken. */
#ifndef DNNLC_GUARD_H
#define DNNLC_GUARD_H

#include "program.h"

/* Fills Step.guards. After lowering, before memory is planned: where things stand in the arena does not matter. */
void guard_steps(Program *p);

/* Between the calls of two steps of a unit: ends the block `before` stands in and begins that of `next`, unless it is the same.
 * NULL: the begin or end of the unit, or of a block that has to be left. */
void emit_guard(const Program *p, const Step *before, const Step *next, Text *out);
/* The indentation of a step's call. */
int guard_indent(const Step *s);

#endif
