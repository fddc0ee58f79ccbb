/* F(4x4, 3x3) of whole numbers, which is exact: src is made of bytes, what tiles and weights become fits into 16 bits, and their products are added up modulo 2^32.
 *
 * With the points 0, +-1, +-2 and infinity B^T is whole, and so is G when it is multiplied by 24, the last row by 8 only, for which A^T has a 3. Results
 * are 24^2 times as large then. On the way sums may leave 32 bits as they like, since only whole numbers are added and subtracted: modulo 2^32 the
 * results are right. 9 has an inverse there, and what is left is 64 times the sum, which has to stay within 32 bits. The transformations are those of
 * templates/dnnl/winograd_whole.c. */
#include "algorithm.h"

#include <math.h>

enum {
    BYTE = UINT8_MAX, /* the largest element of src, and the span of all */
    LARGEST_IN = 10,  /* of the sums of |B^T|'s rows */
    LARGEST_G = 12,   /* … of |G|'s */
    MOST = 1 << 25,   /* 64 times as much leaves 32 bits */
};

_Static_assert(LARGEST_IN *LARGEST_IN *BYTE <= INT16_MAX, "transformed tiles fit into 16 bits");

const double *winograd_whole_g(void)
{
    static const double g[6][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                                   {1, 2, 4}, {1, -2, 4},   {0, 0, 8}};
    return *g;
}

/* No sum of its products leaves the range: those of weights of one sign by the largest elements of src, the others by the least, whose span is that of a byte. */
static bool filter_fits(const float *w, int64_t count)
{
    double up = 0, down = 0;
    for (int64_t i = 0; i < count; i++) {
        *(w[i] > 0 ? &up : &down) += fabs(w[i]);
        if (LARGEST_G * LARGEST_G * fabs(w[i]) > INT16_MAX)
            return false;
    }
    return BYTE * fmax(up, down) < MOST;
}

bool winograd_is_whole(const Describe *d)
{
    const DnnlMemory *w = onednn_memory_of(d->p, ARG_WEIGHTS);
    const int64_t count = w->dims[1] * w->dims[2] * w->dims[3];
    if (!indirect_of_pairs(d, count) || w->strides[0] != count)
        return false;
    for (int64_t k = 0; k < w->dims[0]; k++)
        if (!filter_fits((const float *)w->data + k * count, count))
            return false;
    return true;
}
