/* Apache-2.0. The Gaussian error linear unit in float. Its quotient is that of erf.c, of x / sqrt 2 and halved: in powers of x^2, coefficients of lower powers are
 * doubled as often as their power is lower, those above the line divided by sqrt 8. A call of that function would multiply twice more for each element; tests/structure/run
 * compares the coefficients. */
#include <math.h>
#define NET_INLINE static inline
float dnnlc_lesserf(float a, float b);
//@begin
/* x (1 + erf(x / sqrt 2)) / 2, within 2.5e-7 |x|: x / 2 + |x| S with half of the error function, S = |x| P(x^2) / Q(x^2), limited to 1/2. P / Q is a minimax
 * quotient on |x| <= 5.419; S is constant farther out. */
NET_INLINE float dnnlc_geluf(float x)
{
    const float a = fabsf(x), near = dnnlc_lesserf(a, 5.41926622f), s = near * near;
    float p = 0.01939032404f, q = s + 58.03464614f;
    p = p * s + 5.170735143f;
    p = p * s + 130.808723f;
    p = p * s + 3774.390202f;
    p = p * s + 26900.03506f;
    p = p * s + 325359.3279f;
    q = q * s + 1498.325881f;
    q = q * s + 22964.88952f;
    q = q * s + 203354.0424f;
    q = q * s + 815554.9007f;
    return 0.5f * x + a * dnnlc_lesserf(near * p / q, 0.5f);
}
