/* A set of names that hands out unique ones. */
#pragma once

#include "base.h"

typedef struct Names Names;
Names *names_new(Arena *arena);
/* `name` if it is free, else `name` + "_1", "_2", …; it is taken afterwards. */
const char *names_unique(Names *names, const char *name);
