/* The port for the host. */
#include "port.h"

#include <stdio.h>

void port_put(const char *text)
{
    fputs(text, stdout);
}

uint32_t port_instructions(void)
{
    return 0;
}
