/* COLUMNS, NO_COLOR: see terminal.h. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int terminal_width(void)
{
    enum { USUAL = 80, LEAST = 40, MOST = 1000 };
    const char *columns = getenv("COLUMNS");
    char *end;
    const long n = columns ? strtol(columns, &end, 10) : 0;
    return !columns || end == columns || *end ? USUAL
           : n < LEAST                        ? LEAST
           : n > MOST                         ? MOST
                                              : (int)n;
}

static bool is_terminal(int fd)
{
    const char *term = getenv("TERM");
    return isatty(fd) && !(term && !strcmp(term, "dumb"));
}

bool terminal_has_progress(void)
{
    return is_terminal(STDERR_FILENO);
}

bool terminal_has_colour(int fd)
{
    const char *no = getenv("NO_COLOR");
    return is_terminal(fd) && !(no && *no);
}
