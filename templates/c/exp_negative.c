/* Apache-2.0. Powers of what is at most 0: the exponentials of softmax, after the row's maximum is taken off. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
/* 2^y for y <= 0, within 2.5e-7 of it where y is above -126.5, and 0 below: hardly any result is subnormal, as those of masked elements would be,
 * which cost processors a hundred cycles each. y = n + f with |f| <= 1/2; 2^f is a minimax polynomial (error 7.5e-8). Adding 1.5 * 2^23 rounds
 * to the nearest integer; with 127 more the low bits of the sum are the exponent field of 2^n, 0 for n = -127. NaN goes through all of it. */
NET_INLINE float dnnlc_exp2_negativef(float y)
{
    float c = y < -127.0f ? -127.0f : y;
    float shifted = c + 12583039.0f, f = c - (shifted - 12583039.0f);
    float p = 1.3276472e-3f;
    p = p * f + 9.6755413e-3f;
    p = p * f + 5.5507133e-2f;
    p = p * f + 2.4022120e-1f;
    p = p * f + 6.9314697e-1f;
    p = p * f + 1.0000001f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}
/* e^x for x <= 0, within 2.5e-7 + 7.5e-8 |x| of it: sums of exponentials hardly notice those that are small. */
NET_INLINE float dnnlc_exp_negativef(float x)
{
    return dnnlc_exp2_negativef(x * 1.44269504f);
}
