/* The patterns in use: those of a user's file before the built-in ones of patterns.def and
 * spelled.def. */
#pragma once

#include "match.h"

typedef enum AppendKind {
    APPEND_BIAS,
    APPEND_ELTWISE,
    APPEND_LINEAR,
    APPEND_SUM,
    APPEND_BINARY,
    APPEND_PRELU,
    APPEND_CAST,
    APPEND_DEPTHWISE,
    APPEND_SCALE,
    APPEND_QUANTIZE,
} AppendKind;

typedef enum AnchorKind {
    ANCHOR_PLAIN,
    ANCHOR_LAYER,
    ANCHOR_ATTENTION,
    ANCHOR_SUM_NORM,
    ANCHOR_SUMS
} AnchorKind;

/* What the optimised implementations of a primitive take as post-ops. */
enum {
    TAKES_RELU = 1 << 0,    /* a single Relu, nothing else */
    TAKES_ELTWISE = 1 << 1, /* elementwise functions, linear ones among them */
    TAKES_SUM = 1 << 2,     /* what stands in the destination */
    TAKES_SCALAR = 1 << 3,  /* binary, the other operand being one number, */
    TAKES_CHANNEL = 1 << 4, /* one per channel, */
    TAKES_FULL = 1 << 5,    /* or of the full shape */
    TAKES_PRELU = 1 << 6,
    TAKES_CAST = 1 << 7,      /* a result of another type, bf16 or f32 */
    TAKES_DEPTHWISE = 1 << 8, /* a depthwise convolution after the 1x1 one */
    TAKES_ALL = TAKES_ELTWISE | TAKES_SUM | TAKES_SCALAR | TAKES_CHANNEL | TAKES_FULL |
                TAKES_PRELU | TAKES_CAST,
};

typedef struct AnchorRow {
    const char *name;
    int channel; /* -1: the last dimension */
    AnchorKind what;
    unsigned takes; /* TAKES_… */
    const char *text;
    const Pattern *pattern;
} AnchorRow;

typedef struct AppendRow {
    AppendKind kind;
    const char *text;
    const Pattern *pattern;
} AppendRow;

typedef struct SpelledRow {
    Op op;
    const char *attrs;   /* "name=number name=#bound" */
    const char *builder; /* NULL: one node of the op that reads $x */
    const char *text;
    const Pattern *pattern;
} SpelledRow;

typedef struct PatternTable {
    AnchorRow *anchor;
    AppendRow *append;
    SpelledRow *spelled;
    size_t n_anchors, n_appends, n_spelled;
} PatternTable;

/* The built-in rows. */
PatternTable *pattern_table_new(Arena *arena);

/* file.c: the rows of a file, in front of those of `table`. False after a refusal
 * "FILE:LINE:COLUMN: …". The file is a sequence of
 *
 *     anchor "NAME" channel NUMBER layer|plain|attention|sum_norm|sums [takes WORD…]: PATTERN;
 *     append bias|eltwise|linear|sum|binary|prelu|cast|depthwise|scale|quantize: PATTERN;
 *     spelled OP [name=number | name=#bound]… [by BUILDER]: PATTERN;
 *
 * and of comments, from two slashes to the end of the line. */
bool pattern_file_read(Arena *arena, Diag *diag, const char *path, PatternTable *table);

/* All rows, as pattern_file_read takes them. */
void print_patterns(const PatternTable *table, Text *out);

/* By kind, and by bit; NULL after the last. */
extern const char *const anchor_kind_names[], *const append_kind_names[], *const takes_names[];

/* spelled_build.c: builder k: its name (NULL after the last), the operator it makes and the names a
 * pattern must bind for it, separated by blanks. */
const char *spelled_builder(size_t k, Op *op, const char **needs);
/* What replaces the root of a match; NO_VALUE: the builder refuses. */
ValueId spelled_build(Graph *g, const char *builder, const Match *m, const Node *root);
