/* The page of --report: one HTML file that a browser opens from disk, with everything that it shows inside.
 *
 * The folder report: in come a program, what was emitted of it, the machine planned for, a profile and errors; out goes the page. What was decided
 * and why comes from the manifest, in which explain wrote it; added is what only a drawing needs: who reads what of whom, where each layer
 * stands in the picture, estimated times, and the emitted functions. The page itself is templates/report/. */
#pragma once

#include "../emit/emit.h"
#include "../machine/machine.h"
#include "errors.h"
#include "profile.h"

typedef struct ReportFacts {
    const Program *p;
    const Machine *machine;
    const EmittedCode *code;
    const Profile *profile;    /* NULL: times are estimates */
    const LayerErrors *errors; /* NULL: not known */
} ReportFacts;

/* Whether a file can be made at `path`: asked before a model is compiled, which may take long. False after a refusal. */
bool report_can_write(Diag *diag, const char *path);
/* Writes the page, as a whole or not at all. */
bool report_write(const ReportFacts *facts, const char *path, Diag *diag);
