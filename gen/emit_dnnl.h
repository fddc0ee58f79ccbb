/* What the emitters of oneDNN units share. */
#ifndef DNNLC_EMIT_DNNL_H
#define DNNLC_EMIT_DNNL_H

#include "dnnl_plan.h"
#include "emit.h"
#include "emit_c_helpers.h"
#include "template.h"

/* Where a buffer is: offset from its root, and the root. */
const Buffer *dnnl_place(const Program *p, BufferId id, size_t *offset);
/* The call that makes a memory row's descriptor, and the one that makes the memory object of packed weights. */
const char *dnnl_desc_call(Arena *arena, const Program *p, const DnnlPrimitive *d,
                           const DnnlMemory *m);
const char *dnnl_weights_call(Arena *arena, const Program *p, const DnnlMemory *m, uint32_t slot);

/* emit_dnnl_post.c: what a loop does with a result `v` before it is stored, one statement a line: the bias (if it does all),
 * then the post-ops from one on; the helpers that it calls; its operands, and one more pointer if it is not NULL, as parameters and
 * arguments. */
const char *post_text(Arena *arena, const DnnlPrimitive *p, uint32_t first_post);
void post_text_needs(const char *text, CHelpers *helpers);
void bind_operands(const Emit *e, const DnnlPrimitive *p, uint32_t first_post,
                   const char *more, Bindings *b);
void bind_statements(Arena *arena, Bindings *b, const char *text);

/* emit_dnnl.c: the function that creates a primitive. Its scratch memory is the step's from `scratch` on. */
void emit_create(const Emit *e, const Step *s, const DnnlPrimitive *p, size_t scratch,
                 uint32_t index, Text *out);
const char *dnnl_arg_name(Arena *arena, int arg);

/* emit_dnnl_tail.c: layers whose last post-ops are a loop in C. Layers that end alike share it. */
bool tails_need(const Emit *e, uint32_t region, CHelpers *helpers);
void emit_tailed(const Emit *e, const Step *s, uint32_t index, Text *out);

const char *dnnl_float(Arena *arena, float f);

/* emit_dnnl_winograd.c: the functions of a unit's Winograd layers. Layers that end alike share the last one. */
uint32_t winograd_slots(const DnnlWinograd *w);
/* Whether a unit has Winograd layers, and the C helpers that they need. */
bool winograd_needs(const Emit *e, uint32_t region, CHelpers *helpers);
void emit_winograd(const Emit *e, const Step *s, uint32_t index, Text *out);

/* emit_dnnl_attention.c: the same for attention layers. */
uint32_t attention_slots(const DnnlAttention *a);
/* Whether a unit has attention layers with masks, which are C. */
bool attention_needs(const Emit *e, uint32_t region);
void emit_attention(const Emit *e, const Step *s, uint32_t index, Text *out);

#endif
