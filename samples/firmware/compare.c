/* compare DEVICE HOST TOLERANCE: the two results of classify.c must have the same pictures, the
 * same labels, and probabilities that differ by at most TOLERANCE. Lines that start with # are
 * remarks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 10 };

struct result {
    char name[64];
    int label;
    uint32_t bits[DIGITS];
};

/* 1: a result, 0: the end, -1: something else. */
static int read_result(FILE *f, struct result *r)
{
    char line[256];
    do
        if (!fgets(line, sizeof line, f))
            return 0;
    while (line[0] == '#');
    int at = 0;
    if (sscanf(line, "%63s %d%n", r->name, &r->label, &at) != 2 || r->label < 0 ||
        r->label >= DIGITS)
        return -1;
    for (int i = 0, n = 0; i < DIGITS; i++, at += n)
        if (sscanf(line + at, "%8" SCNx32 "%n", &r->bits[i], &n) != 1)
            return -1;
    return 1;
}

static double value(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* The largest difference, infinite where there is a NaN. */
static double difference(const struct result *a, const struct result *b)
{
    double worst = 0;
    for (int i = 0; i < DIGITS; i++) {
        double d = fabs(value(a->bits[i]) - value(b->bits[i]));
        worst = isnan(d) ? INFINITY : fmax(worst, d);
    }
    return worst;
}

static int compare(FILE *device, FILE *host, double tolerance)
{
    struct result a, b;
    int count = 0, bad = 0, more_a, more_b;
    for (;;) {
        more_a = read_result(device, &a);
        more_b = read_result(host, &b);
        if (more_a != 1 || more_b != 1)
            break;
        double d = difference(&a, &b);
        int same = a.label == b.label && !strcmp(a.name, b.name) && d <= tolerance;
        printf("%-20s device %d  host %d  probability %.6f  largest difference %.3g%s%s\n", a.name,
               a.label, b.label, value(a.bits[a.label]), d,
               memcmp(a.bits, b.bits, sizeof a.bits) ? "" : " (the same bits)",
               same ? "" : "  DISAGREE");
        bad += !same;
        count++;
    }
    if (more_a || more_b || !count) {
        printf("compare: the two results do not have the same lines\n");
        return 1;
    }
    return bad != 0;
}

int main(int argc, char **argv)
{
    FILE *device = argc == 4 ? fopen(argv[1], "r") : NULL;
    FILE *host = argc == 4 ? fopen(argv[2], "r") : NULL;
    if (!device || !host) {
        fprintf(stderr, "usage: compare DEVICE HOST TOLERANCE\n");
        return 2;
    }
    return compare(device, host, atof(argv[3]));
}
