/* The part of the verifier that looks at columns. */
#pragma once

#include "../graph/columns.h"

bool verify_columns(const Graph *g, Arena *scratch);
bool verify_region_lists(const Graph *g, Arena *scratch); /* verify/regions.c */
/* Refuses, naming the file. Returns false. */
