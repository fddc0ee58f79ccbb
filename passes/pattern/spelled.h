/* match-spelled: what its two files share. */
#pragma once

#include "match.h"

/* What replaces the root of a match; NO_VALUE: the builder refuses. */
ValueId spelled_build(Graph *g, const char *builder, const Match *m, const Node *root);
