/* Tests of emitted kernels: a graph of nodes becomes one unit of the portable C target, which is
 * compiled, run in a process of its own and compared with the reference evaluator.
 *
 *     Harness *h = harness_new("softmax");
 *     ValueId x = harness_input(h, DT_F32, 2, (int64_t[]){3, 1000}, -5, 5);
 *     harness_node(h, OP_Softmax, &x, 1, 1, (Attr[]){ATTR_I("axis", 1), ATTR_I("axis_end", 2),
 * ATTR_END}); …                                  // many nodes: one compilation for all of them
 *     assert_int_equal(harness_run(h), 0);
 *
 * The unit is compiled twice, warnings being errors: by $KERNEL_CC (gcc), and by
 * $KERNEL_CHECK_CC (clang) with the address and undefined-behaviour sanitizers. Buffers are
 * allocations of exactly their size. KERNEL_KEEP=1 leaves the files in place and prints where. */
#pragma once

#include "../gen/emit/c/emit_c.h"

typedef struct Harness Harness;

Harness *harness_new(const char *name);
Arena *harness_arena(Harness *h);
Graph *harness_graph(Harness *h);
uint64_t harness_random(Harness *h);                       /* the same numbers in every run */
int64_t harness_range(Harness *h, int64_t lo, int64_t hi); /* both inclusive */

/* A graph input with random elements in [lo, hi] (integers and bool: whole numbers). */
ValueId harness_input(Harness *h, DType t, int rank, const int64_t *dims, double lo, double hi);
/* A graph input, or a constant in the weights section, with these elements (copied). */
ValueId harness_data(Harness *h, TensorType type, const void *data);
ValueId harness_const(Harness *h, TensorType type, const void *data);

/* Adds a node as one step. Attributes end with ATTR_END; NULL: none. Returns NO_NODE, and counts a
 * failure, if it is refused. Its first output is harness_out(h, id). */
NodeId harness_node(Harness *h, Op op, const ValueId *in, uint32_t n_in, uint32_t n_out,
                    const Attr *attrs);
/* The same, but a refusal by the shape function is no failure. */
NodeId harness_try_node(Harness *h, Op op, const ValueId *in, uint32_t n_in, uint32_t n_out,
                        const Attr *attrs);
ValueId harness_out(Harness *h, NodeId id, uint32_t k);
/* The nodes added between these two make one step (a fused elementwise group); only the last one's
 * output is stored. */
void harness_begin_group(Harness *h);
void harness_end_group(Harness *h);

/* For the outputs of nodes added afterwards: |out - ref| <= atol * max(1, max |ref|) + rtol *
 * |ref|. Integers: 0, 0 means equal. At first 1e-5, 1e-6 for f32 and f64, 2e-3 for f16 and 2e-2 for
 * bf16 added to both, nothing for integers. */
void harness_tolerance(Harness *h, double rtol, double atol);
/* The layout in memory of a value (plain if this is not called); the contents are permuted for the
 * kernel and back. */
void harness_layout(Harness *h, ValueId v, Layout layout);
/* Compiles the unit as users do, with -O3 and for several instruction sets. It takes some time: not for every test. */
void harness_optimise(Harness *h);
/* As planned for so many floats in a register. */
void harness_lanes(Harness *h, int lanes);
/* Lets the step of node `id` write its first output over its input k (which nobody else may read
 * afterwards). */
void harness_in_place(Harness *h, NodeId id, uint32_t k);

/* The step added last is computed so, numbers that are 0 being what they usually are; its layouts have been set. */
void harness_plan(Harness *h, CPlan plan);
/* Whether it can be. */
bool harness_fits(Harness *h, CPlan plan);

/* Emits, compiles, runs, compares, frees. Returns the number of failures and prints each. */
int harness_run(Harness *h);
