/* The only thing the program asks of the machine it runs on: host.c and semihost.c are the two
 * ports. */
#ifndef PORT_H
#define PORT_H

void port_put(const char *text);

#endif
