/* What the emitters of the driver and of both kinds of units agree on.
 *
 * Every unit's functions get the pointers through one struct, emitted into NAME_internal.h:
 *
 *     struct NAME_memory {
 *         unsigned char *workspace;       // NAME_WORKSPACE_SIZE bytes
 *         const unsigned char *weights;
 *         const void *const *in;          // the caller's inputs, in the model's order
 *         void *const *out;               // the caller's outputs
 *         void (*trace)(void *user, unsigned layer);   // called after layer `layer`, if not null
 *         void *trace_user;
 *     };
 *
 * and functions workspace_at and weights_at, which give what lies at an offset.
 *
 * A unit of the C target has one function, `void NAME_c_K(const struct NAME_memory *m);`, a unit of oneDNN two,
 * `_layers`, which gives the table of what creates them, and `_run`. After each step with index `layer` in Program.steps the unit's run function calls
 * `NAME_trace(m, layer)`, which calls `trace` if that is not null. */
#pragma once

#include "../base/quote.h"
#include "../base/template.h"
#include "../program/program.h"
#include "../program/step.h"

typedef struct EmitNames {
    const char *name;   /* --name, a C identifier: prefix of everything global */
    const char *upper;  /* the same in capitals, for macros */
    const char *banner; /* the comment at the head of every emitted file, complete */
    int threads;
    bool weights_in_file;
} EmitNames;

/* The buffer that has the memory of this one, which is `offset` bytes behind that one's section of workspace, weights or port. */
const Buffer *buffer_root(const Program *p, BufferId id, size_t *offset);
/* That offset. */
size_t buffer_offset(const Program *p, BufferId id);
/* How many bytes `to` is behind `from`, if they are parts of one section of memory. */
bool buffer_distance(const Program *p, BufferId from, BufferId to, int64_t *bytes);
/* The C expression for the address of a buffer inside a run function, a pointer to void:
 * "workspace_at(m, 4096)", "m->out[0]". */
const char *buffer_expr(Arena *arena, const Program *p, BufferId b, bool is_const);
/* The same in a loop over `i`, in which it moves on by `step` bytes. */
const char *buffer_expr_in_loop(Arena *arena, const Program *p, BufferId b, bool is_const,
                                int64_t step);

/* "workspace_at(m, CONV_3_DST + 64 * i)": a place by its name, in a loop if `step` is not 0. */
const char *workspace_expr(Arena *arena, const char *place, int64_t step);

/* "Conv 'conv_1' + Relu" */
const char *step_title(Arena *arena, const Program *p, const Step *s);
/* What stands above a step, a list "about" of `line`s: op, ONNX node name (made safe for a comment), shapes and layouts. */
void bind_step_comment(Arena *arena, Bindings *b, const Program *p, const Step *s);

/* "3 more layers" as `more`; nothing if there are none. */
void bind_more_layers(Bindings *b, uint32_t more);

/* Calls of steps stand in blocks, rows of the list "blocks": a list "guards" with one `condition` or none, and a list "calls" that the caller
 * fills. This begins one with the condition of step s; another step needs a new one unless guard_same_block(). */
Bindings *bind_block(const Program *p, Bindings *b, const Step *s);

/* Renders a template behind an empty line. */
void put_part(Text *out, const char *path, const Bindings *b);
/* emit/wrap.c: appends a complete file, with lines broken again where they are longer than 100 columns or need not be broken. */
void wrap_lines(Text *out, Arena *arena, const char *text);
