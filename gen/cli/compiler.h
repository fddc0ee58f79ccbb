/* The compiler of --cc, as far as the build file has to know it. */
#pragma once

#include "options.h"

/* Whether what --cc names compiles for the CPU that oneDNN plans for, by `isa`; refused otherwise. */
bool fits_compiler(Arena *arena, Diag *diag, const Options *o, const char *isa);
/* Asks it for its version and its files; false, refused, where it is missing or too old. */
bool ask_compiler(Diag *diag, const char *model, const char *cc, EmitOptions *options);
