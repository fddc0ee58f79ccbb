/* dnnlc MODEL: the command without a subcommand. */
#pragma once

#include "options.h"

/* Compiles the model, and writes what is asked for. False after a refusal. */
bool compile_command(Arena *arena, Diag *diag, const Options *o);
