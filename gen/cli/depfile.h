/* --depfile: which files a compilation has read, for what builds programs. */
#pragma once

#include "options.h"

/* Writes a rule for Make (as compilers' -MF does), by which `target` depends on the files of diag->read; true without --depfile. */
bool write_depfile(Diag *diag, const Options *o, const char *target);
