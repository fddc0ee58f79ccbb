/* oneDNN's answers as a text file: what an engine writes down (dnnl/record.c) and another one reads (dnnl/replay.c). */
#pragma once

#include "plan.h"

/* One question, the primitive in one line, and its answer. */
typedef struct Answer {
    const char *primitive;
    const char *impl; /* NULL: there is no implementation */
    size_t scratch_bytes;
    uint32_t n_choices;
    struct {
        uint32_t row; /* of DnnlPrimitive.memory */
        DnnlChoice choice;
    } choice[MAX_SOURCES];
} Answer;

typedef struct Answers {
    Arena *arena;
    const char *isa;
    int threads;
    Answer *rows;
    size_t n, cap;
} Answers;

/* All that an answer depends on. */
const char *answers_question(Arena *arena, const DnnlPrimitive *p);
Answer *answers_find(const Answers *a, const char *primitive);
/* The row of a primitive that has none yet. */
Answer *answers_add(Answers *a, const char *primitive);
bool answers_read(Answers *a, Diag *diag, const char *path);
/* In alphabetical order, so that it does not matter what was asked first. */
bool answers_write(Answers *a, Diag *diag, const char *path);
