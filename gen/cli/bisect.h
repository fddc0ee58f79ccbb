/* dnnlc bisect MODEL: which pass is wrong. */
#pragma once

#include "options.h"

/* To standard output. False where a pass changes what is computed, crashes or refuses. */
bool bisect_command(Arena *arena, Diag *diag, const Options *o);
