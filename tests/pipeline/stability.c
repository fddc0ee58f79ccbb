/* See stability.h. */
#include "stability.h"

#include "../../runtime-stub/dnnlc_file.h"

#include <math.h>
#include <string.h>

enum { CHANGES = 4 };

static double element(const Tensor *t, size_t i)
{
    return dtype_is_float(t->type.dtype) ? elem_f64(t->type.dtype, t->data, i)
                                         : (double)elem_i64(t->type.dtype, t->data, i);
}

double rms_difference(const Tensor *got, const Tensor *ref)
{
    const size_t n = (size_t)type_count(&ref->type);
    double squares = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const double r = element(ref, i), x = element(got, i);
        if (x == r || (isnan(x) && isnan(r)))
            all += isfinite(r) ? r * r : 0;
        else if (!isfinite(x) || !isfinite(r))
            return INFINITY;
        else
            squares += (x - r) * (x - r), all += r * r;
    }
    return all > 0 ? sqrt(squares / all) : squares > 0 ? INFINITY : 0;
}

/* Half of the elements, by splitmix64, up by 2^-22 of themselves, the others down. */
static void change(const Graph *g, const Tensor *in, Tensor *changed, uint64_t seed)
{
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        changed[i] = in[i];
        if (in[i].type.dtype != DT_F32)
            continue;
        const size_t n = (size_t)type_count(&in[i].type);
        float *data = arena_copy(g->arena, in[i].data, n * sizeof *data);
        for (size_t k = 0; k < n; k++) {
            uint64_t x = (seed << 32) + k * 0x9e3779b97f4a7c15u;
            x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
            data[k] *= (x >> 40 & 1 ? 1 + 0x1p-22f : 1 - 0x1p-22f);
        }
        changed[i].data = data;
    }
}

bool own_differences(const Graph *g, const Tensor *in, const Tensor *out, double *largest)
{
    Tensor *changed = ARENA_ARRAY(g->arena, Tensor, g->n_inputs + 1),
           *result = ARENA_ARRAY(g->arena, Tensor, g->n_outputs + 1);
    for (uint64_t seed = 1; seed <= CHANGES; seed++) {
        change(g, in, changed, seed);
        if (!eval_graph(g, changed, result, g->arena))
            return false;
        for (uint32_t k = 0; k < g->n_outputs; k++)
            largest[k] = fmax(largest[k], rms_difference(&result[k], &out[k]));
    }
    return true;
}

bool read_inputs(const Graph *g, const char *folder, Tensor *in)
{
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        struct dnnlc_array a = {0};
        char why[512];
        if (!dnnlc_array_read(arena_printf(g->arena, "%s/input_%u.npy", folder, i), &a, why,
                              sizeof why))
            return refuse(g->diag, "%s", why);
        in[i].type = type_make((DType)a.dtype, a.rank, a.dims);
        in[i].data = arena_copy(g->arena, a.data, a.bytes);
        dnnlc_array_free(&a);
        if (!type_equal(&in[i].type, type_of(g, g->inputs[i].value)))
            return refuse(g->diag, "input %u has another type", i);
    }
    return true;
}
