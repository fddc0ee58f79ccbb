/* --measure-machine: the figures of the CPU at hand, measured with the primitives and tiles that are planned.
 *
 * In comes an engine of the instruction set that is to be planned for, and its figures as the table has them; out go measured ones. */
#pragma once

#include "../dnnl/plan.h"

/* Replaces the figures of m that can be measured, in a few seconds. Where one is not plausible the usual one stays, and *notes says so. */
void machine_measure(DnnlEngine *e, Machine *m, Text *notes);
/* What the times of the probes say, in nanoseconds; NAN: it could not be run. */
enum { MACHINE_PROBES = 28 };
void machine_conclude(Machine *m, const double *ns, int threads, Text *notes);
/* Where measured figures are kept: by CPU and ISA, ${XDG_CACHE_HOME:-~/.cache}/dnnlc/machine/CPU-ISA. NULL: there is no home folder. */
const char *machine_measured_path(Arena *arena, const char *isa);
