/* What the emitters of oneDNN units share. */
#ifndef DNNLC_EMIT_DNNL_H
#define DNNLC_EMIT_DNNL_H

#include "dnnl_plan.h"
#include "emit.h"
#include "emit_c_helpers.h"

/* Where a buffer is: offset from its root, and the root. */
const Buffer *dnnl_place(const Program *p, BufferId id, size_t *offset);
/* The call that makes a memory row's descriptor, and the one that makes the memory object of packed weights. */
const char *dnnl_desc_call(Arena *arena, const Program *p, const DnnlPrimitive *d,
                           const DnnlMemory *m);
const char *dnnl_weights_call(Arena *arena, const Program *p, const DnnlMemory *m, uint32_t slot);

/* emit_dnnl_winograd.c: the functions of a unit's Winograd layers. Layers that end alike share the last one. */
uint32_t winograd_slots(const DnnlWinograd *w);
/* Whether a unit has Winograd layers, and the C helpers that they need. */
bool winograd_needs(const Emit *e, uint32_t region, CHelpers *helpers);
void emit_winograd(const Emit *e, const Step *s, uint32_t index, Text *out);

#endif
