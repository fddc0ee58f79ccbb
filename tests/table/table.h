/* The smallest graphs of the entries of the pattern table, made from the table itself. An entry is an alternative of an
 * anchor's pattern with an alternative of what is appended to it. */
#pragma once

#include "../../gen/dnnl/plan.h"
#include "../../passes/pattern/pattern.h"
#include "../../passes/pattern/table.h"
#include "../pipeline/maker.h"

/* How a binary operand is spread; for other post-ops the first one. */
typedef enum Spread { SPREAD_SCALAR, SPREAD_CHANNEL, SPREAD_FULL, SPREADS } Spread;

typedef struct Appended {
    AppendKind kind;
    const Pattern *pattern; /* one operator */
    Spread spread;
} Appended;

/* The alternatives of a pattern whose root is an operator. */
size_t alternatives(Arena *arena, const Pattern *p, const Pattern ***list);

/* What the primitive has to take for it; 0 for a bias. */
unsigned asked_of(const Appended *a);

ValueId new_input(Maker *m, TensorType t);
/* A value of the right shape; `by_step`: made by a step of oneDNN, otherwise an input. */
ValueId make_source(Maker *m, const Pattern *anchor, bool by_step);
/* The anchor's node over x; NO_VALUE, with a message in the graph's diag, if nobody has written one for its operator. `bias`:
 * with a bias of its own if it may have one. */
ValueId make_anchor(Maker *m, const AnchorRow *row, const Pattern *anchor, ValueId x, bool bias);
/* Spelling k of attention: its name, and whether it is one; the graph from its inputs to its result. */
size_t attention_spellings(void);
const char *attention_name(size_t k);
bool attention_fits(size_t k);
ValueId make_spelled_attention(Maker *m, size_t k);
/* The same for sums with a norm behind; each spelling is one of a row of the table. */
size_t sum_norm_spellings(void);
const char *sum_norm_name(size_t k);
const char *sum_norm_row(size_t k);
bool sum_norm_fits(size_t k);
ValueId make_spelled_sum_norm(Maker *m, size_t k);
/* A 1x1 convolution whose result does not fit a cache of so many bytes twice, and has 512 KiB at least. */
ValueId make_pointwise(Maker *m, size_t cache);
/* The node appended to y. `safe`: y is brought to where the function is smooth before, by other post-ops. */
ValueId make_appended(Maker *m, const AnchorRow *row, const Appended *a, ValueId y, bool safe);
/* Whether `safe` makes a difference. */
bool has_poles(const Pattern *p);
