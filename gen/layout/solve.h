/* Choosing a label for each of many variables so that the sum of their costs is least, where costs are of one variable or of
 * two at a time. Knows nothing of what the labels mean. */
#pragma once

#include "../base/base.h"

typedef struct Problem Problem;

Problem *problem_new(Arena *arena);
/* A variable with n_labels labels; cost[label] is what each costs by itself. INFINITY: it must not be. Returns its number. */
uint32_t problem_variable(Problem *p, uint32_t n_labels, const double *cost);
/* What two different variables cost together: cost[label of a * n_labels of b + label of b]. */
void problem_pair(Problem *p, uint32_t a, uint32_t b, const double *cost);
/* The sum of all costs with these labels. */
double problem_cost(const Problem *p, const uint32_t *label);
/* Replaces label[] (by variable; allowed on entry, which matters only where the problem is too entangled to be solved exactly) by
 * the best labels. Returns whether nothing can be better. Equal problems have equal solutions. */
bool problem_solve(const Problem *p, uint32_t *label);
