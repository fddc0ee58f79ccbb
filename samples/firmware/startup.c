/* Start-up of a Cortex-M: the vector table, the C environment, the FPU. Names ending in _start and
 * _end come from the linker script. */
#include "port.h"
#include "semihost.h"

#include <stdint.h>

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_start[],
    stack_end[];

int main(void);
_Noreturn void reset(void);

/* Coprocessor Access Control Register: bits 20-23 give full access to CP10 and CP11, which are the
 * FPU. */
#define CPACR (*(volatile uint32_t *)0xe000ed88u)
#define STACK_PAINT 0xa5a5a5a5u

static void put_number(uint32_t n)
{
    char text[11] = {0};
    int i = 10;
    do
        text[--i] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    port_put(text + i);
}

/* The stack grows down over the paint: the first word that is not paint is the deepest one used. */
static void report_stack(void)
{
    const uint32_t *word = stack_start;
    while (word < stack_end && *word == STACK_PAINT)
        word++;
    port_put("# stack used: ");
    put_number((uint32_t)((uintptr_t)stack_end - (uintptr_t)word));
    port_put(" of ");
    put_number((uint32_t)((uintptr_t)stack_end - (uintptr_t)stack_start));
    port_put(" bytes\n");
}

static _Noreturn void fault(void)
{
    port_put("# fault\n");
    semihost_exit(1);
}

void reset(void)
{
#ifdef __ARM_FP
    CPACR |= 0xfu << 20;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
    uint32_t *here;
    __asm__ volatile("mov %0, sp" : "=r"(here));
    for (volatile uint32_t *w = stack_start; w < here;
         w++) /* volatile: memset would paint its own frame */
        *w = STACK_PAINT;
    for (uint32_t *from = data_load, *to = data_start; to < data_end;)
        *to++ = *from++;
    for (uint32_t *w = bss_start; w < bss_end; w++)
        *w = 0;
    int failed = main();
    report_stack();
    semihost_exit(failed);
}

struct vectors {
    uint32_t *initial_stack;
    void (*handlers[15])(void);
};

/* Reset, NMI, HardFault, MemManage, BusFault, UsageFault; the others stay off. */
const struct vectors vectors __attribute__((section(".vectors"), used)) = {
    .initial_stack = stack_end,
    .handlers = {reset, fault, fault, fault, fault, fault},
};
