/* What the files of families of primitives share: describe_FAMILY.c has for each row of primitives.def which nodes oneDNN takes, when C is
 * quicker, and how it is described. */
#ifndef DNNLC_DNNL_FAMILY_H
#define DNNLC_DNNL_FAMILY_H

#include "describe.h"

/* Whether oneDNN computes the node as ONNX defines it; otherwise *why says what stands against it. */
typedef bool SupportFn(const Graph *g, const Node *n, const char **why);
/* Why portable C is quicker: nodes so small that they are over before oneDNN has been called. Where that ends are figures of the machine
 * (docs/machine.md). NULL: it is not. */
typedef const char *SmallFn(const Machine *m, const Graph *g, const Node *n);
/* Puts the primitive together. */
typedef bool DescribeFn(Describe *d);

#define PRIMITIVE(name, supports, least, most, worth, bytes, small, describe, ...)                 \
    SupportFn supports_##supports;                                                                 \
    SmallFn small_##small;                                                                         \
    DescribeFn describe_##describe;
#include "primitives.def"

typedef struct PrimitiveRow {
    SupportFn *supports;
    int least, most; /* dimensions of the first operand; most is 0: any */
    bool worthwhile, bytes;
    SmallFn *small;
    DescribeFn *describe;
} PrimitiveRow;
const PrimitiveRow *onednn_row(Op op);

/* support.c: false, with this reason. */
bool no(const char **why, const char *reason);
bool any_below(const int64_t *v, size_t n, int64_t limit);
bool any_above(const int64_t *v, size_t n, int64_t limit);
bool wanted(const Node *n, uint32_t k); /* output k */
/* Terms of a mean that oneDNN may compute. Its norms of groups and its pools add them up in f32 one after the other, so that a sum of n may
 * be n 2^-24 of itself off: this many stay within the 1e-3 that --check allows. A plane of 480 x 640 that was normalised was 1e-3 off, and 3e-3
 * with two threads; the mean of one of 2048 x 2048 was 2 % off. C adds in parts (docs/accuracy.md). */
enum { LONGEST_SUM = 1 << 14 };

#endif
