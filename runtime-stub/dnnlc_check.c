#include "dnnlc_check.h"

#include "dnnlc_inputs.h"
#include "dnnlc_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double largest_finite(const struct dnnlc_array *ref)
{
    double largest = 0;
    for (size_t i = 0; i < ref->count; i++) {
        double value = fabs(dnnlc_array_element(ref, i));
        if (isfinite(value) && value > largest)
            largest = value;
    }
    return largest;
}

/* Doubles cannot tell neighbouring 64-bit integers apart. */
static double difference_64(const struct dnnlc_array *out, const struct dnnlc_array *ref, size_t i)
{
    uint64_t a, b;
    memcpy(&a, (const char *)out->data + i * sizeof a, sizeof a);
    memcpy(&b, (const char *)ref->data + i * sizeof b, sizeof b);
    bool less = out->dtype == DNNLC_I64 ? (int64_t)a < (int64_t)b : a < b;
    return (double)(less ? b - a : a - b);
}

static double difference(const struct dnnlc_array *out, const struct dnnlc_array *ref, size_t i)
{
    if (ref->dtype == DNNLC_I64 || ref->dtype == DNNLC_U64)
        return difference_64(out, ref, i);
    double a = dnnlc_array_element(out, i), b = dnnlc_array_element(ref, i);
    if ((a <= b && a >= b) || (isnan(a) && isnan(b))) /* infinities among them */
        return 0;
    double diff = fabs(a - b);
    return isnan(diff) ? INFINITY : diff;
}

struct dnnlc_difference dnnlc_compare(const struct dnnlc_array *out, const struct dnnlc_array *ref,
                                      double rtol, double atol)
{
    struct dnnlc_difference worst = {0};
    double base = atol * fmax(1, largest_finite(ref));
    for (size_t i = 0; i < ref->count; i++) {
        double value = fabs(dnnlc_array_element(ref, i));
        double allowed = isfinite(value) ? base + rtol * value : 0;
        double diff = difference(out, ref, i);
        bool fails = !(diff <= allowed);
        double share = diff > 0 ? diff / allowed : 0; /* by 0: infinite */
        if (i == 0 || share > worst.share || (fails && worst.failed == 0)) {
            worst.worst = i;
            worst.diff = diff;
            worst.allowed = allowed;
            worst.share = share;
        }
        worst.failed += fails;
    }
    return worst;
}

struct dnnlc_distance dnnlc_measure(const struct dnnlc_array *out, const struct dnnlc_array *ref)
{
    const double tiny = 1e-5;
    struct dnnlc_distance d = {0};
    double diffs = 0, outs = 0, refs = 0, dot = 0, n = fmax(1, (double)ref->count);
    double largest = largest_finite(ref);
    for (size_t i = 0; i < ref->count; i++) {
        double a = dnnlc_array_element(out, i), b = dnnlc_array_element(ref, i);
        double diff = difference(out, ref, i);
        d.misfits += isinf(diff) != 0;
        d.outliers += diff > DNNLC_BF16_SHARE * largest + tiny;
        if (diff > d.diff) {
            d.diff = diff;
            d.worst = i;
        }
        if (!isfinite(a) || !isfinite(b))
            continue;
        diffs += diff * diff;
        outs += a * a;
        refs += b * b;
        dot += a * b;
    }
    d.rms = sqrt(diffs / n);
    d.relative = diffs > 0 ? sqrt(diffs / fmax(refs, tiny * tiny * n)) : 0;
    d.cosine = outs > 0 && refs > 0 ? dot / sqrt(outs * refs) : outs > 0 || refs > 0 ? 0 : 1;
    d.rare = ref->count / DNNLC_BF16_RARE;
    d.share = d.diff > 0 ? d.diff / fmax(largest, tiny) : 0;
    d.agrees = d.misfits == 0 && (d.rms <= tiny || d.relative <= DNNLC_BF16_RELATIVE) &&
               d.outliers <= d.rare;
    return d;
}

static void print_index(const struct dnnlc_array *array, size_t element)
{
    size_t index[DNNLC_MAX_RANK];
    for (int d = array->rank - 1; d >= 0; d--) {
        index[d] = element % (size_t)array->dims[d];
        element /= (size_t)array->dims[d];
    }
    putchar('[');
    for (int d = 0; d < array->rank; d++)
        printf("%s%zu", d ? "," : "", index[d]);
    putchar(']');
}

static void print_difference(const struct dnnlc_tensor *tensor, size_t k,
                             const struct dnnlc_array *out, const struct dnnlc_array *ref,
                             const struct dnnlc_difference *d)
{
    printf("output_%zu ", k);
    dnnlc_print_tensor(tensor);
    printf(": %s", d->failed ? "DISAGREES" : "agrees");
    if (d->failed)
        printf(" in %zu of %zu elements", d->failed, ref->count);
    if (ref->count == 0) {
        puts(" (no elements)");
    } else if (d->diff > 0) {
        printf(", worst difference %.6g (%.3g of what is allowed) at ", d->diff, d->share);
        print_index(ref, d->worst);
        printf(": %.9g, reference %.9g\n", dnnlc_array_element(out, d->worst),
               dnnlc_array_element(ref, d->worst));
    } else {
        puts(" exactly");
    }
}

/* They differ in the number of rows that count. */
static void print_rows(const struct dnnlc_tensor *tensor, size_t k, const struct dnnlc_array *out,
                       const struct dnnlc_array *ref)
{
    char is[DNNLC_SHAPE_TEXT], wanted[DNNLC_SHAPE_TEXT];
    printf("output_%zu ", k);
    dnnlc_print_tensor(tensor);
    printf(": DISAGREES in its shape: %s, reference %s\n",
           dnnlc_shape_text(is, out->dtype, out->rank, out->dims),
           dnnlc_shape_text(wanted, ref->dtype, ref->rank, ref->dims));
}

static void print_distance(const struct dnnlc_tensor *tensor, size_t k,
                           const struct dnnlc_array *out, const struct dnnlc_array *ref,
                           const struct dnnlc_distance *d)
{
    printf("output_%zu ", k);
    dnnlc_print_tensor(tensor);
    printf(": %s", d->agrees ? "agrees" : "DISAGREES");
    if (d->misfits)
        printf(" in what is finite in %zu of %zu elements", d->misfits, ref->count);
    if (!(d->diff > 0)) {
        puts(ref->count ? " exactly" : " (no elements)");
        return;
    }
    printf(", bf16: relative L2 difference %.3g (%g allowed), RMS %.3g, cosine %.6f; worst %.6g, "
           "%.3g of the largest element, at ",
           d->relative, DNNLC_BF16_RELATIVE, d->rms, d->cosine, d->diff, d->share);
    print_index(ref, d->worst);
    printf(": %.9g, reference %.9g", dnnlc_array_element(out, d->worst),
           dnnlc_array_element(ref, d->worst));
    if (d->outliers)
        printf("; %zu of %zu elements are off by more than %g of the largest (%zu allowed)",
               d->outliers, ref->count, DNNLC_BF16_SHARE, d->rare);
    putchar('\n');
}

/* Bf16 changes no integer and no bool: those are compared as ever. */
static bool is_measured(const struct dnnlc_model *model, const struct dnnlc_array *ref,
                        const struct dnnlc_options *options)
{
    bool is_float = ref->dtype == DNNLC_F32 || ref->dtype == DNNLC_F64 || ref->dtype == DNNLC_F16 ||
                    ref->dtype == DNNLC_BF16;
    return is_float && model->precision && !strcmp(model->precision, "bf16") &&
           !dnnlc_given(options, DNNLC_RTOL) && !dnnlc_given(options, DNNLC_ATOL);
}

/* Reads the output_K, and makes sure that they hold what each of the model's outputs is, and no more. */
static bool read_references(const struct dnnlc_model *model, const char *dir,
                            struct dnnlc_arrays *list, char *why, size_t why_size)
{
    size_t files;
    const size_t n = dnnlc_model_outputs(model);
    if (!dnnlc_folder_read(dir, "output", list, &files, why, why_size))
        return false;
    struct dnnlc_array *refs = list->arrays;
    for (size_t k = 0; k < n; k++) {
        char source[512];
        if (k == list->count)
            return dnnlc_fail(why, why_size, "%s: neither output_%zu.pb nor .npy, for output '%s'",
                              dir, files, model->outputs[k].name);
        snprintf(source, sizeof source, "%s/output_%zu", dir, refs[k].file);
        struct dnnlc_tensor wanted = model->outputs[k];
        for (int d = 0; d < wanted.rank && refs[k].rank == wanted.rank; d++)
            if (dnnlc_count_of(model, k, d) && refs[k].dims[d] < wanted.dims[d])
                wanted.dims[d] = refs[k].dims[d];
        if (!dnnlc_fits(&refs[k], &wanted, "output", source, why, why_size))
            return false;
    }
    return list->count == n ||
           dnnlc_fail(why, why_size, "%s: has output_%zu, the model has %zu output%s", dir,
                      refs[n].file, n, n == 1 ? "" : "s");
}

static bool compare_all(const struct dnnlc_session *session, const struct dnnlc_array *refs,
                        const struct dnnlc_options *options, char *why, size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    const size_t n = dnnlc_model_outputs(model);
    size_t failed = 0;
    for (size_t k = 0; k < n; k++) {
        const struct dnnlc_array *out = &session->outputs[k];
        if (!dnnlc_same_shape(out->rank, out->dims, &refs[k])) {
            print_rows(&model->outputs[k], k, out, &refs[k]);
            failed++;
            continue;
        }
        struct dnnlc_tensor shown = model->outputs[k];
        memcpy(shown.dims, out->dims, sizeof shown.dims);
        if (is_measured(model, &refs[k], options)) {
            struct dnnlc_distance d = dnnlc_measure(out, &refs[k]);
            print_distance(&shown, k, out, &refs[k], &d);
            failed += !d.agrees;
            continue;
        }
        struct dnnlc_difference d = dnnlc_compare(out, &refs[k], options->rtol, options->atol);
        print_difference(&shown, k, out, &refs[k], &d);
        failed += d.failed > 0;
    }
    return failed == 0 ||
           dnnlc_fail(why, why_size, "%s: %zu of %zu outputs disagree with the reference",
                      options->check_dir, failed, n);
}

bool dnnlc_check(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                 size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    struct dnnlc_arrays refs = {0};
    bool done = dnnlc_inputs_load_folder(session, options->check_dir, why, why_size) &&
                read_references(model, options->check_dir, &refs, why, why_size) &&
                dnnlc_session_start(session, options->threads, why, why_size) &&
                dnnlc_session_run(session, why, why_size) &&
                dnnlc_session_trim(session, why, why_size) &&
                compare_all(session, refs.arrays, options, why, why_size);
    dnnlc_arrays_free(&refs, 0);
    return done;
}
