/* What the emitters of oneDNN units share. */
#pragma once

#include "../../base/template.h"
#include "../../dnnl/plan.h"
#include "../c/helpers.h"
#include "../emit.h"

/* Whether the caller gives the memory, which may be elsewhere at every run. */
bool onednn_is_port(const Program *p, BufferId id);
/* The name of a memory row's descriptor as data, for which "mds" gets a row of `name` and `md` where it is not in a table. */
const char *bind_md(Bindings *b, const Emit *e, const DnnlMemory *m, const char *name);
/* `impl`, where weights were packed for that. */
void bind_impl(Bindings *b, const Emit *e, const DnnlPrimitive *d);
/* Where the serialised descriptor of packed weights is. */
const char *plan_address(const Emit *e, const DnnlMemory *m);
/* Where the layer's scratch memory begins, as `scratch`. */
void bind_scratch_start(const Emit *e, const Step *s, Bindings *b);
/* The arguments of a primitive without its scratch memory, "arguments", their number n_args, and where the `memory` of the first is. */
void bind_arguments(const Emit *e, const Step *s, const DnnlPrimitive *d, Bindings *b);
/* The call that makes the memory object of packed weights. */
const char *onednn_weights_call(const Emit *e, const DnnlMemory *m, const char *slot);

/* emit/dnnl/alike.c: what may differ between layers whose functions are the same. */
typedef enum PlaceType {
    PLACE_INDEX, /* in the context */
    PLACE_INT,
    PLACE_OFFSET, /* or a size, in bytes or elements */
    PLACE_DIM,
    PLACE_FLOAT,
    PLACE_ALGORITHM,
    PLACE_TEXT,
    PLACE_MD,
    PLACE_WINDOW,
    PLACE_PANEL,
    PLACE_FINISH,
    PLACE_TO_END,
} PlaceType;
/* Members of a struct that have such a place, under their own names. */
typedef struct PlaceNumber {
    const char *name;
    int64_t value;
    PlaceType type;
} PlaceNumber;
#define PLACE_OF(row, member, type) ((PlaceNumber){#member, (int64_t)(row)->member, type})
/* `value`, which is C text, or a member of the layer's row, "at->kind". */
const char *place_value(const Emit *e, PlaceType type, const char *kind, const char *value);
const char *place_int(const Emit *e, PlaceType type, const char *kind, int64_t value);
/* The same; NULL where it is to be written out. */
const char *place_member(const Emit *e, PlaceType type, const char *kind, const char *value);
/* An index in the context, `i` behind `first`; an offset in bytes, alone or behind an address; a buffer as buffer_expr has it. */
const char *place_index(const Emit *e, const char *kind, uint32_t first, uint32_t i);
const char *place_offset(const Emit *e, const char *kind, size_t offset);
const char *place_address(const Emit *e, const char *root, const char *kind, size_t offset);
const char *place_operand(const Emit *e, const char *kind, BufferId id, bool is_const);
/* A tensor of the layer, by its argument. */
void bind_tensor_address(const Emit *e, const Step *s, int arg, const char *name, Bindings *b);
/* A row of "fields", of which `field` has the C text `value`; a shape `varies` where one is a member of the layer's row, and is a constant
 * otherwise: "shape". */
void bind_field(Bindings *b, const char *field, const char *value, bool *varies);
void bind_fields(const Emit *e, Bindings *b, const PlaceNumber *numbers, size_t n, bool *varies);
void bind_constant(const Emit *e, Bindings *b, bool varies);
/* What the functions of the layer that is being written are called. */
const char *layer_label(const Emit *e);
/* The first layer of the file that has the functions of this one. */
uint32_t first_layer_alike(const Emit *e, uint32_t step);
/* How many layers of the file have its functions. */
uint32_t count_layers_alike(const Emit *e, uint32_t step);
/* Whether oneDNN computes all of them by the same implementation. */
bool planned_alike(const Emit *e, uint32_t step);
/* The functions of this layer, which is the first, and of those like it in the file, with a table of what differs. */
void emit_layers_alike(Emit *e, uint32_t step, Text *out);
/* emit/dnnl/emit_dnnl.c: a layer's own functions. */
void emit_layer(const Emit *e, uint32_t step, Text *out);

/* emit/dnnl/post.c: what the loop of a Winograd layer or of one with a epilogue does with a result `v` before it is stored, one
 * statement a line: the bias (if the product has not added it), then its post-ops, rounded where the step does that; the helpers that it calls; its operands as
 * parameters and arguments, and how many there are. */
const char *post_text(const Emit *e, const Step *s);
void post_text_needs(const char *text, CHelpers *helpers);
/* It calls functions: 16 times an exponential is too much for one loop. */
bool post_text_is_long(const char *text);
uint32_t bind_operands(const Emit *e, const DnnlPrimitive *p, Bindings *b);
/* A row of "pointers": a variable `pointer` of floats at an `address`. */
void bind_pointer(Bindings *b, const char *name, const char *address);
void bind_statements(Arena *arena, Bindings *b, const char *text);
/* Whether the loop of layer `a` does the same with its results as that of `b`, which may be any step. */
bool ends_alike(const Emit *e, const Step *a, const Step *b);
/* The first layer of the file whose loop is the same: its function serves all of them. */
const Step *first_that_ends_like(const Emit *e, const Step *s);
/* What templates call the layer, its places in the context, and the parameters of its functions. */
void bind_layer(const Emit *e, const Step *s, uint32_t index, Bindings *b);

/* emit/dnnl/equal.c: init creates primitives of the layer. */
bool layer_has_primitive(const Step *s);

/* emit/dnnl/create.c: the function that creates a primitive. Its scratch memory is the step's from `scratch` on. */
void emit_create(const Emit *e, const Step *s, const DnnlPrimitive *p, size_t scratch,
                 uint32_t index, Text *out);

/* Layers that are more than one call of a primitive, and before the first layer of the file that calls them loops in C. */
void emit_epilogue_loop(const Emit *e, const Step *s, Text *out);
void emit_with_epilogue(const Emit *e, const Step *s, uint32_t index, Text *out);
/* What is in front of a file's steps for its Winograd convolutions. */
void emit_winograd_head(const Emit *e, Text *out);
void emit_winograd_output(const Emit *e, const Step *s, Text *out);
void emit_winograd(const Emit *e, const Step *s, uint32_t index, Text *out);
/* What is in front of a file's steps for its products in C, if it has any. */
void emit_panel_head(const Emit *e, Text *out);
bool file_has_pairs(const Emit *e);
bool file_has_mixed(const Emit *e);
bool file_has_panels(const Emit *e);
/* Some layer's tiles end with its bias and post-ops; the function for those of this one. */
bool file_has_ends(const Emit *e);
const char *panel_to_end_name(const Emit *e, const Step *s);
/* Where the numbers are that the layer's product goes by. */
const char *place_panel(const Emit *e, const Step *s);
/* What is in front of a file's steps for its convolutions in C. */
void emit_indirect_head(const Emit *e, Text *out);
/* Bias and post-ops of a layer, and of those that end like it, in tiles. */
void emit_indirect_end(const Emit *e, const Step *s, Text *out);
void emit_indirect(const Emit *e, const Step *s, uint32_t index, Text *out);
/* By primitives, or in C. */
void emit_attention(const Emit *e, const Step *s, uint32_t index, Text *out);
void emit_attention_in_c(const Emit *e, const Step *s, uint32_t index, Text *out);
