/* flush-denormals: subnormal weights become 0.
 *
 * Weight decay leaves thousands of numbers below 2^-126 in a network. A run reads them as 0 (runtime-stub/dnnlc_denormals.h), and here they
 * become it, for CPUs that cannot be told to. Only what is multiplied and added up counts: constants of convolutions, products and
 * recurrent layers, which nothing else reads. Runs after the passes that make such constants; needs nothing and keeps the nodes. */
#include "pass.h"

#include "../gen/ops/macs.h"
#include "common/util.h"

#include <math.h>
#include <string.h>

static size_t count_subnormal(const float *x, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += fpclassify(x[i]) == FP_SUBNORMAL;
    return count;
}

/* The data may be those of a mapped file, so they are copied. */
static void flush(Graph *g, Value *value)
{
    const size_t n = (size_t)type_count(&value->type);
    float *data = arena_alloc(g->arena, type_bytes(&value->type));
    memcpy(data, value->data, n * sizeof *data);
    for (size_t i = 0; i < n; i++)
        if (fpclassify(data[i]) == FP_SUBNORMAL)
            data[i] = copysignf(0, data[i]);
    value->data = data;
}

/* Do products alone read the value? */
static bool only_products_read(const Graph *g, const Uses *uses, ValueId v)
{
    for (uint32_t u = uses->start[v.i]; u < uses->start[v.i + 1]; u++)
        if (!node_macs(g, node_at(g, uses->node[u])))
            return false;
    return !uses->is_output[v.i] && uses->start[v.i] < uses->start[v.i + 1];
}

bool pass_flush_denormals(Graph *g, const PassOptions *options, const char **report)
{
    size_t numbers = 0, constants = 0;
    Arena *scratch = arena_new();
    const Uses uses = graph_uses(g, scratch);
    for (uint32_t i = 0; !options->keep_denormals && i < g->n_values; i++) {
        const ValueId v = {i};
        if (!is_const(g, v) || type_of(g, v)->dtype != DT_F32 || !only_products_read(g, &uses, v))
            continue;
        const size_t n = count_subnormal(value_at(g, v)->data, (size_t)type_count(type_of(g, v)));
        numbers += n;
        constants += n > 0;
        if (n)
            flush(g, &g->values[i]);
    }
    *report = arena_printf(g->arena, "%zu subnormal numbers in %zu constants became 0", numbers,
                           constants);
    arena_free(scratch);
    return true;
}
