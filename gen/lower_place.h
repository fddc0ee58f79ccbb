/* Destinations and views: see lower_place.c. */
#ifndef DNNLC_LOWER_PLACE_H
#define DNNLC_LOWER_PLACE_H

#include "lower.h"

/* Fills l->dest and l->port_buffer. */
void assign_destinations(Lowering *l);
bool has_destination(const Lowering *l, ValueId v);
/* A view of v's destination, which becomes its primary buffer; NO_BUFFER if it has none or of another layout. */
BufferId lower_at_destination(Lowering *l, ValueId v, const Layout *layout);
/* v has been written, and to its destination. */
bool is_at_destination(const Lowering *l, ValueId v);

/* Nodes that need no step: all operands of a Concat are where it wants them; parts of a Split or Slice are views. */
bool concat_in_place(Lowering *l, const Node *n);
bool split_is_views(Lowering *l, const Node *n);
bool slice_is_view(Lowering *l, const Node *n);

/* lower_reshape.c: the layout in which Reshape(x) is the same memory as x in `layout`; false if there is none. */
bool reshape_view(const TensorType *from, const Layout *layout, const TensorType *to,
                  Layout *result);

#endif
