/* The machine that is planned for: what is known of a core, its caches and its threads. The one place where such numbers stand; models of
 * time elsewhere multiply them by numbers without a unit.
 *
 * In comes the name of an instruction set, or a file; out goes a Machine, which nothing changes afterwards. The same name gives the same
 * numbers on every machine: nothing is asked of the CPU at hand. */
#pragma once

#include "../base/base.h"

typedef struct Machine {
    const char *isa;  /* as --isa names it */
    const char *hash; /* SHA-256 of the file that it was read from, hex; NULL: figures of the instruction set */
#define FIGURE(name, sse41, avx2, avx512, least, most, unit, meaning) double name;
#include "figures.def"
#undef FIGURE
} Machine;

/* The figures of a CPU with this instruction set; of one with SSE4.1 for names that are not known, and NULL. */
Machine machine_of_isa(const char *isa);
/* Whether figures of the one say something of the other: both are below AVX2, or have AVX2, or AVX-512. */
bool machine_same_class(const char *isa, const char *other);

/* The machine in a file, as machine_print writes it:
 *
 *     isa avx512_core // a comment goes to the end of its line
 *     lanes 16
 *
 * The instruction set comes first. Figures that are not there are those of machine_of_isa. False after a refusal "FILE:LINE:COLUMN: …". */
bool machine_read(Arena *arena, Diag *diag, const char *path, Machine *m);
/* What machine_read makes the same machine of: all figures, each with its unit and meaning as a comment. */
void machine_print(const Machine *m, Text *out);

/* --- what follows from the figures ------------------------------------------------------------------------------------ */

/* Floats in a register of the tiles in C: 16, 8 or 0. */
int machine_lanes(const Machine *m);
/* As many with AVX2, and with AVX-512. */
enum { AVX2_LANES = 8, AVX512_LANES = 16 };
/* Nanoseconds of a reorder: of oneDNN, with AVX2 in C. */
double machine_reorder_ns(const Machine *m, double bytes);
/* Bytes that stay in L2 from one use to the next, beside what passes through. */
double machine_kept_bytes(const Machine *m);
/* Where weights are when a layer reads them, if all of the model's take so many bytes: how fast they are read, and among how many bytes of others
 * they are when a layer is timed by itself. */
typedef struct MachineWeights {
    const char *name;
    double rate;   /* bytes a nanosecond */
    size_t spread; /* bytes; 0: by themselves */
    bool far;      /* in memory: no cache holds them */
} MachineWeights;
MachineWeights machine_weights(const Machine *m, double bytes);
/* Operations of a kernel of C, as in loop_ns, where sharing it between threads begins to pay; and how many elements it makes by then, if
 * it does some ten for each. */
double machine_kernel_worth_operations(const Machine *m);
double machine_kernel_worth_elements(const Machine *m);
/* A block of what one layer makes and the next reads at once, beside its operands and weights in L2. */
int64_t machine_block_bytes(const Machine *m);
