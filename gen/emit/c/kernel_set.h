/* The kernels of C that a program needs. A kernel is rendered for each step; those that come out alike are one function, with the
 * places of its operands as arguments, however many layers it computes. Functions are spread over files of about equal cost to
 * compile (NAME_kernels_K.c), and declared in NAME_kernels.h. */
#pragma once

#include "../../program/program.h"
#include "../unit.h"
#include "algorithms.h"
#include "places.h"

typedef struct KernelSet KernelSet;

/* Renders the kernels of all steps of target C. */
KernelSet *kernel_set_new(const Program *p, const EmitNames *names);
/* Whether threads share the work of a step's kernel; false for steps of oneDNN. */
bool kernel_is_shared(const KernelSet *set, uint32_t step);
/* The function that a step of target C calls, which other steps may call as well. */
const char *kernel_name(const KernelSet *set, uint32_t step);
/* The call of a step's kernel, for a row of calls: kernel, the list args, and what its comment says: label, title, index. In a loop over `i` it
 * stands for every `period`-th step from this on; 0: it is in none. With `places`, operands in the workspace have names of it. */
void bind_kernel_call(const KernelSet *set, uint32_t step, uint32_t period, Places *places,
                      Bindings *call);
/* Whether the step `period` times `times` behind this one can be the same call in a loop: the same kernel, whose operands move on as far each
 * time as they do from this step to the one `period` behind it. */
bool kernel_call_repeats(const KernelSet *set, uint32_t step, uint32_t period, uint32_t times);

/* NAME_kernels.h, complete. */
void emit_kernel_header(const KernelSet *set, Text *out);
/* 0: no kernel is needed. */
uint32_t kernel_files(const KernelSet *set);
/* NAME_kernels_K.c, complete. */
void emit_kernel_file(const KernelSet *set, uint32_t file, Text *out);
/* NAME_helpers.h, which these include where there are several: what kernels call. */
void emit_kernel_helpers(const KernelSet *set, Text *out);
/* The files that they include, with functions that several kernels have. */
const Algorithms *kernel_algorithms(const KernelSet *set);
/* The macros in front of kernels, in any file that holds some: what they are compiled for besides the least CPU. `lanes`: floats in a
 * register of the CPU planned for, 0 where none was. */
void emit_clones_head(Arena *arena, int lanes, Text *out);
