/* Apache-2.0. The weights of a recurrent layer, transposed: one row per input. */
#include <stddef.h>
#define NET_INLINE static inline
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $gates$ 20
#define $fn$_transpose sample_transpose
//@begin
/* Transposes weights that are not constant: from a row per gate to a row per element of the input. */
NET_INLINE void $fn$_transpose(const $T_x$ *restrict w, $A_x$ *restrict rows, const size_t depth)
{
    enum { GATES = $gates$ };
    for (size_t k = 0; k < depth; k++)
        for (size_t j = 0; j < GATES; j++)
            rows[k * GATES + j] = $ld_x$(w[j * depth + k]);
}

