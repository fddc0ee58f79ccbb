/* Subnormal numbers, which some CPUs compute a hundred times slower than others: networks trained with weight decay are full of them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNLC_DENORMALS_H
#define DNNLC_DENORMALS_H

#include <stdint.h>

/* The calling thread reads subnormal numbers as 0 from now on and makes 0 where a result would be one: FTZ (bit 15) and DAZ (bit 6) of MXCSR
 * on x86, FZ (bit 24) of FPCR on AArch64; nothing elsewhere. Returns what dnnlc_restore_denormals wants. Calls may be nested. (The header with
 * an intrinsic for it would be most of what a compiler reads of the file that includes this one.) No access to memory is moved past a change. */
static inline uint64_t dnnlc_flush_denormals(void)
{
#if defined(__SSE__)
    uint32_t state, flushing;
    __asm__ volatile("stmxcsr %0" : "=m"(state));
    flushing = state | UINT32_C(0x8040);
    __asm__ volatile("ldmxcsr %0" : : "m"(flushing) : "memory");
    return state;
#elif defined(__aarch64__)
    uint64_t state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    __asm__ volatile("msr fpcr, %0" : : "r"(state | UINT64_C(1) << 24) : "memory");
    return state;
#else
    return 0;
#endif
}

/* As it was before; exceptions that were raised in between stay raised. */
static inline void dnnlc_restore_denormals(uint64_t state)
{
#if defined(__SSE__)
    const uint32_t flags = UINT32_C(0x8040);
    uint32_t now;
    __asm__ volatile("stmxcsr %0" : "=m"(now));
    now = (now & ~flags) | ((uint32_t)state & flags);
    __asm__ volatile("ldmxcsr %0" : : "m"(now) : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(state) : "memory");
#else
    (void)state;
#endif
}

#endif
