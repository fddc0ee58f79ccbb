/* What is known of the terminal, if there is one. */
#pragma once

#include <stdbool.h>

/* Characters of a line: COLUMNS, or 80. */
int terminal_width(void);
/* Whether a line on standard error can be written over: it is a terminal that can do so. */
bool terminal_has_progress(void);
/* Whether what is written to this file descriptor may have colours: it is a terminal, and NO_COLOR is not set. */
bool terminal_has_colour(int fd);
