/* One constant per row of ops.def. */
#pragma once

typedef enum Op {
#define OP_INFO(name, ...) OP_##name,
#include "ops.def"
    OP_COUNT
} Op;
