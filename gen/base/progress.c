/* Progress on standard error: see progress.h. */
#include "progress.h"

#include <stdio.h>
#include <time.h>

static const double often = 0.2; /* seconds between two lines */

/* There is one terminal. */
static struct {
    bool allowed, shown;
    int depth;
    double after, begin, last;
    const char *what;
} progress;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_allow(double after)
{
    progress.allowed = true;
    progress.after = after;
}

void progress_begin(const char *what)
{
    if (progress.depth++ > 0)
        return;
    progress.what = what;
    progress.begin = progress.last = now();
}

void progress_end(void)
{
    if (--progress.depth == 0)
        progress_clear();
}

void progress_line(char *line, size_t size, const char *what, double done, double of,
                   double seconds)
{
    enum { MINUTE = 60 };
    const double left = done > 0 && of > done ? seconds * (of - done) / done : 0;
    const int n = snprintf(line, size, "dnnlc: %s, %.0f s", what, seconds);
    if (n < 0 || (size_t)n >= size || left <= 0)
        return;
    if (left < 2 * MINUTE)
        snprintf(line + n, size - (size_t)n, ", %.0f s left", left);
    else
        snprintf(line + n, size - (size_t)n, ", %.0f min left", left / MINUTE);
}

void progress_at(double done, double of)
{
    char line[79];
    const double time = now();
    if (!progress.allowed || progress.depth == 0 || time - progress.begin < progress.after ||
        time - progress.last < often)
        return;
    progress.last = time;
    progress.shown = true;
    progress_line(line, sizeof line, progress.what, done, of, time - progress.begin);
    fprintf(stderr, "%s\033[K\r", line); /* what else comes is written over it */
}

void progress_clear(void)
{
    if (progress.shown)
        fputs("\033[K", stderr);
    progress.shown = false;
}
