/* What If, Loop and Scan share: control.c decides and unrolls, loops.c leaves a loop with one body. */
#pragma once

#include "node.h"

/* What iterations append to, to be concatenated at the end. */
typedef struct Stack {
    ValueId *v;
    size_t n, cap;
} Stack;

/* The body of a Loop or Scan: state is read and replaced, what it scans out is pushed. */
typedef struct Body {
    const Onnx__GraphProto *graph;
    size_t n_state, n_scan;
    Item *in, *out;
    Stack *stacks;
    bool unknown; /* whether it goes on after an iteration is data */
} Body;

/* Of a Scan: lists of axes and directions, one entry per scanned input or output. */
typedef struct Scanned {
    const int64_t *in_axes, *in_reverse, *out_axes, *out_reverse;
    size_t n_in;   /* scanned inputs */
    uint32_t from; /* position of the first state among the node's inputs */
    int64_t length;
    const ValueId *values; /* that are scanned */
    ValueId *results;      /* of a loop: what is carried, then what it scans out */
} Scanned;

/* The branch of an If that is being imported although it may not be taken: loops in it then do not run. */
typedef struct Branch {
    ValueId condition;
    bool when;
    const struct Branch *outer;
} Branch;

/* The scalar of a value of one element. */
ValueId control_scalar(OnnxNode *c, ValueId v);
/* A Loop's first input of the body: a scalar, as ONNX says, or one element where the body declares [1], as ONNX Runtime goes by and some
 * exporters write. */
ValueId iteration_input(OnnxNode *c, const Onnx__GraphProto *body, ValueId scalar);

/* loops.c: so many copies of the body are too much code. */
bool is_long_loop(const Onnx__GraphProto *body, int64_t trips);
/* The node as a loop: a LoopBegin, its body once, a LoopEnd. `states` are the first values of what is carried; s is NULL for a Loop. False
 * after a refusal. */
bool loop_with_body(OnnxNode *c, const Body *b, const Item *states, const Scanned *s);
/* The same; where it is refused, nothing has happened but that *why says the reason. */
bool try_loop_with_body(OnnxNode *c, const Body *b, const Item *states, const Scanned *s,
                        const char **why);
