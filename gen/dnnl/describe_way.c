/* Which way a convolution is computed: as oneDNN's primitive, by Winograd's method or as a product of rows that C gathers. What
 * products by weights share with that is here too.
 *
 * Each way has a model of its time, fitted to measurements, so that the same shapes always give the same answer; with --tune
 * they are measured here instead. */
#include "../base/quote.h"
#include "../ops/ops.h"
#include "../tune/dnnl_time.h"
#include "../tune/tune.h"
#include "conv_way.h"

#include <string.h>

static const double worth =
    0.95; /* of the direct time: what is not clearly faster is not worth the change */
static const double hopeless = 3; /* so much slower by the model that it is not measured */

double way_weights_rate(const Lowering *l)
{
    return l->small_weights ? l->machine.l2_rate : l->machine.memory_rate;
}

/* Weights come from memory at each run, since most networks are larger than L2; oneDNN's kernels wait for them. */
double way_direct_ns(const Lowering *l, const DnnlPrimitive *p)
{
    enum { LANES = 16 };
    const DnnlMemory *w = dnnl_memory_of(p, ARG_WEIGHTS), *dst = dnnl_memory_of(p, ARG_DST);
    double depth = (double)dnnl_memory_of(p, ARG_SRC)->dims[1], pixels = (double)dst->dims[0];
    for (int i = 0; i < p->spatial; i++) {
        depth *= (double)w->dims[2 + i];
        pixels *= (double)dst->dims[2 + i];
    }
    const double outputs = (double)((dst->dims[1] + LANES - 1) / LANES * LANES);
    return depth * outputs * pixels / l->machine.conv_macs +
           4 * depth * (double)dst->dims[1] / way_weights_rate(l);
}

bool way_finishes_in_c(const Describe *d)
{
    const DnnlPrimitive *p = d->p;
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (p->memory[i].dtype != DT_F32)
            return false;
    for (uint32_t i = 0; i < p->n_post; i++)
        if (!dnnl_post_statement(d->l->arena, p, &p->post[i]))
            return false;
    return true;
}

static bool is_candidate(const Describe *d)
{
    return d->p->kind == KIND_CONVOLUTION &&
           dnnl_memory_of(d->p, ARG_WEIGHTS)->rank == d->p->spatial + 2 && way_finishes_in_c(d);
}

static uint32_t add_ways(Describe *d, ConvWay way[MAX_WAYS])
{
    const int use = d->l->options.conv;
    uint32_t n = 0;
    way[n++] = (ConvWay){.name = "direct", .ns = way_direct_ns(d->l, d->p)};
    if (use == CONV_WHERE_FASTER || use == CONV_WINOGRAD_4 || use == CONV_WINOGRAD_4_IN_C) {
        way[n] = (ConvWay){.name = "F(4x4, 3x3)"};
        way[n].winograd = winograd_plan(d, 4, &way[n].ns);
        n += way[n].winograd != NULL;
    }
    if (use == CONV_WHERE_FASTER || use == CONV_WINOGRAD_2 || use == CONV_WINOGRAD_2_IN_C) {
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

static bool measure(Describe *d, ConvWay *way)
{
    const Lowering *l = d->l;
    if (way->winograd)
        return winograd_tune(d, way->winograd, &way->ns);
    if (way->indirect)
        return indirect_measure(l, way->indirect, &way->ns);
    return direct_measure(l, way->primitive ? way->primitive : d->p, &way->ns);
}

uint32_t way_measure(Describe *d, ConvWay *way, uint32_t n)
{
    const double direct = way[0].ns;
    uint32_t kept = 1;
    if (!measure(d, &way[0]))
        return 1;
    for (uint32_t i = 1; i < n; i++)
        if (way[i].ns < hopeless * direct && measure(d, &way[i]))
            way[kept++] = way[i];
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

void way_say_why(Describe *d, const ConvWay *way, uint32_t n, const ConvWay *best)
{
    Arena *arena = d->l->arena;
    const char *name = *d->n->name ? d->n->name : value_at(d->l->g, d->n->out[0])->name;
    if (!d->l->options.tune) {
        d->p->why =
            arena_printf(arena, "%s of the %s time by estimation%s", list_ratios(arena, way, n),
                         way[0].name, list_errors(arena, way, n));
        return;
    }
    d->p->why = arena_printf(arena, "by measured times, see above%s", list_errors(arena, way, n));
    text_printf(tune_notes(d->l->options.tune), "measured: '%s' (%s): %s: %s\n",
                c_safe_text(arena, name), op_info(d->n->op)->name, list_times(arena, way, n),
                best->name);
}

ConvWay *way_choose(ConvWay *way, uint32_t n, bool always)
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
        n = way_measure(d, way, n);
    ConvWay *best = way_choose(way, n, always);
    while (best->winograd && !winograd_take(d, best->winograd)) {
        best->refused = true;
        best = way_choose(way, n, always);
    }
    if (best->indirect)
        indirect_take(d, best->indirect);
    if (n > 1)
        way_say_why(d, way, n, best);
}
