/* Looks at outputs that an executable wrote:
 *
 *     outputs finite DIR           every element of DIR/output_K.npy is finite
 *     outputs sum-to-1 FILE        the sums over the last dimension are 1 within 1e-3
 *     outputs same DIR REF [RTOL ATOL]
 *                                  as --check compares: |out - ref| <= ATOL max(1, max |ref|) + RTOL |ref|
 *     outputs within DIR REF LIMITS
 *                                  the root of the mean square of out - ref is at most as large, against ref's own, as line K
 *                                  of the file LIMITS says of output K
 *
 * Exit status: 0 so it is, 1 not, with one line that says where, 2 bad usage. */
#include "../../runtime-stub/dnnlc_check.h"
#include "../../runtime-stub/dnnlc_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_array(const char *path, struct dnnlc_array *array)
{
    char why[512];
    *array = (struct dnnlc_array){0};
    if (dnnlc_array_read(path, array, why, sizeof why))
        return true;
    puts(why);
    return false;
}

static bool finite_array(const char *path)
{
    struct dnnlc_array a;
    if (!read_array(path, &a))
        return false;
    size_t i = 0;
    while (i < a.count && isfinite(dnnlc_array_element(&a, i)))
        i++;
    bool finite = i == a.count;
    if (!finite)
        printf("%s: element %zu of %zu is %g\n", path, i, a.count, dnnlc_array_element(&a, i));
    dnnlc_array_free(&a);
    return finite;
}

static bool sums_to_one(const char *path)
{
    struct dnnlc_array a;
    bool good = true;
    if (!read_array(path, &a))
        return false;
    size_t row = a.rank ? (size_t)a.dims[a.rank - 1] : 1;
    for (size_t i = 0; good && i < a.count; i += row) {
        double sum = 0;
        for (size_t k = 0; k < row; k++)
            sum += dnnlc_array_element(&a, i + k);
        good = fabs(sum - 1) < 1e-3;
        if (!good)
            printf("%s: row %zu sums to %g\n", path, i / row, sum);
    }
    dnnlc_array_free(&a);
    return good;
}

static bool same_array(const char *path, const char *ref_path, double rtol, double atol)
{
    struct dnnlc_array out, ref;
    bool same = false;
    if (!read_array(path, &out))
        return false;
    if (!read_array(ref_path, &ref)) {
        dnnlc_array_free(&out);
        return false;
    }
    if (out.dtype != ref.dtype || !dnnlc_same_shape(out.rank, out.dims, &ref)) {
        printf("%s and %s have different types\n", path, ref_path);
    } else {
        struct dnnlc_difference d = dnnlc_compare(&out, &ref, rtol, atol);
        same = d.failed == 0;
        if (!same)
            printf("%s: %zu of %zu elements differ, worst [%zu]: %g, reference %g\n", path,
                   d.failed, ref.count, d.worst, dnnlc_array_element(&out, d.worst),
                   dnnlc_array_element(&ref, d.worst));
    }
    dnnlc_array_free(&out);
    dnnlc_array_free(&ref);
    return same;
}

/* sqrt(sum (out - ref)^2 / sum ref^2) */
static bool array_within(const char *path, const char *ref_path, double limit)
{
    struct dnnlc_array out, ref;
    bool within = false;
    if (!read_array(path, &out))
        return false;
    if (!read_array(ref_path, &ref)) {
        dnnlc_array_free(&out);
        return false;
    }
    if (out.dtype != ref.dtype || !dnnlc_same_shape(out.rank, out.dims, &ref)) {
        printf("%s and %s have different types\n", path, ref_path);
    } else {
        double squares = 0, all = 0;
        for (size_t i = 0; i < ref.count; i++) {
            const double r = dnnlc_array_element(&ref, i), d = dnnlc_array_element(&out, i) - r;
            squares += d * d;
            all += r * r;
        }
        within = sqrt(squares) <= limit * sqrt(all);
        if (!within)
            printf("%s: %g of the reference off, of which %g are allowed\n", path,
                   sqrt(squares / all), limit);
    }
    dnnlc_array_free(&out);
    dnnlc_array_free(&ref);
    return within;
}

static bool each_within(const char *dir, const char *ref, const char *limits)
{
    FILE *file = fopen(limits, "r");
    char path[4096], ref_path[4096];
    double limit;
    int k = 0;
    bool good = file != NULL;
    for (; good && fscanf(file, "%lf", &limit) == 1; k++) {
        snprintf(path, sizeof path, "%s/output_%d.npy", dir, k);
        snprintf(ref_path, sizeof ref_path, "%s/output_%d.npy", ref, k);
        good = array_within(path, ref_path, limit);
    }
    if (file)
        fclose(file);
    if (k == 0)
        printf("%s has no limits\n", limits);
    return good && k > 0;
}

/* All output_K.npy of the folder; false if there is none. */
static bool each_output(const char *dir, const char *ref, double rtol, double atol)
{
    char path[4096], ref_path[4096];
    for (int k = 0;; k++) {
        snprintf(path, sizeof path, "%s/output_%d.npy", dir, k);
        if (access(path, F_OK) != 0) {
            if (k == 0)
                printf("%s does not exist\n", path);
            return k > 0;
        }
        snprintf(ref_path, sizeof ref_path, "%s/output_%d.npy", ref ? ref : dir, k);
        if (ref ? !same_array(path, ref_path, rtol, atol) : !finite_array(path))
            return false;
    }
}

int main(int argc, char **argv)
{
    bool good;
    if (argc == 3 && !strcmp(argv[1], "finite"))
        good = each_output(argv[2], NULL, 0, 0);
    else if (argc == 3 && !strcmp(argv[1], "sum-to-1"))
        good = sums_to_one(argv[2]);
    else if ((argc == 4 || argc == 6) && !strcmp(argv[1], "same"))
        good = each_output(argv[2], argv[3], argc == 6 ? atof(argv[4]) : 1e-3,
                           argc == 6 ? atof(argv[5]) : 1e-5);
    else if (argc == 5 && !strcmp(argv[1], "within"))
        good = each_within(argv[2], argv[3], argv[4]);
    else
        return fputs("usage: see the head of tests/models/outputs.c\n", stderr), 2;
    return !good;
}
