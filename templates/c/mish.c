/* Apache-2.0. Mish in float (Misra, Mish: A Self Regularized Non-Monotonic Activation Function, 2019). */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
float dnnlc_expf(float x);
//@begin
/* x tanh(ln(1 + e^x)), within 4 ulp where e^x is a normal number. With n = e^x (e^x + 2) the hyperbolic tangent is n / (n + 2); from 20 on, found by the bits
 * of x as an integer, it is 1. */
NET_INLINE float dnnlc_mishf(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits < 0x41a00000 ? bits : 0x41a00000; /* 20 */
    float c;
    memcpy(&c, &bits, sizeof c);
    const float e = dnnlc_expf(c), n = e * (e + 2.0f);
    return x * (n / (n + 2.0f));
}
