/* Apache-2.0. The weights of a recurrent layer, one row per input. */
#include <stddef.h>
#define NET_INLINE static inline
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $gates$ 20
#define $turn_head$ NET_INLINE void sample_turn(const float *restrict w, float *restrict rows, const size_t depth)
//@begin
/* Weights that are no constants, from one row per gate to one per element of the input. */
$turn_head$
{
    enum { GATES = $gates$ };
    for (size_t k = 0; k < depth; k++)
        for (size_t j = 0; j < GATES; j++)
            rows[k * GATES + j] = $ld_x$(w[j * depth + k]);
}

