#include "roundings.h"

#include "../base/random.h"
#include "run.h"

#include <math.h>

static void set_element(Tensor *t, int64_t i, double x)
{
    if (dtype_is_float(t->type.dtype))
        elem_set_f64(t->type.dtype, t->data, (size_t)i, x);
    else
        elem_set_i64(t->type.dtype, t->data, (size_t)i, llrint(x));
}

void disturb(Tensor *t, double most, double share, uint64_t seed)
{
    for (int64_t i = 0, n = type_count(&t->type); i < n; i++) {
        const double x = elem_f64(t->type.dtype, t->data, (size_t)i),
                     by = most * (2 * random_fraction(seed, 2 * (uint64_t)i + 1) - 1);
        if (isfinite(x) && random_fraction(seed, 2 * (uint64_t)i) < share)
            set_element(t, i, x + by);
    }
}

/* Half a unit in the last place, as a part of the smallest number of that exponent; 0: roundings are not looked at. */
static double half_unit(DType t)
{
    return t == DT_F16 ? 0x1p-11 : t == DT_BF16 ? 0x1p-8 : t == DT_F32 ? 0x1p-24 : 0;
}

/* Whole numbers are exact as a rule: counts, masks, what Floor makes. */
static void round_otherwise(void *user, ValueId v, Tensor *t)
{
    const DType type = t->type.dtype;
    const double unit = half_unit(type);
    (void)user;
    for (int64_t i = 0, n = unit > 0 ? type_count(&t->type) : 0; i < n; i++) {
        const double x = elem_f64(type, t->data, (size_t)i),
                     sign = random_fraction(v.i, (uint64_t)i) < 0.5 ? -1 : 1;
        if (isfinite(x) && x != floor(x))
            elem_set_f64(type, t->data, (size_t)i, x * (1 + 1.5 * sign * unit));
    }
}

typedef struct Moved {
    const Graph *g;
    const Tensor *outputs;
    void (*made)(void *user, ValueId v, Tensor *t);
    void *user;
    double *by;
} Moved;

static void value_is_made(void *user, ValueId v, Tensor *t)
{
    const Moved *m = user;
    m->made(m->user, v, t);
}

static void all_is_made(void *user, const Tensor *values)
{
    const Moved *m = user;
    for (uint32_t k = 0; k < m->g->n_outputs; k++)
        m->by[k] = tensor_difference(&m->outputs[k], &values[m->g->outputs[k].value.i]);
}

double *outputs_moved(const Graph *g, const Tensor *inputs, const Tensor *outputs,
                      void (*made)(void *user, ValueId v, Tensor *t), void *user)
{
    Moved m = {g, outputs, made, user, ARENA_ARRAY(g->arena, double, g->n_outputs + 1)};
    const EvalWatch watch = {value_is_made, all_is_made, &m};
    return eval_graph_watched(g, inputs, &watch) ? m.by : NULL;
}

double *outputs_rounded(const Graph *g, const Tensor *inputs, const Tensor *outputs)
{
    return outputs_moved(g, inputs, outputs, round_otherwise, NULL);
}
