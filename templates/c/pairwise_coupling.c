/* Apache-2.0. Probabilities of classes from those of pairs of them. */
#include <math.h>
#include <stddef.h>
#define $signature$ void f(const float *restrict src, float *restrict dst, void *restrict scratch)
#define $src_dim0$ 10
#define $attr_classes$ 4
//@begin
/* Pairwise coupling by the second method of Wu, Lin and Weng (2004): minimises p Q p, where Q comes
 * from the probability r of the first class of each pair, by coordinate descent. */
$signature$
{
    enum { ROWS = $src_dim0$, CLASSES = $attr_classes$, PAIRS = CLASSES * (CLASSES - 1) / 2, ROUNDS = 100 };
    const float least = 0.005f / CLASSES;
    float *const q = scratch, *const qp = q + CLASSES * CLASSES;
    for (size_t row = 0; row < ROWS; row++) {
        const float *r = src + row * PAIRS;
        float *const p = dst + row * CLASSES;
        for (size_t i = 0; i < CLASSES; i++) {
            p[i] = 1.0f / CLASSES;
            q[i * CLASSES + i] = 0;
        }
        for (size_t i = 0; i < CLASSES; i++)
            for (size_t j = i + 1; j < CLASSES; j++, r++) {
                const float other = 1 - *r;
                q[i * CLASSES + i] += other * other;
                q[j * CLASSES + j] += *r * *r;
                q[i * CLASSES + j] = q[j * CLASSES + i] = -*r * other;
            }
        for (size_t round = 0; round < ROUNDS; round++) {
            float pqp = 0, worst = 0;
            for (size_t i = 0; i < CLASSES; i++) {
                qp[i] = 0;
                for (size_t j = 0; j < CLASSES; j++)
                    qp[i] += q[i * CLASSES + j] * p[j];
                pqp += p[i] * qp[i];
            }
            for (size_t i = 0; i < CLASSES; i++)
                worst = fabsf(qp[i] - pqp) > worst ? fabsf(qp[i] - pqp) : worst;
            if (worst < least)
                break;
            for (size_t i = 0; i < CLASSES; i++) {
                const float own = q[i * CLASSES + i], change = (pqp - qp[i]) / own;
                p[i] += change;
                pqp = (pqp + change * (change * own + 2 * qp[i])) / (1 + change) / (1 + change);
                for (size_t j = 0; j < CLASSES; j++) {
                    qp[j] = (qp[j] + change * q[i * CLASSES + j]) / (1 + change);
                    p[j] /= 1 + change;
                }
            }
        }
    }
}
