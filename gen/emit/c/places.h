/* Places in the workspace by the name of what is written there: "CONV_3_DST". */
#pragma once

#include "../../base/template.h"
#include "../../program/program.h"

typedef struct Places Places;
Places *places_new(const Program *p);
/* Where a buffer of the workspace is, as an expression, "CONV_3_DST" or "CONCAT_5_DST + 256"; NULL if no step writes it, what it is a part
 * of, or its first part. */
const char *place_of(Places *places, BufferId id);
/* What an output of a step is called, as ops.def calls it: "dst". */
const char *step_output_name(const Program *p, const Step *s, uint32_t o);
/* The names that place_of() gave, as rows of the list "places": `place` and `offset`. */
void bind_places(const Places *places, Bindings *b);
