/* How long a program's steps take, estimated from the figures of the machine: for people, who want to know the order of magnitude and where
 * the time goes. No plan is chosen by it. */
#pragma once

#include "../machine/machine.h"
#include "../program/program.h"

/* Nanoseconds of a step, with the threads that the program may use: what arithmetic takes or what moving its operands does, whichever is longer,
 * and its call. */
double estimate_step_ns(const Program *p, const Machine *m, const Step *s);
/* Of all steps of a variant, of a loop's those of one iteration. */
double estimate_variant_ns(const Program *p, const Machine *m, uint32_t variant);
