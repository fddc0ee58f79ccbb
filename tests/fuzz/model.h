/* Two inputs with symbolic dimensions, one of them twice: what --dim and --shape are tried on. Returns the size. */
#pragma once

#include "../../gen/base/base.h"

size_t small_model(Arena *arena, uint8_t **bytes);
