/* The public header of an emitted model. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $upper$_WORKSPACE_SIZE_VALUE 64
#define $aligned$
#define $none$
#define $decl$ const float *x;
#define $about$ f32[1]
#define $n_primitives$ 1
#define $n_slots$ 1
#define $selftest$ 64
#define $state$ $upper$_STATE_x,
#define $extents$(x) x
#define $extent$ batch
#define $n_variants$ 2
#define $workspace$ 64
#define $weights$ 64
#define $bound$ $upper$_ROWS
#define $most$ 4
#define $name$_weights_size 64
#define $tensor$ $upper$_IN_X
#define $scale$ 0.5f
#define $zero_point$ 0
//@begin
$banner$
#ifndef $guard$
#define $guard$

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that the caller provides for each context, their alignment, and bytes of the weights. */
#define $upper$_WORKSPACE_SIZE ((size_t)$workspace$)
#define $upper$_WORKSPACE_ALIGN ((size_t)64)
#define $upper$_WEIGHTS_SIZE ((size_t)$weights$)

//@if has_fallback
/* Weights may need a buffer for another layout on another CPU: see $name$_fallback_size. Not with --target c. */
#define $upper$_HAS_FALLBACK 1

//@end
//@if selftest
/* $name$_selftest is there, and wants so many bytes. */
#define $upper$_SELFTEST_SIZE ((size_t)$selftest$)

//@end
typedef enum $name$_status {
//@if selftest
    $upper$_MISMATCH = -1, /* of $name$_selftest only */
//@end
    $upper$_OK = 0,
    $upper$_BAD_ARGUMENT, $aligned$/* $bad_argument$ */
//@if has_fallback
    $upper$_OUT_OF_MEMORY,   /* an allocation in init failed, or the fallback buffer is too small */
    $upper$_UNSUPPORTED_CPU, /* no implementation of a layer on this CPU */
    $upper$_RUNTIME_ERROR    /* a primitive failed while running */
//@end
} $name$_status;

//@if bounded
/* Dimensions that are at most so much: how large each is comes with the inputs, or is a state, and is checked before anything is written. */
//@for bounds
#define $bound$_MAX ((int64_t)$most$)
//@end

//@end
//@if stepped
/* What bytes stand for: value = (byte - ZERO_POINT) * SCALE; a byte is the nearest whole number to value / SCALE + ZERO_POINT, saturated. The library
 * itself has no use for these numbers. */
//@for steps
#define $tensor$_SCALE $scale$
#define $tensor$_ZERO_POINT ($zero_point$)
//@end

//@end
/* Tensors are dense and row-major, aligned as their element type asks for. They belong to the caller, must not overlap, and are
 * read or written during $name$_run only; after a failure outputs are undefined. */
typedef struct $name$_inputs {
//@for inputs
    $decl$ /* $about$ */
//@end
//@if no_inputs
    char none; /* $none$ */
//@end
} $name$_inputs;

typedef struct $name$_outputs {
//@for outputs
    $decl$ /* $about$ */
//@end
//@if no_outputs
    char none; /* the model has no outputs but its states */
//@end
} $name$_outputs;

//@if selectable
/* The model was compiled for several sizes; which ones each is for. */
#define $upper$_VARIANTS $n_variants$

typedef struct $name$_variant {
//@for extents
    int64_t $extent$;
//@end
} $name$_variant;

extern const $name$_variant $name$_variants[$upper$_VARIANTS];

/* The number of the variant of exactly these sizes, or of the one with the least product of sizes that has room for them; -1: there is none. */
int $name$_find($extents$(int64_t $extent$));
int $name$_fit($extents$(int64_t $extent$));

//@end
//@if states
/* What a context keeps from one run to the next: numbers of $name$_state. */
enum {
//@for states
    $state$ /* $about$ */
//@end
    $upper$_STATES
};

//@end
typedef struct $name$_config {
    /* At least $upper$_WORKSPACE_SIZE bytes, $upper$_WORKSPACE_ALIGN-aligned; belongs to the context until $name$_fini. */
    void *workspace;
    size_t workspace_size;
    /* NULL: the embedded ones; otherwise $upper$_WEIGHTS_SIZE bytes, 64-byte aligned. */
    const void *weights;
    size_t weights_size;
//@if has_fallback
    /* $name$_fallback_size() bytes, 64-byte aligned; NULL where that is 0. */
    void *fallback;
    size_t fallback_size;
    /* 0: as many as the model was compiled for, or fewer if OpenMP offers fewer. */
    int threads;
//@end
//@if selectable
    /* 0: all variants are prepared; 1 + K: only variant K is, in less time. */
    int variant;
//@end
} $name$_config;

//@if dnnl
struct dnnl_engine;
struct dnnl_stream;
struct dnnl_primitive;
struct dnnl_memory;

//@end
/* Caller-owned; valid from a successful $name$_init to $name$_fini. Its members are not for users. */
typedef struct $name$_context {
    unsigned char *workspace;
    const unsigned char *weights;
    const char *error, *error_layer;
    void (*trace)(void *user, unsigned layer);
    void *trace_user;
    uint64_t mark; /* of a context that is initialised */
//@if variants
    unsigned variant, first, end; /* which one runs; those that are prepared */
//@end
//@if states
    unsigned turn; /* 1: the second copy of the states is what the next run reads */
//@end
//@if dnnl
    int threads;
    struct dnnl_engine *engine;
    struct dnnl_stream *stream;
    struct dnnl_primitive *primitive[$n_primitives$];
    struct dnnl_memory *memory[$n_slots$];
//@end
} $name$_context;

//@if has_fallback
/* Bytes that $name$_init needs besides the workspace on this CPU: 0 on the kind the model was compiled for. */
size_t $name$_fallback_size(void);

//@end
/* Prepares a context, which may be any memory. After a failure it holds nothing but the error; $name$_fini is not needed. A context that
 * is initialised is refused and stays as it is. */
$name$_status $name$_init($name$_context *ctx, const $name$_config *config);

//@if selectable
/* Chooses what $name$_run computes from now on, of the variants that are prepared: 0, or the only one, before. It takes no time. */
$name$_status $name$_select($name$_context *ctx, int variant);

//@end
/* One inference. Contexts are independent of each other and may run in different threads. */
$name$_status $name$_run($name$_context *ctx, const $name$_inputs *in, const $name$_outputs *out);

/* Where in the workspace input or output number i, as the structs above have them, can stand: what $name$_run is to be given for it, after the input
 * was written there, or before the output is read there; NULL where there is no room. Runs use these places for other things as well: an input has to
 * be written before each run, and outputs are there until the next inputs are written. */
void *$name$_input(const $name$_context *ctx, unsigned i);
void *$name$_output(const $name$_context *ctx, unsigned i);

//@if states
/* Sets all states to 0, as $name$_init does. */
void $name$_reset($name$_context *ctx);

/* Where state number `state` stands: what the next run reads, to be looked at, saved or set. The place is right until the next $name$_run,
 * which changes the states only when it succeeds. *bytes, unless bytes is NULL, becomes its size. NULL: there is no such state. */
void *$name$_state(const $name$_context *ctx, unsigned state, size_t *bytes);

//@end
//@if has_fallback
/* Releases what $name$_init has made; the context's memory, workspace and fallback buffer are the caller's again. */
//@else
/* Ends the use of a context; its memory and the workspace are the caller's again. */
//@end
void $name$_fini($name$_context *ctx);

/* The reason of the first failure since $name$_init and the layer it happened in; "" if there is none. */
const char *$name$_error(const $name$_context *ctx);
const char *$name$_error_layer(const $name$_context *ctx);

/* Has fn(user, layer) called after every layer of $name$_run; NULL, the default, switches it off. */
void $name$_set_trace($name$_context *ctx, void (*fn)(void *user, unsigned layer), void *user);

//@if selftest
/* Runs the model on inputs made by a generator and compares with what the compiler's reference evaluator made of them: MISMATCH if an output is
 * not as it was, whose number, in the order of $name$_outputs, *output becomes. `memory` has $upper$_SELFTEST_SIZE bytes, is 64-byte
 * aligned, and is for inputs and outputs; it is free again afterwards. Of several variants it is the one that $name$_run would run. */
$name$_status $name$_selftest($name$_context *ctx, void *memory, size_t size, size_t *output);

//@end
#ifdef __cplusplus
}
#endif

#endif
