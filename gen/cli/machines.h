/* Which machine is planned for: --machine, --isa, --measure-machine. */
#pragma once

#include "../machine/machine.h"
#include "options.h"

/* The instruction set to limit oneDNN to; NULL: to nothing. */
const char *isa_of(const Options *o, const Machine *machine);

/* --isa A,B: oneDNN plans for the first, the others are for the executable. False after a refusal. */
bool split_isas(Arena *arena, Diag *diag, Options *o);

/* The figures of the file of --machine, or else of the instruction set; where no instruction set is asked for, the file's is taken. False after a refusal. */
bool find_machine(Arena *arena, Diag *diag, const Options *o, Machine *m);

/* To the instruction set that is planned for: the figures of a file have to be for its like. False after a refusal. */
bool fit_machine(Diag *diag, const Options *o, const char *isa, Machine *m);

/* --machine without a model, to standard output. */
bool print_this_machine(Arena *arena, Diag *diag, const Options *o);

/* --measure-machine: the figures of this one to where --machine native finds them. */
bool measure_this_machine(Arena *arena, Diag *diag, const Options *o);
