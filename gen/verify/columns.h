/* The part of the verifier that looks at columns. */
#ifndef DNNLC_VERIFY_COLUMNS_H
#define DNNLC_VERIFY_COLUMNS_H

#include "../graph/columns.h"

bool verify_columns(const Graph *g, Arena *scratch);
bool verify_region_lists(const Graph *g, Arena *scratch); /* verify/regions.c */

#endif
