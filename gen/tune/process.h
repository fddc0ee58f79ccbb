/* Programs that are run here, and a folder for what they need. */
#pragma once

#include "../base/base.h"

/* Runs a program, oneDNN limited to an instruction set if isa is not NULL. What it writes goes to `out`. False: it did not end with status 0. */
bool run_command(const char *const words[], const char *isa, Text *out);
/* The end of what a program said, on one line. */
const char *end_of_output(const Text *out);
/* Builds a target of an emitted folder; a refusal begins with `place`, and quotes ninja. */
bool build_folder(Diag *diag, const char *place, const char *dir, const char *target);

/* Where temporary files are. It goes with remove_folder, and with this process, however that ends. */
typedef struct Folder {
    const char *path;
    int alive, keeper; /* a pipe that is open as long as we live; who waits for its end */
} Folder;
bool make_folder(Arena *arena, Diag *diag, Folder *f);
void remove_folder(const Folder *f);
