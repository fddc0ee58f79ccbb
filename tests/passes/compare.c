/* Compares two graphs by the reference evaluator. */
#include "compare.h"

#include "random_quantised.h"

#include "../../gen/eval/eval.h"
#include "../../gen/text/data.h"

#include <math.h>
#include <string.h>

static Tensor *random_inputs(Arena *arena, const Graph *g, uint64_t seed)
{
    Tensor *in = ARENA_ARRAY(arena, Tensor, g->n_inputs + 1);
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        in[i].type = *type_of(g, g->inputs[i].value);
        in[i].data = arena_alloc(arena, type_bytes(&in[i].type) + 1);
        DType t = in[i].type.dtype;
        fill_random(&in[i].type, in[i].data, seed * 1000 + i,
                    dtype_is_float(t)          ? 2
                    : t == DT_U8 || t == DT_I8 ? 120
                                               : 4);
    }
    return in;
}

static double element(const Tensor *t, size_t i)
{
    return dtype_is_float(t->type.dtype) ? elem_f64(t->type.dtype, t->data, i)
                                         : (double)elem_i64(t->type.dtype, t->data, i);
}

static const char *compare_tensor(Arena *arena, const char *name, const Tensor *a, const Tensor *b,
                                  double tolerance)
{
    if (!type_equal(&a->type, &b->type))
        return arena_printf(arena, "output '%s' has type %s before, %s after", name,
                            type_text(arena, &a->type), type_text(arena, &b->type));
    size_t n = (size_t)type_count(&a->type);
    double largest = 1;
    for (size_t i = 0; i < n; i++)
        if (isfinite(element(a, i)))
            largest = fmax(largest, fabs(element(a, i)));
    for (size_t i = 0; i < n; i++) {
        double x = element(a, i), y = element(b, i);
        bool same = (isnan(x) && isnan(y)) || x == y ||
                    fabs(x - y) <= tolerance * largest + allowed_by_name(name);
        if (!same)
            return arena_printf(arena, "output '%s'[%zu] is %.9g before, %.9g after", name, i, x,
                                y);
    }
    return NULL;
}

const char *compare_graphs(Arena *arena, const Graph *a, const Graph *b, uint64_t seed,
                           double tolerance)
{
    if (a->n_inputs != b->n_inputs || a->n_outputs != b->n_outputs)
        return "the numbers of inputs or outputs differ";
    for (uint32_t i = 0; i < a->n_inputs; i++)
        if (strcmp(a->inputs[i].name, b->inputs[i].name) != 0)
            return "the inputs are called differently";
    Tensor *in = random_inputs(arena, a, seed);
    Tensor *x = ARENA_ARRAY(arena, Tensor, a->n_outputs + 1);
    Tensor *y = ARENA_ARRAY(arena, Tensor, a->n_outputs + 1);
    if (!eval_graph(a, in, x, arena))
        return a->diag->message;
    if (!eval_graph(b, in, y, arena))
        return b->diag->message;
    for (uint32_t i = 0; i < a->n_outputs; i++) {
        if (strcmp(a->outputs[i].name, b->outputs[i].name) != 0)
            return "the outputs are called differently";
        const char *why = compare_tensor(arena, a->outputs[i].name, &x[i], &y[i], tolerance);
        if (why)
            return why;
    }
    return NULL;
}
