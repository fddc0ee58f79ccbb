/* PairwiseCoupling, in floats, as ONNX Runtime computes it: how near the result is to the best one hangs on when it stops. */
#include "elem.h"

#include <math.h>

/* Q of the form that is made least: see templates/c/coupling.c. */
static void fill_form(const float *r, size_t n, float *q)
{
    memset(q, 0, n * n * sizeof *q);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++, r++) {
            const float other = 1 - *r;
            q[i * n + i] += other * other;
            q[j * n + j] += *r * *r;
            q[i * n + j] = q[j * n + i] = -*r * other;
        }
}

/* q p into qp; returns p q p. */
static float apply_form(const float *q, const float *p, size_t n, float *qp)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        qp[i] = 0;
        for (size_t j = 0; j < n; j++)
            qp[i] += q[i * n + j] * p[j];
        sum += p[i] * qp[i];
    }
    return sum;
}

static bool is_near(const float *qp, float pqp, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fabsf(qp[i] - pqp) >= 0.005f / (float)n)
            return false;
    return true;
}

static void improve(const float *q, float *p, float *qp, float pqp, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float own = q[i * n + i], change = (pqp - qp[i]) / own;
        p[i] += change;
        pqp = (pqp + change * (change * own + 2 * qp[i])) / (1 + change) / (1 + change);
        for (size_t j = 0; j < n; j++) {
            qp[j] = (qp[j] + change * q[i * n + j]) / (1 + change);
            p[j] /= 1 + change;
        }
    }
}

bool eval_pairwise_coupling(Eval *e)
{
    const TensorType *src = &e->in[0]->type;
    const size_t n = (size_t)attr_int(e->node, "classes", 0);
    float *q = ARENA_ARRAY(e->scratch, float, n *n), *qp = ARENA_ARRAY(e->scratch, float, n);
    for (int64_t row = 0; row < src->dims[0]; row++) {
        float *p = (float *)e->out[0]->data + (size_t)row * n;
        fill_form((const float *)e->in[0]->data + row * src->dims[1], n, q);
        for (size_t i = 0; i < n; i++)
            p[i] = 1.0f / (float)n;
        for (int round = 0; round < 100; round++) {
            const float pqp = apply_form(q, p, n, qp);
            if (is_near(qp, pqp, n))
                break;
            improve(q, p, qp, pqp, n);
        }
    }
    return true;
}
