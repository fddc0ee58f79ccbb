/* Apache-2.0. One at the first maximum of each vector, zero elsewhere. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $one$ 1
#define $outer$ 4
#define $size$ 100
#define $inner$ 49
//@begin
$signature$
{
    enum { OUTER = $outer$, SIZE = $size$, INNER = $inner$ };
    for (size_t vector = 0; vector < OUTER * INNER; vector++) {
        const size_t at = vector / INNER * (SIZE * INNER) + vector % INNER;
        $A_x$ max = $ld_x$(src[at]);
        size_t place = 0;
        for (size_t i = 1; i < SIZE; i++)
            if ($ld_x$(src[at + i * INNER]) > max) {
                max = $ld_x$(src[at + i * INNER]);
                place = i;
            }
        for (size_t i = 0; i < SIZE; i++)
            dst[at + i * INNER] = i == place ? $one$ : 0;
    }
}
