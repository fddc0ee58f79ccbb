/* Comparing outputs with a reference. */
#ifndef DNNLC_RUNTIME_CHECK_H
#define DNNLC_RUNTIME_CHECK_H

#include "dnnlc_options.h"
#include "dnnlc_session.h"

/* The element with the largest difference, measured in what is allowed for it. */
struct dnnlc_difference {
    size_t failed; /* elements that disagree */
    size_t worst;  /* the element's row-major index */
    double diff;   /* |out - ref|; infinite where only one is NaN, or infinite */
    double allowed;
    double share; /* diff / allowed; 0 if diff is 0 */
};

/* Compares two arrays of one type and shape: element by element, |out - ref| has to be at most
 * atol * max(1, max |ref|) + rtol * |ref|, with the maximum over ref's finite elements. NaN agrees
 * with NaN only, infinity with the same infinity only. */
struct dnnlc_difference dnnlc_compare(const struct dnnlc_array *out, const struct dnnlc_array *ref,
                                      double rtol, double atol);

/* How far two float arrays are apart as a whole. In a model that computes in bf16, whose numbers have
 * 8 bits, any element may be off by some per cent of the largest, and where sums cancel a few by
 * more: element by element nothing can be asked for, but all of them together can. */
struct dnnlc_distance {
    bool agrees;     /* relative is at most DNNLC_BF16_RELATIVE, outliers are rare, no misfits */
    size_t misfits;  /* elements that are NaN or infinite in one of them and something else in the other */
    size_t outliers; /* elements that are off by more than DNNLC_BF16_SHARE of max |ref| … */
    size_t rare;     /* … and how many of them are allowed */
    double relative; /* |out - ref| / |ref|, Euclidean */
    double cosine;   /* of the angle between them */
    double rms;      /* of out - ref */
    double diff;     /* the largest |out - ref| … */
    size_t worst;    /* … and the row-major index of its element */
    double share;    /* diff / max |ref| */
};

#define DNNLC_BF16_RELATIVE 0.05
#define DNNLC_BF16_SHARE 0.1
#define DNNLC_BF16_RARE 1000 /* one element in so many may be an outlier */

/* Differences of up to 1e-5 count as none. */
struct dnnlc_distance dnnlc_measure(const struct dnnlc_array *out, const struct dnnlc_array *ref);

/* Runs the session on dir/input_K and compares every output with dir/output_K, printing a line for
 * each: by dnnlc_measure for floats of a model that computes in bf16, unless --rtol or --atol was
 * given, else by dnnlc_compare. Returns false with `why` if anything failed or an output disagrees. */
bool dnnlc_check(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                 size_t why_size);

#endif
