/* Attention by primitives (describe_attention.c) or by tiles in C (attention_in_c.c). */
#pragma once

#include "describe.h"

/* Nanoseconds of a block on one core, computed in C. */
double attention_in_c_ns(const Machine *m, const int64_t *block, int64_t depth, int64_t width);
/* Whether there are tiles for it. */
bool attention_takes_tiles(const Machine *m, const DnnlAttention *a);
