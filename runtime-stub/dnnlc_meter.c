#define _POSIX_C_SOURCE 200809L
#include "dnnlc_meter.h"

#include "dnnlc_session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct dnnlc_meter dnnlc_meter_begin(void)
{
    const double now = dnnlc_now_ms();
    return (struct dnnlc_meter){.shown = isatty(STDERR_FILENO) != 0, .begin = now, .last = now};
}

void dnnlc_meter_line(char *line, size_t size, int64_t done, int64_t of, double seconds)
{
    enum { BAR = 24 };
    char bar[BAR + 1];
    const double share = of > 0 ? (double)done / (double)of : 1;
    const double rate = (double)done / fmax(seconds, 1e-3),
                 left = (double)(of - done) / fmax(rate, 1e-9);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(share * BAR));
    bar[BAR] = 0;
    const int n = snprintf(line, size, "[%s] %3.0f %%, %lld of %lld rows", bar, floor(share * 100),
                           (long long)done, (long long)of);
    if (done > 0 && n > 0 && (size_t)n < size)
        snprintf(line + n, size - (size_t)n, ", %.*f rows/s, %.0f %s left", rate < 100 ? 2 : 0,
                 rate, left < 120 ? left : left / 60, left < 120 ? "s" : "min");
}

void dnnlc_meter_show(struct dnnlc_meter *meter, int64_t done, int64_t of)
{
    const double often = 200, now = dnnlc_now_ms();
    char line[100];
    if (!meter->shown || now - meter->last < often)
        return;
    meter->last = now;
    dnnlc_meter_line(line, sizeof line, done, of, (now - meter->begin) / 1e3);
    fprintf(stderr, "%s\033[K\r", line);
}

void dnnlc_meter_clear(const struct dnnlc_meter *meter)
{
    if (meter->shown)
        fputs("\033[K", stderr);
}
