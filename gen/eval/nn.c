/* Widening and rounding for the evaluators of the neural-network layers. */
#include "nn.h"

double *eval_zeros(const Eval *e, int64_t n)
{
    return ARENA_ARRAY(e->scratch, double, (size_t)(n > 0 ? n : 1));
}

double *eval_wide(const Eval *e, uint32_t k)
{
    const Tensor *t = eval_in(e, k);
    if (!t)
        return NULL;
    size_t n = (size_t)type_count(&t->type);
    double *wide = eval_zeros(e, (int64_t)n);
    for (size_t i = 0; i < n; i++)
        wide[i] = elem_f64(t->type.dtype, t->data, i);
    return wide;
}

double *eval_wide_centred(const Eval *e, uint32_t k, uint32_t z, int64_t inner)
{
    double *wide = eval_wide(e, k);
    const Tensor *zero = eval_in(e, z);
    if (!wide || !zero)
        return wide;
    int64_t n = type_count(&eval_in(e, k)->type), n_zero = type_count(&zero->type);
    for (int64_t i = 0; i < n && n_zero > 0; i++)
        wide[i] -= elem_f64(zero->type.dtype, zero->data, (size_t)(i / inner % n_zero));
    return wide;
}

void eval_store(const Eval *e, uint32_t k, const double *v)
{
    const Tensor *t = eval_out(e, k);
    if (!t)
        return;
    size_t n = (size_t)type_count(&t->type);
    for (size_t i = 0; i < n; i++)
        elem_set_f64(t->type.dtype, t->data, i, v[i]);
}
