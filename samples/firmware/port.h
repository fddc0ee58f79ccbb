/* The only things the programs ask of the machine they run on: host.c and semihost.c are the two
 * ports. */
#ifndef PORT_H
#define PORT_H

#include <stdint.h>

void port_put(const char *text);
/* How many instructions ran since some moment, to be asked at least every 2^24 clock ticks; 0 where nothing counts them. */
uint32_t port_instructions(void);

#endif
