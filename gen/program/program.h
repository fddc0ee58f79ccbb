/* The program: what the graph becomes once every decision is taken. A list of steps (one kernel or primitive
 * each) over buffers with layouts and places in memory. Emission prints it and decides nothing.
 *
 * The folder program: in come steps and buffers from lowering, or a text; out go the same, checked, with guards, and as text. */
#pragma once

#include "../graph/columns.h"
#include "../graph/layout.h"

typedef uint32_t BufferId;
#define NO_BUFFER UINT32_MAX

typedef enum BufferKind {
    BUFFER_INPUT,  /* the caller's input `port` */
    BUFFER_OUTPUT, /* the caller's output `port` */
    BUFFER_CONST,  /* in the weights section, at `offset` */
    BUFFER_ARENA,  /* in the workspace, at `offset` */
} BufferKind;

typedef struct Buffer {
    BufferKind kind;
    ValueId value; /* NO_VALUE for scratch memory */
    TensorType type;
    Layout layout;
    size_t bytes;
    size_t offset; /* bytes; a multiple of 64 for CONST and ARENA roots */
    uint32_t port;
    BufferId
        base; /* this buffer is a part of that one, `base_offset` bytes in; NO_BUFFER: its own memory */
    size_t base_offset;
    const void *data;     /* CONST: the bytes to store, already in the final layout */
    uint32_t first, last; /* no CONST: the steps between which it is used (plan-memory) */
} Buffer;

struct DnnlPrimitive; /* dnnl/plan.h */
struct CPlan;         /* kernel/plan.h */
struct Search;        /* tune/question.h */

/* A step is only made if a condition, one bool, is `when`. */
typedef struct StepGuard {
    BufferId condition;
    bool when;
} StepGuard;

typedef struct Step {
    Target target;
    uint32_t region;
    NodeId node; /* the anchor: names the layer */
    /* All nodes it computes, in topological order; several for a composite or fused group, none for a reorder. */
    const NodeId *nodes;
    uint32_t n_nodes;
    const char *
        why; /* for --explain: why C computes what oneDNN was to, or how oneDNN does; NULL: as annotated */
    const char *label; /* unique C identifier, e.g. "conv_3" */
    BufferId *in,
        *out; /* by the node's own order for a single node; by composite slots otherwise */
    uint32_t n_in, n_out;
    BufferId scratch;        /* NO_BUFFER: none needed */
    const StepGuard *guards; /* guard.h: all of them have to hold */
    uint32_t n_guards;
    bool
        rounds; /* what is quantised later: loops of C round each product that they add something to */
    size_t
        scratch_part; /* a kernel of C: bytes of it for each of the threads that may share the kernel; 0: it is one */
    struct DnnlPrimitive *dnnl; /* TARGET_DNNL */
    struct CPlan *c;            /* TARGET_C; NULL: its kernel is the only one there is */
    uint32_t slot;              /* the first of its memory objects in the context */
    uint32_t
        second; /* attention: its second primitive in the context, the third behind it; the first has the step's number */
} Step;

/* A plain copy of bytes after the last step: an output of the model that is an input, a constant or shown twice. */
typedef struct BufferCopy {
    BufferId from, to;
} BufferCopy;

/* Where a program comes from and what it was made for, as emission says it in what it writes. */
typedef struct ProgramOrigin {
    const char *model;      /* the file's name without folders */
    const char *model_hash; /* SHA-256 of it, hex */
    const char *name;       /* prefix of everything emitted */
    const char *command;    /* as given, without folders */
    const char *isa;        /* what was planned for; "any" with --target c */
    const char *machine;    /* SHA-256 of the file of --machine, hex; NULL: there is none */
    int threads;            /* the most that a run may use */
    bool dnnl;              /* false with --target c */
    bool bf16;              /* --precision bf16 */
    bool keep_denormals;    /* --denormals keep */
    bool
        rows_apart; /* the first dimension of inputs and outputs is a batch whose rows do not depend on each other, in each variant where it is more than 1 */
    const Tensor
        *golden; /* --selftest: by output, what it is for random inputs (verify/run.h); NULL */
    bool
        coarse; /* roundings of the model to the steps of a scale, or to 8 bits, may go the other way than in `golden`, and others behind them */
} ProgramOrigin;

typedef struct Program {
    const Graph *graph;
    ProgramOrigin origin;
    bool lowered, placed; /* lower, plan-memory have run */
    Arena *arena;
    Buffer *buffers;
    uint32_t n_buffers;
    size_t cap_buffers;
    /* In order of execution; the steps of one region stand together. A region of oneDNN may have C kernels in between that
     * hand elements on. */
    Step *steps;
    uint32_t n_steps;
    size_t cap_steps;
    BufferCopy *copies;
    uint32_t n_copies;
    size_t cap_copies;
    Region *regions; /* units: one translation unit each */
    uint32_t n_regions;
    uint32_t *unit_start; /* n_regions + 1: the first step of each unit */
    int threads; /* that C kernels may share their work between: oneDNN's, 1 where nothing calls it */
    int lanes; /* floats in a register of the tiles in C: 16, 8; 1: a small core without floats; 0: not known */
    struct Search *search; /* whom planners of kernels ask; NULL: nobody */
    uint32_t n_slots;      /* memory objects of all steps */
    uint32_t n_primitives;
    const char *layouts; /* for --explain: how the layouts were chosen; NULL: there was no choice */
    size_t workspace_bytes; /* plan-memory */
    size_t live_bytes;      /* the most that is alive during one step: no plan can do with less */
    size_t weights_bytes;
} Program;

/* What b is a part of, and where it begins in it, if that is asked for. */
static inline BufferId root_buffer(const Program *p, BufferId b, size_t *offset)
{
    size_t at = 0;
    for (; p->buffers[b].base != NO_BUFFER; b = p->buffers[b].base)
        at += p->buffers[b].base_offset;
    if (offset)
        *offset = at;
    return b;
}

/* program/check.c: that steps read what was written for them and write only where nothing is still wanted; once memory is planned,
 * that everything has its place. False after a refusal that names what is violated: text comes from users too. */
bool verify_program(const Program *p);
