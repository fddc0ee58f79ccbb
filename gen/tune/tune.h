/* --tune: measured times, kept in the user's cache so that the same choices come out again.
 *
 * The folder tune: in comes what is to be timed, out go nanoseconds, measured or from the cache. */
#pragma once

#include "../base/base.h"

typedef struct Tune Tune;

/* Reads ${XDG_CACHE_HOME:-~/.cache}/dnnlc/tune. What is wrong with the file, or with a line of it, counts as not there.
 * Times are found again for the same CPU, version of oneDNN, ISA and number of threads only. */
Tune *tune_open(Arena *arena, const char *isa, int threads);
/* The time known for a key, in nanoseconds. Keys are one line of printable text; they name all else that it depends on. */
bool tune_find(const Tune *t, const char *key, double *ns);
/* Remembers a time, of several for a key the shortest. *ns becomes what a later tune_find will give (it is rounded). */
void tune_add(Tune *t, const char *key, double *ns);
/* Times to be compared are measured in turns, TUNE_ROUNDS times each, since other programs can make everything take longer for seconds. In round 2 and later what
 * this process has measured in an earlier round only is not found, so that it is measured again. Begins with, and is to end with, round 1. */
enum { TUNE_ROUNDS = 3 };
void tune_round(Tune *t, int round);
/* Nothing is measured any more from a time of CLOCK_MONOTONIC on, in seconds; INFINITY: always. */
void tune_until(Tune *t, double seconds);
bool tune_may_measure(const Tune *t);
/* Writes what was added, beside what other processes have added meanwhile. False with the reason: the choices hold all
 * the same, they only have to be measured again next time. */
bool tune_save(Tune *t, const char **why);
/* How many times were looked up in vain and then added, and how many of those read from the file were of use. */
void tune_count(const Tune *t, size_t *measured, size_t *found);
/* What was chosen and why: lines for --explain. */
Text *tune_notes(Tune *t);

/* ${XDG_CACHE_HOME:-~/.cache}/dnnlc, NULL: there is no home folder; makes it, and those it is in; the CPU's name. */
const char *tune_folder(Arena *arena);
bool tune_make_folders(const char *path, Arena *arena);
const char *tune_cpu(Arena *arena);
