/* Apache-2.0. A sum of products of bytes in the steps of a result, by integers alone and to the bit as floats do it. */
#include <stdint.h>
#define NET_INLINE static inline
//@begin
#ifdef __GNUC__
#define NET_RARE static __attribute__((cold, noinline, unused))
#else
#define NET_RARE static inline
#endif

/* x / 2^bits, rounded half to even. */
NET_INLINE uint64_t dnnlc_rounded_shift(uint64_t x, int bits)
{
    return bits ? (x + ((UINT64_C(1) << (bits - 1)) - 1) + (x >> bits & 1)) >> bits : x;
}

/* x as an f32 holds it: with the 24 highest bits. */
NET_INLINE uint64_t dnnlc_24_bits(uint64_t x)
{
    int bits = 0;
    while (x >> bits >> 24)
        bits++;
    return dnnlc_rounded_shift(x, bits) << bits;
}

/* x times the f32 that is positive and has the bits of scale, as f32 arithmetic rounds it, and then half to even; saturated. */
NET_RARE int32_t dnnlc_requantize_exactly(int32_t x, int32_t scale)
{
    const int shift = 150 - (scale >> 23 & 0xff);
    const uint32_t factor = ((uint32_t)scale & 0x7fffff) | 0x800000;
    const uint32_t size = x < 0 ? 0 - (uint32_t)x : (uint32_t)x;
    const uint32_t most = x < 0 ? 0x80000000u : INT32_MAX;
    const uint64_t product = dnnlc_24_bits(dnnlc_24_bits(size) * factor);
    uint64_t steps = product ? UINT64_MAX : 0;
    if (shift > 62)
        steps = 0;
    else if (shift > 0)
        steps = dnnlc_rounded_shift(product, shift);
    else if (shift > -8)
        steps = product << -shift;
    const uint32_t r = steps < most ? (uint32_t)steps : most;
    return (int32_t)(x < 0 ? 0 - r : r);
}

/* The same. The product is exact; what f32 arithmetic rounds before the end is less than 2^-22 of it, and looked at only where a value is
 * that close to the middle of two steps. */
NET_INLINE int32_t dnnlc_requantize(int32_t x, int32_t scale)
{
    enum { MOST = 1 << 20 };
    const int bits = 126 - (scale >> 23 & 0xff); /* of the fraction in the product's upper half */
    if (bits <= 0 || bits >= 32)
        return dnnlc_requantize_exactly(x, scale);
    const uint32_t size = x < 0 ? 0 - (uint32_t)x : (uint32_t)x;
    const uint64_t product = (uint64_t)size * ((uint32_t)scale << 8 | 0x80000000u);
    const uint32_t high = (uint32_t)(product >> 32), steps = high >> bits;
    const uint32_t fraction = high << (32 - bits) | (uint32_t)product >> bits;
    const uint32_t off = (steps + 1) << 10;
    if (steps >= MOST || fraction - (0x80000000u - off) <= 2 * off)
        return dnnlc_requantize_exactly(x, scale);
    const uint32_t r = steps + (fraction >> 31);
    return (int32_t)(x < 0 ? 0 - r : r);
}

/* The same where the result is limited to [-511, 511] then; what is beyond may be another number beyond. */
NET_INLINE int32_t dnnlc_requantize_limited(int32_t x, int32_t scale)
{
    const int exponent = scale >> 23 & 0xff;
    if (exponent < 96 || exponent > 136)
        return dnnlc_requantize_exactly(x, scale);
    const int up = exponent > 106 ? exponent - 106 : 0, bits = 125 + up - exponent;
    const int32_t most = INT32_MAX >> up, least = -most - 1;
    const int32_t near = x < least ? least : x > most ? most : x;
    const int32_t factor = (int32_t)(((uint32_t)scale & 0x7fffff) << 7 | 0x40000000);
    const int32_t off = (1 << (bits - 13)) + 8;
    const int32_t high = (int32_t)(((int64_t)(int32_t)((uint32_t)near << up) * factor) >> 32);
    const int32_t t = high + (1 << (bits - 1)) + off;
    if ((uint32_t)t << (32 - bits) < (uint32_t)off << (33 - bits))
        return dnnlc_requantize_exactly(x, scale);
    return t >> bits;
}
