/* The compiler of --cc, as far as the build file has to know it. */
#pragma once

#include "../emit/emit.h"

/* Asks it for its version and its files; false, refused, where it is missing or too old. */
bool ask_compiler(Diag *diag, const char *model, const char *cc, EmitOptions *options);
