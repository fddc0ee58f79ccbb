/* Apache-2.0. Codes of numbers in a type of less than 16 bits, packed into bytes, the first one in the lowest bits. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, uint8_t *restrict dst)
#define $fn$_code sample_code
#define $T_x$ float
#define $count$ 11
#define $bytes$ 6
#define $bits$ 4
#define $mask$ 15
#define $mantissa$ 1
#define $least$ 0
#define $most$ 7
#define $beyond$ 7
#define $nan$ 8
#define $sign$ 8
#define $round_up$ 0
//@begin
NET_INLINE uint32_t $fn$_code($T_x$ x)
{
//@if floats
    enum { MANTISSA = $mantissa$, LEAST = $least$ }; /* LEAST: the exponent of the smallest normal number */
    const float limit = 0x1p20f; /* beyond all numbers of the type */
    const float magnitude = fabsf(x) < limit ? fabsf(x) : limit;
    uint32_t bits, code, whole;
    memcpy(&bits, &magnitude, sizeof bits);
    const int32_t own = (int32_t)(bits >> 23) - 127, exponent = own > LEAST ? own : LEAST;
    const uint32_t unit_bits = (uint32_t)(exponent - MANTISSA + 23 + 127) << 23;
    float unit; /* one in its last place is one in the code's: adding it rounds */
    memcpy(&unit, &unit_bits, sizeof unit);
    const float sum = magnitude + unit;
    memcpy(&whole, &sum, sizeof whole);
    code = whole - unit_bits + ((uint32_t)(exponent - LEAST) << MANTISSA);
    code = code > $most$ ? $beyond$ : code;
//@if signed_zero
    return (isnan(x) ? $nan$ : code) | (signbit(x) ? $sign$ : 0);
//@else
    return isnan(x) || code == $nan$ ? $nan$ : code && signbit(x) ? code | $sign$ : code;
//@end
//@end
//@if powers
    uint32_t own_bits; /* a power of two is its exponent */
    memcpy(&own_bits, &x, sizeof own_bits);
    const uint32_t power = own_bits >> 23 & 0xff;
    if (isnan(x) || x < 0)
        return $nan$;
    return power + $round_up$ > $most$ ? $beyond$ : power + $round_up$;
//@end
//@if integers
    return (uint32_t)x & $mask$;
//@end
}

$signature$
{
    enum { COUNT = $count$, BYTES = $bytes$, BITS = $bits$, EACH = 8 / BITS };
    for (size_t i = 0; i < COUNT / EACH; i++) {
        uint32_t byte = 0;
        for (size_t k = 0; k < EACH; k++)
            byte |= $fn$_code(src[i * EACH + k]) << (k * BITS);
        dst[i] = (uint8_t)byte;
    }
//@if rest
    uint32_t last = 0;
    for (size_t k = COUNT / EACH * EACH; k < COUNT; k++)
        last |= $fn$_code(src[k]) << (k % EACH * BITS);
    dst[BYTES - 1] = (uint8_t)last;
//@end
}
