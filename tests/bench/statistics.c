#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare_doubles);
    return n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : NAN;
}

double median_of(const struct sample *samples, int rounds, size_t field)
{
    double v[MAX_ROUNDS];
    int n = 0;
    for (int i = 0; i < rounds; i++)
        if (samples[i].done)
            memcpy(&v[n++], (const char *)&samples[i] + field, sizeof *v);
    return median(v, n);
}

double median_ratio(const struct result *r, int rounds)
{
    double v[MAX_ROUNDS];
    int n = 0;
    for (int i = 0; i < rounds; i++)
        if (r->ours[i].done && r->theirs[i].done)
            v[n++] = r->ours[i].median / r->theirs[i].median;
    return median(v, n);
}

static double least(const struct sample *samples, int rounds, size_t field)
{
    double best = NAN, value;
    for (int i = 0; i < rounds; i++)
        if (samples[i].done) {
            memcpy(&value, (const char *)&samples[i] + field, sizeof value);
            best = fmin(best, value);
        }
    return best;
}

double best_ratio(const struct result *r, int rounds)
{
    const size_t min = offsetof(struct sample, min);
    return least(r->ours, rounds, min) / least(r->theirs, rounds, min);
}

double shortest_start(const struct sample *samples, int rounds)
{
    return least(samples, rounds, offsetof(struct sample, start));
}

double start_ratio(const struct result *r, int rounds)
{
    return shortest_start(r->ours, rounds) / shortest_start(r->theirs, rounds);
}

double rss_ratio(const struct result *r, int rounds)
{
    return MEDIAN(r->ours, rounds, rss) / MEDIAN(r->theirs, rounds, rss);
}

double peak_share(const struct result *r, int rounds, double gflops)
{
    return r->macs > 0 && gflops > 0
               ? 2e-6 * r->macs / MEDIAN(r->ours, rounds, median) / gflops * 100
               : NAN;
}

double throughput(const double *per_second, int rounds)
{
    double v[MAX_ROUNDS];
    int n = 0;
    for (int i = 0; i < rounds; i++)
        if (per_second[i] > 0)
            v[n++] = per_second[i];
    return median(v, n);
}

double throughput_ratio(const struct model *m, int rounds)
{
    double v[MAX_ROUNDS];
    int n = 0;
    for (int i = 0; i < rounds; i++)
        if (m->our_throughput[i] > 0 && m->their_throughput[i] > 0)
            v[n++] = m->their_throughput[i] / m->our_throughput[i];
    return median(v, n);
}
