/* Apache-2.0. Which instructions for bytes there are: Cortex-M55 has vectors (Helium), Cortex-M4 and M7 have two products of 16 bits in one. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
//@begin
#ifdef __GNUC__
#define NET_APART static __attribute__((noinline, unused))
#else
#define NET_APART static
#endif

#if defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE & 1
#include <arm_mve.h>
#define NET_HELIUM
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_SIMD32)
#include <arm_acle.h>
#define NET_PAIRS

NET_INLINE uint32_t dnnlc_word(const void *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}
#endif
