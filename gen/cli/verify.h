/* dnnlc verify MODEL: which layer of the built program is wrong. */
#pragma once

#include "options.h"

/* To standard output. False where a layer or an output is beyond its bound, or after a refusal. */
bool verify_command(Arena *arena, Diag *diag, const Options *o);
