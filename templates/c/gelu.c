/* Apache-2.0. The Gaussian error linear unit in float. Its numbers are those of erf.c, for x / sqrt 2 and half of the result: coefficients divided by
 * sqrt 8, the limit of |x| multiplied by sqrt 2. A call of that function would multiply twice more for each element; tests/structure/run compares the coefficients. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* x (1 + erf(x / sqrt 2)) / 2, within 2.5e-7 |x|: x / 2 + |x| S with S = |x| Q(x^2), half of the error function, limited to 1/2; Q is a minimax
 * polynomial on |x| <= 5.419, in powers of what is between -1 and 1 there, and constant farther out. Every fourth power is in a sum of its own, to
 * shorten the chain of dependent operations. Clamping works on the bits of positive floats as integers, which compilers vectorise better
 * than comparisons. */
NET_INLINE float dnnlc_geluf(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t size = bits & 0x7fffffffu;
    bits = size < 0x40ad6aa1u ? size : 0x40ad6aa1u; /* 5.419 */
    float a, near;
    memcpy(&a, &size, sizeof a);
    memcpy(&near, &bits, sizeof near);
    const float t = near * near * 0.0671158955f - 1.0f, t2 = t * t, t4 = t2 * t2;
    float p0 = 6.5426981880e-04f, p1 = -4.3138628612e-04f;
    float p2 = 5.6860565843e-04f, p3 = -2.2302847832e-04f;
    p0 = p0 * t4 + 9.8918915814e-03f;
    p1 = p1 * t4 - 6.4782319586e-03f;
    p2 = p2 * t4 + 4.3812999757e-03f;
    p3 = p3 * t4 - 2.3259693330e-03f;
    p0 = p0 * t4 + 3.2092862399e-02f;
    p1 = p1 * t4 - 2.5913137192e-02f;
    p2 = p2 * t4 + 2.0109465886e-02f;
    p3 = p3 * t4 - 1.4689957941e-02f;
    p0 = p0 * t4 + 1.2951898903e-01f;
    p1 = p1 * t4 - 6.4643498841e-02f;
    p2 = p2 * t4 + 4.8050820539e-02f;
    p3 = p3 * t4 - 3.8968858266e-02f;
    float half = a * (p0 + p1 * t + (p2 + p3 * t) * t2);
    memcpy(&bits, &half, sizeof bits);
    bits = bits < 0x3f000000u ? bits : 0x3f000000u;
    memcpy(&half, &bits, sizeof half);
    return 0.5f * x + a * half;
}
