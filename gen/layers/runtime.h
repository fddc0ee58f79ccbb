/* Another runtime, which computes a model file by a program of its own: called as PROGRAM MODEL IN OUT. */
#pragma once

#include "../program/program.h"

typedef struct Runtime {
    const char *named;       /* as messages call it: "--onnxruntime PROGRAM" */
    const char *const *call; /* the words before MODEL, with NULL behind them */
} Runtime;

/* The program of --onnxruntime, or, if that is NULL, of the environment's DNNLC_ONNXRUNTIME, or Python with its package onnxruntime; refused where there is none. */
bool runtime_find(Arena *arena, Diag *diag, const char *program, Runtime *r);
/* Makes the folder `out` and leaves there what the runtime makes of the files in `in`. */
bool runtime_run(Arena *arena, Diag *diag, const Runtime *r, const char *model, const char *in,
                 const char *out);
/* Makes the folder `dir` with what --dump-layers leaves for such a program: inputs, those of one variant, and their index. */
bool runtime_give(const Program *p, const Tensor *inputs, const char *dir);
