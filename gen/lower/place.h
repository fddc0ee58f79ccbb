/* Destinations and views: see lower/place.c. */
#pragma once

#include "lower.h"

/* Fills l->dest and l->port_buffer. */
void assign_destinations(Lowering *l);
bool has_destination(const Lowering *l, ValueId v);
/* A view of v's destination, which becomes its primary buffer; NO_BUFFER if it has none or of another layout. */
BufferId lower_at_destination(Lowering *l, ValueId v, const Layout *layout);
/* A place for a row-major copy of v, which is an output of the model: the output. NO_BUFFER if it is none, or taken. */
BufferId lower_copy_at_port(Lowering *l, ValueId v, const Layout *layout);
/* v has been written, and to its destination. */
bool is_at_destination(const Lowering *l, ValueId v);

/* Nodes that need no step: all operands of a Concat are where it wants them; parts of a Split or Slice are views. */
bool concat_in_place(Lowering *l, const Node *n);
bool split_is_views(Lowering *l, const Node *n);
bool slice_is_view(Lowering *l, const Node *n);

/* The layout of the operands or parts of `whole`, in this layout, along an axis; false if they cannot stay where they are. */
bool lower_part_layout(const Lowering *l, const Layout *layout, ValueId whole, int axis,
                       Layout *part);
/* Whether parts with a row pitch are better than a kernel for this Concat, Split or Slice, of a whole in this layout. Where
 * channels do not stand last, all that make the parts, or read them, have to take them as they are. */
bool lower_row_pitch_pays(const Lowering *l, const Node *n, const Layout *whole);
/* The one axis that a Slice cuts, without steps; -1: none, or several. */
int lower_slice_axis(const Graph *g, const Node *n);

/* lower/reshape.c: the layout in which Reshape(x) is the same memory as x in `layout`; false if there is none. */
bool reshape_view(const TensorType *from, const Layout *layout, const TensorType *to,
                  Layout *result);
