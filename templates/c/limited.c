/* Apache-2.0. Limits of whole numbers in float. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* Limits x to low … high, where high is not negative and low is not -0. The order of floats of one sign is that of their bits as integers, whose minimum and
 * maximum are one instruction each for a whole vector. As a quantised type has no NaN, one becomes a limit. */
NET_INLINE float dnnlc_limited(float x, float low, float high)
{
    int32_t bits, most;
    uint32_t magnitude, least;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&most, &high, sizeof most);
    memcpy(&least, &low, sizeof least);
    bits = bits < most ? bits : most;
    if (low >= 0.0f) {
        bits = bits > (int32_t)least ? bits : (int32_t)least;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    magnitude = (uint32_t)bits;
    magnitude = magnitude < least ? magnitude : least; /* signed; below it if x is positive */
    memcpy(&x, &magnitude, sizeof x);
    return x;
}
