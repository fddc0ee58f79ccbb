/* Which way a convolution is computed: as oneDNN's primitive, by Winograd's method or as a product of rows that C gathers.
 *
 * Each way has a model of its time, fitted to measurements, so that the same shapes always give the same answer; with --tune
 * they are measured here instead. */
#include "conv_way.h"
#include "dnnl_time.h"
#include "emit_unit.h"
#include "panel.h"
#include "tune.h"

#include <string.h>

enum { MAX_WAYS = 4 };

static const double worth =
    0.95; /* of the direct time: what is not clearly faster is not worth the change */
static const double hopeless = 3; /* so much slower by the model that it is not measured */

/* One core of an AVX-512 machine: a direct convolution with its weights in L2, AVX2 for the second line; and its last cache. */
ConvMachine conv_machine(const DnnlEngine *e)
{
    const int lanes = panel_lanes(dnnl_engine_isa(e));
    const double flops = lanes == 16 ? 190 : lanes == 8 ? 105 : 50;
    return (ConvMachine){.flops_per_ns = flops, .bytes_per_ns = 24, .cached_bytes = 1 << 20};
}

/* Weights come from memory at each run, since a network is larger than L2; oneDNN's kernels wait for them. */
static double direct_ns(const DnnlPrimitive *p, const ConvMachine *m)
{
    enum { LANES = 16 };
    const DnnlMemory *w = dnnl_memory_of(p, DNNL_ARG_WEIGHTS),
                     *dst = dnnl_memory_of(p, DNNL_ARG_DST);
    double taps = 1, pixels = (double)dst->dims[0];
    for (int i = 0; i < p->spatial; i++) {
        taps *= (double)w->dims[2 + i];
        pixels *= (double)dst->dims[2 + i];
    }
    const double depth = taps * (double)w->dims[1],
                 outputs = (double)((w->dims[0] + LANES - 1) / LANES * LANES);
    return 2 * depth * outputs * pixels / m->flops_per_ns +
           4 * depth * (double)w->dims[0] / m->bytes_per_ns;
}

static bool is_candidate(const Describe *d)
{
    const DnnlPrimitive *p = d->p;
    const DnnlMemory *w = dnnl_memory_of(p, DNNL_ARG_WEIGHTS);
    if (p->kind != KIND_CONVOLUTION || w->rank != p->spatial + 2)
        return false;
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (p->memory[i].dtype != DT_F32)
            return false;
    for (uint32_t i = 0; i < p->n_post; i++)
        if (!dnnl_post_statement(d->l->arena, p, &p->post[i]))
            return false;
    return true;
}

static uint32_t add_ways(Describe *d, ConvWay way[MAX_WAYS])
{
    const ConvMachine m = conv_machine(d->l->engine);
    const int use = d->l->options.conv;
    uint32_t n = 0;
    way[n++] = (ConvWay){.name = "direct", .ns = direct_ns(d->p, &m)};
    if (use == CONV_WHERE_FASTER || use == CONV_WINOGRAD_4) {
        way[n] = (ConvWay){.name = "F(4x4, 3x3)"};
        way[n].winograd = winograd_plan(d, 4, &way[n].ns);
        n += way[n].winograd != NULL;
    }
    if (use == CONV_WHERE_FASTER || use == CONV_WINOGRAD_2) {
        way[n] = (ConvWay){.name = "F(2x2, 3x3)"};
        way[n].winograd = winograd_plan(d, 2, &way[n].ns);
        n += way[n].winograd != NULL;
    }
    if (use == CONV_WHERE_FASTER || use == CONV_NO_WINOGRAD || use == CONV_INDIRECT) {
        way[n] = (ConvWay){.name = "C"};
        way[n].indirect = indirect_plan(d, &way[n].ns);
        n += way[n].indirect != NULL;
    }
    return n;
}

/* --tune: measured times in the place of estimated ones; ways that cannot be measured go. */
static uint32_t measure(Describe *d, ConvWay *way, uint32_t n)
{
    const Lowering *l = d->l;
    const double direct = way[0].ns;
    uint32_t kept = 1;
    if (!direct_measure(l->options.tune, l->engine, l->arena, d->p, &way[0].ns))
        return 1;
    for (uint32_t i = 1; i < n; i++) {
        bool known = way[i].ns < hopeless * direct &&
                     (way[i].winograd ? winograd_tune(d, way[i].winograd, &way[i].ns)
                                      : indirect_measure(l->options.tune, l->arena, way[i].indirect,
                                                         &way[i].ns));
        if (known)
            way[kept++] = way[i];
    }
    return kept;
}

static const char *list_ratios(Arena *arena, const ConvWay *way, uint32_t n)
{
    Text t;
    text_init(&t, arena);
    for (uint32_t i = 1; i < n; i++) {
        const char *between = i == 1 ? "" : i + 1 < n ? ", " : " and ";
        text_printf(&t, "%s%s%s at %.2f", between, way[i].name, way[i].refused ? " (refused)" : "",
                    way[i].ns / way[0].ns);
    }
    return t.data;
}

/* Of those that were wanted. */
static const char *list_errors(Arena *arena, const ConvWay *way, uint32_t n)
{
    Text t;
    text_init(&t, arena);
    for (uint32_t i = 1; i < n; i++)
        if (way[i].winograd && way[i].winograd->error > 0)
            text_printf(&t, "; errors of %s: below %.1e", way[i].name, way[i].winograd->error);
    return t.size ? t.data : "";
}

static const char *list_times(Arena *arena, const ConvWay *way, uint32_t n)
{
    Text t;
    text_init(&t, arena);
    for (uint32_t i = 0; i < n; i++)
        text_printf(&t, "%s%s %.1f us", i ? ", " : "", way[i].name, way[i].ns / 1000);
    return t.data;
}

/* For --explain. */
static void say_why(Describe *d, const ConvWay *way, uint32_t n, const ConvWay *best)
{
    Arena *arena = d->l->arena;
    const char *name = *d->n->name ? d->n->name : value_at(d->l->g, d->n->out[0])->name;
    if (!d->l->options.tune) {
        d->p->why = arena_printf(arena, "%s of the direct time by estimation%s",
                                 list_ratios(arena, way, n), list_errors(arena, way, n));
        return;
    }
    d->p->why = arena_printf(arena, "by measured times, see above%s", list_errors(arena, way, n));
    text_printf(tune_notes(d->l->options.tune), "measured: '%s' (Conv): %s: %s\n",
                c_safe_text(arena, name), list_times(arena, way, n), best->name);
}

/* The fastest way that is left; the first one unless another is clearly faster. */
static ConvWay *choose(ConvWay *way, uint32_t n, bool always)
{
    ConvWay *best = NULL;
    for (uint32_t i = 1; i < n; i++)
        if (!way[i].refused && (!best || way[i].ns < best->ns))
            best = &way[i];
    return best && (always || best->ns < worth * way[0].ns) ? best : &way[0];
}

void describe_way(Describe *d)
{
    ConvWay way[MAX_WAYS];
    const bool always = d->l->options.conv >= CONV_INDIRECT;
    if (!is_candidate(d))
        return;
    uint32_t n = add_ways(d, way);
    if (d->l->options.tune && !always && n > 1)
        n = measure(d, way, n);
    ConvWay *best = choose(way, n, always);
    while (best->winograd && !winograd_take(d, best->winograd)) {
        best->refused = true;
        best = choose(way, n, always);
    }
    if (best->indirect)
        indirect_take(d, best->indirect);
    if (n > 1)
        say_why(d, way, n, best);
}
