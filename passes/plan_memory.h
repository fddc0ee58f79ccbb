/* plan-memory: places for all buffers of a program. */
#pragma once

#include "../gen/program/program.h"

/* Sets first, last and offset of the buffers, and workspace_bytes, live_bytes and weights_bytes of the program. */
bool plan_memory(Program *p);
