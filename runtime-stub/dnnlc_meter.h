/* How far a long job is, for somebody at a terminal: a bar on standard error that is written over itself, and gone at the end. */
#ifndef DNNLC_RUNTIME_METER_H
#define DNNLC_RUNTIME_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dnnlc_meter {
    bool shown; /* standard error is a terminal */
    double begin, last;
};

struct dnnlc_meter dnnlc_meter_begin(void);
/* To be called by one thread at a time. */
void dnnlc_meter_show(struct dnnlc_meter *meter, int64_t done, int64_t of);
void dnnlc_meter_clear(const struct dnnlc_meter *meter);
/* "[#####.....]  50 %, 10 of 20 rows, 5 rows/s, 2 s left" after so many seconds. */
void dnnlc_meter_line(char *line, size_t size, int64_t done, int64_t of, double seconds);

#endif
