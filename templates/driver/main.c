/* The executable's table for the generic main program. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_main.h"
#include "header.h"
#define $header$ "header.h"
#define $runtime$ "../../runtime-stub/dnnlc_main.h"
#define $dtype$ 0
#define $rank$ 1
#define $dims$(x) x
#define $dim$ 1
#define $bytes$ 4
#define $member$ x
#define $index$ 0
#define $axis$ 0
#define $count$ 0
#define $output$ 0
#define $dimension$ 0
#define $n_dimensions$ 1
#define $n_models$ 1
#define $suffix$
#define $called$
#define $k$ 0
#define $n_inputs$ 1
#define $n_outputs$ 1
#define $operations$ 0
#define $read$ 0
#define $written$ 0
#define $text$ ""
#define $quoted_name$ ""
#define $version$ ""
#define $onednn$ ""
#define $isa$ ""
#define $linked$ NULL
#define $limit$ dnnl_cpu_isa_sse41
#define $lower$ ""
#define $hash$ ""
#define $target$ ""
#define $precision$ ""
#define $weights_file$ NULL
#define $threads$ 1
#define $layer_count$ 1
//@begin
$banner$
#include $header$

#include $runtime$
//@if is_cut

#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <strings.h>
//@end

#if DNNLC_MAIN_VERSION != 12
#error "this file was written for another version of dnnlc_main.h"
#endif

//@for models
//@if selectable
/* $called$ */
//@end
static const struct dnnlc_tensor inputs$suffix$[] = {
//@for inputs
    {"$tensor$", $dtype$, $rank$, {$dims$($dim$)}, $bytes$},
//@end
//@if no_inputs
    {0},
//@end
};

static const struct dnnlc_tensor outputs$suffix$[] = {
//@for outputs
    {"$tensor$", $dtype$, $rank$, {$dims$($dim$)}, $bytes$},
//@end
};

//@end
//@if counted
static const struct dnnlc_count counts[] = {
//@for counts
    {$index$, $axis$, $count$},
//@end
};

//@end
//@if bounded
static const struct dnnlc_bound bounds[] = {
//@for bounds
    {$index$, $axis$, $dimension$, $most$},
//@end
};

//@end
//@if states
static const struct dnnlc_state states[] = {
//@for states
    {$index$, $output$},
//@end
};

static void *state(const void *ctx, unsigned k)
{
    return $name$_state(ctx, k, NULL);
}

static void reset(void *ctx)
{
    $name$_reset(ctx);
}

//@end
static const struct dnnlc_layer layers[] = {
//@for layers
    {"$title$", "$op$", "$detail$", "$unit$", "$implementation$", $operations$, $read$, $written$},
//@end
//@if no_layers
    {0},
//@end
};

static int init(void *ctx, void *workspace, size_t workspace_size, const void *weights, size_t weights_size,
                void *fallback, size_t fallback_size, int threads, unsigned variant)
{
    const $name$_config config = {
        .workspace = workspace,
        .workspace_size = workspace_size,
        .weights = weights,
        .weights_size = weights_size,
//@if has_fallback
        .fallback = fallback,
        .fallback_size = fallback_size,
        .threads = threads,
//@end
//@if selectable
        .variant = variant == DNNLC_ALL_VARIANTS ? 0 : (int)variant + 1,
//@end
    };
//@if selectable
//@else
    (void)variant;
//@end
//@if has_fallback
//@else
    (void)fallback;
    (void)fallback_size;
    (void)threads;
//@end
    return (int)$name$_init(ctx, &config);
}

static int run(void *ctx, const void *const *in, void *const *out)
{
    $name$_inputs typed_in = {0};
    $name$_outputs typed_out = {0};
    (void)in;
    (void)out;
//@for members_in
//@if is_state
//@else
    typed_in.$member$ = in[$index$];
//@end
//@end
//@for members_out
//@if is_state
//@else
    typed_out.$member$ = out[$index$];
//@end
//@end
    return (int)$name$_run(ctx, &typed_in, &typed_out);
}

//@if selectable
static int choose(void *ctx, unsigned variant)
{
    return (int)$name$_select(ctx, (int)variant);
}

//@end
static void fini(void *ctx)
{
    $name$_fini(ctx);
}

static const char *error(const void *ctx)
{
    return $name$_error(ctx);
}

static const char *error_layer(const void *ctx)
{
    return $name$_error_layer(ctx);
}

static void set_trace(void *ctx, void (*fn)(void *user, unsigned layer), void *user)
{
    $name$_set_trace(ctx, fn, user);
}

//@if selftest
static int selftest(void *ctx, void *memory, size_t size, size_t *output)
{
    return (int)$name$_selftest(ctx, memory, size, output);
}

//@end
//@if debug
/* $name$_debug.c */
int $name$_dump_layers(struct dnnlc_session *session, const char *dir, char *why, size_t why_size);

//@end
static const struct dnnlc_model models[] = {
//@for models
    {
        .name = $quoted_name$,
        .compiler_version = $version$,
        .onednn_version = $onednn$,
        .isa = $isa$,
        .linked = $linked$,
        .model_hash = $hash$,
        .target = $target$,
        .precision = $precision$,
//@if selectable
        .called = "$called$",
        .variant = $k$,
//@end
        .n_variants = $n_models$,
        .inputs = inputs$suffix$,
        .outputs = outputs$suffix$,
        .n_inputs = $n_inputs$,
        .n_outputs = $n_outputs$,
        .layers = layers,
        .n_layers = $layer_count$,
        .workspace_size = $upper$_WORKSPACE_SIZE,
        .workspace_align = $upper$_WORKSPACE_ALIGN,
        .context_size = sizeof($name$_context),
        .weights_size = $upper$_WEIGHTS_SIZE,
        .weights_file = $weights_file$,
        .threads = $threads$,
//@if has_fallback
        .fallback_size = $name$_fallback_size,
//@end
        .init = init,
//@if selectable
        .select = choose,
//@end
        .run = run,
        .fini = fini,
        .error = error,
        .error_layer = error_layer,
        .set_trace = set_trace,
//@if counted
        .counts = counts,
        .n_counts = sizeof counts / sizeof *counts,
//@end
//@if bounded
        .bounds = bounds,
        .n_bounds = sizeof bounds / sizeof *bounds,
        .n_dimensions = $n_dimensions$,
//@end
//@if states
        .states = states,
        .n_states = sizeof states / sizeof *states,
        .state = state,
        .reset = reset,
//@end
//@if selftest
        .selftest_size = $upper$_SELFTEST_SIZE,
        .selftest = selftest,
//@end
//@if rows_apart
        .rows_apart = 1,
//@end
//@if debug
#ifndef DNNLC_SHARED
        .dump_layers = $name$_dump_layers,
#endif
//@end
    },
//@end
};

//@if is_cut
/* What $name$_absent.ld puts in the place of functions of oneDNN that are not linked: an implementation that refuses, and nothing to
 * print. */
int dnnlc_refuses(void);
int dnnlc_refuses(void)
{
    return dnnl_unimplemented;
}

unsigned dnnlc_says_nothing(void);
unsigned dnnlc_says_nothing(void)
{
    return 0;
}

/* oneDNN is not to use instruction sets that it was not linked for, whatever this CPU has. A lower limit is the user's choice. */
static void limit_isa(void)
{
    static const char *const lower[] = {
//@for lower
        $lower$,
//@end
    };
    const char *wish = getenv("ONEDNN_MAX_CPU_ISA");
    if (!wish)
        wish = getenv("DNNL_MAX_CPU_ISA");
    for (size_t i = 0; wish && i < sizeof lower / sizeof *lower; i++)
        if (!strcasecmp(wish, lower[i]))
            return;
    (void)dnnl_set_max_cpu_isa($limit$);
}

//@end
#ifdef DNNLC_SHARED
/* What lib$name$.so shows: the tables, one for each variant, to programs that know them as `version` of dnnlc_main.h has them; NULL to others. */
__attribute__((visibility("default"))) const struct dnnlc_model *$name$_model(int version);

const struct dnnlc_model *$name$_model(int version)
{
//@if is_cut
    limit_isa();
//@end
    return version == DNNLC_MAIN_VERSION ? models : NULL;
}
#else
int main(int argc, char **argv)
{
//@if is_cut
    limit_isa();
//@end
    return dnnlc_main(argc, argv, models);
}
#endif
