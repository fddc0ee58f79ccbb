/* Lowering: from the partitioned graph to a program of steps over buffers with layouts.
 *
 * The folder lower: in comes a partitioned graph with the layouts that were chosen, out goes a program whose memory is not yet planned. */
#pragma once

#include "context.h"

/* What choosing layouts and lowering both begin with. */
Lowering lower_begin(Graph *g, Program *p, DnnlEngine *engine, const LowerOptions *options);
/* lower: fills p, of which only the origin is kept. Returns false after a refusal. engine NULL: everything goes to the C target. */
bool lower_program(Graph *g, Program *p, DnnlEngine *engine, const LowerOptions *options);

/* Between the files of lowering. */
/* lower/values.c */
Step *lower_new_step(Lowering *l, Target target);
BufferId lower_arena_buffer(Lowering *l, ValueId v, TensorType type, Layout layout, size_t bytes);
/* A part of `base`, `offset` bytes from its start, as the buffer of v; lower_view_as: its primary one. */
BufferId lower_new_view(Lowering *l, BufferId base, size_t offset, ValueId v, Layout layout);
BufferId lower_view_as(Lowering *l, BufferId base, size_t offset, ValueId v, Layout layout);
BufferId lower_scratch_buffer(Lowering *l, size_t bytes);
/* With its row pitch, if it is a part of a wider tensor. */
Layout lower_actual_layout(const Lowering *l, ValueId v);
/* Adds the step that copies `from` to `to`, which differ in layout only. */
void lower_add_reorder(Lowering *l, BufferId from, BufferId to);
/* Adds the step of C that copies all of `from`. */
void lower_add_copy(Lowering *l, BufferId from, BufferId to);
/* lower/loops.c: the order with the nodes of each loop together; where v is read for the last time if some read it at `at`; the steps of a
 * LoopBegin or LoopEnd. */
const uint32_t *lower_loops_together(const Loops *loops, Arena *arena, const uint32_t *order,
                                     uint32_t n_nodes);
uint32_t lower_loops_last_use(const Lowering *l, ValueId v, uint32_t at);
void lower_loop_ends(Lowering *l, NodeId id);
/* lower/target_c.c */
bool lower_c_node(Lowering *l, NodeId id);
/* A fused elementwise group: its arguments in slot order, one output. It may have a row pitch. Or a kernel with its epilogue. */
bool lower_c_group(Lowering *l, const Composite *c);
/* A sum of rows with a norm behind: its arguments in slot order, one output, all row-major. */
bool lower_sum_norm(Lowering *l, const Composite *c);
/* lower/target_dnnl.c */
/* Convolutions may work on parts of wider tensors where oneDNN (or Winograd's method) does so at full speed. */
bool lower_dnnl(Lowering *l, NodeId id, const Composite *c);
bool lower_parts(Lowering *l, const Composite *c);
/* lower/share.c: constants that are parts of others have their place there. */
void lower_share_constants(Program *p);
/* lower/forms.c: decides which layers of variants compute in a form that others store, when all steps are there. False: none gives way. */
bool lower_share_forms(Lowering *l);
/* lower/rounding.c: fills Step.rounds, when all steps are there. */
void lower_mark_rounding(Program *p);
/* threads.c: how many threads the program has, and which kernels of C they share. */
void lower_choose_threads(Lowering *l);
/* lower/view.c */
void lower_view(Lowering *l, const Node *n);
/* A Transpose costs nothing where its operand lies in memory as the result is to, or all readers can take it so. */
bool lower_transpose_is_view(const Lowering *l, const Node *n);
void lower_transpose_view(Lowering *l, const Node *n);
