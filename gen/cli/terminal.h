/* What is known of the terminal, if there is one. */
#pragma once

#include <stdbool.h>

/* Characters of a line: COLUMNS, or 80. */
int terminal_width(void);
/* Whether what is written to this file descriptor may have colours: it is a terminal, and NO_COLOR is not set. */
bool terminal_has_colour(int fd);
