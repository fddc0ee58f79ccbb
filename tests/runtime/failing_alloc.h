/* Makes one allocation fail: the linker replaces malloc and the like by these (--wrap). */
#ifndef FAILING_ALLOC_H
#define FAILING_ALLOC_H

/* Allocation number n from now, counted from 0, returns NULL; -1: none does. */
void fail_allocation(long n);

#endif
