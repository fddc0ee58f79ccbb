/* Fuzz targets: what reads a file or a line that somebody else may have written, each as a function of bytes.
 *
 * The targets and the mutators know nothing of who drives them: libFuzzer, with coverage to guide it (libfuzzer.c), or a loop with a seed that
 * does the same on every machine (drive.c). */
#pragma once

#include "../../gen/base/base.h"

typedef struct FuzzTarget {
    const char *name;
    /* Aborts where something is wrong beside what sanitizers see: a refusal that is no line of text, a graph that does not read back. */
    void (*run)(Arena *arena, const uint8_t *data, size_t size);
    /* Changes the bytes in place, of which there may be `most` in the end; returns how many there are. */
    size_t (*mutate)(uint8_t *data, size_t size, size_t most, uint64_t seed);
} FuzzTarget;

extern const FuzzTarget fuzz_targets[]; /* ends with a row whose name is NULL */
/* NULL if there is none; that is said on stderr. */
const FuzzTarget *fuzz_target(const char *name);

/* guard.c: runs the target as a process of its own would run: arenas are freed, a refusal that ends the process ends the call. */
void fuzz_run(const FuzzTarget *target, const uint8_t *data, size_t size);

/* Random numbers of one mutation. */
typedef struct Dice {
    uint64_t seed, used;
} Dice;
size_t dice(Dice *d, size_t n); /* below n, which is not 0 */
/* One of those that break things, or a small one. */
int64_t dice_number(Dice *d);

/* mutate_text.c: words, numbers and lines; or bytes. */
size_t mutate_text(uint8_t *data, size_t size, size_t most, uint64_t seed);
size_t mutate_bytes(uint8_t *data, size_t size, size_t most, uint64_t seed);
/* mutate_onnx.c: nodes, attributes, types and tensors of a model; bytes where it is none. */
size_t mutate_onnx(uint8_t *data, size_t size, size_t most, uint64_t seed);
