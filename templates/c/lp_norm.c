/* Apache-2.0. Vectors along one axis divided by their norm; a zero vector stays. */
#include <math.h>
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $take$ v * v
#define $norm$ sqrtf(sum)
#define $source$ src[at + i * INNER]
#define $result$ src[at + i * INNER] * scale
#define $outer$ 2
#define $size$ 3
#define $inner$ 49
//@begin
$signature$
{
    enum { OUTER = $outer$, SIZE = $size$, INNER = $inner$ };
    for (size_t vector = 0; vector < OUTER * INNER; vector++) {
        const size_t at = vector / INNER * (SIZE * INNER) + vector % INNER;
        $A_x$ sum = 0;
        for (size_t i = 0; i < SIZE; i++) {
            const $A_x$ v = $source$;
            sum += $take$;
        }
        const $A_x$ norm = $norm$, scale = norm <= 0 ? 1 : 1 / norm;
        for (size_t i = 0; i < SIZE; i++)
            dst[at + i * INNER] = $result$;
    }
}
