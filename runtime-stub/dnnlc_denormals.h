/* Subnormal numbers, which some CPUs compute a hundred times slower than others: networks trained with weight decay are full of them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNLC_DENORMALS_H
#define DNNLC_DENORMALS_H

#include <stdint.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* The calling thread reads subnormal numbers as 0 from now on and makes 0 where a result would be one: FTZ (bit 15) and DAZ (bit 6) of MXCSR
 * on x86, FZ (bit 24) of FPCR on AArch64; nothing elsewhere. Returns what dnnlc_restore_denormals wants. Calls may be nested. */
static inline uint64_t dnnlc_flush_denormals(void)
{
#if defined(__SSE__)
    const unsigned state = _mm_getcsr();
    _mm_setcsr(state | 0x8040);
    return state;
#elif defined(__aarch64__)
    uint64_t state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    __asm__ volatile("msr fpcr, %0" : : "r"(state | UINT64_C(1) << 24));
    return state;
#else
    return 0;
#endif
}

/* As it was before; exceptions that were raised in between stay raised. */
static inline void dnnlc_restore_denormals(uint64_t state)
{
#if defined(__SSE__)
    _mm_setcsr((_mm_getcsr() & ~0x8040u) | ((unsigned)state & 0x8040u));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(state));
#else
    (void)state;
#endif
}

#endif
