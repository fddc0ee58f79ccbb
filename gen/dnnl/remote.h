/* What an engine of another CPU's oneDNN (dnnl/remote.c) and the program that asks this (dnnl/remote_answers.c) say to each other, through two pipes.
 * Both are compiled of the same sources for CPUs whose structs are alike, so that rows go as they are in memory; the greeting says whether that is so.
 *
 * A question is a DnnlPrimitive, its rows of memory and of post-ops, then for each row of memory the letters of its tag and its given descriptor.
 * An answer is a RemoteAnswer, then the implementation's name, and for each row of memory a DnnlChoice and its descriptor. */
#pragma once

#include "plan.h"

typedef struct RemoteGreeting {
    char version[16];
    size_t sizes[4];
} RemoteGreeting;

#define REMOTE_GREETING                                                                            \
    {                                                                                              \
        DNNLC_VERSION,                                                                             \
        {                                                                                          \
            sizeof(DnnlPrimitive), sizeof(DnnlMemory), sizeof(DnnlPostOp), sizeof(DnnlChoice)      \
        }                                                                                          \
    }

typedef struct RemoteAnswer {
    bool has; /* an implementation; there is nothing else otherwise */
    size_t impl_size, scratch_bytes;
} RemoteAnswer;
