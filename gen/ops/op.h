/* One constant per row of ops.def. */
#ifndef DNNLC_OP_H
#define DNNLC_OP_H

typedef enum Op {
#define OP_INFO(name, ...) OP_##name,
#include "ops.def"
    OP_COUNT
} Op;

#endif
