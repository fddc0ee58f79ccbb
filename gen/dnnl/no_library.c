/* Instead of dnnl/library.c: a compiler that is linked without oneDNN, for portable C. */
#include "engine.h"

const bool library_is_there = false;

bool library_open(Arena *arena, Diag *diag, const char *isa, int threads, DnnlEngine **engine)
{
    (void)arena, (void)isa, (void)threads, (void)engine;
    return refuse_without_library(diag, NULL);
}

const char *library_isa(void)
{
    return NULL;
}
