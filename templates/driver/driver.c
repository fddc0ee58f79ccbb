/* Init, run and fini of an emitted model. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_hash.h"
#include "../../runtime-stub/dnnlc_onednn.h"
#include "header.h"
#define $internal$ "internal.h"
#define $runtime$ "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $in$ in->x, now, kept
#define $out$ (void *)(uintptr_t)out->x, next
#define $n_in$ 1
#define $n_out$ 1
#define $member$ in->x
#define $threads$ 1
#define $flush_threads$ 1
#define $to$ ctx->workspace
#define $from$ in->x
#define $bytes$ 4
#define $place$
#define $smaller$ 0
#define $part$ $name$_weights_1
#define $part_bytes$ 64
#define $code_hash$ UINT64_C(1)
#define $hash_header$ "../../runtime-stub/dnnlc_hash.h"
#define $state_bytes$ 64
#define $kept_bytes$ 64
#define $states_end$ ctx->workspace + 64
#define $place_of_state$ 0, 4, 0
#define $rows$ *in->x
#define $sizes$(x) x
#define $same$(x) x
#define $size$ 1
#define $k$ 0
#define $first_unit$ 0
#define $end_unit$ 1
#define $variant$ 0
#define $called$
#define $dimension$ x
#define $fits$(x) x
#define $n_variants$ 2
#define $bound$ $upper$_ROWS
#define $going_on$ 64
#define $first$ 1
#define $end$ 2
#define $input_places$(x) x
#define $output_places$(x) x
#define $at$ 0
#define $line$ (void)full;
#define $denormals_header$ "../../runtime-stub/dnnlc_denormals.h"
//@begin
$banner$
#include $internal$

//@if weights_in_file
#include $hash_header$

//@end
//@if flush
#include $denormals_header$
//@end
//@if dnnl
#include $runtime$

//@end
#include <stdbool.h>
#include <string.h>

//@if map
/* The workspace: what is stored where, from which layer to which. Layers are numbered from 0 in the order in which they run.
 *
 *     offset      bytes    layers  contents
//@for places
 * $place$
//@end
//@if smaller
 * and $smaller$ smaller ones
//@end
 */

//@end
//@if embedded
/* $upper$_WEIGHTS_SIZE bytes in .rodata.$name$_weights */
extern const unsigned char $name$_weights[$upper$_WEIGHTS_SIZE];

//@if in_parts
/* Sections of $part_bytes$ bytes each, so that the linker need not hold all weights at once. They stand in one object, in this order, and
 * linkers leave them so; init makes sure of it. */
//@for parts
extern const unsigned char $part$[];
//@end
static const unsigned char *const weights_parts[] = {
    $name$_weights,
//@for parts
    $part$,
//@end
};

//@end
//@end
//@if dnnl
enum { MAX_THREADS = $threads$ };

static const char *const layer_names[] = {
//@for layers
    "$title$", /* $layer$ */
//@end
};

static $name$_status status_of(dnnl_status_t status)
{
    switch (status) {
    case dnnl_success:
        return $upper$_OK;
    case dnnl_out_of_memory:
        return $upper$_OUT_OF_MEMORY;
    case dnnl_unimplemented:
        return $upper$_UNSUPPORTED_CPU;
    default:
        return $upper$_RUNTIME_ERROR;
    }
}

static const char *text_of(dnnl_status_t status)
{
    switch (status) {
    case dnnl_out_of_memory:
        return "oneDNN is out of memory, or the fallback buffer is too small";
    case dnnl_invalid_arguments:
        return "oneDNN rejects the arguments of a primitive";
    case dnnl_unimplemented:
        return "oneDNN has no implementation for this CPU";
    default:
        return "oneDNN failed";
    }
}

static unsigned fail($name$_context *ctx, unsigned layer, unsigned status)
{
    if (!*ctx->error) {
        ctx->error = text_of((dnnl_status_t)status);
        ctx->error_layer = layer < sizeof layer_names / sizeof *layer_names ? layer_names[layer] : "";
    }
    return status;
}

//@if units
/* What a run calls, one after the other: units of layers of oneDNN, which are created before, and of kernels of C. */
//@if loops
/* Behind both ends of a loop an iteration follows, from unit `first` on, if the workspace says so at `going_on`; or unit `end`. */
//@end
static const struct {
    struct dnnlc_layers (*layers)(void);
    unsigned (*run)($name$_context *ctx, const struct $name$_memory *m);
    void (*run_c)(const struct $name$_memory *m);
//@if loops
    size_t going_on, first, end;
//@end
} units[] = {
//@for units
//@if is_onednn
    {.layers = $unit$_layers, .run = $unit$_run}, /* $layers$ */
//@else
//@if jumps
    {.run_c = $unit$, .going_on = $going_on$, .first = $first$, .end = $end$}, /* $layers$ */
//@else
    {.run_c = $unit$}, /* $layers$ */
//@end
//@end
//@end
};

//@end
//@if variants
/* Each variant's units stand together. */
NET_TABLE static const struct {
    size_t first, end;
} parts[$n_variants$] = {
//@for variants
    {$first_unit$, $end_unit$}, /* $called$ */
//@end
};

//@end
//@if units
static void create_layers(struct dnnlc_setup *s, size_t first, size_t end)
{
    struct dnnlc_layers unit[sizeof units / sizeof *units];
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        if (units[i].layers)
            unit[n++] = units[i].layers();
    dnnlc_create_layers(s, unit, n);
}

//@if variants
static void create_variants(struct dnnlc_setup *s, unsigned first, unsigned end)
{
    for (unsigned k = first; k < end; k++)
        create_layers(s, parts[k].first, parts[k].end);
}

//@end
//@end
static size_t measure_fallback(void)
{
    struct dnnlc_setup setup = {.measure = true};
    int threads_before = omp_get_max_threads();
    if (dnnl_engine_create(&setup.engine, dnnl_cpu, 0) != dnnl_success)
        return 0;
//@if embedded
    setup.weights = $name$_weights;
//@end
    size_t most = 0;
    for (int threads = MAX_THREADS; threads > 0; threads /= 2) {
        omp_set_num_threads(threads);
        setup.fallback_used = setup.temporary = 0;
//@if units
//@if variants
        create_variants(&setup, 0, $n_variants$);
//@else
        create_layers(&setup, 0, sizeof units / sizeof *units);
//@end
//@end
        size_t needed = setup.fallback_used + setup.temporary;
        most = needed > most ? needed : most;
    }
    omp_set_num_threads(threads_before);
    dnnl_engine_destroy(setup.engine);
    return most;
}

static int choose_threads(int wanted)
{
    int offered = omp_get_max_threads();
    if (wanted)
        return wanted;
    return offered < MAX_THREADS ? offered : MAX_THREADS;
}

//@end
//@if has_fallback
size_t $name$_fallback_size(void)
{
//@if dnnl
    return measure_fallback();
//@else
    return 0;
//@end
}

//@end
static $name$_status refuse($name$_context *ctx, const char *why)
{
    if (!*ctx->error)
        ctx->error = why;
    return $upper$_BAD_ARGUMENT;
}

static bool misaligned(const void *p, size_t align)
{
    return (uintptr_t)p % align != 0;
}

static $name$_status check_config($name$_context *ctx, const $name$_config *config)
{
    if (!config)
        return refuse(ctx, "no configuration");
//@if workspace_wanted
    if (!config->workspace || config->workspace_size < $upper$_WORKSPACE_SIZE)
        return refuse(ctx, "the workspace is missing or smaller than $upper$_WORKSPACE_SIZE");
//@end
    if (misaligned(config->workspace, $upper$_WORKSPACE_ALIGN))
        return refuse(ctx, "the workspace is not aligned to $upper$_WORKSPACE_ALIGN");
//@if in_parts
    for (size_t i = 0; i < sizeof weights_parts / sizeof *weights_parts; i++)
        if ((uintptr_t)weights_parts[i] != (uintptr_t)$name$_weights + i * $part_bytes$)
            return refuse(ctx, "the linker has not left the parts of the weights together");
//@end
    if (config->weights && config->weights_size != $upper$_WEIGHTS_SIZE)
        return refuse(ctx, "the weights do not have $upper$_WEIGHTS_SIZE bytes");
//@if has_fallback
    if (misaligned(config->weights, 64) || misaligned(config->fallback, 64))
        return refuse(ctx, "the weights or the fallback buffer are not 64-byte aligned");
//@else
    if (misaligned(config->weights, 64))
        return refuse(ctx, "the weights are not 64-byte aligned");
//@end
//@if weights_in_file
    if (!config->weights)
        return refuse(ctx, "this model was compiled with --weights file: config.weights must be set");
    const char *other = dnnlc_weights_refusal(config->weights, $upper$_WEIGHTS_SIZE, $code_hash$);
    if (other)
        return refuse(ctx, other);
//@end
//@if has_fallback
    if (config->threads < 0 || config->threads > $threads$)
        return refuse(ctx, "more threads than the model was compiled for");
//@end
//@if selectable
    if (config->variant < 0 || config->variant > $upper$_VARIANTS)
        return refuse(ctx, "there is no such variant");
//@end
    return $upper$_OK;
}

//@if by_count
/* Of the plans the smallest one that has room for so many rows. */
static unsigned choose_plan(const $name$_inputs *in)
{
//@for plans
    if ($fits$(*in->$dimension$ <= $size$))
        return $k$;
//@end
    return 0;
}

//@end
//@if selectable
NET_TABLE const $name$_variant $name$_variants[$upper$_VARIANTS] = {
//@for variants
    {$sizes$($size$)},
//@end
};

int $name$_find($extents$(int64_t $extent$))
{
    for (int k = 0; k < $upper$_VARIANTS; k++)
        if ($same$($name$_variants[k].$extent$ == $extent$))
            return k;
    return -1;
}

int $name$_fit($extents$(int64_t $extent$))
{
    double least = 0;
    int found = -1;
    for (int k = 0; k < $upper$_VARIANTS; k++) {
        double product = 1;
//@for extents
        product *= (double)$name$_variants[k].$extent$;
//@end
//@for extents
        if ($name$_variants[k].$extent$ < $extent$)
            continue;
//@end
        if (found < 0 || product < least) {
            found = k;
            least = product;
        }
    }
    return found;
}

$name$_status $name$_select($name$_context *ctx, int variant)
{
    if (!ctx || !ctx->weights)
        return $upper$_BAD_ARGUMENT;
    if (variant < 0 || (unsigned)variant < ctx->first || (unsigned)variant >= ctx->end)
        return refuse(ctx, "this variant was not prepared, or there is none of this number");
    ctx->variant = (unsigned)variant;
    return $upper$_OK;
}

//@end
//@if states
//@if kept_bytes
/* At the end of the workspace are those whose rows stay where they are, once, $kept_bytes$ bytes: a run writes more behind those that count. */
static unsigned char *kept_at(const $name$_context *ctx)
{
    return ctx->workspace + $upper$_WORKSPACE_SIZE - $kept_bytes$;
}

/* The other states stand twice before them, $state_bytes$ bytes each time: what the next run reads, and what it writes. */
//@else
/* The states stand twice at the end of the workspace, $state_bytes$ bytes each time: what the next run reads, and what it writes. */
//@end
static unsigned char *states_at(const $name$_context *ctx, unsigned turn)
{
    return $states_end$ - (turn ? 1 : 2) * (size_t)$state_bytes$;
}

void $name$_reset($name$_context *ctx)
{
    if (ctx && ctx->weights)
        memset(states_at(ctx, ctx->turn), 0, $state_bytes$);
//@if kept_bytes
    if (ctx && ctx->weights)
        memset(kept_at(ctx), 0, $kept_bytes$);
//@end
}

void *$name$_state(const $name$_context *ctx, unsigned state, size_t *bytes)
{
    NET_TABLE static const struct {
        size_t at, bytes;
//@if kept_bytes
        int is_kept;
//@end
    } states[$upper$_STATES] = {
//@for states
        {$place_of_state$}, /* $from$ */
//@end
    };
    if (!ctx || !ctx->weights || state >= $upper$_STATES)
        return NULL;
    if (bytes != NULL)
        *bytes = states[state].bytes;
//@if kept_bytes
    if (states[state].is_kept)
        return kept_at(ctx) + states[state].at;
//@end
    return states_at(ctx, ctx->turn) + states[state].at;
}

//@end
/* What stands in a context that is initialised: nothing that other memory holds, nor a copy of the context elsewhere. */
static uint64_t mark_of(const $name$_context *ctx)
{
    return 0x9e3779b97f4a7c15u ^ (uintptr_t)ctx;
}

$name$_status $name$_init($name$_context *ctx, const $name$_config *config)
{
    if (!ctx)
        return $upper$_BAD_ARGUMENT;
    if (ctx->mark == mark_of(ctx))
        return refuse(ctx, "the context is initialised already: $name$_fini comes first");
    memset(ctx, 0, sizeof *ctx);
    ctx->error = "";
    ctx->error_layer = "";
    $name$_status checked = check_config(ctx, config);
    if (checked != $upper$_OK)
        return checked;
    ctx->workspace = config->workspace;
//@if variants
//@if by_count
    ctx->end = $n_variants$;
//@else
    ctx->first = config->variant ? (unsigned)config->variant - 1 : 0;
    ctx->end = config->variant ? (unsigned)config->variant : $upper$_VARIANTS;
    ctx->variant = ctx->first;
//@end
//@end
//@if embedded
    ctx->weights = config->weights ? config->weights : $name$_weights;
//@else
    ctx->weights = (const unsigned char *)config->weights + DNNLC_WEIGHTS_HEAD;
//@end
//@if dnnl
    int threads_before = omp_get_max_threads();
    ctx->threads = choose_threads(config->threads);
    omp_set_num_threads(ctx->threads);
    struct dnnlc_setup setup = {
        .primitive = ctx->primitive,
        .memory = ctx->memory,
        .workspace = ctx->workspace,
        .weights = ctx->weights,
        .fallback = config->fallback,
        .fallback_size = config->fallback ? config->fallback_size : 0,
    };
    setup.status = dnnl_engine_create(&ctx->engine, dnnl_cpu, 0);
    if (setup.status == dnnl_success)
        setup.status = dnnl_stream_create(&ctx->stream, ctx->engine, dnnl_stream_default_flags);
    setup.engine = ctx->engine;
//@if units
//@if variants
    if (setup.status == dnnl_success)
        create_variants(&setup, ctx->first, ctx->end);
//@else
    if (setup.status == dnnl_success)
        create_layers(&setup, 0, sizeof units / sizeof *units);
//@end
//@end
    omp_set_num_threads(threads_before);
    if (setup.status != dnnl_success) {
        fail(ctx, setup.layer, setup.status);
        $name$_fini(ctx);
        return status_of(setup.status);
    }
//@end
    ctx->mark = mark_of(ctx);
//@if states
    $name$_reset(ctx);
//@end
    return $upper$_OK;
}

//@if dnnl
//@else
/* Whose stack is not the library's: the only call through a pointer is here, also where all is one file. */
#ifdef __GNUC__
__attribute__((noinline))
#endif
//@end
void $name$_trace(const struct $name$_memory *m, unsigned layer)
{
    if (m->trace != NULL)
        m->trace(m->trace_user, layer);
}

//@if dnnl
//@if flush
/* The threads that a run uses take subnormal numbers for 0, and how each of them did before is kept. */
static void flush_denormals(int threads, uint64_t before[MAX_THREADS])
{
    if (threads == 1) { /* OpenMP would allocate a team of one */
        before[0] = dnnlc_flush_denormals();
        return;
    }
    DNNLC_PARALLEL(threads)
    before[omp_get_thread_num()] = dnnlc_flush_denormals();
}

static void restore_denormals(int threads, const uint64_t before[MAX_THREADS])
{
    if (threads == 1) {
        dnnlc_restore_denormals(before[0]);
        return;
    }
    DNNLC_PARALLEL(threads)
    dnnlc_restore_denormals(before[omp_get_thread_num()]);
}

//@end
unsigned $name$_ran($name$_context *ctx, const struct $name$_memory *m, unsigned layer, unsigned status)
{
    if (status != dnnl_success)
        return fail(ctx, layer, status);
    $name$_trace(m, layer);
    return dnnl_success;
}

//@end
//@if dnnl
//@if loops
/* *full: a loop would make more iterations than its results have rows. */
static unsigned run_units($name$_context *ctx, const struct $name$_memory *m, size_t i, size_t end, int *full)
{
    unsigned status = dnnl_success;
    while (i < end && status == dnnl_success) {
        if (units[i].run)
            status = units[i].run(ctx, m);
        else
            units[i].run_c(m);
        const uint8_t *going_on = units[i].first ? workspace_at(m, units[i].going_on) : NULL;
        *full = *full || (going_on && *going_on == 2);
        i = !going_on ? i + 1 : *going_on == 1 ? units[i].first : units[i].end;
    }
    return status;
}

//@end
//@end
$name$_status $name$_run($name$_context *ctx, const $name$_inputs *in, const $name$_outputs *out)
{
    if (!ctx || !ctx->weights || !in || !out)
        return $upper$_BAD_ARGUMENT;
//@for members
    if (!$member$)
        return refuse(ctx, "an input or output is a null pointer");
//@end
//@if states
    unsigned char *const now = states_at(ctx, ctx->turn), *const next = states_at(ctx, !ctx->turn);
//@if kept_bytes
    unsigned char *const kept = kept_at(ctx);
//@end
//@end
//@for bounds
    if ($rows$ < 0 || $rows$ > $bound$_MAX)
        return refuse(ctx, "$dimension$ is not from 0 to $bound$_MAX");
//@end
//@if by_count
    ctx->variant = choose_plan(in);
//@end
    const void *const ins[] = {$in$};
    void *const outs[] = {$out$};
    const struct $name$_memory memory = {
        .workspace = ctx->workspace,
        .weights = ctx->weights,
        .in = ins,
        .out = outs,
        .trace = ctx->trace,
        .trace_user = ctx->trace_user,
    };
    const struct $name$_memory *m = &memory;
//@if may_be_full
    int full = 0; /* a loop made more iterations than its results have rows */
//@end
//@if dnnl
    int threads_before = omp_get_max_threads();
    unsigned status = dnnl_success;
    if (threads_before != ctx->threads)
        omp_set_num_threads(ctx->threads);
//@if flush
    uint64_t denormals[MAX_THREADS] = {0};
    flush_denormals($flush_threads$, denormals);
//@end
//@if loops
//@if variants
    status = run_units(ctx, m, parts[ctx->variant].first, parts[ctx->variant].end, &full);
//@else
    status = run_units(ctx, m, 0, sizeof units / sizeof *units, &full);
//@end
//@else
//@if units
//@if variants
    for (size_t i = parts[ctx->variant].first; i < parts[ctx->variant].end && status == dnnl_success; i++)
//@else
    for (size_t i = 0; i < sizeof units / sizeof *units && status == dnnl_success; i++)
//@end
        if (units[i].run)
            status = units[i].run(ctx, m);
        else
            units[i].run_c(m);
//@end
//@end
//@if flush
    restore_denormals($flush_threads$, denormals);
//@end
    omp_set_num_threads(threads_before);
    if (status != dnnl_success)
        return status_of((dnnl_status_t)status);
//@else
//@if flush
    const uint64_t caller = dnnlc_flush_denormals();
//@end
//@if loops
//@for lines
    $line$
//@end
//@else
//@for units
//@if variants
    if (ctx->variant == $variant$)
        $unit$(m);
//@else
    $unit$(m);
//@end
//@end
//@end
//@if flush
    dnnlc_restore_denormals(caller);
//@end
//@end
//@if may_be_full
    if (full)
        return refuse(ctx, "a loop makes more iterations than its results have rows");
//@end
//@for copies
//@if variants
    if (ctx->variant == $variant$)
        memcpy($to$, $from$, $bytes$);
//@else
    memcpy($to$, $from$, $bytes$);
//@end
//@end
//@if idle
    (void)m; /* there is nothing to compute */
//@end
//@if states
    ctx->turn = !ctx->turn;
//@end
    return $upper$_OK;
}

#define NOWHERE ((size_t)-1)

static void *place_in(const $name$_context *ctx, const size_t *places, size_t n, unsigned i)
{
    return ctx && ctx->weights && i < n && places[i] != NOWHERE ? ctx->workspace + places[i] : NULL;
}

void *$name$_input(const $name$_context *ctx, unsigned i)
{
    NET_TABLE static const size_t places[] = {$input_places$($at$)};
    return place_in(ctx, places, sizeof places / sizeof *places, i);
}

void *$name$_output(const $name$_context *ctx, unsigned i)
{
    NET_TABLE static const size_t places[] = {$output_places$($at$)};
    return place_in(ctx, places, sizeof places / sizeof *places, i);
}

void $name$_fini($name$_context *ctx)
{
    if (!ctx)
        return;
//@if dnnl
    for (size_t i = 0; i < sizeof ctx->primitive / sizeof *ctx->primitive; i++)
        dnnl_primitive_destroy(ctx->primitive[i]);
    for (size_t i = 0; i < sizeof ctx->memory / sizeof *ctx->memory; i++)
        dnnl_memory_destroy(ctx->memory[i]);
    if (ctx->stream)
        dnnl_stream_destroy(ctx->stream);
    if (ctx->engine)
        dnnl_engine_destroy(ctx->engine);
    memset(ctx->primitive, 0, sizeof ctx->primitive);
    memset(ctx->memory, 0, sizeof ctx->memory);
    ctx->stream = NULL;
    ctx->engine = NULL;
//@end
    ctx->weights = NULL;
    ctx->mark = 0;
}

const char *$name$_error(const $name$_context *ctx)
{
    return ctx && ctx->error ? ctx->error : "";
}

const char *$name$_error_layer(const $name$_context *ctx)
{
    return ctx && ctx->error_layer ? ctx->error_layer : "";
}

void $name$_set_trace($name$_context *ctx, void (*fn)(void *user, unsigned layer), void *user)
{
    if (!ctx)
        return;
    ctx->trace = fn;
    ctx->trace_user = user;
}
