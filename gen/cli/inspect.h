/* dnnlc inspect MODEL: what is in a model, and what would become of it. */
#pragma once

#include "options.h"

/* To standard output. False where the model would be refused. */
bool inspect_command(Arena *arena, Diag *diag, const Options *o);
