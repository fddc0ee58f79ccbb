/* How far long work is, for somebody who waits at a terminal: one line that is written over itself, and gone when the work is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From now on it may be shown, for work that takes longer than so many seconds. Without this call, nothing is. */
void progress_allow(double after);
/* Work begins; what is begun inside of it counts as a part of it. */
void progress_begin(const char *what);
void progress_end(void);
/* So much of it is done; of 0: nobody knows of how much. */
void progress_at(double done, double of);
/* The line goes, if there is one: something else is to be written. */
void progress_clear(void);
/* "dnnlc: lower, 3 s, 9 s left" after so many seconds, into a line of `size` bytes. */
void progress_line(char *line, size_t size, const char *what, double done, double of,
                   double seconds);
