/* Apache-2.0. The weights of a recurrent layer, transposed: one row per input. */
#include <stddef.h>
#define NET_INLINE static inline
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $gates$ 20
#define $transpose_head$ NET_INLINE void sample_transpose(const float *restrict w, float *restrict rows, const size_t depth)
//@begin
/* Transposes weights that are not constant: from a row per gate to a row per element of the input. */
$transpose_head$
{
    enum { GATES = $gates$ };
    for (size_t k = 0; k < depth; k++)
        for (size_t j = 0; j < GATES; j++)
            rows[k * GATES + j] = $ld_x$(w[j * depth + k]);
}

