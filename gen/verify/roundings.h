/* What a model makes of roundings: how far its outputs move when what its nodes make is off by about as much. */
#pragma once

#include "../eval/eval.h"

/* By output: the largest difference, as a part of its largest element, from `outputs` when `made` has changed what nodes make. In g's arena; NULL after a refusal. */
double *outputs_moved(const Graph *g, const Tensor *inputs, const Tensor *outputs,
                      void (*made)(void *user, ValueId v, Tensor *t), void *user);
/* … when each float that a node makes, and that is no whole number, is the one beside it. */
double *outputs_rounded(const Graph *g, const Tensor *inputs, const Tensor *outputs);
/* Adds a random number from -most to most to a share of the elements; integers stay whole. */
void disturb(Tensor *t, double most, double share, uint64_t seed);

/* How often as far as this a right answer may be: what is seen once by chance is not the most that can be. */
enum { ROUNDINGS_SAFETY = 4 };
