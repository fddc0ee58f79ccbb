#include "semihost.h"

#include "port.h"

#include <stdint.h>

/* Operations and reasons from Arm's "Semihosting for AArch32 and AArch64". */
enum { SYS_WRITE0 = 0x04, SYS_EXIT = 0x18 };
#define APPLICATION_EXIT 0x20026u /* qemu exits with 0 */
#define RUN_TIME_ERROR 0x20023u   /* and with 1 */

static void semihost(uint32_t operation, uintptr_t argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void port_put(const char *text)
{
    semihost(SYS_WRITE0, (uintptr_t)text);
}

/* The core's own timer, which counts down: with `-icount shift=0` qemu takes an instruction for a nanosecond. */
#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)
#ifndef CLOCK_MHZ
#define CLOCK_MHZ 25 /* of the MPS2 boards */
#endif

uint32_t port_instructions(void)
{
    enum { ENABLE = 1, ON_CORE_CLOCK = 4, MASK = 0xffffff };
    static uint32_t before, ticks;
    if (!(SYST_CSR & ENABLE)) {
        SYST_RVR = MASK;
        SYST_CVR = 0;
        SYST_CSR = ENABLE | ON_CORE_CLOCK;
        before = SYST_CVR;
    }
    const uint32_t now = SYST_CVR;
    ticks += (before - now) & MASK;
    before = now;
    return (uint32_t)((uint64_t)ticks * 1000 / CLOCK_MHZ);
}

void semihost_exit(int failed)
{
    for (;;)
        semihost(SYS_EXIT, failed ? RUN_TIME_ERROR : APPLICATION_EXIT);
}
