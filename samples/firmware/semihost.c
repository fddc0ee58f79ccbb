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

void semihost_exit(int failed)
{
    for (;;)
        semihost(SYS_EXIT, failed ? RUN_TIME_ERROR : APPLICATION_EXIT);
}
