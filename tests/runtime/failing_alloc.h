/* Makes one allocation, or the start of one thread, fail: the linker replaces malloc and the like by these (--wrap). */
#pragma once

/* Allocation number n from now, counted from 0, returns NULL; -1: none does. */
void fail_allocation(long n);

/* Thread number n from now, counted from 0, cannot be started. */
void fail_thread(long n);
