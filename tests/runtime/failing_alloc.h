/* Makes one allocation fail: the linker replaces malloc and the like by these (--wrap). */
#pragma once

/* Allocation number n from now, counted from 0, returns NULL; -1: none does. */
void fail_allocation(long n);
