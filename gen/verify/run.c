/* --verify: see verify/run.h. */
#include "run.h"

#include "../../runtime-stub/dnnlc_selftest.h"
#include "../base/random.h"
#include "../eval/eval.h"

#include "roundings.h"

#include <math.h>
#include <string.h>

/* How many rows there can be of what input k counts: a plan for a part of a bound has room for fewer. */
static int64_t most_rows(const Graph *g, uint32_t k)
{
    const Variants *v = &g->variants;
    for (uint32_t d = 0; d < v->n_dims; d++)
        if (!strcmp(v->dims[d], g->inputs[k % inputs_each(g)].name))
            return v->sizes[k / inputs_each(g) * v->n_dims + d];
    return graph_bound(g, k);
}

/* By the generator that the runtime's --random uses as well; of rows with a bound so many as a part of the self-test has. */
static Tensor *inputs_of_part(const Graph *g, unsigned part, uint64_t seed)
{
    Tensor *in = ARENA_ARRAY(g->arena, Tensor, g->n_inputs + 1);
    for (uint32_t k = 0; k < g->n_inputs; k++) {
        in[k].type = *type_of(g, g->inputs[k].value);
        in[k].data = arena_alloc(g->arena, type_bytes(&in[k].type) + 1);
        for (int64_t i = 0, n = type_count(&in[k].type); i < n; i++) {
            double u =
                random_fraction(seed * 1000003u + k % inputs_each(g) * 7919u + (uint64_t)i, 0);
            if (dtype_is_float(in[k].type.dtype))
                elem_set_f64(in[k].type.dtype, in[k].data, (size_t)i, 2 * u - 1);
            else
                elem_set_i64(in[k].type.dtype, in[k].data, (size_t)i, u >= 0.5);
        }
        if (graph_bound(g, k) >= 0)
            *(int64_t *)in[k].data = dnnlc_tested_rows(most_rows(g, k), part);
    }
    return in;
}

Tensor *random_inputs(const Graph *g, uint64_t seed)
{
    return inputs_of_part(g, 1, seed);
}

Tensor *evaluate_random(const Graph *g)
{
    const unsigned first = graph_has_bounds(g) ? 0 : DNNLC_TESTED_ROWS - 1;
    Tensor *all = ARENA_ARRAY(g->arena, Tensor, DNNLC_TESTED_ROWS * g->n_outputs + 1), *out = all;
    for (unsigned part = first; part < DNNLC_TESTED_ROWS; part++, out += g->n_outputs)
        if (!eval_graph(g, inputs_of_part(g, part, 1), out, g->arena))
            return NULL;
    return all;
}

bool graph_quantises(const Graph *g)
{
    bool any = false;
    for (uint32_t i = 0; i < g->n_nodes && !any; i++)
        any = op_has(g->nodes[i].op, TRAIT_QUANTISES);
    return any;
}

double tensor_difference(const Tensor *a, const Tensor *b)
{
    double worst = 0, scale = 0;
    for (int64_t i = 0, n = type_count(&a->type); i < n; i++) {
        double x = elem_f64(a->type.dtype, a->data, (size_t)i),
               y = elem_f64(b->type.dtype, b->data, (size_t)i);
        if (isnan(x) != isnan(y) || (isinf(x) && x != y))
            return INFINITY;
        if (isfinite(x)) {
            scale = fmax(scale, fabs(x));
            worst = fmax(worst, fabs(x - y));
        }
    }
    return worst == 0 ? 0 : worst / fmax(scale, 1e-30);
}

bool run_passes_verified(Graph *g, Program *p, const PassOptions *options, const char *list,
                         const char *print_after, const char *stop_after, Text *log, Text *printed,
                         Verified *verified)
{
    Tensor *in = random_inputs(g, 1);
    Tensor *before = ARENA_ARRAY(g->arena, Tensor, g->n_outputs + 1),
           *after = ARENA_ARRAY(g->arena, Tensor, g->n_outputs + 1);
    const double *moved = NULL;
    const bool coarse = options->bf16 || graph_quantises(g);
    if (!eval_graph(g, in, before, g->arena) ||
        !(coarse || (moved = outputs_rounded(g, in, before))) ||
        !run_passes(g, p, options, list, print_after, stop_after, log, printed) ||
        !eval_graph(g, in, after, g->arena))
        return false;
    *verified = (Verified){in, after};
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        double d = tensor_difference(&before[k], &after[k]);
        text_printf(printed, "verify: output '%s': largest relative difference %.3g\n",
                    g->outputs[k].name, d);
        if (!(d <= (moved ? 1e-4 + ROUNDINGS_SAFETY * moved[k] : 0.1)))
            return refuse_graph(g, "the passes changed output '%s' by %.3g of its largest element",
                                g->outputs[k].name, d);
    }
    return true;
}
