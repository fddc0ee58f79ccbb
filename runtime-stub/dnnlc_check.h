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

/* Runs the session on dir/input_K and compares every output with dir/output_K, printing a line for
 * each. Returns false with `why` if anything failed or an output disagrees. */
bool dnnlc_check(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                 size_t why_size);

#endif
