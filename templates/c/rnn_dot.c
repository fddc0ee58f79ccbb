/* Apache-2.0. The dot product of a row of weights. */
#include <stddef.h>
#define NET_INLINE static inline
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $dot_head$ NET_INLINE float sample_dot(const float *restrict w, const float *restrict v, const size_t n)
#define $lanes$ 16
//@begin
/* The dot product of a row of weights with a vector, in partial sums that are added up at the end. */
$dot_head$
{
    enum { LANES = $lanes$ };
    const size_t full = n - n % LANES;
    $A_x$ part[LANES] = {0}, sum = 0;
    for (size_t i = 0; i < full; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            part[l] += $ld_x$(w[i + l]) * v[i + l];
    for (size_t i = full; i < n; i++)
        sum += $ld_x$(w[i]) * v[i];
    for (size_t l = 0; l < LANES; l++)
        sum += part[l];
    return sum;
}

