/* Semihosting: what a debugger, here qemu, does for a board without a screen. */
#ifndef SEMIHOST_H
#define SEMIHOST_H

_Noreturn void semihost_exit(int failed);

#endif
