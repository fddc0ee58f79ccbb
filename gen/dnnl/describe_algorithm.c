/* Which algorithm a convolution is computed: as oneDNN's primitive, by Winograd's method or as a product of rows that C gathers. What
 * products by weights share with that is here too.
 *
 * Each algorithm has a model of its time, fitted to measurements, so that the same shapes always give the same answer; with --tune
 * they are measured here instead. */
#include "../base/quote.h"
#include "../ops/ops.h"
#include "../tune/dnnl_time.h"
#include "../tune/question.h"
#include "algorithm.h"

#include <string.h>

static const double worth =
    0.95; /* of the direct time: what is not clearly faster is not worth the change */
static const double hopeless = 3; /* so much slower by the model that it is not measured */

/* Weights come from memory at each run, since most networks are larger than L2; oneDNN's kernels wait for them. Filters count in sixteens on AVX2 as well, where a
 * register has half as many: with one register of sums each multiplication waits for a load. Layers of 1 to 37 filters of three networks, planned by eights,
 * took 1.2 to 2.2 times as long (Zen 4 limited to AVX2). One post-op is part of the rate; what quantises is six or seven of them. */
double algorithm_direct_ns(const Lowering *l, const DnnlPrimitive *p)
{
    enum { FILTERS = 16 };
    const DnnlMemory *w = onednn_memory_of(p, ARG_WEIGHTS), *dst = onednn_memory_of(p, ARG_DST);
    double depth = (double)onednn_memory_of(p, ARG_SRC)->dims[1], pixels = (double)dst->dims[0];
    for (int i = 0; i < p->spatial; i++) {
        depth *= (double)w->dims[2 + i];
        pixels *= (double)dst->dims[2 + i];
    }
    const double outputs = (double)round_up(dst->dims[1], FILTERS),
                 post_ops = p->n_post > 1 ? p->n_post - 1 : 0;
    return depth * outputs * pixels / l->machine.conv_macs +
           post_ops * l->machine.post_op_ns * (double)dst->dims[1] * pixels +
           4 * depth * (double)dst->dims[1] / l->weights.rate;
}

double algorithm_over_c_ns(const Lowering *l)
{
    static const double over_c = 0.6; /* of a call of a primitive */
    return over_c * l->machine.call_ns;
}

bool algorithm_finishes_in_c(const Describe *d)
{
    const DnnlPrimitive *p = d->p;
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (p->memory[i].dtype != DT_F32)
            return false;
    for (uint32_t i = 0; i < p->n_post; i++)
        if (!onednn_post_statement(d->l->arena, p, &p->post[i]))
            return false;
    return true;
}

/* oneDNN's convolutions with AVX2, of 1x1 above all, take 1.01 to 1.06 of the time of tiles (Zen 3), for which the estimate was made beside those with AVX-512. */
static double beside_convolution(const Lowering *l, const DnnlIndirect *w)
{
    static const double with_avx2 = 0.95;
    return machine_lanes(&l->machine) == AVX2_LANES && !w->pairs ? with_avx2 : 1;
}

static bool is_candidate(const Describe *d)
{
    return d->p->kind == KIND_CONVOLUTION &&
           onednn_memory_of(d->p, ARG_WEIGHTS)->rank == d->p->spatial + 2 &&
           algorithm_finishes_in_c(d);
}

/* What becomes integers next has to come out as it is: an error in the last bit would make a sum that is a whole number another one. */
static bool becomes_integers(const Lowering *l, ValueId v)
{
    for (uint32_t i = l->uses.start[v.i]; i < l->uses.start[v.i + 1]; i++) {
        const Node *n = node_at(l->g, l->uses.node[i]);
        if (n->op == OP_Round ||
            (n->op == OP_Cast && !dtype_is_float(type_of(l->g, n->out[0])->dtype)))
            return true;
    }
    return false;
}

/* As winograd_plan; false if it cannot be had. */
static bool add_winograd(Describe *d, int tile, bool whole, LayerAlgorithm *a)
{
    a->winograd = winograd_plan(d, tile, whole, &a->ns);
    if (!a->winograd)
        return false;
    a->name = winograd_name(d->l->arena, a->winograd);
    if (whole)
        a->name = arena_printf(d->l->arena, "%s of whole numbers", a->name);
    return true;
}

static uint32_t add_algorithms(Describe *d, LayerAlgorithm algorithm[MAX_ALGORITHMS])
{
    const bool exact = becomes_integers(d->l, d->n->out[0]), small = exact && winograd_is_exact(d);
    const int conv = d->l->options.conv,
              use = exact && !small && conv != CONV_INDIRECT && conv != CONV_WINOGRAD_WHOLE
                        ? CONV_NO_WINOGRAD
                        : conv;
    const bool four = !exact && (use == CONV_WHERE_FASTER || use == CONV_WINOGRAD_4 ||
                                 use == CONV_WINOGRAD_4_IN_C);
    uint32_t n = 0;
    algorithm[n++] = (LayerAlgorithm){
        .name = "direct", .ns = algorithm_over_c_ns(d->l) + algorithm_direct_ns(d->l, d->p)};
    for (uint32_t i = n; i < MAX_ALGORITHMS; i++)
        algorithm[i] = (LayerAlgorithm){0};
    n += four &&
         (add_winograd(d, 4, false, &algorithm[n]) || add_winograd(d, 1, false, &algorithm[n]));
    if (conv == CONV_WHERE_FASTER || conv == CONV_WINOGRAD_WHOLE) {
        algorithm[n].exact = true;
        n += add_winograd(d, 4, true, &algorithm[n]);
    }
    if (use == CONV_WHERE_FASTER || use == CONV_WINOGRAD_2 || use == CONV_WINOGRAD_2_IN_C) {
        algorithm[n].exact = small;
        n += add_winograd(d, 2, false, &algorithm[n]);
    }
    if (use == CONV_WHERE_FASTER || use == CONV_NO_WINOGRAD || use == CONV_INDIRECT) {
        algorithm[n] = (LayerAlgorithm){.name = "C"};
        algorithm[n].indirect = indirect_plan(d, &algorithm[n].ns);
        if (algorithm[n].indirect) {
            algorithm[n].ns *= beside_convolution(d->l, algorithm[n].indirect);
            n++;
        }
    }
    return n;
}

static bool measure(Describe *d, LayerAlgorithm *algorithm)
{
    const Lowering *l = d->l;
    if (algorithm->winograd)
        return winograd_tune(d, algorithm->winograd, &algorithm->ns);
    if (algorithm->indirect)
        return indirect_measure(l, algorithm->indirect, &algorithm->ns);
    return direct_measure(l, algorithm->primitive ? algorithm->primitive : d->p, &algorithm->ns);
}

/* Those that can be measured come first; how many. */
static uint32_t measure_each(Describe *d, LayerAlgorithm *algorithm, uint32_t n)
{
    uint32_t kept = 1;
    if (!measure(d, &algorithm[0]))
        return 1;
    for (uint32_t i = 1; i < n; i++)
        if (measure(d, &algorithm[i]))
            algorithm[kept++] = algorithm[i];
    return kept;
}

uint32_t algorithm_measure(Describe *d, LayerAlgorithm *algorithm, uint32_t n)
{
    Tune *tune = d->l->options.tune;
    uint32_t kept = 1;
    for (uint32_t i = 1; i < n; i++)
        if (algorithm[i].ns < hopeless * algorithm[0].ns)
            algorithm[kept++] = algorithm[i];
    for (int round = 1; round <= TUNE_ROUNDS; round++) {
        tune_round(tune, round);
        kept = measure_each(d, algorithm, kept);
    }
    tune_round(tune, 1);
    return kept;
}

static const char *list_ratios(Arena *arena, const LayerAlgorithm *algorithm, uint32_t n)
{
    Text t = text_new(arena);
    for (uint32_t i = 1; i < n; i++) {
        const char *between = i == 1 ? "" : i + 1 < n ? ", " : " and ";
        text_printf(&t, "%s%s%s at %.2f", between, algorithm[i].name,
                    algorithm[i].refused ? " (refused)" : "", algorithm[i].ns / algorithm[0].ns);
    }
    return t.data;
}

/* Of those that were wanted. */
static const char *list_errors(Arena *arena, const LayerAlgorithm *algorithm, uint32_t n)
{
    Text t = text_new(arena);
    for (uint32_t i = 1; i < n; i++)
        if (algorithm[i].exact)
            text_printf(&t, "; the weights prove that %s is exact", algorithm[i].name);
        else if (algorithm[i].winograd && algorithm[i].winograd->error > 0)
            text_printf(&t, "; errors of %s: below %.1e", algorithm[i].name,
                        algorithm[i].winograd->error);
    return t.size ? t.data : "";
}

static const char *list_times(Arena *arena, const LayerAlgorithm *algorithm, uint32_t n)
{
    Text t = text_new(arena);
    for (uint32_t i = 0; i < n; i++)
        text_printf(&t, "%s%s %.1f us", i ? ", " : "", algorithm[i].name, algorithm[i].ns / 1000);
    return t.data;
}

void algorithm_say_why(Describe *d, const LayerAlgorithm *algorithm, uint32_t n,
                       const LayerAlgorithm *best)
{
    Arena *arena = d->l->arena;
    const char *name = *d->n->name ? d->n->name : value_at(d->l->g, d->n->out[0])->name;
    if (!d->l->options.tune) {
        d->p->why = arena_printf(arena, "%s of the %s time by estimation%s%s",
                                 list_ratios(arena, algorithm, n), algorithm[0].name,
                                 list_errors(arena, algorithm, n), variants_say_why(d));
        return;
    }
    d->p->why = arena_printf(arena, "by measured times, see above%s%s",
                             list_errors(arena, algorithm, n), variants_say_why(d));
    if (!d->l->decided) /* said already */
        text_printf(tune_notes(d->l->options.tune), "measured: '%s' (%s): %s: %s\n",
                    c_safe_text(arena, name), op_info(d->n->op)->name,
                    list_times(arena, algorithm, n), best->name);
}

static LayerAlgorithm *least_time(LayerAlgorithm *algorithm, uint32_t n, bool always)
{
    LayerAlgorithm *best = NULL;
    for (uint32_t i = 1; i < n; i++)
        if (!algorithm[i].refused && (!best || algorithm[i].ns < best->ns))
            best = &algorithm[i];
    return best && (always || best->ns < worth * algorithm[0].ns) ? best : &algorithm[0];
}

/* What a search says, the best being the usual one. One that is refused afterwards is not asked for. */
static LayerAlgorithm *searched(const Describe *d, LayerAlgorithm *algorithm, uint32_t n,
                                LayerAlgorithm *best)
{
    const char *names[MAX_ALGORITHMS];
    LayerAlgorithm *other[MAX_ALGORITHMS];
    uint32_t count = 0;
    other[count] = best;
    names[count++] = best->name;
    for (uint32_t i = 0; i < n; i++) {
        if (algorithm[i].refused)
            return best;
        if (&algorithm[i] == best)
            continue;
        other[count] = &algorithm[i];
        names[count++] = algorithm[i].name;
    }
    return other[search_ask(d->l->options.search, d->l->g, d->n, "algorithm", names, count)];
}

LayerAlgorithm *algorithm_choose(Describe *d, LayerAlgorithm *algorithm, uint32_t n, bool always)
{
    LayerAlgorithm *best = least_time(algorithm, n, always);
    return always                     ? best
           : d->l->g->variants.n == 1 ? searched(d, algorithm, n, best)
                                      : variants_choose(d, algorithm, n, best);
}

void describe_algorithm(Describe *d)
{
    LayerAlgorithm algorithm[MAX_ALGORITHMS];
    const bool always = d->l->options.conv >= CONV_INDIRECT;
    if (!is_candidate(d))
        return;
    uint32_t n = add_algorithms(d, algorithm);
    if (d->l->options.tune && !always && n > 1)
        n = algorithm_measure(d, algorithm, n);
    LayerAlgorithm *best = algorithm_choose(d, algorithm, n, always);
    while (best->winograd && !winograd_take(d, best->winograd)) {
        best->refused = true;
        best = algorithm_choose(d, algorithm, n, always);
    }
    if (best->indirect)
        indirect_take(d, best->indirect);
    if (n > 1)
        algorithm_say_why(d, algorithm, n, best);
}
